/* The plain Fourier engine: its memory, and the passes over it. It takes any length, and is the readable reference
 * that the fused engine is compared with.
 *
 * Channels 2p and 2p + 1 share complex plane p as f + i·g and are never untangled: a real kernel filters
 * both alike. A last odd channel is a tangled plane: rows 2k and 2k + 1 share complex row k, which the
 * columns must untangle (Moreland & Angel 2003, eq. 7 and 8), but only half of the columns exist.
 *
 *   grid       [block of LANES columns][row][re | im][LANES]   between the passes; columns in engine order
 *   columns    [frequency v][re | im][LANES]                   one block in the column pass
 *   spectrum   [block][v][LANES] or [block][v][re | im][LANES]  H / (M·N), in the order of the columns
 */
#ifndef ABBE_CPU_PLAIN_H
#define ABBE_CPU_PLAIN_H

#include "cpu/spectra.h"
#include "fft/fft.h"

enum { LANES = 16 };

/* A complex plane: two channels, or one whose rows are tangled. */
struct plane {
    int channel;
    bool tangled;
    int rows;          /* complex rows of the grid */
    int lanes;         /* complex rows that LANES rows of the window make */
    int column_blocks; /* blocks of the column pass */
};

struct plain {
    struct fft_f32 *rows, *columns;
    int *place;      /* the position in a transformed row of frequency u */
    int *half;       /* the same column in a tangled plane: u itself up to half the length, then −1 */
    int grid_blocks; /* blocks of LANES columns in a row */
    int plane_count;
    struct plane planes[(ABBE_CHANNELS_MAX + 1) / 2];
    struct spectrum *spectra; /* one per filter */
};

/* One thread's memory in the passes. */
struct worker {
    float *line;    /* a picture row as loaded */
    float *row;     /* a window row of interleaved channels */
    float *rows;    /* per plane: LANES window rows, [x][re | im][lanes] */
    float *columns; /* one block of columns */
    float *scratch; /* of the transforms */
};

/* One window of the picture on its way through the passes. */
struct field {
    const struct engine *engine;
    const abbe_image *source, *results;
    int first_x, first_y; /* the window's first result */
    int width, height;    /* its results */
    struct window x, y;
    float *grid[(ABBE_CHANNELS_MAX + 1) / 2];
    float *kept[(ABBE_CHANNELS_MAX + 1) / 2]; /* forward columns, kept for a bank */
    float *first_component;                   /* of a magnitude, the window's results as floats */
    int worker_count;
    struct worker *workers;
    struct watcher *watcher; /* of the passes; NULL for a tile among others */
};

/* rows.c */
void cpu_rows_forward(struct field *field);
/* Result r from the grid; `component` is the first (0) or second (1) of a magnitude. */
void cpu_rows_inverse(struct field *field, int r, int component);

/* columns.c */
void cpu_columns_filter(struct field *field, int filter); /* grid → grid, nothing kept */
void cpu_columns_keep(struct field *field);               /* grid → kept */
void cpu_columns_apply(struct field *field, int filter);  /* kept → grid */

/* Blocks of LANES that hold so many columns. */
static inline int cpu_blocks(int columns)
{
    return (columns - 1) / LANES + 1;
}

/* Floats of one plane's grid, and of one block of columns. */
static inline size_t cpu_grid_floats(const struct plain *plain, const struct plane *plane)
{
    return (size_t)plain->grid_blocks * plane->rows * 2 * LANES;
}

static inline size_t cpu_block_floats(const struct engine *engine)
{
    return (size_t)engine->work->y.length * 2 * LANES;
}

#endif
