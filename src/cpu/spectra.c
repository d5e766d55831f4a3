/* The spectra of a bank, for the Fourier engines of the CPU. */
#include "cpu/spectra.h"

#include "core/error.h"
#include "core/memory.h"
#include "filter/sampling/sampler.h"

#include <math.h>

double cpu_spectra_bytes(const struct work *work, double columns, int threads)
{
    double sampler = 0, spectra = work->filter_count * (sizeof(struct spectrum) + 2.0 * CORE_ALIGNMENT);
    for (int i = 0; i < work->filter_count; i++) {
        spectra += columns * work->y.length * (work->filters[i].real ? 1 : 2) * (double)cpu_real_bytes(work);
        sampler = fmax(sampler, sampler_bytes(&work->filters[i].response, work->filters[i].real,
                                              work->x.length, work->y.length, threads));
    }
    return spectra + sampler;
}

int cpu_spectra_create(const abbe_device *device, const struct engine *engine,
                       const struct spectrum_layout *pair, const struct spectrum_layout *single,
                       struct spectrum **spectra)
{
    const struct work *work = engine->work;
    const struct spectrum_grid grid = { .width = work->x.length,
                                        .height = work->y.length,
                                        .correlate = work->correlate,
                                        .threads = engine->threads,
                                        .level = ((const struct cpu *)device)->level };
    if (work->channels == 1)
        pair = NULL;
    if (work->channels % 2 == 0)
        single = NULL;
    *spectra = core_alloc_zero((size_t)work->filter_count, sizeof **spectra);
    int error = *spectra ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int i = 0; i < work->filter_count && !error; i++) {
        error = spectrum_create(&grid, &work->filters[i].response, pair, single, &(*spectra)[i]);
        if (error == ABBE_ERR_NONFINITE)
            return core_fail(device, error, "filter %d has a gain that is not finite", i + 1);
    }
    return error ? core_fail_memory(device) : ABBE_OK;
}

void cpu_spectra_free(const struct engine *engine, struct spectrum *spectra)
{
    for (int i = 0; spectra && i < engine->work->filter_count; i++)
        spectrum_free(&spectra[i]);
    core_free(spectra);
}
