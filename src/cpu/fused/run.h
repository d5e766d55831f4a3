/* One run of the fused engine: its memory and its passes. */
#ifndef ABBE_CPU_FUSED_RUN_H
#define ABBE_CPU_FUSED_RUN_H

#include "cpu/fused/fused.h"

/* Picture rows that a window is made of, each once: row i goes to rows offset[first[i]] … offset[first[i + 1] − 1]
 * of a block of the grid. */
struct sources {
    int count;
    int *y;     /* −1: the outside row */
    int *first; /* count + 1 of them */
    size_t *offset;
    int *tally; /* scratch: per row of the picture, and one for the outside */
};

/* One thread's memory. */
struct worker {
    float *line;               /* a picture row as loaded */
    float *pixels;             /* a window row of interleaved channels */
    float *rows[FUSED_PLANES]; /* the same, split into planes */
};

/* One window of the picture on its way through the passes. */
struct field {
    const struct engine *engine;
    const abbe_image *source, *results;
    int first_x, first_y; /* the window's first result */
    int width, height;    /* its results */
    struct window x, y;
    int run_count;
    struct fused_run *runs; /* how a row is loaded */
    struct sources sources;
    float *grid[FUSED_PLANES];
    float *filtered[FUSED_PLANES]; /* a bank's columns after one filter; otherwise the grid itself */
    bool ahead, stream;            /* whether rows are fetched ahead, and results written past the caches */
    float *first_component;        /* of a magnitude, the window's results as floats */
    int worker_count;
    struct worker *workers;
    struct watcher *watcher; /* of the passes; NULL for a tile among others */
    atomic_bool spoilt;      /* a sample was not finite */
};

/* passes.c */
void fused_rows_forward(struct field *field);
void fused_columns_forward(struct field *field);            /* grid, in place */
void fused_columns_filter(struct field *field, int filter); /* grid → filtered */
/* Result r from the filtered columns; `component` is the first (0) or second (1) of a magnitude. */
void fused_rows_inverse(struct field *field, int r, int component);

/* Whether pixels go straight between picture and rows, without a row of interleaved floats in between. */
static inline bool fused_goes_straight(const struct work *work)
{
    return work->channels <= FUSED_DIRECT && !work->linear_light;
}

static inline enum fused_kind fused_kind_of(const struct work *work, int plane)
{
    return 2 * plane + 1 == work->channels ? FUSED_LONE : FUSED_PAIR;
}

#endif
