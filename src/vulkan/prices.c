/* Prices: the units that a run takes, and the seconds of a unit. */
#include "device/prices.h"
#include "device/gpu_units.h"
#include "vulkan/geometry.h"

#include <math.h>

/* Seconds on a large GPU: an NVIDIA H200 behind a bus of 25 GB/s; a thread of the host copies 8 GB/s. */
static const double large[GPU_CHARGES] = {
    [GPU_RUN] = 1.4e-4,         [GPU_HOST_BYTE] = 1.25e-10,
    [GPU_BUS_BYTE] = 4e-11,     [GPU_SPECTRUM] = 7e-10,
    [GPU_PASS] = 2.5e-6,        [GPU_SPACE_SAMPLE] = 2.2e-12,
    [GPU_DIRECT_TAP] = 9e-14,   [GPU_SEPARABLE_TAP] = 2.5e-13,
    [GPU_FFT_SAMPLE] = 2.5e-12, [GPU_FFT_STEP] = 6.5e-13,
    [GPU_TILE] = 2e-9,
};

/* Seconds on Mesa's lavapipe with two threads. */
static const double software[GPU_CHARGES] = {
    [GPU_RUN] = 5e-5,          [GPU_HOST_BYTE] = 1.25e-10,
    [GPU_BUS_BYTE] = 5e-11,    [GPU_SPECTRUM] = 7e-10,
    [GPU_PASS] = 2e-6,         [GPU_SPACE_SAMPLE] = 2e-8,
    [GPU_DIRECT_TAP] = 1e-9,   [GPU_SEPARABLE_TAP] = 8.5e-10,
    [GPU_FFT_SAMPLE] = 3.8e-8, [GPU_FFT_STEP] = 9e-10,
    [GPU_TILE] = 2e-6,
};

/* How many times slower than a large GPU one that shares the host's memory is. An
 * estimate, not a measurement. */
static const double slowness = 30;

void vk_price(const struct vk *vk, double *prices)
{
    VkPhysicalDeviceType type = vk->properties.deviceType;
    bool discrete = type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const double *builtin = type == VK_PHYSICAL_DEVICE_TYPE_CPU ? software : large;
    for (int i = 0; i < GPU_CHARGES; i++)
        prices[i] = builtin[i] * (builtin == software || discrete || i < GPU_SPACE_SAMPLE ? 1 : slowness);
    prices_read(&vk->head, &(struct price_list){ vk->head.section, gpu_charge_names, GPU_CHARGES, prices });
}

/* Complex planes: a pair of channels, or half a plane for a single channel. Long rows do not share planes,
 * but are priced as if they did. */
static double count_planes(const struct vk *vk, const struct work *work)
{
    return (work->channels + vk_leaves_one_empty(vk, work)) / 2.0;
}

/* Bytes of a tile's grid. */
static double bytes_of_grid(const struct vk *vk, const struct work *work)
{
    double sample = work->precision == ABBE_PRECISION_HALF ? sizeof(uint16_t) : sizeof(float);
    return 2 * count_planes(vk, work) * work->x.length * work->y.length * sample;
}

/* Steps that combining opposite frequencies takes: an exchange, which is half a step, and a twiddle. An estimate, not a
 * measurement. */
static const double EVEN_STEP = 0.6;

void vk_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    const struct vk *vk = (const struct vk *)device;
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    struct gpu_transforms transforms = { 0 };
    if (fourier) {
        double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
        transforms = (struct gpu_transforms){ .row_steps = vk_transform_steps(vk, work->x.length),
                                              .column_steps = vk_transform_steps(vk, work->y.length),
                                              .even_steps = work->x.even ? EVEN_STEP : 0,
                                              .planes = count_planes(vk, work),
                                              .rows = vk_gathered_rows(vk, work),
                                              .batch = vk_batch(tiles, bytes_of_grid(vk, work)) };
    }
    gpu_count_units(work, fourier ? &transforms : NULL, vk->unified, threads, units);
}
