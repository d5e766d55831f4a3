/* Charges of GPUs that compute in passes over their own memory. */
#include "device/gpu_units.h"

#include "core/threads.h"
#include "device/gpu_gains.h"

#include <math.h>

const char *const gpu_charge_names[GPU_CHARGES] = {
    [GPU_RUN] = "run",
    [GPU_HOST_BYTE] = "host_byte",
    [GPU_BUS_BYTE] = "bus_byte",
    [GPU_SPECTRUM] = "spectrum",
    [GPU_PASS] = "pass",
    [GPU_SPACE_SAMPLE] = "space_sample",
    [GPU_DIRECT_TAP] = "direct_tap",
    [GPU_SEPARABLE_TAP] = "separable_tap",
    [GPU_FFT_SAMPLE] = "fft_sample",
    [GPU_FFT_STEP] = "fft_step",
    [GPU_TILE] = "tile",
};

/* Units of the three passes. */
static void count_fourier_units(const struct work *work, const struct gpu_transforms *transforms,
                                double *units)
{
    double row = transforms->row_steps, column = transforms->column_steps, even = transforms->even_steps;
    if (row < 0 || column < 0) {
        units[GPU_RUN] = INFINITY;
        return;
    }
    double width = work->x.length, height = work->y.length;
    double filters = work->filter_count * gpu_gains_of_filter(work);
    double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
    double samples = tiles * transforms->planes * width * height;
    double kept = work->y.step / height; /* share of rows that hold results */
    double loaded = transforms->rows > 0 ? transforms->rows / height : 1;
    units[GPU_FFT_STEP] = samples *
                          (loaded * (row + even) + column + filters * (column + even + kept * (row + even)));
    units[GPU_FFT_SAMPLE] = samples * (loaded + 2 * filters);
    units[GPU_PASS] = ceil(tiles / transforms->batch) * (2 + work->result_count);
    units[GPU_TILE] = tiles;
}

/* Units of convolution in space. */
static void count_space_units(const struct work *work, double samples, double *units)
{
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        bool direct = work->method == ABBE_METHOD_DIRECT;
        double passes = direct ? 1 : 2.0 * factors->terms;
        units[GPU_PASS] += direct ? 1 : 2;
        units[GPU_SPACE_SAMPLE] += samples * passes;
        if (direct)
            units[GPU_DIRECT_TAP] += samples * kernel->width * kernel->height;
        else
            units[GPU_SEPARABLE_TAP] += samples * factors->terms * ((double)factors->width + factors->height);
    }
}

/* Threads beyond which copies are limited by memory. */
enum { COPIERS_MAX = 4 };

/* Units of the copies between views and the GPU. */
static void count_transfer_units(const struct work *work, bool unified, double samples, int threads,
                                 double *units)
{
    double source = samples * (double)abbe_type_size(work->source_type);
    double results = samples * (double)abbe_type_size(work->result_type) * work->result_count;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    double checked = floats && work->nonfinite == ABBE_NONFINITE_ERROR ? source : 0;
    int copiers = core_workers(threads < COPIERS_MAX ? threads : COPIERS_MAX, samples);
    units[GPU_HOST_BYTE] = (source + results + checked) / copiers;
    units[GPU_BUS_BYTE] = unified ? 0 : source + results;
}

void gpu_count_units(const struct work *work, const struct gpu_transforms *transforms, bool unified,
                     int threads, double *units)
{
    double samples = (double)work->width * work->height * work->channels;
    units[GPU_RUN] = 1;
    count_transfer_units(work, unified, samples, threads, units);
    if (transforms)
        count_fourier_units(work, transforms, units);
    else
        count_space_units(work, samples, units);
}
