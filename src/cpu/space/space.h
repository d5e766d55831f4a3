/* Direct and separable convolution by vector kernels, one strip of a band of rows at a time.
 *
 *   direct      picture ──load──▶ ring of lines with their border ──all taps──▶ results
 *   separable   picture ──column taps──▶ SPACE_ROWS lines with their border ──row taps──▶ results
 *
 * Column taps come first, because they can be applied directly to the stored samples: the rows above and
 * below are still in the cache, and a line is not needed after it has been filtered. Where a plan asks for
 * more than a conversion of type (alpha, linear light, replacement of non-finite samples), column taps read a
 * ring of lines too. */
#ifndef ABBE_CPU_SPACE_SPACE_H
#define ABBE_CPU_SPACE_SPACE_H

#include "cpu/cpu.h"
#include "cpu/space/kernels.h"

/* The taps of one filter: all taps, or the factors of every separable term; as floats, and for bytes as
 * shorts. */
struct space_filter {
    int terms; /* the number of separable terms; 0 for direct convolution */
    struct space_taps *dense, *row, *column;
    struct space_tap *sparse; /* used instead of `dense` when most taps are zero; otherwise NULL */
    int sparse_count;
    struct space_short_taps short_dense, short_row, short_column;
    int x, y; /* the pixel of the first tap, relative to the first pixel in reach of the work's kernels */
};

/* Pixels of a line's border that are consecutive in the picture. */
struct space_edge {
    int at, index; /* the first pixel in the line, and in the picture; index −1 is the outside pixel */
    int count;
};

struct space_scratch;

struct space {
    const struct space_kernels *kernels;
    bool fast_load, fast_store; /* loading or storing is only a conversion of type, which the kernels do */
    bool reads_stored;          /* column taps read the stored samples of the picture */
    bool alpha;                 /* the kernels multiply and divide by alpha */
    bool shorts;                /* from bytes to bytes in 16 bits */
    union {
        float floats[ABBE_CHANNELS_MAX];
        int16_t shorts[ABBE_CHANNELS_MAX];
    } outside; /* the outside pixel, as lines hold it */
    struct space_filter *filters;
    struct space_taps *taps; /* the memory of all filters' taps, and of their values */
    float *values;
    int32_t *short_values;
    struct space_tap *sparse;
    _Atomic(struct space_scratch *) idle; /* the scratch of a finished run, for the next one */
    int planes; /* pictures of one channel in a run; 1 for a picture of any number of channels */
    struct space_plane *plane; /* filters planes one by one; NULL where channels depend on each other */
};

/* An engine with the same taps for pictures of one channel. */
struct space_plane {
    struct work work;
    struct engine engine;
    struct space space;
};

/* ---- taps.c ------------------------------------------------------------------------------------------- */

/* The value that stands for 1 in samples of a type. */
double space_white(abbe_type type);

/* Fills the filters, taps and outside pixel of an engine's space, and decides whether they are shorts.
 * Returns false when memory runs out. */
bool space_create_taps(struct engine *engine);
void space_free_taps(struct space *space);

/* The bytes of a kernel's taps in the layout of a method. */
double space_taps_bytes(const struct kernel *kernel, abbe_method method);

/* Whether 16 bits are probably precise enough for a kernel, for prices: assumes the mean rounding error for
 * each tap. */
bool space_fits_shorts(const struct kernel *kernel, abbe_method method);

/* ---- space.c ------------------------------------------------------------------------------------------ */

/* Whether a work can go from bytes to bytes in 16 bits, provided that its taps fit. */
bool space_takes_shorts(const struct work *work, const struct space_kernels *kernels);

/* The division of a picture, or of each of several planes; it does not depend on the number of threads. */
struct space_division {
    int strip, strips; /* width of a strip in pixels, and the number of strips */
    int band, bands;   /* height of a band in rows, and the number of bands */
    size_t line;       /* floats of a line with its border and slack */
    int ring;          /* lines in the ring; 0 when column taps read stored samples */
    int columns;       /* lines after column taps */
    int sums;          /* lines of results as floats */
};

struct space_division space_divide(const struct work *work, int planes);

/* The memory of one thread, and its position in the picture. */
struct space_worker {
    const struct engine *engine;
    const abbe_image *source, *results;
    struct watcher *watcher;
    struct space_division division;
    int x, width; /* of the strip */
    /* A line holds the picture's columns low … high − 1; its other pixels are edges. */
    int low, high;
    int edge_count;
    struct space_edge *edges;
    int first, ready; /* first row of the band; rows of the ring that are filled */
    const void **rows;
    float *ring, *columns; /* lines of floats, or of shorts */
    float *sums[2];
    float *beyond; /* a line of outside pixels, in the source's type */
    float *line;   /* scratch of cpu_store_pixels */
};

/* ---- strips.c ----------------------------------------------------------------------------------------- */

/* Moves a worker to a strip. */
void space_enter_strip(struct space_worker *worker, int strip);

/* Computes rows first … first + count − 1 of the results of the worker's strip, unless the run is stopped. */
void space_filter_band(struct space_worker *worker, int first, int count);

#endif
