/* Prices: the units that a run takes, and the seconds of a unit. */
#include "device/prices.h"
#include "cuda/geometry.h"
#include "device/gpu_units.h"

#include <math.h>

/* Seconds on an NVIDIA H200 behind a bus of 25 GB/s; a thread of the host copies 8 GB/s. Estimates: those of
 * passes in the Fourier plane follow from a sketch of these kernels that was measured there (4096 × 4096 RGBA
 * floats in 501 µs, 1024 × 1024 in 25 µs, in graphs), those of passes in space from the Vulkan device on the
 * same GPU, and the start of a run from what three launches and two copies cost. */
static const double large[GPU_CHARGES] = {
    [GPU_RUN] = 4e-5,         [GPU_HOST_BYTE] = 1.25e-10,  [GPU_BUS_BYTE] = 4e-11,
    [GPU_SPECTRUM] = 7e-10,   [GPU_PASS] = 2e-6,           [GPU_SPACE_SAMPLE] = 2.2e-12,
    [GPU_DIRECT_TAP] = 7e-14, [GPU_SEPARABLE_TAP] = 2e-13, [GPU_FFT_SAMPLE] = 2e-12,
    [GPU_FFT_STEP] = 6e-13,   [GPU_TILE] = 2e-9,
};

/* A GPU with this many multiprocessors has the prices above; the work of others is divided among fewer. */
enum { LARGE = 132 };

void cuda_price(const struct cuda *cuda, double *prices)
{
    double slowness = fmax(1, (double)LARGE / cuda->limits.multiprocessors);
    for (int i = 0; i < GPU_CHARGES; i++)
        prices[i] = large[i] * (i < GPU_SPACE_SAMPLE ? 1 : slowness);
    prices_read(&cuda->head,
                &(struct price_list){ cuda->head.section, gpu_charge_names, GPU_CHARGES, prices });
}

/* Complex planes: a pair of channels, or half a plane for a single channel. */
static double count_planes(const struct work *work)
{
    return work->channels == 1 ? 0.5 : (work->channels + 1) / 2;
}

/* Bytes of a tile's grid. */
static double bytes_of_grid(const struct work *work)
{
    double sample = work->precision == ABBE_PRECISION_HALF ? sizeof(uint16_t) : sizeof(float);
    return 2 * count_planes(work) * work->x.length * work->y.length * sample;
}

/* Steps that combining opposite frequencies takes: an exchange, which is half a step, and a twiddle. An
 * estimate. */
static const double EVEN_STEP = 0.6;

/* Rows that the first pass transforms: those of the picture where the border is read through a map. 0: all. */
static double count_rows(const struct cuda *cuda, const struct work *work)
{
    struct cuda_geometry geometry;
    return !cuda_geometry_plan(cuda, work, &geometry) && geometry.mapped ? geometry.rows_stored : 0;
}

void cuda_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    const struct cuda *cuda = (const struct cuda *)device;
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    struct gpu_transforms transforms = { 0 };
    if (fourier) {
        double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
        transforms = (struct gpu_transforms){ .row_steps = cuda_transform_steps(cuda, work->x.length),
                                              .column_steps = cuda_transform_steps(cuda, work->y.length),
                                              .even_steps = work->x.even ? EVEN_STEP : 0,
                                              .planes = count_planes(work),
                                              .rows = count_rows(cuda, work),
                                              .batch = cuda_batch(cuda, tiles, bytes_of_grid(work)) };
    }
    gpu_count_units(work, fourier ? &transforms : NULL, false, threads, units);
}
