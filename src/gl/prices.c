/* Prices: the units that a run takes, and the seconds that a unit takes. They do not depend on the threads of
 * the host. */
#include "device/prices.h"
#include "gl/engine.h"

#include <math.h>
#include <stdio.h>

enum charge { RUN, SAMPLE, PASS, TEXEL, TERM, DIRECT_TAP, SEPARABLE_TAP, SPECTRUM, CHARGES };

const char *const gl_charge_names[] = {
    [RUN] = "run",
    [SAMPLE] = "sample", /* uploaded or downloaded */
    [PASS] = "pass",
    [TEXEL] = "texel", /* written by a step of a transform or another pass */
    [TERM] = "term",   /* of a sum by the definition of the transform */
    [DIRECT_TAP] = "direct_tap",
    [SEPARABLE_TAP] = "separable_tap",
    [SPECTRUM] =
        "spectrum", /* planning: writing one number of H, the unit of sampler_units(); none in a run */
};
_Static_assert((int)CHARGES == (int)ABGL_CHARGES && (int)SPECTRUM == (int)ABGL_SPECTRUM_CHARGE, "charges");

/* Seconds per unit, measured on an NVIDIA H200, few of whose processors can draw, and on llvmpipe with two
 * threads. */
void gl_set_prices(bool software, abbe_device *device)
{
    static const double gpu[] = {
        [RUN] = 5e-5,
        [SAMPLE] = 7e-10,
        [PASS] = 2e-5,
        [TEXEL] = 3e-10,
        [TERM] = 2e-10,
        [DIRECT_TAP] = 1.5e-11,
        [SEPARABLE_TAP] = 1.5e-11,
        [SPECTRUM] = 7e-10,
    };
    static const double llvmpipe[] = {
        [RUN] = 2e-4,          [SAMPLE] = 1e-9,          [PASS] = 5e-5,      [TEXEL] = 1.7e-8, [TERM] = 1e-8,
        [DIRECT_TAP] = 1.4e-9, [SEPARABLE_TAP] = 1.3e-9, [SPECTRUM] = 7e-10,
    };
    for (int i = 0; i < CHARGES; i++)
        device->prices[i] = software ? llvmpipe[i] : gpu[i];
    snprintf(device->section, sizeof device->section, "gl:%s", software ? "software" : "gpu");
    prices_read(device, &(struct price_list){ device->section, gl_charge_names, CHARGES, device->prices });
}

/* Steps of a transform along one axis, and the terms of those that are sums by definition. */
struct axis_effort {
    double steps, terms;
};

static struct axis_effort axis_effort(const struct gl *gl, enum gl_engine engine, int length,
                                      bool by_definition)
{
    int radices[ABGL_STEPS_MAX], count = gl_length_radices(gl, length, by_definition, radices);
    if (engine != ABGL_FAST)
        return (struct axis_effort){ log2(length), 0 };
    struct axis_effort effort = { count, 0 };
    for (int i = 0; i < count && by_definition; i++)
        effort.terms += radices[i];
    return effort;
}

/* Lengths that the chosen engine cannot transform count a hundredfold, so that they are used only where no
 * other will do. */
static void count_transform_units(const struct gl *gl, const struct work *work, double *units)
{
    int width = work->x.length, height = work->y.length;
    if (width > gl->texture_max || height > gl->texture_max) {
        units[RUN] = INFINITY;
        return;
    }
    bool by_definition = !gl_length_is_smooth(width) || !gl_length_is_smooth(height);
    enum gl_engine engine = gl_choose_engine(gl, work);
    struct axis_effort x = axis_effort(gl, engine, width, by_definition),
                       y = axis_effort(gl, engine, height, by_definition);
    double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
    double windows = ceil(tiles / gl_tiles_per_texel(work, tiles)) * ((work->channels + 3) / 4);
    double texels = windows * width * height * (engine == gl->params.engine ? 1 : 100);
    double ways = 1 + work->filter_count, batch = fmax(1, floor((64 << 20) / (16.0 * width * height)));
    units[TEXEL] = texels * ((x.steps + y.steps) * ways + 2);
    units[TERM] = texels * (x.terms + y.terms) * ways;
    units[PASS] = ((x.steps + y.steps) * ways + 2) * (engine == ABGL_FAST ? ceil(windows / batch) : windows);
}

static void count_tap_units(const struct work *work, double *units)
{
    double texels = (double)work->width * work->height * ((work->channels + 3) / 4);
    units[TEXEL] = texels * (1 + work->result_count);
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        if (work->method == ABBE_METHOD_DIRECT)
            units[DIRECT_TAP] += texels * kernel->width * (kernel->height + 3.0);
        else
            units[SEPARABLE_TAP] += texels * factors->terms * ((double)factors->width + factors->height + 6);
        units[PASS] += 2.0 * (work->method == ABBE_METHOD_DIRECT ? 1 : factors->terms);
        units[TEXEL] += texels * (work->method == ABBE_METHOD_DIRECT ? 1 : 2 * factors->terms);
    }
}

void gl_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    (void)threads;
    units[RUN] = 1;
    units[SAMPLE] = (double)work->width * work->height * work->channels * (1 + work->result_count);
    if (work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES)
        count_transform_units((const struct gl *)device, work, units);
    else
        count_tap_units(work, units);
}
