/* Direct and separable convolution by vector kernels, a strip of a band of rows at a time.
 *
 *   direct      picture ──load──▶ ring of lines, with their border ──all taps──▶ results
 *   separable   picture ──column taps──▶ SPACE_ROWS lines, with their border ──row taps──▶ results
 *
 * Columns come first, because they can be read straight from the stored samples: the rows above and below are
 * still in the cache, and no line is kept for longer than it takes to filter it. Where a plan asks for more
 * than a conversion of type (alpha, light, numbers that are not finite), they are read from a ring of lines
 * too. */
#ifndef ABBE_CPU_SPACE_SPACE_H
#define ABBE_CPU_SPACE_SPACE_H

#include "cpu/cpu.h"
#include "cpu/space/kernels.h"

/* One filter: all taps, or the factors of every term; as floats, or for bytes as shorts. */
struct space_filter {
    int rank; /* 0: direct */
    struct space_taps *dense, *row, *column;
    struct space_tap *sparse; /* instead of dense where most taps are zero; otherwise NULL */
    int sparse_count;
    struct space_short_taps short_dense, short_row, short_column;
    int x, y; /* of the first tap's pixel from the first one that the work's kernels reach */
};

/* Pixels of a line that do not stand at their own place. */
struct space_edge {
    int at, index; /* the first of them in the line, and in the picture: −1 is the outside pixel */
    int count;
};

struct space_scratch;

struct space {
    const struct space_kernels *kernels;
    bool plain_load, plain_store; /* no more than a conversion of type, which the kernels do */
    bool straight;                /* column taps read the picture itself */
    bool alpha;                   /* which the kernels multiply in and divide out */
    bool shorts;                  /* from bytes to bytes in 16 bits */
    union {
        float floats[ABBE_CHANNELS_MAX];
        int16_t shorts[ABBE_CHANNELS_MAX];
    } outside; /* the pixel, as lines hold it */
    struct space_filter *filters;
    struct space_taps *taps; /* of all filters */
    float *values;           /* of all taps */
    int32_t *short_values;
    struct space_tap *sparse;             /* of all filters */
    _Atomic(struct space_scratch *) idle; /* of a finished run, for the next one */
};

/* ---- taps.c ---- */

/* The level of 1 in a type's samples. */
double space_white(abbe_type type);

/* Fills filters, taps and outside of an engine's space, and says whether they are shorts; false without
 * memory. */
bool space_lay_taps(struct engine *engine);
void space_free_taps(struct space *space);

/* Bytes that a kernel's taps take when laid out for a method. */
double space_taps_bytes(const struct kernel *kernel, abbe_method method);

/* Whether 16 bits would probably do for a kernel, for prices: the rounding of each tap is taken as it is in
 * the mean. */
bool space_fits_shorts(const struct kernel *kernel, abbe_method method);

/* ---- space.c ---- */

/* Whether a work goes from bytes to bytes in 16 bits, if its taps fit them. */
bool space_takes_shorts(const struct work *work, const struct space_kernels *kernels);

/* How a picture is divided, whoever works on it. */
struct space_division {
    int strip, strips; /* pixels across, and how many */
    int band, bands;   /* rows */
    size_t line;       /* floats of a line with its border and slack */
    int ring;          /* lines that are kept; 0: none */
    int columns;       /* lines after column taps */
    int sums;          /* lines of results as floats */
};

struct space_division space_divide(const struct work *work);

/* One thread's memory, and where it is. */
struct space_worker {
    const struct engine *engine;
    const abbe_image *source, *results;
    struct space_division division;
    int x, width;  /* of the strip */
    int low, high; /* pixels of its lines that stand at their own place */
    int edge_count;
    struct space_edge *edges;
    int first, ready; /* rows from which the ring counts, and up to which it is filled, from there */
    const void **rows;
    float *ring, *columns; /* lines of floats, or of shorts */
    float *sums[2];
    float *beyond; /* a line outside the picture, as it is stored */
    float *line;   /* for cpu_store_pixels */
};

/* ---- strips.c ---- */

/* Rows first … first + count − 1 of the results of a strip. */
void space_enter_strip(struct space_worker *worker, int strip);
void space_filter_band(struct space_worker *worker, int first, int count);

#endif
