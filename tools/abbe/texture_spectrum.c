/* Spectra of textures: random phases, and the spectrum of an example at the size of a texture. */
#include "texture_spectrum.h"

#include "periodic.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Random phases ------------------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea & Flood 2014): a counter and a mixing function. Neighbouring seeds such as
 * 0, 1 and 2 give unrelated sequences. */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* Draws the two floats of a pair of opposite frequencies: the real and the imaginary part, of either sign. */
static void draw_pair(uint64_t *state, float *real, float *imaginary)
{
    double angle = 2.0 * M_PI * 0x1p-53 * (double)(next_bits(state) >> 11);
    *real = (float)cos(angle);
    *imaginary = (float)sin(angle);
}

/* Draws a frequency that is its own opposite: it is real, its phase 0 or π. */
static float draw_sign(uint64_t *state)
{
    return next_bits(state) >> 63 ? 1.0f : -1.0f;
}

/* Column 0, and column width/2 of an even width, are packed like one dimension (eq. 9). */
static void fill_real_column(uint64_t *state, int width, int height, float *column)
{
    for (int v = 0; 2 * (int64_t)v <= height && v < height; v++) {
        float *place = column + (size_t)v * (size_t)width;
        if (v == 0 || 2 * (int64_t)v == height)
            *place = draw_sign(state);
        else
            draw_pair(state, place, column + (size_t)(height - v) * (size_t)width);
    }
}

/* The layout is that of a packed spectrum (eq. 10 of Moreland & Angel 2003). */
void random_phase_fill(uint64_t seed, int width, int height, float *packed)
{
    for (int v = 0; v < height; v++) {
        float *row = packed + (size_t)v * (size_t)width;
        for (int u = 1; 2 * (int64_t)u < width; u++)
            draw_pair(&seed, row + u, row + width - u);
    }
    fill_real_column(&seed, width, height, packed);
    if (width % 2 == 0)
        fill_real_column(&seed, width, height, packed + width / 2);
    packed[0] = 0.0f;
}

/* ---- The spectrum of an example -------------------------------------------------------------------------
 *
 * Galerne, Gousseau & Morel 2011. Each axis of the texture may be
 *
 *     smaller than the example     the middle of the example is used, then its periodic component
 *     of the same size             the periodic component
 *     larger                       the periodic component without its mean, faded out along its rim, on a
 *                                  frame of zeros; scaled, because its energy must fill the frame */

/* The fraction of a side over which each end fades out. */
static const double rim = 1.0 / 8.0;

int example_colours(const struct picture *example)
{
    return example->view.channels - (example->has_alpha && example->view.channels > 1);
}

static int lesser(int a, int b)
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

/* Copies the middle of the example as floats, without alpha and mean. */
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

/* The weight of pixel i: 0 at the ends of a side, 1 inside, half a period of a cosine between. An axis that
 * does not grow keeps its whole period and is not faded. */
static double fade_weight(int i, int side, int frame_side)
{
    double from_end = (lesser(i, side - 1 - i) + 0.5) / (rim * side);
    return side == frame_side || from_end >= 1.0 ? 1.0 : 0.5 - 0.5 * cos(M_PI * from_end);
}

static void place_faded(const abbe_image *patch, const abbe_image *frame)
{
    const float *from = patch->data;
    memset(frame->data, 0, sample_count(frame) * sizeof(float));
    for (int y = 0; y < patch->height; y++) {
        float *to = (float *)frame->data + (size_t)y * (size_t)frame->width * (size_t)frame->channels;
        double across = fade_weight(y, patch->height, frame->height);
        for (int x = 0; x < patch->width; x++) {
            float weight = (float)(across * fade_weight(x, patch->width, frame->width));
            for (int c = 0; c < patch->channels; c++)
                *to++ = weight * *from++;
        }
    }
}

/* The energy of all frequencies except zero, which random phases spread evenly. */
static double find_energy(const abbe_image *spectrum)
{
    const float *values = spectrum->data;
    double sum = 0;
    int width = spectrum->width, height = spectrum->height;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            /* An element of the packed array stands for two opposite frequencies unless they are the same. */
            bool alone = (u == 0 || 2 * (int64_t)u == width) && (v == 0 || 2 * (int64_t)v == height);
            for (int c = 0; c < spectrum->channels; c++, values++)
                sum += u || v ? (alone ? 1.0 : 2.0) * (double)*values * (double)*values : 0.0;
        }
    return sum;
}

/* Puts the patch whose spectrum is `patch` on the larger frame and restores its contrast. The factor is the
 * square root of the ratio of the areas times what fading removed. */
static int enlarge_patch(abbe_device *cpu, const abbe_image *patch, const abbe_image *spectrum)
{
    double before = find_energy(patch);
    int error = abbe_spectrum_inverse(cpu, patch, patch);
    if (error)
        return error;
    place_faded(patch, spectrum);
    error = abbe_spectrum_forward(cpu, spectrum, spectrum);
    if (error)
        return error;
    double after = find_energy(spectrum);
    float scale = after > 0 ? (float)sqrt(before / after) : 0.0f;
    float *values = spectrum->data;
    for (size_t i = 0; i < sample_count(spectrum); i++)
        values[i] *= scale;
    return ABBE_OK;
}

int example_spectrum(abbe_device *cpu, const struct picture *example, const abbe_image *spectrum,
                     double *mean)
{
    int width = lesser(example->view.width, spectrum->width), channels = spectrum->channels;
    int height = lesser(example->view.height, spectrum->height);
    bool grows = width < spectrum->width || height < spectrum->height;
    float *values = malloc((size_t)width * (size_t)height * (size_t)channels * sizeof *values);
    if (!values)
        return ABBE_ERR_MEMORY;
    abbe_image patch = sample_floats(values, width, height, channels);
    find_mean(example, mean);
    cut_middle(example, mean, &patch);
    int error = periodic_spectrum(cpu, &patch, grows ? &patch : spectrum);
    /* The difference between the mean of the middle and that of the whole is not texture. */
    memset(grows ? patch.data : spectrum->data, 0, (size_t)channels * sizeof(float));
    if (!error && grows)
        error = enlarge_patch(cpu, &patch, spectrum);
    memset(spectrum->data, 0, (size_t)channels * sizeof(float));
    free(values);
    return error;
}
