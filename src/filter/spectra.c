/* H of a filter on an engine's grid, in the engine's order. */
#include "filter/spectra.h"

#include "core/memory.h"
#include "filter/sampler.h"

#include <omp.h>

/* One thread's memory while columns are sampled. */
struct sampling {
    double *columns, *scratch; /* two columns */
    int error;
};

/* Where the columns of a spectrum go. */
struct target {
    const struct spectrum_layout *layout;
    bool real;
    float *h;
};

/* Writes a column H(u, ·) where frequency u has its place; `opposite` writes H(−u, ·), which is H*(u, −·). */
static void lay_column(const struct spectrum_grid *grid, const double *h, const struct target *target, int u,
                       bool opposite)
{
    const struct spectrum_layout *layout = target->layout;
    int width = grid->width, height = grid->height;
    int place = layout ? layout->column[opposite ? (width - u) % width : u] : -1;
    if (place < 0)
        return;
    size_t lanes = (size_t)layout->lanes, step = target->real ? lanes : 2 * lanes;
    float *to = target->h + place / layout->lanes * step * height + place % layout->lanes;
    for (int v = 0; v < height; v++, to += step) {
        int at = layout->order[v], from = opposite && at ? height - at : at;
        const double *value = h + 2 * (size_t)from;
        to[0] = (float)(value[0] * layout->scale);
        if (!target->real)
            to[lanes] = (float)(opposite ? -value[1] * layout->scale : value[1] * layout->scale);
    }
}

/* Columns u and u + 1, or the last one alone. */
static int sample_pair(const struct spectrum_grid *grid, const struct sampler *sampler, int u,
                       const struct sampling *sampling, const struct target targets[2])
{
    int count = u < grid->width / 2 ? 2 : 1;
    int error = count == 2 ? sampler_pair(sampler, u, sampling->columns, sampling->scratch)
                           : sampler_column(sampler, u, sampling->columns, sampling->scratch);
    for (int i = 0; i < 2 * count && !error; i++) {
        int one = u + i / 2;
        const double *column = sampling->columns + i / 2 * 2 * (size_t)grid->height;
        bool own_opposite = one == 0 || 2 * one == grid->width;
        lay_column(grid, column, &targets[i % 2], one, false);
        if (!own_opposite)
            lay_column(grid, column, &targets[i % 2], one, true);
    }
    return error;
}

static int sample_columns(const struct spectrum_grid *grid, const struct sampler *sampler,
                          struct sampling *workers, int count, const struct target targets[2])
{
    int error = ABBE_OK;
#pragma omp parallel for schedule(static) num_threads(count)
    for (int u = 0; u <= grid->width / 2; u += 2) {
        struct sampling *worker = &workers[omp_get_thread_num()];
        if (!worker->error)
            worker->error = sample_pair(grid, sampler, u, worker, targets);
    }
    for (int i = 0; i < count && !error; i++)
        error = workers[i].error;
    return error;
}

static int sample_spectrum(const struct spectrum_grid *grid, const struct response *response,
                           const struct target targets[2])
{
    /* A caller's function is promised to be called from the creating thread only. */
    int count = response_has_callback(response) ? 1 : grid->threads;
    struct sampler *sampler = NULL;
    struct sampling *workers = core_alloc_zero((size_t)count, sizeof *workers);
    int error = workers ? sampler_create(response, grid->width, grid->height, grid->correlate, &sampler)
                        : ABBE_ERR_MEMORY;
    for (int i = 0; i < count && !error; i++) {
        workers[i].columns = core_alloc((size_t)grid->height, 4 * sizeof(double));
        workers[i].scratch = core_alloc(sampler_scratch(sampler), sizeof(double));
        if (!workers[i].columns || !workers[i].scratch)
            error = ABBE_ERR_MEMORY;
    }
    if (!error)
        error = sample_columns(grid, sampler, workers, count, targets);
    for (int i = 0; workers && i < count; i++) {
        core_free(workers[i].columns);
        core_free(workers[i].scratch);
    }
    core_free(workers);
    sampler_destroy(&sampler);
    return error;
}

/* Zeroed, because lanes without a column are multiplied too. */
static float *spectrum_alloc(const struct spectrum_grid *grid, bool real,
                             const struct spectrum_layout *layout)
{
    size_t parts = (size_t)layout->lanes * (real ? 1 : 2);
    return core_alloc_zero((size_t)layout->blocks, parts * grid->height * sizeof(float));
}

int spectrum_create(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                    struct spectrum *spectrum)
{
    spectrum->real = response_is_real(response);
    if (pair)
        spectrum->pair = spectrum_alloc(grid, spectrum->real, pair);
    if (lone)
        spectrum->lone = spectrum_alloc(grid, spectrum->real, lone);
    if ((pair && !spectrum->pair) || (lone && !spectrum->lone))
        return ABBE_ERR_MEMORY;
    const struct target targets[2] = { { pair, spectrum->real, spectrum->pair },
                                       { lone, spectrum->real, spectrum->lone } };
    return sample_spectrum(grid, response, targets);
}

void spectrum_free(struct spectrum *spectrum)
{
    core_free(spectrum->pair);
    core_free(spectrum->lone);
}
