/* Prices: what a run counts, and guesses of what a unit costs.
 *
 * A GPU has its own threads: nothing here depends on those of the host. */
#include "fft/size.h"
#include "vulkan/vk.h"

#include <math.h>

enum charge { RUN, SAMPLE, DIRECT_TAP, SEPARABLE_TAP, FFT_FLOP, FFT_SAMPLE, TILE, CHARGES };

const char *const vk_charge_names[] = {
    [RUN] = "a run",
    [SAMPLE] = "a sample to the device or back",
    [DIRECT_TAP] = "a tap of a sample, direct",
    [SEPARABLE_TAP] = "a tap of a sample, separable",
    [FFT_FLOP] = "an operation of a transform",
    [FFT_SAMPLE] = "a complex sample through a pass",
    [TILE] = "a tile",
};
_Static_assert((int)CHARGES == (int)VK_CHARGES, "charges");

/* How much slower than a large GPU a kind of device computes. */
static double slowness(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 20;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
    case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM: break;
    }
    return 2000;
}

/* Guesses for a large GPU behind a bus of 10 GB/s, to be replaced by measurements. */
void vk_price(VkPhysicalDeviceType type, double *prices)
{
    double slower = slowness(type);
    prices[RUN] = 6e-5;
    prices[SAMPLE] = 4e-10;
    prices[DIRECT_TAP] = 2e-13 * slower;
    prices[SEPARABLE_TAP] = 4e-13 * slower;
    prices[FFT_FLOP] = 2e-13 * slower;
    prices[FFT_SAMPLE] = 8e-12 * slower;
    prices[TILE] = 2e-7 * slower;
}

/* One grid through the three passes, two channels in one plane. */
static void tally_fourier(const struct vk *vk, const struct work *work, double *units)
{
    if (!vk_length_fits(vk, work->x.length) || !vk_length_fits(vk, work->y.length)) {
        units[RUN] = INFINITY;
        return;
    }
    double width = work->x.length, height = work->y.length, filters = work->filter_count;
    double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
    double row = fft_flops(work->x.length), column = fft_flops(work->y.length), planes = work->channels / 2.0;
    double flops = height * row + width * column;
    flops += filters * (width * column + work->y.step * row + 6 * width * height);
    units[FFT_FLOP] = tiles * planes * flops;
    units[FFT_SAMPLE] = tiles * planes * (1 + 2 * filters) * width * height;
    units[TILE] = tiles;
}

static void tally_space(const struct work *work, double samples, double *units)
{
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        if (work->method == ABBE_METHOD_DIRECT)
            units[DIRECT_TAP] += samples * kernel->width * kernel->height;
        else
            units[SEPARABLE_TAP] += samples * factors->rank * ((double)factors->width + factors->height);
    }
}

void vk_tally(const abbe_device *device, const struct work *work, int threads, double *units)
{
    (void)threads;
    double samples = (double)work->width * work->height * work->channels;
    units[RUN] = 1;
    units[SAMPLE] = samples * (1 + work->result_count);
    if (work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES)
        tally_fourier((const struct vk *)device, work, units);
    else
        tally_space(work, samples, units);
}
