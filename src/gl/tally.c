/* Prices: what a run counts, and what a unit costs.
 *
 * A GPU has its own threads: nothing here depends on those of the host. */
#include "gl/gl.h"

#include "device/prices.h"

#include <math.h>
#include <stdio.h>

enum charge { RUN, SAMPLE, PASS, TEXEL, TERM, DIRECT_TAP, SEPARABLE_TAP, CHARGES };

const char *const gl_charge_names[] = {
    [RUN] = "run",
    [SAMPLE] = "sample", /* to the device or back */
    [PASS] = "pass",
    [TEXEL] = "texel", /* through a step of a transform */
    [TERM] = "term",   /* of a transform by definition */
    [DIRECT_TAP] = "direct_tap",
    [SEPARABLE_TAP] = "separable_tap",
};
_Static_assert((int)CHARGES == (int)GL_CHARGES, "charges");

/* Seconds of a unit: measured on an H200, few of whose processors draw, and on llvmpipe with two threads. */
void gl_price(bool software, abbe_device *device)
{
    static const double gpu[] = {
        [RUN] = 5e-5,           [SAMPLE] = 7e-10,          [PASS] = 2e-5, [TEXEL] = 3e-10, [TERM] = 2e-10,
        [DIRECT_TAP] = 1.5e-11, [SEPARABLE_TAP] = 1.5e-11,
    };
    static const double llvmpipe[] = {
        [RUN] = 2e-4,          [SAMPLE] = 1e-9,          [PASS] = 5e-5, [TEXEL] = 1.7e-8, [TERM] = 1e-8,
        [DIRECT_TAP] = 1.4e-9, [SEPARABLE_TAP] = 1.3e-9,
    };
    for (int i = 0; i < CHARGES; i++)
        device->prices[i] = software ? llvmpipe[i] : gpu[i];
    snprintf(device->section, sizeof device->section, "gl:%s", software ? "software" : "gpu");
    prices_read(&(struct price_list){ device->section, gl_charge_names, CHARGES, device->prices });
}

/* Steps of a transform there and back, and the terms of those that are sums. */
struct effort {
    double steps, terms;
};

static struct effort effort_of(const struct gl *gl, enum gl_engine engine, int length, bool by_sums)
{
    int radices[GL_STEPS_MAX], count = gl_length_radices(gl, length, by_sums, radices);
    if (engine != GL_FAST)
        return (struct effort){ log2(length), 0 };
    struct effort effort = { count, 0 };
    for (int i = 0; i < count && by_sums; i++)
        effort.terms += radices[i];
    return effort;
}

/* Lengths that the engine asked for does not know are dear, so that they are taken only where nothing else will do. */
static void tally_fourier(const struct gl *gl, const struct work *work, double *units)
{
    int width = work->x.length, height = work->y.length;
    if (width > gl->texture_max || height > gl->texture_max) {
        units[RUN] = INFINITY;
        return;
    }
    bool powers = gl_length_is_power(width) && gl_length_is_power(height);
    bool by_sums = !gl_length_is_smooth(width) || !gl_length_is_smooth(height);
    enum gl_engine engine = powers ? gl->wishes.engine : GL_FAST;
    struct effort x = effort_of(gl, engine, width, by_sums), y = effort_of(gl, engine, height, by_sums);
    double tiles = ceil((double)work->width / work->x.step) * ceil((double)work->height / work->y.step);
    double shared = tiles > 1 && work->channels == 1 ? 4 : tiles > 1 && work->channels == 2 ? 2 : 1;
    double windows = ceil(tiles / shared) * ((work->channels + 3) / 4);
    double texels = windows * width * height * (engine == gl->wishes.engine ? 1 : 100);
    double ways = 1 + work->filter_count, batch = fmax(1, floor((64 << 20) / (16.0 * width * height)));
    units[TEXEL] = texels * ((x.steps + y.steps) * ways + 2);
    units[TERM] = texels * (x.terms + y.terms) * ways;
    units[PASS] = ((x.steps + y.steps) * ways + 2) * (engine == GL_FAST ? ceil(windows / batch) : windows);
}

static void tally_space(const struct work *work, double *units)
{
    double texels = (double)work->width * work->height * ((work->channels + 3) / 4);
    units[TEXEL] = texels * (1 + work->result_count);
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        if (work->method == ABBE_METHOD_DIRECT)
            units[DIRECT_TAP] += texels * kernel->width * (kernel->height + 3.0);
        else
            units[SEPARABLE_TAP] += texels * factors->rank * ((double)factors->width + factors->height + 6);
        units[PASS] += 2.0 * (work->method == ABBE_METHOD_DIRECT ? 1 : factors->rank);
        units[TEXEL] += texels * (work->method == ABBE_METHOD_DIRECT ? 1 : 2 * factors->rank);
    }
}

void gl_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    (void)threads;
    units[RUN] = 1;
    units[SAMPLE] = (double)work->width * work->height * work->channels * (1 + work->result_count);
    if (work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES)
        tally_fourier((const struct gl *)device, work, units);
    else
        tally_space(work, units);
}
