/* The geometry of a work on the device: planes, grid, batches, regions, and the bytes that they take. */
#ifndef ABBE_CUDA_GEOMETRY_H
#define ABBE_CUDA_GEOMETRY_H

#include "cuda/transform.h"
#include "device/regions.h"

struct cuda_geometry {
    int planes;    /* complex planes of a pixel of the grid: 1 or 2 */
    int groups;    /* groups of channels, each of one pixel of the grid */
    bool half;     /* the grid is in 16 bits */
    bool single;   /* one channel: two rows share a plane, and half of the columns suffice */
    bool wide;     /* results pass through a buffer of floats */
    bool interior; /* the window is the picture: no border */
    bool mapped;   /* the grid has the rows of the picture, and columns read them through the border's map */
    bool in_place; /* the grid lies in the result, if that is interleaved without gaps between rows */
    bool fourier;  /* FFT or TILES */
    bool even;     /* even transforms */
    int spectra;   /* of a filter: 2 where even transforms need its odd part apart, otherwise 1 */
    bool bank;     /* the column pass keeps the spectrum for several filters */
    struct cuda_transform x, y;
    struct cuda_sharing rows, columns, rows_back;
    bool persistent;                     /* of the column pass */
    int resident;                        /* sixteenths of rows for the second-level cache */
    int prefetch_columns, prefetch_back; /* bytes, as ABCU_PREFETCH */
    int strip, band;                     /* columns and rows that are contiguous in the grid */
    int columns_all;                     /* columns of the grid */
    int tile_columns, column_tiles;      /* columns of a tile of the column pass, and such tiles */
    int rows_stored;                     /* rows that the first pass writes */
    double grid;                         /* pixels of one grid: a tile with all groups */
    int batch;                           /* tiles of one launch */
    int share;                           /* spectra of one launch of the column pass */
    int terms;                           /* SEPARABLE: most terms of one result */
    int region_x, region_y;              /* pixels of a region's results */
    int regions_x, regions_y;            /* regions side by side, and one above the other */
    bool whole;                          /* one region is the picture */
    double source_pitch, result_pitch;   /* bytes from row to row of the device's own buffers */
    double source, result;               /* bytes of those buffers; source is infinite if no region fits */
    double grids, back, wide_bytes;
    double filters, tables, maps;
};

/* device_table.has_even */
bool cuda_has_even(const abbe_device *device, const struct work *work);

/* Plans the geometry of a work. Returns NULL, or the reason why the device cannot take the work. */
const char *cuda_geometry_plan(const struct cuda *cuda, const struct work *work,
                               struct cuda_geometry *geometry);

/* Number of tiles that go through the passes together when a tile's grid has `bytes` bytes. */
double cuda_batch(const struct cuda *cuda, double tiles, double bytes);

/* Bytes of one run, without the struct that holds them. */
double cuda_geometry_run(const struct cuda_geometry *geometry);

/* The order of gains in a column: writes the frequency of each of the y.length gains, and for each column of the sampled
 * spectrum (`columns` of them) its place among the grid's columns, or −1 if it is not kept. */
void cuda_geometry_order(const struct cuda_geometry *geometry, int *order, int *places, int columns);

#endif
