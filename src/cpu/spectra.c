/* H of a filter on an engine's grid, in the engine's order. */
#include "cpu/spectra.h"

#include "core/error.h"
#include "core/memory.h"
#include "filter/sampler.h"

#include <omp.h>

/* One thread's memory while columns are sampled. */
struct sampling {
    double *column, *scratch;
    int error;
};

/* Where the columns of a spectrum go. */
struct target {
    const struct spectrum_layout *layout;
    bool real;
    float *h;
};

/* Writes a column H(u, ·) where frequency u has its place; `opposite` writes H(−u, ·), which is H*(u, −·). */
static void lay_column(const struct engine *engine, const double *h, const struct target *target, int u,
                       bool opposite)
{
    const struct spectrum_layout *layout = target->layout;
    int width = engine->work->x.length, height = engine->work->y.length;
    int place = layout ? layout->column[opposite ? (width - u) % width : u] : -1;
    if (place < 0)
        return;
    size_t lanes = (size_t)layout->lanes, step = target->real ? lanes : 2 * lanes;
    float *to = target->h + place / layout->lanes * step * height + place % layout->lanes;
    for (int v = 0; v < height; v++, to += step) {
        int from = opposite ? (height - layout->order[v]) % height : layout->order[v];
        const double *value = h + 2 * (size_t)from;
        to[0] = (float)(value[0] * layout->scale);
        if (!target->real)
            to[lanes] = (float)(opposite ? -value[1] * layout->scale : value[1] * layout->scale);
    }
}

static int sample_column(const struct engine *engine, const struct sampler *sampler, int u,
                         const struct sampling *sampling, const struct target targets[2])
{
    int error = sampler_column(sampler, u, sampling->column, sampling->scratch);
    bool own_opposite = u == 0 || 2 * u == engine->work->x.length;
    for (int i = 0; i < 2 && !error; i++) {
        lay_column(engine, sampling->column, &targets[i], u, false);
        if (!own_opposite)
            lay_column(engine, sampling->column, &targets[i], u, true);
    }
    return error;
}

/* A caller's function is promised to be called from the creating thread only. */
static int count_workers(const struct engine *engine, const struct response *response)
{
    for (int i = 0; i < response->transfer_count; i++)
        if (response->transfers[i].callback)
            return 1;
    return engine->threads;
}

static int sample_columns(const struct engine *engine, const struct sampler *sampler,
                          struct sampling *workers, int count, const struct target targets[2])
{
    int error = ABBE_OK;
#pragma omp parallel for schedule(static) num_threads(count)
    for (int u = 0; u <= engine->work->x.length / 2; u++) {
        struct sampling *worker = &workers[omp_get_thread_num()];
        if (!worker->error)
            worker->error = sample_column(engine, sampler, u, worker, targets);
    }
    for (int i = 0; i < count && !error; i++)
        error = workers[i].error;
    return error;
}

static int sample_spectrum(const struct engine *engine, const struct response *response,
                           const struct target targets[2])
{
    const struct work *work = engine->work;
    int count = count_workers(engine, response);
    struct sampler *sampler = NULL;
    struct sampling *workers = core_alloc_zero((size_t)count, sizeof *workers);
    int error = workers ? sampler_create(response, work->x.length, work->y.length, work->correlate, &sampler)
                        : ABBE_ERR_MEMORY;
    for (int i = 0; i < count && !error; i++) {
        workers[i].column = core_alloc((size_t)work->y.length, 2 * sizeof(double));
        workers[i].scratch = core_alloc(sampler_scratch(sampler), sizeof(double));
        if (!workers[i].column || !workers[i].scratch)
            error = ABBE_ERR_MEMORY;
    }
    if (!error)
        error = sample_columns(engine, sampler, workers, count, targets);
    for (int i = 0; workers && i < count; i++) {
        core_free(workers[i].column);
        core_free(workers[i].scratch);
    }
    core_free(workers);
    sampler_destroy(&sampler);
    return error;
}

/* Zeroed, because lanes without a column are multiplied too. */
static float *spectrum_alloc(const struct engine *engine, bool real, const struct spectrum_layout *layout)
{
    size_t parts = (size_t)layout->lanes * (real ? 1 : 2);
    return core_alloc_zero((size_t)layout->blocks, parts * engine->work->y.length * sizeof(float));
}

static int create_spectrum(const struct engine *engine, const struct response *response,
                           const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                           struct spectrum *spectrum)
{
    spectrum->real = response_is_real(response);
    if (pair)
        spectrum->pair = spectrum_alloc(engine, spectrum->real, pair);
    if (lone)
        spectrum->lone = spectrum_alloc(engine, spectrum->real, lone);
    if ((pair && !spectrum->pair) || (lone && !spectrum->lone))
        return ABBE_ERR_MEMORY;
    const struct target targets[2] = { { pair, spectrum->real, spectrum->pair },
                                       { lone, spectrum->real, spectrum->lone } };
    return sample_spectrum(engine, response, targets);
}

int cpu_spectra_create(const abbe_device *device, const struct engine *engine,
                       const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                       struct spectrum **spectra)
{
    const struct work *work = engine->work;
    if (work->channels == 1)
        pair = NULL;
    if (work->channels % 2 == 0)
        lone = NULL;
    *spectra = core_alloc_zero((size_t)work->filter_count, sizeof **spectra);
    int error = *spectra ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int i = 0; i < work->filter_count && !error; i++) {
        error = create_spectrum(engine, &work->filters[i].response, pair, lone, &(*spectra)[i]);
        if (error == ABBE_ERR_NONFINITE)
            return core_fail(device, error, "filter %d has a gain that is not finite", i + 1);
    }
    return error ? core_fail_memory(device) : ABBE_OK;
}

void cpu_spectra_free(const struct engine *engine, struct spectrum *spectra)
{
    for (int i = 0; spectra && i < engine->work->filter_count; i++) {
        core_free(spectra[i].pair);
        core_free(spectra[i].lone);
    }
    core_free(spectra);
}
