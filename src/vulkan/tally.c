/* Prices: what a run counts, and what a unit costs.
 *
 * A GPU has its own threads: of the host's only the copies into and out of memory that the GPU sees depend. */
#include "core/threads.h"
#include "device/prices.h"
#include "vulkan/vk.h"

#include <math.h>

enum charge {
    RUN,           /* commands, a submission, waiting for its end */
    HOST_BYTE,     /* copied or looked at by the host, on the thread that has the most */
    BUS_BYTE,      /* between the memory of the host and that of a GPU of its own */
    PASS,          /* a dispatch and the wait behind it */
    SPACE_SAMPLE,  /* through a pass in space, whatever its taps */
    DIRECT_TAP,    /* of a sample */
    SEPARABLE_TAP, /* of a sample */
    FFT_SAMPLE,    /* a complex sample through a pass of a transform */
    FFT_STEP,      /* and through one of its steps: a butterfly of radix 8 and an exchange */
    TILE,
    CHARGES
};

const char *const vk_charge_names[] = {
    [RUN] = "run",
    [HOST_BYTE] = "host_byte",
    [BUS_BYTE] = "bus_byte",
    [PASS] = "pass",
    [SPACE_SAMPLE] = "space_sample",
    [DIRECT_TAP] = "direct_tap",
    [SEPARABLE_TAP] = "separable_tap",
    [FFT_SAMPLE] = "fft_sample",
    [FFT_STEP] = "fft_step",
    [TILE] = "tile",
};
_Static_assert((int)CHARGES == (int)ABVK_CHARGES, "charges");

/* A large GPU: an H200 behind a bus of 25 GB/s, beside a host of which a thread copies 8 GB/s. */
static const double large[CHARGES] = {
    [RUN] = 1.4e-4,           [HOST_BYTE] = 1.25e-10, [BUS_BYTE] = 4e-11,        [PASS] = 2.5e-6,
    [SPACE_SAMPLE] = 2.2e-12, [DIRECT_TAP] = 9e-14,   [SEPARABLE_TAP] = 2.5e-13, [FFT_SAMPLE] = 2.5e-12,
    [FFT_STEP] = 6.5e-13,     [TILE] = 2e-9,
};

/* Mesa's lavapipe on two threads. */
static const double software[CHARGES] = {
    [RUN] = 5e-5,          [HOST_BYTE] = 1.25e-10, [BUS_BYTE] = 5e-11,        [PASS] = 2e-6,
    [SPACE_SAMPLE] = 2e-8, [DIRECT_TAP] = 1e-9,    [SEPARABLE_TAP] = 8.5e-10, [FFT_SAMPLE] = 3.8e-8,
    [FFT_STEP] = 9e-10,    [TILE] = 2e-6,
};

/* A GPU that shares the host's memory moves and computes so many times slower than a large one. Nobody has measured. */
static const double slowness = 30;

void vk_price(const struct vk *vk, double *prices)
{
    VkPhysicalDeviceType type = vk->properties.deviceType;
    bool discrete = type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const double *builtin = type == VK_PHYSICAL_DEVICE_TYPE_CPU ? software : large;
    for (int i = 0; i < CHARGES; i++)
        prices[i] = builtin[i] * (builtin == software || discrete || i < SPACE_SAMPLE ? 1 : slowness);
    prices_read(&(struct price_list){ vk->head.section, vk_charge_names, CHARGES, prices });
}

/* Complex planes: two channels in one, or two rows of an odd channel. Rows too long for that are priced as if they were
 * not. */
static double planes_of(const struct vk *vk, const struct work *work)
{
    return (work->channels + vk_leaves_one_empty(vk, work)) / 2.0;
}

/* Bytes of a tile's grid. */
static double grid_bytes(const struct vk *vk, const struct work *work)
{
    double sample = work->half ? sizeof(uint16_t) : sizeof(float);
    return 2 * planes_of(vk, work) * work->x.length * work->y.length * sample;
}

/* One grid through the three passes. */
static void tally_fourier(const struct vk *vk, const struct work *work, double *units)
{
    double row = vk_transform_steps(vk, work->x.length), column = vk_transform_steps(vk, work->y.length);
    if (row < 0 || column < 0) {
        units[RUN] = INFINITY;
        return;
    }
    double width = work->x.length, height = work->y.length, filters = work->filter_count;
    double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
    double samples = tiles * planes_of(vk, work) * width * height;
    double kept = work->y.step / height; /* of the rows */
    units[FFT_STEP] = samples * (row + column + filters * (column + kept * row));
    units[FFT_SAMPLE] = samples * (1 + 2 * filters);
    units[PASS] = ceil(tiles / vk_batch(tiles, grid_bytes(vk, work))) * (2 + work->result_count);
    units[TILE] = tiles;
}

static void tally_space(const struct work *work, double samples, double *units)
{
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        bool direct = work->method == ABBE_METHOD_DIRECT;
        double passes = direct ? 1 : 2.0 * factors->rank;
        units[PASS] += direct ? 1 : 2;
        units[SPACE_SAMPLE] += samples * passes;
        if (direct)
            units[DIRECT_TAP] += samples * kernel->width * kernel->height;
        else
            units[SEPARABLE_TAP] += samples * factors->rank * ((double)factors->width + factors->height);
    }
}

/* Beyond a few threads it is the memory that copies wait for. */
enum { COPIERS_MAX = 4 };

static void tally_transfers(const struct vk *vk, const struct work *work, double samples, int threads,
                            double *units)
{
    double source = samples * (double)abbe_type_size(work->source_type);
    double results = samples * (double)abbe_type_size(work->result_type) * work->result_count;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    double looked_at = floats && work->nonfinite == ABBE_NONFINITE_ERROR ? source : 0;
    int copiers = core_workers(threads < COPIERS_MAX ? threads : COPIERS_MAX, samples);
    units[HOST_BYTE] = (source + results + looked_at) / copiers;
    units[BUS_BYTE] = vk->unified ? 0 : source + results;
}

void vk_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    const struct vk *vk = (const struct vk *)device;
    double samples = (double)work->width * work->height * work->channels;
    units[RUN] = 1;
    tally_transfers(vk, work, samples, threads, units);
    if (work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES)
        tally_fourier(vk, work, units);
    else
        tally_space(work, samples, units);
}
