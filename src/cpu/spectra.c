/* The spectra of a bank, for the Fourier engines of the CPU. */
#include "cpu/spectra.h"

#include "core/error.h"
#include "core/memory.h"
#include "filter/sampling/sampler.h"

#include <math.h>

/* Even transforms have the frequencies of a picture with its reflection, as far as half the sampling rate. */
static int sampled_length(const struct axis *axis)
{
    return axis->even ? 2 * axis->length : axis->length;
}

double cpu_spectra_bytes(const struct work *work, double columns, int threads)
{
    double sampler = 0, spectra = 2.0 * work->filter_count * (sizeof(struct spectrum) + 2.0 * CORE_ALIGNMENT);
    for (int i = 0; i < work->filter_count; i++) {
        bool two = !work->filters[i].real || (work->x.even && !work->filters[i].even);
        spectra += columns * work->y.length * (two ? 2 : 1) * (double)cpu_real_bytes(work);
        sampler = fmax(sampler, sampler_bytes(&work->filters[i].response, work->filters[i].real,
                                              sampled_length(&work->x), sampled_length(&work->y), threads));
    }
    return spectra + sampler;
}

static int create_spectrum(const struct spectrum_grid *grid, const struct work_filter *filter,
                           const struct spectrum_layout *pair, const struct spectrum_layout *single,
                           struct spectrum *spectrum)
{
    const struct spectrum_layout *layouts[2] = { pair, single };
    struct spectrum_layout whole[2];
    for (int i = 0; i < 2; i++) {
        if (!layouts[i] || !filter->even)
            continue;
        if (layouts[i]->part == SPECTRUM_ODD_PART)
            return ABBE_OK;
        whole[i] = *layouts[i];
        whole[i].part = SPECTRUM_WHOLE;
        layouts[i] = &whole[i];
    }
    return spectrum_create(grid, &filter->response, layouts[0], layouts[1], spectrum);
}

static struct spectrum_grid sampled_grid(const abbe_device *device, const struct engine *engine)
{
    const struct work *work = engine->work;
    return (struct spectrum_grid){ .width = sampled_length(&work->x),
                                   .height = sampled_length(&work->y),
                                   .correlate = work->correlate,
                                   .threads = engine->threads,
                                   .level = ((const struct cpu *)device)->level };
}

int cpu_spectra_create(const abbe_device *device, const struct engine *engine,
                       const struct spectrum_layout *pair, const struct spectrum_layout *single,
                       struct spectrum **spectra)
{
    const struct work *work = engine->work;
    const struct spectrum_grid grid = sampled_grid(device, engine);
    if (work->channels == 1)
        pair = NULL;
    if (work->channels % 2 == 0)
        single = NULL;
    *spectra = core_alloc_zero((size_t)work->filter_count, sizeof **spectra);
    int error = *spectra ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int i = 0; i < work->filter_count && !error; i++) {
        error = create_spectrum(&grid, &work->filters[i], pair, single, &(*spectra)[i]);
        if (error == ABBE_ERR_NONFINITE)
            return core_fail(device, error, "filter %d has a gain that is not finite", i + 1);
    }
    return error ? core_fail_memory(device) : ABBE_OK;
}

int cpu_spectra_resample(const abbe_device *device, const struct engine *engine,
                         const struct spectrum_refill refills[2], int filter, struct frequency_span span)
{
    const struct spectrum_grid grid = sampled_grid(device, engine);
    int first = (int)floor(span.low * grid.width), last = (int)ceil(span.high * grid.width);
    last = last < grid.width / 2 ? last : grid.width / 2;
    int error = spectrum_refill(&grid, &engine->work->filters[filter].response, refills, first, last);
    return error == ABBE_ERR_MEMORY ? core_fail_memory(device) : error;
}

void cpu_spectra_free(const struct engine *engine, struct spectrum *spectra)
{
    for (int i = 0; spectra && i < engine->work->filter_count; i++)
        spectrum_free(&spectra[i]);
    core_free(spectra);
}
