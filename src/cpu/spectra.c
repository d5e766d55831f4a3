/* H of a filter on the engine's grid, in the engine's order, scaled by 1/(M·N). */
#include "core/memory.h"
#include "cpu/fourier.h"
#include "filter/sampler.h"

#include <omp.h>

/* One thread's memory while columns are sampled. */
struct sampling {
    double *column, *scratch;
    int error;
};

/* Writes a column H(u, ·) into lane `place` of a spectrum, rows in engine order; `opposite` writes H(−u, ·), which
 * is H*(u, −·). */
static void lay_column(const struct engine *engine, const double *h, const struct spectrum *spectrum,
                       int place, bool opposite, float *to)
{
    int width = engine->work->x.length, height = engine->work->y.length, parts = spectrum->real ? 1 : 2;
    const int *order = fft_f32_order(engine->fourier->columns);
    double scale = 1 / ((double)width * height);
    to += (size_t)(place / LANES) * height * parts * LANES + place % LANES;
    for (int v = 0; v < height; v++, to += (size_t)parts * LANES) {
        const double *value = h + 2 * (size_t)(opposite ? (height - order[v]) % height : order[v]);
        to[0] = (float)(value[0] * scale);
        if (!spectrum->real)
            to[LANES] = (float)(opposite ? -value[1] * scale : value[1] * scale);
    }
}

static int sample_column(const struct engine *engine, const struct sampler *sampler, int u,
                         const struct sampling *sampling, const struct spectrum *spectrum)
{
    const int *place = engine->fourier->place;
    int other = (engine->work->x.length - u) % engine->work->x.length;
    int error = sampler_column(sampler, u, sampling->column, sampling->scratch);
    if (error)
        return error;
    if (spectrum->paired)
        lay_column(engine, sampling->column, spectrum, place[u], false, spectrum->paired);
    if (spectrum->paired && other != u)
        lay_column(engine, sampling->column, spectrum, place[other], true, spectrum->paired);
    if (spectrum->tangled)
        lay_column(engine, sampling->column, spectrum, u, false, spectrum->tangled);
    return ABBE_OK;
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
                          struct sampling *workers, int count, const struct spectrum *spectrum)
{
    int error = ABBE_OK;
#pragma omp parallel for schedule(static) num_threads(count)
    for (int u = 0; u <= engine->work->x.length / 2; u++) {
        struct sampling *worker = &workers[omp_get_thread_num()];
        if (!worker->error)
            worker->error = sample_column(engine, sampler, u, worker, spectrum);
    }
    for (int i = 0; i < count && !error; i++)
        error = workers[i].error;
    return error;
}

static int sample_spectrum(const struct engine *engine, const struct response *response,
                           const struct spectrum *spectrum)
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
        error = sample_columns(engine, sampler, workers, count, spectrum);
    for (int i = 0; workers && i < count; i++) {
        core_free(workers[i].column);
        core_free(workers[i].scratch);
    }
    core_free(workers);
    sampler_destroy(&sampler);
    return error;
}

/* Zeroed, because lanes beyond the last column are multiplied too. */
static float *spectrum_alloc(const struct engine *engine, bool real, int columns)
{
    return core_alloc_zero((size_t)cpu_blocks(columns),
                           cpu_block_floats(engine) * sizeof(float) / (real ? 2 : 1));
}

int cpu_spectrum_create(const struct engine *engine, const struct response *response,
                        struct spectrum *spectrum)
{
    const struct work *work = engine->work;
    bool paired = work->channels > 1, tangled = work->channels % 2 == 1;
    spectrum->real = response_is_real(response);
    if (paired)
        spectrum->paired = spectrum_alloc(engine, spectrum->real, work->x.length);
    if (tangled)
        spectrum->tangled = spectrum_alloc(engine, spectrum->real, work->x.length / 2 + 1);
    if ((paired && !spectrum->paired) || (tangled && !spectrum->tangled))
        return ABBE_ERR_MEMORY;
    return sample_spectrum(engine, response, spectrum);
}

void cpu_spectrum_free(struct spectrum *spectrum)
{
    core_free(spectrum->paired);
    core_free(spectrum->tangled);
}
