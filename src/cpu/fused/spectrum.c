/* Spectra in natural order by the fused engine: its forward passes, then a pass that brings the frequencies
 * from the order of the grid into that of a packed spectrum or of a complex array; and the same backwards.
 *
 * Rows v and −v of the grid are always read together, because F(−u, −v) is the conjugate of F(u, v): a pair
 * plane Z = F + j·G is untangled by eq. 8 of Moreland & Angel 2003, and a single plane lacks half of the
 * columns. */
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "core/threads.h"
#include "cpu/fused/fused.h"
#include "spectrum/packed.h"

#include <string.h>

/* One row of frequencies, in natural order. */
struct frequencies {
    float *re, *im;
};

/* Frequencies that lie side by side in the grid: `count` from u on, at `column`, which is
 * −1 where they are not kept. */
struct column_run {
    int u, count, column;
};

/* A transform of a whole picture: an engine without filters, and one window. */
struct natural {
    struct work work;
    struct work_result result;
    struct engine engine;
    struct pedestal pedestal; /* none */
    struct fused_window window;
    struct column_run *runs[FUSED_KINDS]; /* all frequencies of a row; NULL for a kind that no plane has */
    int run_count[FUSED_KINDS];
    int *position;  /* of frequency v in a column of the grid */
    float *scratch; /* 4 rows of frequencies per worker */
    int workers;
    const abbe_image *packed; /* the packed spectrum, or a complex array as a view of two channels */
    atomic_bool nonfinite;    /* whether a number of the packed spectrum was not finite */
};

/* ---- Create and destroy ------------------------------------------------------------------------------- */

void cpu_natural_destroy(struct natural **address)
{
    struct natural *natural = *address;
    if (!natural)
        return;
    if (natural->engine.fourier)
        natural->engine.fourier->table->close(&natural->window.head);
    core_free(natural->window.head.x.index);
    core_free(natural->window.head.y.index);
    cpu_fused_destroy(&natural->engine);
    core_free(natural->runs[FUSED_PAIR]);
    core_free(natural->runs[FUSED_SINGLE]);
    core_free(natural->position);
    core_free(natural->scratch);
    core_free(natural);
    *address = NULL;
}

/* The work of a picture whose grid is the picture itself. */
static void set_natural_work(const abbe_image *picture, struct natural *natural)
{
    natural->work = (struct work){ .method = ABBE_METHOD_FFT,
                                   .width = picture->width,
                                   .height = picture->height,
                                   .channels = picture->channels,
                                   .source_type = core_native_type(picture->type),
                                   .result_type = core_native_type(picture->type),
                                   .border = ABBE_BORDER_WRAP,
                                   .x = { picture->width, picture->width, 0, picture->width },
                                   .y = { picture->height, picture->height, 0, picture->height },
                                   .result_count = 1,
                                   .results = &natural->result };
    natural->result.components = 1;
    natural->engine.work = &natural->work;
    natural->engine.threads = natural->workers;
}

static bool open_natural_window(struct natural *natural)
{
    struct window *window = &natural->window.head;
    const struct work *work = &natural->work;
    window->engine = &natural->engine;
    window->pedestal = &natural->pedestal;
    window->worker_count = natural->workers;
    window->width = work->width;
    window->height = work->height;
    window->x.index = core_alloc((size_t)work->width + CPU_INDEX_PADDING, sizeof(int));
    window->y.index = core_alloc((size_t)work->height, sizeof(int));
    if (!window->x.index || !window->y.index || !natural->engine.fourier->table->open(window))
        return false;
    core_border_map(work->border, 0, work->width, work->width, &window->x);
    core_border_map(work->border, 0, work->height, work->height, &window->y);
    return true;
}

static bool find_column_runs(struct natural *natural, enum fused_kind kind)
{
    const struct fused_layout *layout = &natural->engine.fused->layout;
    const int *column = layout->column[kind];
    int width = natural->work.width, lanes = layout->kernels->columns->lanes, count = 0;
    struct column_run *runs = natural->runs[kind] = core_alloc((size_t)width, sizeof *runs);
    if (!runs)
        return false;
    for (int u = 0; u < width; u++) {
        struct column_run *last = count ? &runs[count - 1] : NULL;
        bool missing = column[u] < 0;
        bool joins = last && (missing ? last->column < 0
                                      : last->column >= 0 && column[u] == last->column + last->count &&
                                            column[u] % lanes != 0);
        if (joins)
            last->count++;
        else
            runs[count++] = (struct column_run){ u, 1, column[u] };
    }
    natural->run_count[kind] = count;
    return true;
}

static bool alloc_natural_tables(struct natural *natural)
{
    const struct fused_layout *layout = &natural->engine.fused->layout;
    int height = natural->work.height;
    natural->position = core_alloc((size_t)height, sizeof(int));
    natural->scratch = core_alloc(8 * (size_t)natural->work.width, (size_t)natural->workers * sizeof(float));
    bool runs = (natural->work.channels == 1 || find_column_runs(natural, FUSED_PAIR)) &&
                (natural->work.channels % 2 == 0 || find_column_runs(natural, FUSED_SINGLE));
    if (!runs || !natural->position || !natural->scratch)
        return false;
    for (int p = 0; p < height; p++)
        natural->position[layout->order[p]] = p;
    return true;
}

/* Whether the memory of an earlier transform serves for a picture. */
static bool natural_fits(const struct natural *natural, const abbe_image *picture, int workers)
{
    return natural && natural->work.width == picture->width && natural->work.height == picture->height &&
           natural->work.channels == picture->channels && natural->workers == workers &&
           natural->work.source_type == core_native_type(picture->type);
}

/* DEVICE_ERR_DECLINED without kernels for these lengths. natural_release must follow. */
static int natural_create(abbe_device *device, const abbe_image *picture, struct natural **out)
{
    enum core_level level = ((const struct cpu *)device)->level;
    const struct fused_kernels *kernels = fused_choose(level, picture->width, picture->height,
                                                       picture->channels);
    if (!kernels)
        return DEVICE_ERR_DECLINED;
    int workers = core_workers(device->threads, (double)picture->width * picture->height * picture->channels);
    struct natural *natural = atomic_exchange(&((struct cpu *)device)->idle, NULL);
    if (natural_fits(natural, picture, workers)) {
        atomic_store(&natural->nonfinite, false);
        *out = natural;
        return ABBE_OK;
    }
    cpu_natural_destroy(&natural);
    natural = core_alloc_zero(1, sizeof *natural);
    if (!natural)
        return core_fail_memory(device);
    natural->workers = workers;
    set_natural_work(picture, natural);
    int error = cpu_fused_create(device, &natural->engine, kernels);
    if (!error && (!open_natural_window(natural) || !alloc_natural_tables(natural)))
        error = core_fail_memory(device);
    if (error)
        cpu_natural_destroy(&natural);
    *out = natural;
    return error;
}

/* Keeps the memory for the next transform, unless it is so small that new memory costs nothing. */
static void natural_release(abbe_device *device, struct natural *natural)
{
    enum { KEPT_SAMPLES = 1 << 18 };
    double samples = (double)natural->work.width * natural->work.height * natural->work.channels;
    if (samples >= KEPT_SAMPLES)
        natural = atomic_exchange(&((struct cpu *)device)->idle, natural);
    cpu_natural_destroy(&natural);
}

/* ---- Rows of the grid --------------------------------------------------------------------------------- */

/* Row v of a plane in the grid. */
struct grid_row {
    float *data; /* in the first block */
    size_t block_floats;
    int lanes;
    const struct column_run *runs, *end;
};

static struct grid_row grid_row(const struct natural *natural, int plane, int v)
{
    const struct fused_layout *layout = &natural->engine.fused->layout;
    int lanes = layout->kernels->columns->lanes;
    size_t row = (size_t)layout->columns.offset[natural->position[v]];
    enum fused_kind kind = fused_kind_of(&natural->work, plane);
    return (struct grid_row){ natural->window.grid[plane] + 2 * (size_t)lanes * row, layout->block_floats,
                              lanes, natural->runs[kind], natural->runs[kind] + natural->run_count[kind] };
}

static float *grid_column(const struct grid_row *row, int column)
{
    return row->data + (size_t)(column / row->lanes) * row->block_floats + column % row->lanes;
}

/* Reads a row times `scale`. */
static void read_grid_row(const struct grid_row *row, float scale, struct frequencies to)
{
    for (const struct column_run *run = row->runs; run < row->end; run++) {
        if (run->column < 0)
            continue;
        const float *from = grid_column(row, run->column);
        for (int i = 0; i < run->count; i++) {
            to.re[run->u + i] = from[i] * scale;
            to.im[run->u + i] = from[row->lanes + i] * scale;
        }
    }
}

static void write_grid_row(const struct grid_row *row, struct frequencies from)
{
    for (const struct column_run *run = row->runs; run < row->end; run++) {
        if (run->column < 0)
            continue;
        float *to = grid_column(row, run->column);
        memcpy(to, from.re + run->u, (size_t)run->count * sizeof *to);
        memcpy(to + row->lanes, from.im + run->u, (size_t)run->count * sizeof *to);
    }
}

static int mirrored(int index, int length)
{
    return index ? length - index : 0;
}

/* Fills in the frequencies up to M/2 that a single plane does not keep: conjugates of the opposite row. */
static void complete_single(const struct grid_row *grid, int width, struct frequencies row,
                            struct frequencies opposite)
{
    for (const struct column_run *run = grid->runs; run < grid->end && 2 * run->u <= width; run++)
        for (int u = run->u; run->column < 0 && u < run->u + run->count && 2 * u <= width; u++) {
            row.re[u] = opposite.re[width - u];
            row.im[u] = -opposite.im[width - u];
        }
}

/* ---- Packed spectra ----------------------------------------------------------------------------------- */

static struct frequency frequency_at(struct frequencies row, int u)
{
    return (struct frequency){ row.re[u], row.im[u] };
}

/* What a plane holds of a channel: the first or the second of a pair, or the only one. */
enum share { FIRST, SECOND, ONLY };

/* The frequency (u, v) of a channel, from z = Z(u, v) and y = Z(−u, −v). */
static inline struct frequency untangle(enum share share, struct frequency z, struct frequency y)
{
    if (share == FIRST)
        return (struct frequency){ 0.5f * (z.re + y.re), 0.5f * (z.im - y.im) };
    if (share == SECOND)
        return (struct frequency){ 0.5f * (z.im + y.im), 0.5f * (y.re - z.re) };
    return z;
}

/* Writes the frequencies of a row between the columns 0 and M/2: Re F(u, v) to column u and −Im F(u, v) to
 * column M − u of row −v. `step` is the distance of two numbers of a row in the packed spectrum. */
static inline void write_packed_between(enum share share, struct frequencies row, struct frequencies opposite,
                                        int width, ptrdiff_t step, char *to)
{
    for (int u = 1; 2 * u < width; u++) {
        struct frequency f = untangle(share, frequency_at(row, u), frequency_at(opposite, width - u));
        float negative = -f.im;
        memcpy(to + u * step, &f.re, sizeof f.re);
        memcpy(to + (width - u) * step, &negative, sizeof negative);
    }
}

/* Writes row v of a channel, where `opposite` is row −v of the plane. */
static inline void write_packed_row(const struct natural *natural, int channel, enum share share, int v,
                                    struct frequencies row, struct frequencies opposite)
{
    int width = natural->work.width, height = natural->work.height;
    ptrdiff_t step = core_pixel_step(natural->packed);
    char *to = packed_sample(natural->packed, 0, mirrored(v, height), channel);
    if (step == sizeof(float))
        write_packed_between(share, row, opposite, width, sizeof(float), to);
    else
        write_packed_between(share, row, opposite, width, step, to);
    for (int u = 0; 2 * u <= width; u += width % 2 ? width : width / 2) {
        struct packed_place place = packed_place(width, height, u, v);
        if (place.im_sign <= 0) /* otherwise the conjugate frequency is the one to write */
            packed_write(natural->packed, &place, channel,
                         untangle(share, frequency_at(row, u), frequency_at(opposite, mirrored(u, width))));
    }
}

static void write_packed_plane(const struct natural *natural, int plane, int v, struct frequencies row,
                               struct frequencies opposite)
{
    if (fused_kind_of(&natural->work, plane) == FUSED_SINGLE) {
        write_packed_row(natural, 2 * plane, ONLY, v, row, opposite);
    } else {
        write_packed_row(natural, 2 * plane, FIRST, v, row, opposite);
        write_packed_row(natural, 2 * plane + 1, SECOND, v, row, opposite);
    }
}

static struct frequencies scratch_row(const struct natural *natural, int worker, int number)
{
    size_t width = (size_t)natural->work.width;
    float *re = natural->scratch + (8 * (size_t)worker + 2 * (size_t)number) * width;
    return (struct frequencies){ re, re + width };
}

/* A pool_task over rows 0 … N/2 and their opposites. */
static void untangle_grid_rows(void *context, int worker, long long first, long long end)
{
    const struct natural *natural = context;
    int width = natural->work.width, height = natural->work.height;
    struct frequencies row = scratch_row(natural, worker, 0), opposite = scratch_row(natural, worker, 1);
    for (int v = (int)first; v < end; v++)
        for (int p = 0; p < natural->engine.fused->plane_count; p++) {
            bool single = fused_kind_of(&natural->work, p) == FUSED_SINGLE;
            float scale = (float)((single ? 0.5 : 1) / ((double)width * height));
            struct grid_row here = grid_row(natural, p, v), there = grid_row(natural, p, mirrored(v, height));
            read_grid_row(&here, scale, row);
            read_grid_row(&there, scale, opposite);
            if (single) {
                complete_single(&here, width, row, opposite);
                complete_single(&here, width, opposite, row);
            }
            write_packed_plane(natural, p, v, row, opposite);
            if (mirrored(v, height) != v)
                write_packed_plane(natural, p, mirrored(v, height), opposite, row);
        }
}

/* Reads the frequencies of row v and of row −v that lie in neither column 0 nor M/2, and writes those below
 * M/2 and their conjugates in the other row. `step` is the distance of two numbers of a row in the packed
 * spectrum. */
static inline void read_packed_between(const char *here, const char *there, ptrdiff_t step, int width,
                                       struct frequencies row, struct frequencies opposite)
{
    for (int u = 1; 2 * u < width; u++) {
        int m = width - u;
        float a, b, c, d;
        memcpy(&a, here + u * step, sizeof a);
        memcpy(&b, here + m * step, sizeof b);
        memcpy(&c, there + u * step, sizeof c);
        memcpy(&d, there + m * step, sizeof d);
        row.re[u] = opposite.re[m] = c;
        row.im[u] = -d, opposite.im[m] = d;
        opposite.re[u] = row.re[m] = a;
        opposite.im[u] = -b, row.im[m] = b;
    }
}

static void read_packed_edges(const struct natural *natural, int channel, int v, struct frequencies row)
{
    int width = natural->work.width;
    for (int u = 0; 2 * u <= width; u += width % 2 ? width : width / 2) {
        struct packed_place place = packed_place(width, natural->work.height, u, v);
        struct frequency f = packed_read(natural->packed, &place, channel);
        row.re[u] = f.re;
        row.im[u] = f.im;
    }
}

/* Reads rows v and −v of a channel; returns whether all numbers are finite. */
static bool read_packed_rows(const struct natural *natural, int channel, int v, struct frequencies row,
                             struct frequencies opposite)
{
    int width = natural->work.width, other = mirrored(v, natural->work.height);
    const char *here = packed_sample(natural->packed, 0, v, channel);
    const char *there = packed_sample(natural->packed, 0, other, channel);
    ptrdiff_t step = core_pixel_step(natural->packed);
    float sum = 0;
    if (step == sizeof(float))
        read_packed_between(here, there, sizeof(float), width, row, opposite);
    else
        read_packed_between(here, there, step, width, row, opposite);
    read_packed_edges(natural, channel, v, row);
    read_packed_edges(natural, channel, other, opposite);
    for (int u = 0; u < width; u++) /* x − x is 0 or NaN */
        sum += (row.re[u] - row.re[u]) + (row.im[u] - row.im[u]);
    /* Row −v has the same numbers, except in the columns 0 and M/2. */
    for (int u = 0; 2 * u <= width; u += width % 2 ? width : width / 2)
        sum += (opposite.re[u] - opposite.re[u]) + (opposite.im[u] - opposite.im[u]);
    return sum == 0;
}

/* A pool_task over rows 0 … N/2 and their opposites. */
static void tangle_packed_rows(void *context, int worker, long long first, long long end)
{
    struct natural *natural = context;
    int width = natural->work.width, height = natural->work.height;
    struct frequencies row[2] = { scratch_row(natural, worker, 0), scratch_row(natural, worker, 1) };
    struct frequencies second[2] = { scratch_row(natural, worker, 2), scratch_row(natural, worker, 3) };
    for (int v = (int)first; v < end; v++)
        for (int p = 0; p < natural->engine.fused->plane_count; p++) {
            bool pair = fused_kind_of(&natural->work, p) == FUSED_PAIR;
            bool finite = read_packed_rows(natural, 2 * p, v, row[0], row[1]);
            if (pair)
                finite = read_packed_rows(natural, 2 * p + 1, v, second[0], second[1]) && finite;
            if (!finite)
                atomic_store_explicit(&natural->nonfinite, true, memory_order_relaxed);
            for (int i = 0; i < 2; i++) {
                for (int u = 0; u < width && pair; u++) {
                    row[i].re[u] -= second[i].im[u];
                    row[i].im[u] += second[i].re[u];
                }
                struct grid_row to = grid_row(natural, p, i ? mirrored(v, height) : v);
                write_grid_row(&to, row[i]);
            }
        }
}

/* Whether every sample of a view that the engine does not check is finite. */
static bool is_view_finite(const abbe_image *view, float *row)
{
    for (int y = 0; y < view->height; y++) {
        float sum = 0;
        core_load_pixels(view, 0, y, view->width, NULL, row);
        for (size_t i = 0; i < (size_t)view->width * (size_t)view->channels; i++)
            sum += row[i] - row[i];
        if (sum != 0 || sum != sum)
            return false;
    }
    return true;
}

int cpu_spectrum_forward(abbe_device *device, const abbe_image *source, const abbe_image *packed)
{
    struct natural *natural = NULL;
    int error = natural_create(device, source, &natural);
    if (error)
        return error;
    natural->packed = packed;
    natural->window.head.source = source;
    bool checked = fused_takes_view(&natural->work, source) || !core_type_has_nonfinite(source->type);
    bool finite = checked || is_view_finite(source, natural->window.workers[0].line);
    if (finite)
        finite = fused_forward_window(&natural->window);
    if (finite)
        pool_loop(natural->workers, source->height / 2 + 1, 1, untangle_grid_rows, natural);
    natural_release(device, natural);
    return finite ? ABBE_OK : ABBE_ERR_NONFINITE;
}

int cpu_spectrum_inverse(abbe_device *device, const abbe_image *packed, const abbe_image *result)
{
    struct natural *natural = NULL;
    int error = natural_create(device, result, &natural);
    if (error)
        return error;
    natural->packed = packed;
    natural->window.head.results = result;
    pool_loop(natural->workers, result->height / 2 + 1, 1, tangle_packed_rows, natural);
    if (natural->nonfinite)
        error = ABBE_ERR_NONFINITE;
    else
        fused_inverse_window(&natural->window);
    natural_release(device, natural);
    return error;
}

/* ---- Complex arrays, as pictures of two channels ------------------------------------------------------- */

/* A pool_task over rows. */
static void store_frequencies(void *context, int worker, long long first, long long end)
{
    const struct natural *natural = context;
    int width = natural->work.width;
    struct frequencies row = scratch_row(natural, worker, 0);
    for (int v = (int)first; v < end; v++) {
        struct grid_row from = grid_row(natural, 0, v);
        float *to = (float *)(void *)core_row(natural->packed, v);
        read_grid_row(&from, (float)(1 / ((double)width * natural->work.height)), row);
        for (int u = 0; u < width; u++) {
            to[2 * u] = row.re[u];
            to[2 * u + 1] = row.im[u];
        }
    }
}

/* A pool_task over rows. */
static void load_frequencies(void *context, int worker, long long first, long long end)
{
    const struct natural *natural = context;
    int width = natural->work.width;
    struct frequencies row = scratch_row(natural, worker, 0);
    for (int v = (int)first; v < end; v++) {
        struct grid_row to = grid_row(natural, 0, v);
        const float *from = (const float *)(const void *)core_row(natural->packed, v);
        for (int u = 0; u < width; u++) {
            row.re[u] = from[2 * u];
            row.im[u] = from[2 * u + 1];
        }
        write_grid_row(&to, row);
    }
}

int cpu_fft(abbe_device *device, bool inverse, const abbe_image *in, const abbe_image *out)
{
    struct natural *natural = NULL;
    int error = natural_create(device, in, &natural);
    if (error)
        return error;
    natural->window.head.source = in;
    natural->window.head.results = out;
    natural->packed = inverse ? in : out;
    if (inverse) {
        pool_loop(natural->workers, in->height, 1, load_frequencies, natural);
        fused_inverse_window(&natural->window);
    } else {
        fused_forward_window(&natural->window);
        pool_loop(natural->workers, in->height, 1, store_frequencies, natural);
    }
    natural_release(device, natural);
    return ABBE_OK;
}
