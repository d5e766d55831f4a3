/* How long it takes to sample a spectrum, before it is done. */
#include "filter/places.h"
#include "filter/sampling/sampler.h"

#include <math.h>

/* What a sample takes beside the writing of a number, which is one unit: measured on 24 megapixels with
 * AVX-512. */
static const double FACTOR = 0.15, POWER = 3.5, STREAK = 7, SAMPLES = 0.4, CALL = 30, TERM = 0.5, DENSE = 0.3,
                    NOTCH = 0.02;

/* Units per sample of a factor that takes no call. Gaussian notches only touch a square about their
 * points. */
static double factor_units(const struct factor *factor)
{
    if (factor->falloff != FALLOFF_GAUSSIAN || !factor->complement)
        return factor->falloff == FALLOFF_BUTTERWORTH && !order_is_small(factor->order) ? POWER : FACTOR;
    double side = fmin(15.0 * factor->cutoff, 1.0);
    return FACTOR * side * side;
}

/* Units per sample of a transfer function. */
static double transfer_units(const struct transfer *transfer)
{
    double units = 0.0;
    for (int i = 0; i < transfer->factors; i++)
        units += factor_units(&transfer->factor[i]);
    if (transfer->factors)
        return units;
    if (transfer->step)
        return SAMPLES;
    return transfer->is_power ? POWER : transfer->is_streak ? STREAK : CALL;
}

static double kernel_units(const struct kernel *kernel)
{
    if (kernel->width == 1 && kernel->height == 1)
        return 0.0;
    return kernel->terms ? TERM * kernel->terms : DENSE * log2(2.0 * kernel->height);
}

/* Whether a transfer function is a butterworth notch, of which many are interpolated together. */
static bool is_plain_notch(const struct transfer *transfer)
{
    const struct factor *factor = transfer->factor;
    return transfer->factors == 2 && !transfer->complement && factor[0].complement && factor[1].complement &&
           factor[0].falloff == FALLOFF_BUTTERWORTH && order_is_small(factor[0].order);
}

double sampler_units_each(const struct response *response)
{
    double each = (response_is_real(response) ? 1 : 2) * kernel_units(&response->kernel);
    int notches = 0;
    for (int i = 0; i < response->transfer_count; i++)
        each += is_plain_notch(&response->transfers[i]) && notches++ > 0
                    ? NOTCH
                    : transfer_units(&response->transfers[i]);
    return each;
}

double sampler_units(const struct response *response, int width, int height)
{
    bool even = response_is_even(response);
    return ((double)width / 2 + 1) * (even ? height / 2 + 1 : height) * sampler_units_each(response);
}
