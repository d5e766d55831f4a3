/* The geometry of a work on the device: planes, grid, batches, regions, and the bytes that they take. */
#ifndef ABBE_VULKAN_GEOMETRY_H
#define ABBE_VULKAN_GEOMETRY_H

#include "device/regions.h"
#include "vulkan/transform.h"

struct vk_geometry {
    int planes;       /* complex planes of an element: 1 or 2 */
    int groups;       /* groups of channels, each of one element */
    bool half;        /* the grid is in 16 bits */
    bool single;      /* one channel: two rows share a plane, and half of the columns suffice */
    bool mixed;       /* 3, 5, … channels: planes of pairs and of a single lie side by side in one grid */
    bool two_columns; /* an element of the column pass is two neighbouring columns of one plane */
    bool packed;      /* pixels are packed into words before they are stored */
    bool wide;        /* results pass through a buffer of floats */
    bool interior;    /* the window is the picture: no border */
    bool in_place;    /* the grid lies in the result buffer */
    bool fourier;     /* FFT or TILES */
    bool even;        /* even transforms */
    int gathered; /* rows of the picture, and one outside, that columns read through the map of rows; 0: none */
    int spectra; /* of a filter: 2 where even transforms need its odd part apart, otherwise 1 */
    struct vk_transform x, y;
    int lanes;                         /* rows of a workgroup of the row passes */
    int column_lanes, block;           /* transforms of a workgroup of the column pass; columns they hold */
    int band;                          /* rows that are contiguous in the grid */
    int columns;                       /* columns of the grid */
    int blocks;                        /* blocks of columns of the grid */
    int gains, gain_blocks;            /* columns of H and their blocks: one plane */
    double grid;                       /* elements of one grid: a tile with all groups */
    int batch;                         /* tiles of one dispatch */
    int share;                         /* filters of one dispatch of the column pass */
    int terms;                         /* SEPARABLE: most terms of one result */
    int region_x, region_y;            /* pixels of a region's results */
    int regions_x, regions_y;          /* regions side by side, and one above the other */
    bool whole;                        /* one region is the picture */
    double source_pitch, result_pitch; /* bytes from row to row */
    double source, result;             /* bytes of each buffer; source is infinite if no region fits */
    double grids, back, wide_bytes;
    double filters, tables, maps;
};

/* Whether the last of the work's groups of four channels has one empty channel. Three channels
 * do where threads hold many elements: untangling rows that share a plane takes more time
 * there than an empty channel. */
bool vk_leaves_one_empty(const struct vk *vk, const struct work *work);

/* device_table.has_even: transforms that fit shared memory. The magnitude of two components takes the two spectra
 * of one result, so filters with an odd part cannot be its components. */
bool vk_has_even(const abbe_device *device, const struct work *work);

/* Plans the geometry of a work. Returns NULL, or the reason why the device cannot take the work. */
const char *vk_geometry_plan(const struct vk *vk, const struct work *work, struct vk_geometry *geometry);

/* Rows that are transformed in place of those of the window, where a window is the whole picture with rows of its border;
 * 0 where there are no fewer. */
int vk_gathered_rows(const struct vk *vk, const struct work *work);

/* Number of tiles that go through the passes together when a tile's grid has `bytes` bytes. */
double vk_batch(double tiles, double bytes);

/* Bytes of one run. */
double vk_geometry_run(const struct vk *vk, const struct vk_geometry *geometry);

#endif
