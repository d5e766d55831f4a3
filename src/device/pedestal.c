/* The pedestal: what Fourier methods subtract from their samples, and add to their results. */
#include "device/pedestal.h"

#include "core/pixels.h"
#include "device/outside.h"

#include <math.h>

/* Samples along each axis; an odd number, so that one of them is the median. */
enum { LATTICE = 5, LATTICE_SAMPLES = LATTICE * LATTICE };

/* Whether errors of arithmetic in float may reach the results. Those of kernels are smaller than the steps of U8,
 * U16 and F16; transfer functions may amplify them without bound. */
static bool may_show_errors(const struct work *work)
{
    bool shows = work->result_type == ABBE_F32;
    for (int i = 0; i < work->filter_count; i++)
        shows = shows || work->filters[i].response.transfer_count > 0;
    return shows && work->precision != ABBE_PRECISION_DOUBLE;
}

static bool suits_pedestal(const struct work *work)
{
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    bool suits = fourier && may_show_errors(work) && work->alpha != ABBE_ALPHA_PREMULTIPLY &&
                 !work->linear_light;
    for (int r = 0; r < work->result_count && suits; r++)
        for (int i = 0; i < work->results[r].components && suits; i++) {
            double gain = work->filters[work->results[r].first + i].constant_gain;
            /* The magnitude of two components is not linear. */
            suits = work->results[r].components == 1 ? isfinite(gain) : gain == 0;
        }
    return suits;
}

/* The coordinate of sample i along an axis of `length` pixels, in the middle of its share. */
static int lattice_coordinate(int i, int length)
{
    return (int)((2LL * i + 1) * length / (2 * LATTICE));
}

/* The median of LATTICE_SAMPLES values, which are sorted. */
static double find_median(double *values)
{
    for (int i = 1; i < LATTICE_SAMPLES; i++) {
        double value = values[i];
        int at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    return values[LATTICE_SAMPLES / 2];
}

void pedestal_find(const struct work *work, const abbe_image *source, struct pedestal *pedestal)
{
    double values[ABBE_CHANNELS_MAX][LATTICE_SAMPLES], pixel[ABBE_CHANNELS_MAX];
    pedestal->used = suits_pedestal(work);
    if (!pedestal->used)
        return;
    for (int i = 0; i < LATTICE_SAMPLES; i++) {
        int x = lattice_coordinate(i % LATTICE, source->width);
        int y = lattice_coordinate(i / LATTICE, source->height);
        core_load_pixels_f64(source, x, y, 1, NULL, pixel);
        for (int c = 0; c < source->channels; c++)
            values[c][i] = isfinite(pixel[c]) ? pixel[c] : 0;
    }
    struct outside_pixel outside = outside_pixel(work);
    bool native = core_native_type(source->type) == source->type;
    for (int c = 0; c < source->channels; c++) {
        double level = find_median(values[c]);
        pedestal->rounded[c] = (float)level;
        pedestal->level[c] = native ? (double)pedestal->rounded[c] : level;
        pedestal->outside[c] = (float)(outside.colour - pedestal->level[c]);
    }
}

void pedestal_find_on_host(const struct work *work, const abbe_image *source, struct pedestal *pedestal)
{
    bool outside = work->border == ABBE_BORDER_ZERO || work->border == ABBE_BORDER_CONSTANT;
    bool replaces = work->nonfinite == ABBE_NONFINITE_ZERO && core_type_has_nonfinite(source->type);
    bool floats = work->source_type == ABBE_F32 && work->result_type == ABBE_F32;
    pedestal->used = false;
    if (floats && !outside && !replaces)
        pedestal_find(work, source, pedestal);
}

void pedestal_filter(const struct work *work, const struct pedestal *pedestal, int r, double *add)
{
    double gain = pedestal->used ? work->filters[work->results[r].first].constant_gain : 0;
    for (int c = 0; c < work->channels; c++)
        add[c] = pedestal->used ? pedestal->level[c] * gain : 0;
}
