/* Prices: the units that a run takes, and the seconds of a unit.
 *
 * The number of host threads matters only for copies into and out of memory that the GPU sees. */
#include "device/prices.h"
#include "core/threads.h"
#include "vulkan/geometry.h"

#include <math.h>

enum charge {
    RUN,           /* recording, submitting and waiting for a run */
    HOST_BYTE,     /* byte copied or checked by the host, on the busiest thread */
    BUS_BYTE,      /* byte between the memory of the host and that of a discrete GPU */
    SPECTRUM,      /* planning: writing one number of H, the unit of sampler_units(); none in a run */
    PASS,          /* a dispatch and the barrier behind it */
    SPACE_SAMPLE,  /* sample through a pass in space, without its taps */
    DIRECT_TAP,    /* tap of a sample */
    SEPARABLE_TAP, /* tap of a sample */
    FFT_SAMPLE,    /* complex sample through a pass of a transform */
    FFT_STEP,      /* complex sample through a step: a butterfly of radix 8 and an exchange */
    TILE,          /* one tile */
    CHARGES
};

const char *const vk_charge_names[] = {
    [RUN] = "run",
    [HOST_BYTE] = "host_byte",
    [BUS_BYTE] = "bus_byte",
    [SPECTRUM] = "spectrum",
    [PASS] = "pass",
    [SPACE_SAMPLE] = "space_sample",
    [DIRECT_TAP] = "direct_tap",
    [SEPARABLE_TAP] = "separable_tap",
    [FFT_SAMPLE] = "fft_sample",
    [FFT_STEP] = "fft_step",
    [TILE] = "tile",
};
_Static_assert((int)CHARGES == (int)ABVK_CHARGES && (int)SPECTRUM == (int)ABVK_SPECTRUM_CHARGE, "charges");

/* Seconds on a large GPU: an NVIDIA H200 behind a bus of 25 GB/s; a thread of the host copies 8 GB/s. */
static const double large[CHARGES] = {
    [RUN] = 1.4e-4,         [HOST_BYTE] = 1.25e-10,   [BUS_BYTE] = 4e-11,   [SPECTRUM] = 7e-10,
    [PASS] = 2.5e-6,        [SPACE_SAMPLE] = 2.2e-12, [DIRECT_TAP] = 9e-14, [SEPARABLE_TAP] = 2.5e-13,
    [FFT_SAMPLE] = 2.5e-12, [FFT_STEP] = 6.5e-13,     [TILE] = 2e-9,
};

/* Seconds on Mesa's lavapipe with two threads. */
static const double software[CHARGES] = {
    [RUN] = 5e-5,          [HOST_BYTE] = 1.25e-10, [BUS_BYTE] = 5e-11,  [SPECTRUM] = 7e-10,
    [PASS] = 2e-6,         [SPACE_SAMPLE] = 2e-8,  [DIRECT_TAP] = 1e-9, [SEPARABLE_TAP] = 8.5e-10,
    [FFT_SAMPLE] = 3.8e-8, [FFT_STEP] = 9e-10,     [TILE] = 2e-6,
};

/* How many times slower than a large GPU one that shares the host's memory is. An
 * estimate, not a measurement. */
static const double slowness = 30;

void vk_price(const struct vk *vk, double *prices)
{
    VkPhysicalDeviceType type = vk->properties.deviceType;
    bool discrete = type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const double *builtin = type == VK_PHYSICAL_DEVICE_TYPE_CPU ? software : large;
    for (int i = 0; i < CHARGES; i++)
        prices[i] = builtin[i] * (builtin == software || discrete || i < SPACE_SAMPLE ? 1 : slowness);
    prices_read(&vk->head, &(struct price_list){ vk->head.section, vk_charge_names, CHARGES, prices });
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

/* Units of the three passes. */
static void count_fourier_units(const struct vk *vk, const struct work *work, double *units)
{
    double row = vk_transform_steps(vk, work->x.length), column = vk_transform_steps(vk, work->y.length);
    if (row < 0 || column < 0) {
        units[RUN] = INFINITY;
        return;
    }
    double width = work->x.length, height = work->y.length;
    double filters = work->filter_count * vk_spectra_of_filter(work);
    double even = work->x.even ? EVEN_STEP : 0;
    double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
    double samples = tiles * count_planes(vk, work) * width * height;
    double kept = work->y.step / height; /* share of rows that hold results */
    units[FFT_STEP] = samples * (row + even + column + filters * (column + even + kept * (row + even)));
    units[FFT_SAMPLE] = samples * (1 + 2 * filters);
    units[PASS] = ceil(tiles / vk_batch(tiles, bytes_of_grid(vk, work))) * (2 + work->result_count);
    units[TILE] = tiles;
}

/* Units of convolution in space. */
static void count_space_units(const struct work *work, double samples, double *units)
{
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        bool direct = work->method == ABBE_METHOD_DIRECT;
        double passes = direct ? 1 : 2.0 * factors->terms;
        units[PASS] += direct ? 1 : 2;
        units[SPACE_SAMPLE] += samples * passes;
        if (direct)
            units[DIRECT_TAP] += samples * kernel->width * kernel->height;
        else
            units[SEPARABLE_TAP] += samples * factors->terms * ((double)factors->width + factors->height);
    }
}

/* Threads beyond which copies are limited by memory. */
enum { COPIERS_MAX = 4 };

/* Units of the copies between views and the GPU. */
static void count_transfer_units(const struct vk *vk, const struct work *work, double samples, int threads,
                                 double *units)
{
    double source = samples * (double)abbe_type_size(work->source_type);
    double results = samples * (double)abbe_type_size(work->result_type) * work->result_count;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    double checked = floats && work->nonfinite == ABBE_NONFINITE_ERROR ? source : 0;
    int copiers = core_workers(threads < COPIERS_MAX ? threads : COPIERS_MAX, samples);
    units[HOST_BYTE] = (source + results + checked) / copiers;
    units[BUS_BYTE] = vk->unified ? 0 : source + results;
}

void vk_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    const struct vk *vk = (const struct vk *)device;
    double samples = (double)work->width * work->height * work->channels;
    units[RUN] = 1;
    count_transfer_units(vk, work, samples, threads, units);
    if (work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES)
        count_fourier_units(vk, work, units);
    else
        count_space_units(work, samples, units);
}
