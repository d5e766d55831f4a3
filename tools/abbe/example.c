/* The spectrum of an example picture at the size of a texture (Galerne, Gousseau & Morel 2011).
 *
 *     smaller than the example     the middle of it is taken, then its periodic component
 *     its own size                 the periodic component
 *     larger                       the periodic component without its mean, faded out along its rim, on a frame
 *                                  of zeros; scaled up, for its energy must now fill the frame
 *
 * each axis by itself. */
#include "example.h"
#include "periodic.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The part of a side over which each of its ends fades. */
static const double rim = 1.0 / 8.0;

int example_colours(const struct picture *example)
{
    return example->view.channels - (example->has_alpha && example->view.channels > 1);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void find_mean(const struct picture *example, double *mean)
{
    const abbe_image *view = &example->view;
    int colours = example_colours(example);
    size_t pixels = (size_t)view->width * (size_t)view->height;
    memset(mean, 0, (size_t)colours * sizeof *mean);
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < colours; c++)
            mean[c] += sample_load(view, i * (size_t)view->channels + (size_t)c);
    for (int c = 0; c < colours; c++)
        mean[c] /= (double)pixels;
}

/* The middle of the example as floats without alpha and without its mean. */
static void cut_middle(const struct picture *example, const double *mean, const abbe_image *middle)
{
    const abbe_image *view = &example->view;
    int left = (view->width - middle->width) / 2, top = (view->height - middle->height) / 2;
    float *to = middle->data;
    for (int y = 0; y < middle->height; y++)
        for (int x = 0; x < middle->width; x++) {
            size_t pixel = (size_t)(top + y) * (size_t)view->width + (size_t)(left + x);
            for (int c = 0; c < middle->channels; c++)
                *to++ = (float)(sample_load(view, pixel * (size_t)view->channels + (size_t)c) - mean[c]);
        }
}

/* 0 at the ends of a side, 1 inside, a half period of cosine between. An axis that does not grow keeps its
 * whole period and needs no fading. */
static double fade(int i, int side, int frame_side)
{
    double from_end = (least(i, side - 1 - i) + 0.5) / (rim * side);
    return side == frame_side || from_end >= 1.0 ? 1.0 : 0.5 - 0.5 * cos(M_PI * from_end);
}

static void place_faded(const abbe_image *patch, const abbe_image *frame)
{
    const float *from = patch->data;
    memset(frame->data, 0, sample_count(frame) * sizeof(float));
    for (int y = 0; y < patch->height; y++) {
        float *to = (float *)frame->data + (size_t)y * (size_t)frame->width * (size_t)frame->channels;
        double across = fade(y, patch->height, frame->height);
        for (int x = 0; x < patch->width; x++) {
            float weight = (float)(across * fade(x, patch->width, frame->width));
            for (int c = 0; c < patch->channels; c++)
                *to++ = weight * *from++;
        }
    }
}

/* The energy that random phases will spread evenly: the sum of the squares of all but the zeroth frequency. */
static double energy(const abbe_image *spectrum)
{
    const float *values = spectrum->data;
    double sum = 0;
    int width = spectrum->width, height = spectrum->height;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            /* A place of the packed array stands for two opposite frequencies, unless they are one. */
            bool alone = (u == 0 || 2 * (int64_t)u == width) && (v == 0 || 2 * (int64_t)v == height);
            for (int c = 0; c < spectrum->channels; c++, values++)
                sum += u || v ? (alone ? 1.0 : 2.0) * (double)*values * (double)*values : 0.0;
        }
    return sum;
}

/* Puts the patch whose spectrum is `patch` on the larger frame, with the contrast it had: the factor is the
 * square root of the ratio of the areas, and what fading took away. */
static int enlarge(abbe_device *device, const abbe_image *patch, const abbe_image *spectrum)
{
    double before = energy(patch);
    int error = abbe_spectrum_inverse(device, patch, patch);
    if (error)
        return error;
    place_faded(patch, spectrum);
    error = abbe_spectrum_forward(device, spectrum, spectrum);
    if (error)
        return error;
    double after = energy(spectrum);
    float scale = after > 0 ? (float)sqrt(before / after) : 0.0f;
    float *values = spectrum->data;
    for (size_t i = 0; i < sample_count(spectrum); i++)
        values[i] *= scale;
    return ABBE_OK;
}

int example_spectrum(abbe_device *device, const struct picture *example, const abbe_image *spectrum,
                     double *mean)
{
    int width = least(example->view.width, spectrum->width), channels = spectrum->channels;
    int height = least(example->view.height, spectrum->height);
    bool grows = width < spectrum->width || height < spectrum->height;
    float *values = malloc((size_t)width * (size_t)height * (size_t)channels * sizeof *values);
    if (!values)
        return ABBE_ERR_MEMORY;
    abbe_image patch = sample_floats(values, width, height, channels);
    find_mean(example, mean);
    cut_middle(example, mean, &patch);
    int error = periodic_spectrum(device, &patch, grows ? &patch : spectrum);
    /* What the middle's mean differs from the whole's is no texture. */
    memset(grows ? patch.data : spectrum->data, 0, (size_t)channels * sizeof(float));
    if (!error && grows)
        error = enlarge(device, &patch, spectrum);
    memset(spectrum->data, 0, (size_t)channels * sizeof(float));
    free(values);
    return error;
}
