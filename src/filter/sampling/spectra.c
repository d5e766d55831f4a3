/* H of a filter on an engine's grid, in the engine's order. */
#include "filter/sampling/spectra.h"

#include "core/memory.h"
#include "core/threads.h"
#include "filter/sampling/pruned_fft.h"

#include <omp.h>
#include <string.h>

/* One thread's memory while columns are sampled. */
struct sampling {
    double *batch, *scratch;
    int error;
};

/* Where the columns of a spectrum go. */
struct target {
    const struct spectrum_layout *layout;
    bool real;
    float *h;
};

/* Columns that were sampled, H(u, ·) and its neighbours. */
struct batch {
    const double *values;
    size_t row;  /* doubles */
    size_t half; /* from a real part to its imaginary part; 0: they have none */
    int u, count;
};

/* Columns side by side, which go to one block. */
struct run {
    int first, count; /* columns of the batch */
    int place;        /* of the first one; the others stand behind it, or before it */
    bool opposite;    /* H(−u, ·), which is H*(u, −·), instead of H(u, ·) */
};

/* The largest run from column `first` of a batch that begins with u. Its place is −1 where it is not kept. */
static struct run next_run(const struct spectrum_grid *grid, const struct spectrum_layout *layout, int u,
                           int first, int end, bool opposite)
{
    int width = grid->width, step = opposite ? -1 : 1, count = 1;
    int place = layout->column[opposite ? (width - u - first) % width : u + first];
    for (; place >= 0 && first + count < end; count++) {
        int next = layout->column[opposite ? width - u - first - count : u + first + count];
        if (next < 0 || next != place + step * count || next / layout->lanes != place / layout->lanes)
            break;
    }
    return (struct run){ first, count, place, opposite };
}

/* A row of a run, forwards or backwards. By fours, because a loop whose length is known is all vectors. */
static inline void put(const double *from, int count, double scale, bool backwards, float *restrict to)
{
    enum { FOUR = 4 };
    int step = backwards ? -1 : 1;
    for (; count >= FOUR; count -= FOUR, from += FOUR, to += step * FOUR)
        for (int l = 0; l < FOUR; l++)
            to[step * l] = (float)(from[l] * scale);
    for (int l = 0; l < count; l++)
        to[step * l] = (float)(from[l] * scale);
}

static inline void put_either(const double *from, int count, double scale, bool backwards, float *to)
{
    if (backwards)
        put(from, count, scale, true, to);
    else
        put(from, count, scale, false, to);
}

static void lay_run(const struct spectrum_grid *grid, const struct batch *batch, const struct run *run,
                    const struct target *target)
{
    const struct spectrum_layout *layout = target->layout;
    size_t lanes = (size_t)layout->lanes, step = target->real ? lanes : 2 * lanes;
    size_t height = (size_t)grid->height, place = (size_t)run->place;
    float *to = target->h + place / lanes * step * height + place % lanes;
    for (size_t v = 0; v < height; v++, to += step) {
        size_t at = (size_t)layout->order[v], from = run->opposite && at ? height - at : at;
        const double *row = batch->values + from * batch->row + run->first;
        put_either(row, run->count, layout->scale, run->opposite, to);
        if (target->real)
            continue;
        double scale = batch->half ? layout->scale : 0.0;
        put_either(row + batch->half, run->count, run->opposite ? -scale : scale, run->opposite, to + lanes);
    }
}

/* Those that are their own opposites are laid once. */
static void lay_batch(const struct spectrum_grid *grid, const struct batch *batch,
                      const struct target *target)
{
    for (int opposite = 0; opposite < 2 && target->layout; opposite++) {
        int first = opposite && batch->u == 0, end = batch->count;
        if (opposite && 2 * (batch->u + end - 1) == grid->width)
            end--;
        while (first < end) {
            struct run run = next_run(grid, target->layout, batch->u, first, end, opposite);
            if (run.place >= 0)
                lay_run(grid, batch, &run, target);
            first += run.count;
        }
    }
}

static int sample_batch(const struct spectrum_grid *grid, const struct sampler *sampler, int u,
                        const struct sampling *sampling, const struct target targets[2])
{
    int rest = grid->width / 2 - u + 1, columns = sampler_columns(sampler);
    bool real = columns == sampler_row(sampler);
    const struct batch batch = { sampling->batch, (size_t)sampler_row(sampler), real ? 0 : (size_t)columns, u,
                                 rest < columns ? rest : columns };
    int error = sampler_batch(sampler, u, sampling->batch, sampling->scratch);
    for (int i = 0; i < 2 && !error; i++)
        lay_batch(grid, &batch, &targets[i]);
    return error;
}

static int sample_columns(const struct spectrum_grid *grid, const struct sampler *sampler,
                          struct sampling *workers, int count, const struct target targets[2])
{
    int error = ABBE_OK, columns = sampler_columns(sampler);
#pragma omp parallel for schedule(static) num_threads(count)
    for (int u = 0; u <= grid->width / 2; u += columns) {
        struct sampling *worker = &workers[omp_get_thread_num()];
        if (!worker->error)
            worker->error = sample_batch(grid, sampler, u, worker, targets);
    }
    for (int i = 0; i < count && !error; i++)
        error = workers[i].error;
    return error;
}

/* No more threads than there are batches, and than the work is worth waking; transfer functions are no light work. */
static int count_workers(const struct spectrum_grid *grid, const struct response *response,
                         const struct sampler *sampler)
{
    int batches = grid->width / 2 / sampler_columns(sampler) + 1;
    double samples = (double)grid->width * grid->height;
    int workers = core_workers(grid->threads,
                               response->transfer_count ? samples : samples / PRUNED_FFT_LIGHT);
    return workers < batches ? workers : batches;
}

static int sample_all(const struct spectrum_grid *grid, const struct sampler *sampler, int count,
                      const struct target targets[2])
{
    struct sampling *workers = core_alloc_zero((size_t)count, sizeof *workers);
    int error = workers ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int i = 0; i < count && !error; i++) {
        workers[i].batch = core_alloc((size_t)grid->height, (size_t)sampler_row(sampler) * sizeof(double));
        workers[i].scratch = core_alloc(sampler_scratch(sampler), sizeof(double));
        if (!workers[i].batch || !workers[i].scratch)
            error = ABBE_ERR_MEMORY;
    }
    if (!error)
        error = sample_columns(grid, sampler, workers, count, targets);
    for (int i = 0; workers && i < count; i++) {
        core_free(workers[i].batch);
        core_free(workers[i].scratch);
    }
    core_free(workers);
    return error;
}

static int sample_spectrum(const struct spectrum_grid *grid, const struct response *response,
                           const struct target targets[2])
{
    struct sampler *sampler = NULL;
    int error = sampler_create(response, grid, &sampler);
    if (!error) {
        /* A caller's function is promised to be called from the creating thread only. */
        int count = response_has_callback(response) ? 1 : count_workers(grid, response, sampler);
        error = sample_all(grid, sampler, count, targets);
    }
    sampler_destroy(&sampler);
    return error;
}

size_t spectrum_floats(const struct spectrum_grid *grid, const struct spectrum_layout *layout, bool real)
{
    return (size_t)layout->blocks * (size_t)layout->lanes * (real ? 1 : 2) * (size_t)grid->height;
}

/* Lanes without a column are multiplied too: blocks that have one are zeroed. */
static int zero_gaps(const struct spectrum_grid *grid, const struct target *target)
{
    const struct spectrum_layout *layout = target->layout;
    if (!layout)
        return ABBE_OK;
    size_t floats = spectrum_floats(grid, layout, target->real) / (size_t)layout->blocks;
    int *columns = core_alloc_zero((size_t)layout->blocks, sizeof *columns);
    for (int u = 0; columns && u < grid->width; u++)
        if (layout->column[u] >= 0)
            columns[layout->column[u] / layout->lanes]++;
    for (int block = 0; columns && block < layout->blocks; block++)
        if (columns[block] < layout->lanes)
            memset(target->h + (size_t)block * floats, 0, floats * sizeof(float));
    core_free(columns);
    return columns ? ABBE_OK : ABBE_ERR_MEMORY;
}

static int fill(const struct spectrum_grid *grid, const struct response *response,
                const struct target targets[2])
{
    int error = zero_gaps(grid, &targets[0]);
    if (!error)
        error = zero_gaps(grid, &targets[1]);
    return error ? error : sample_spectrum(grid, response, targets);
}

int spectrum_fill(const struct spectrum_grid *grid, const struct response *response, bool real,
                  const struct spectrum_layout *layout, float *h)
{
    return fill(grid, response, (const struct target[2]){ { layout, real, h }, { 0 } });
}

int spectrum_create(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                    struct spectrum *spectrum)
{
    bool real = spectrum->real = response_is_real(response);
    if (pair)
        spectrum->pair = core_alloc(spectrum_floats(grid, pair, real), sizeof(float));
    if (lone)
        spectrum->lone = core_alloc(spectrum_floats(grid, lone, real), sizeof(float));
    if ((pair && !spectrum->pair) || (lone && !spectrum->lone))
        return ABBE_ERR_MEMORY;
    const struct target targets[2] = { { pair, real, spectrum->pair }, { lone, real, spectrum->lone } };
    return fill(grid, response, targets);
}

void spectrum_free(struct spectrum *spectrum)
{
    core_free(spectrum->pair);
    core_free(spectrum->lone);
}
