/* The fused Fourier engine: three passes over a window, whose rows and columns are transformed by vector
 * kernels.
 *
 *   picture ─load─▶ row in L1 ─▶ grid ─▶ column block in L1, L2: forward · H · back ─▶ grid ─▶ row ─store─▶
 *
 * Every row of the picture is transformed once, even if the border repeats it. */
#ifndef ABBE_CPU_FUSED_FUSED_H
#define ABBE_CPU_FUSED_FUSED_H

#include "core/pixels.h"
#include "core/view.h"
#include "cpu/fused/kernels.h"
#include "cpu/run.h"
#include "cpu/spectra.h"
#include "filter/sampling/on_demand.h"

enum { FUSED_PLANES = (ABBE_CHANNELS_MAX + 1) / 2 };

/* A grid of at most this many bytes stays in the second cache of most machines, together with the rest of the
 * data. Rows of a larger grid are prefetched. Measured at 512² to 4096², see docs/cpu.md. */
enum { FUSED_CACHED_BYTES = 3 << 20 };

/* A larger grid does not fit in the last cache of most machines: reading its lines before they are overwritten would
 * take as long as writing them. */
enum { FUSED_STREAM_BYTES = 32 << 20 };

/* ---- layout.c: the transforms, and the order of data in the grid ---- */

/* A plane of two channels, or of the last of an odd number. */
enum fused_kind { FUSED_PAIR, FUSED_SINGLE, FUSED_KINDS };

struct fused_layout {
    const struct fused_kernels *kernels;
    bool even;      /* of even transforms, whose planes have the rows of FUSED_SINGLE */
    bool is_beside; /* rows side by side in `beside`, otherwise one by one in `rows` */
    size_t apart;   /* fused_buffer_apart */
    struct fused_beside beside;
    struct fused_row rows[FUSED_KINDS]; /* they share twiddles and steps */
    struct fused_column columns;
    int blocks[FUSED_KINDS]; /* blocks of columns in a plane */
    size_t block_floats;     /* from one block of the grid to the next */
    /* Of frequency u: block · lanes + lane, −1 when it is not kept. Even transforms have frequencies of the doubled
     * grid, and twice as many lanes in a single plane. */
    int *column[FUSED_KINDS];
    int *order; /* the frequency at position v of a column */
};

/* The fastest kernels of `level` and the levels below for M × N samples of `channels` channels, or NULL when
 * none takes these lengths. */
const struct fused_kernels *fused_choose(enum core_level level, int width, int height, int channels);

/* The time of an operation with these kernels on such a grid, relative to the best kernels of a level. */
double fused_relative_cost(const struct fused_kernels *kernels, enum core_level level, int width, int height,
                           int channels);

/* ABBE_OK or ABBE_ERR_MEMORY; fused_layout_free must follow in any case. */
int fused_layout_create(const struct fused_kernels *kernels, int width, int height,
                        struct fused_layout *layout);
/* layout_even.c: makes a layout one of even transforms. ABBE_OK or ABBE_ERR_MEMORY. */
int fused_layout_make_even(struct fused_layout *layout);
/* The row of a folded column that holds row y. */
int fused_even_row(int y, int height);
/* The block of a pair plane that holds the frequencies M − u, except in lane 0 of the first group. */
int fused_even_opposite(const struct fused_layout *layout, int block);
void fused_layout_free(struct fused_layout *layout);

/* Blocks of a plane, blocks of all planes, and floats from block to block, without creating a layout. */
int fused_blocks(const struct fused_kernels *kernels, int width, enum fused_kind kind, bool even);
double fused_all_blocks(const struct fused_kernels *kernels, int width, int channels, bool even);
size_t fused_block_floats(const struct fused_kernels *kernels, int height);

/* The tables of a block of columns and, to be freed with core_free, the frequency at each position. `direct`:
 * without Rader's algorithm, which does not nest. ABBE_OK or ABBE_ERR_MEMORY; fused_column_free must follow in
 * any case. */
int fused_column_create(const struct fused_column_kernels *kernels, int length, bool direct,
                        struct fused_column *columns, int **order);
void fused_column_free(struct fused_column *columns);

/* Floats of a block of columns. */
size_t fused_column_floats(int lanes, int length);

/* Whether rows are transformed side by side, because they are no whole vectors, or too few. */
bool fused_is_beside(const struct fused_kernels *kernels, int width);

/* ---- prime.c: primes above 7 ---- */

/* The least prime factor of n, where n has none below the odd number `from`. */
int fused_next_prime(int n, int from);

/* The length of the cyclic convolution of a prime in Rader's algorithm, p − 1 or of two of them; 0 where sums are
 * faster, −1 where it is too long. */
int fused_cyclic_length(int p);

/* Vector instructions of a transform; a fused multiplication and addition is one. */
double fused_instructions(int n);

/* The scratch of a transform of n rows. */
size_t fused_scratch_floats(int lanes, int n);

/* The most memory that the tables of the primes in n take while they are made. */
double fused_prime_bytes(int n);

/* Sets `prime` of the steps that need it. ABBE_OK or ABBE_ERR_MEMORY; fused_primes_free must follow in any
 * case. */
int fused_primes_create(const struct fused_column_kernels *kernels, bool direct, int count,
                        struct fused_step *steps);
void fused_primes_free(int count, struct fused_step *steps);

/* ---- The engine and its windows ---- */

struct fused {
    struct fourier head; /* even transforms: with the even parts of H */
    struct fused_layout layout;
    int plane_count;
    bool has_odd;         /* even transforms: a filter has an odd part */
    struct spectrum *odd; /* the odd parts of H */
    /* Large even transforms: H of each filter, sampled while columns are filtered; NULL where spectra are kept. The
     * frequency at each lane of a plane's blocks; −1: none. */
    struct spectrum_demand **demands;
    int *frequency[FUSED_KINDS];
};

/* The rows of the picture that a window reads, each once. Row i goes to the rows offset[first[i]] …
 * offset[first[i + 1] − 1] of each block of the grid. */
struct fused_sources {
    int count;
    int *y;     /* −1: the outside row */
    int *first; /* count + 1 entries */
    size_t *offset;
    int *repeats; /* scratch: one entry per row of the picture, and one for the outside */
};

/* The memory of one thread. */
struct fused_worker {
    float *line;   /* a row of the picture */
    float *pixels; /* a row of the window, channels interleaved */
    /* A row of the window, in planes: one of those in `buffers`, which are one or, if they are side by side,
     * `lanes`. */
    float *rows[FUSED_PLANES];
    float *buffers[FUSED_PLANES];
    struct fused_strand *strands[FUSED_PLANES]; /* the rows of `buffers` */
    float *scratch;                             /* of the columns */
    float *beside;                              /* rows side by side, and their scratch; NULL without them */
    float *folded;                              /* scratch of even transforms: a row of one plane */
    float *odd;                                 /* the odd part of the rows of one plane */
    float *gains;                               /* of a block, sampled on demand */
    double *sampling;                           /* scratch of sampling */
};

struct fused_window {
    struct window head;
    int span_count;
    struct fused_span *spans; /* how a row is loaded */
    struct fused_sources sources;
    bool loads_straight; /* rows of the picture go to planes as `loading` says */
    bool reads_strands;  /* they do so in the first step of their transform, without a copy */
    struct fused_pixels loading;
    float *grid[FUSED_PLANES];
    /* The columns after one filter of a bank; for one filter, the grid itself. */
    float *filtered[FUSED_PLANES];
    float *odd[FUSED_PLANES]; /* even transforms: the odd part of the columns, if a filter has one */
    bool prefetch;            /* rows of the picture and of the grid */
    bool stream_grid;         /* rows are written to the grid with non-temporal stores */
    bool stream;              /* results are stored with non-temporal stores */
    struct fused_worker *workers;
    atomic_bool nonfinite; /* whether a sample was not finite */
};

/* odd.c: sets a block of the odd grid of plane p, filtered and transformed back, from the transformed columns. */
void fused_cross_block(const struct fused_window *window, int p, int number, int filter,
                       const struct fused_worker *worker);

/* ---- gains.c: H of even transforms, kept or sampled on demand ---- */

/* Whether even transforms need an odd part for one of the filters. */
bool fused_needs_odd(const struct work *work);

/* Whether H is sampled while columns are filtered. */
bool fused_samples_on_demand(const struct work *work);

/* ABBE_OK or a code, with a message. */
int fused_gains_create(const abbe_device *device, struct engine *engine);
/* As device_table.resample. */
int fused_gains_resample(const abbe_device *device, const struct engine *engine, int filter,
                         struct frequency_span span);
void fused_gains_destroy(const struct engine *engine);

/* Bytes that the gains of a work keep, and those of a worker. */
double fused_gains_bytes(const struct work *work, const struct fused_kernels *kernels, int threads);
double fused_gains_worker_bytes(const struct work *work, const struct fused_kernels *kernels);
bool fused_gains_open_worker(const struct engine *engine, struct fused_worker *worker);

/* Gains of a block of a plane, [row][lane]; of a single plane of even transforms and for a complex H twice as many
 * lanes. Valid until the next call with that worker. */
const float *fused_block_gains(const struct fused_window *window, int p, int number, int filter, bool odd,
                               const struct fused_worker *worker);

/* Gains of the odd part at any frequencies, sampled on demand. */
const float *fused_odd_columns(const struct fused_window *window, const int *u, int lanes, int filter,
                               const struct fused_worker *worker);

/* Rows in the buffers of a worker, floats from one to the next, and floats of `beside`. */
int fused_buffer_rows(const struct fused_kernels *kernels, int width);
size_t fused_buffer_apart(const struct fused_kernels *kernels, int width);
size_t fused_beside_floats(const struct fused_kernels *kernels, int width);

/* Whether strands can take the place of rows in buffers: the first step has to be one that reads them. */
static inline bool fused_begins_rows(const struct fused_layout *layout)
{
    const struct fused_row *row = &layout->rows[0];
    return layout->is_beside || layout->even || (row->step_count > 0 && !row->steps[0].prime);
}

/* A row in a buffer. */
static inline struct fused_strand fused_buffer_strand(const struct fused_kernels *kernels, float *row)
{
    size_t lanes = (size_t)kernels->rows->lanes;
    return (struct fused_strand){ .part = { row, row + lanes }, .step = 2 * lanes };
}

/* Rows that are transformed together: side by side, 2 · lanes if two of them share the row of a single plane;
 * otherwise two. */
static inline int fused_rows_together(const struct fused_layout *layout, int channels)
{
    int lanes = layout->kernels->rows->lanes;
    return !layout->is_beside ? 2 : channels % 2 ? 2 * lanes : lanes;
}

/* passes.c: takes a window through the three passes. ABBE_OK, or ABBE_ERR_NONFINITE after the first. */
int fused_run_window(struct window *window);

/* The parts of fused_run_window that transforms without a filter need. fused_forward_window leaves the
 * spectrum in the grid, and returns false if a sample that the engine checks was not finite.
 * fused_inverse_window brings the grid back to the window's result. */
bool fused_forward_window(struct fused_window *window);
void fused_inverse_window(struct fused_window *window);

/* Whether packed pixels go directly between picture and planes, without a row of interleaved floats in
 * between. */
static inline bool fused_goes_straight(const struct work *work)
{
    return work->channels <= FUSED_DIRECT && !work->linear_light;
}

/* Whether a row of a view can be loaded or stored as it lies. */
static inline bool fused_takes_view(const struct work *work, const abbe_image *view)
{
    bool taken = core_is_packed(view) ? fused_goes_straight(work)
                                      : core_is_planar(view) && !work->linear_light;
    return taken && core_native_type(view->type) == view->type;
}

static inline enum fused_kind fused_kind_of(const struct work *work, int plane)
{
    return 2 * plane + 1 == work->channels ? FUSED_SINGLE : FUSED_PAIR;
}

#endif
