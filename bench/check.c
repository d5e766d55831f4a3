/* Checks results: some pixels against the convolution formula, all pixels against the first result. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 32 };

static int modulo(int index, int period)
{
    index %= period;
    return index < 0 ? index + period : index;
}

/* Index of the pixel that the border puts at a coordinate; −1
 * for a zero. Pictures have at least two pixels a side. */
static int border_index(int index, int length, abbe_border border)
{
    if (index >= 0 && index < length)
        return index;
    switch (border) {
    case ABBE_BORDER_WRAP: return modulo(index, length);
    case ABBE_BORDER_CLAMP: return index < 0 ? 0 : length - 1;
    case ABBE_BORDER_REFLECT: {
        int position = modulo(index, 2 * length);
        return position < length ? position : 2 * length - 1 - position;
    }
    case ABBE_BORDER_MIRROR: {
        int position = modulo(index, 2 * length - 2);
        return position < length ? position : 2 * length - 2 - position;
    }
    case ABBE_BORDER_ZERO:
    case ABBE_BORDER_CONSTANT: break;
    }
    return -1;
}

static double read_sample(const abbe_image *image, int x, int y, int channel)
{
    if (x < 0 || y < 0)
        return 0;
    size_t index = ((size_t)y * image->width + x) * image->channels + channel;
    return image->type == ABBE_U8 ? ((const uint8_t *)image->data)[index]
                                  : ((const float *)image->data)[index];
}

/* Σ taps(i,j) · in(x − i + centre, y − j + centre) */
static double convolve_at(const struct fixture *fixture, abbe_border border, int x, int y, int channel)
{
    const abbe_image *in = &fixture->source;
    const abbe_matrix *taps = &fixture->taps;
    double sum = 0;
    for (int j = 0; j < taps->height; j++) {
        int row = border_index(y - j + taps->height / 2, in->height, border);
        for (int i = 0; i < taps->width; i++)
            sum += taps->values[(size_t)j * taps->width + i] *
                   read_sample(in, border_index(x - i + taps->width / 2, in->width, border), row, channel);
    }
    return sum;
}

/* The four corners, then points of Roberts' R2 sequence (additive recurrence with the plastic number). */
static void choose_point(int index, const abbe_image *image, int *x, int *y)
{
    if (index < 4) {
        *x = index % 2 ? image->width - 1 : 0;
        *y = index / 2 ? image->height - 1 : 0;
        return;
    }
    *x = (int)(fmod(index * 0.7548776662466927, 1.0) * image->width);
    *y = (int)(fmod(index * 0.5698402909980532, 1.0) * image->height);
}

double fixture_error(const struct fixture *fixture, const struct bench_case *what)
{
    const abbe_image *result = &fixture->result;
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        int x, y;
        choose_point(i, result, &x, &y);
        for (int channel = 0; channel < result->channels; channel++) {
            double error = read_sample(result, x, y, channel) -
                           convolve_at(fixture, what->border, x, y, channel);
            /* The comparison is false for a NaN, which is then kept. */
            worst = fabs(error) <= worst ? worst : fabs(error);
        }
    }
    return worst;
}

double fixture_difference(const struct fixture *fixture)
{
    const abbe_image *a = &fixture->result, *b = &fixture->expected;
    size_t count = (size_t)a->width * a->height * a->channels;
    double worst = 0;
    for (size_t i = 0; i < count && a->type == ABBE_U8; i++) {
        int difference = abs(((const uint8_t *)a->data)[i] - ((const uint8_t *)b->data)[i]);
        worst = difference <= worst ? worst : difference;
    }
    for (size_t i = 0; i < count && a->type == ABBE_F32; i++) {
        double difference = fabs((double)((const float *)a->data)[i] - (double)((const float *)b->data)[i]);
        worst = difference <= worst ? worst : difference;
    }
    return worst;
}

double fixture_tolerance(const struct bench_case *what)
{
    if (what->precision == ABBE_PRECISION_HALF)
        return 5 * 2e-3;
    return what->type == ABBE_U8 ? 1.0 : 2e-5;
}
