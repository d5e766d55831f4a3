/* Creates the pixels, the taps and the filter of a case, and checks results:
 * some pixels against the convolution formula, all pixels against the first result. */
#include "fixture.h"

#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Alignment of pixels in bytes; pixels that are checked against the formula. */
enum { ALIGNMENT = 64, POINTS = 32 };

/* ---- Random numbers (splitmix64, Steele, Lea and Flood 2014) ------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static float random_float(uint64_t *state)
{
    return (float)(next_random(state) >> 40) * 0x1p-24f;
}

/* The bits of an IEEE half in [0.5, 1): sign 0, exponent −1, ten random bits of the fraction. */
static uint16_t random_half(uint64_t *state)
{
    return (uint16_t)(0x3800 | next_random(state) >> 54);
}

/* The value of an IEEE half. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? NAN : INFINITY)
                                    : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

static size_t count_samples(const abbe_image *image)
{
    return (size_t)image->width * image->height * image->channels;
}

static bool make_image(const struct bench_case *what, abbe_image *image)
{
    size_t row = (size_t)what->width * what->channels * abbe_type_size(what->type);
    size_t bytes = (row * what->height + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *image = (abbe_image){ .data = aligned_alloc(ALIGNMENT, bytes),
                           .width = what->width,
                           .height = what->height,
                           .channels = what->channels,
                           .stride = (ptrdiff_t)row,
                           .type = what->type };
    return image->data;
}

static void fill_pixels(abbe_image *image, uint64_t *state)
{
    size_t count = count_samples(image);
    if (image->type == ABBE_U8)
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)image->data)[i] = (uint8_t)next_random(state);
    else if (image->type == ABBE_F16)
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)image->data)[i] = random_half(state);
    else
        for (size_t i = 0; i < count; i++)
            ((float *)image->data)[i] = random_float(state);
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

/* Positive taps of sum 1, so that results stay in the range of the source and nothing saturates. */
static int make_random(const struct bench_case *what, uint64_t *state, abbe_filter **filter)
{
    abbe_matrix taps = { 0 };
    int error = abbe_matrix_create(what->side, what->side, &taps);
    if (error)
        return error;
    for (int i = 0; i < what->side * what->side; i++)
        taps.values[i] = random_float(state);
    error = abbe_filter_from_kernel(&(abbe_kernel_params){ .taps = &taps, .normalize = true }, filter);
    abbe_matrix_free(&taps);
    return error;
}

/* Notches along a line. */
static int make_notches(const struct bench_case *what, const char *shape, abbe_filter **filter)
{
    enum { NOTCHES_MAX = 32, TEXT = 64 };
    char text[NOTCHES_MAX * TEXT], *next = text;
    for (int i = 0; i < what->side && i < NOTCHES_MAX; i++)
        next += snprintf(next, TEXT, "%snotch:x=%.4f:y=%.4f:shape=%s", i ? "," : "", 0.05 + 0.02 * i,
                         0.4 - 0.017 * i, shape);
    return abbe_filter_parse(text, NULL, filter);
}

static int make_mask(const struct bench_case *what, uint64_t *state, abbe_filter **filter)
{
    abbe_matrix mask = { 0 };
    int error = abbe_matrix_create(what->side, what->side, &mask);
    if (error)
        return error;
    for (int i = 0; i < what->side * what->side; i++)
        mask.values[i] = random_float(state);
    error = abbe_filter_from_mask(&mask, filter);
    abbe_matrix_free(&mask);
    return error;
}

static int make_case_filter(const struct bench_case *what, uint64_t *state, abbe_filter **filter)
{
    char text[96];
    int radius = what->side / 2;
    switch (what->kernel) {
    case KERNEL_DISK:
        snprintf(text, sizeof text, "disk:radius=%d", radius);
        return abbe_filter_parse(text, NULL, filter);
    case KERNEL_GAUSSIAN:
        snprintf(text, sizeof text, "gaussian:sigma=%.9g:truncate=%.9g", what->sigma, radius / what->sigma);
        return abbe_filter_parse(text, NULL, filter);
    case KERNEL_BOX:
        snprintf(text, sizeof text, "box:radius=%d", radius);
        return abbe_filter_parse(text, NULL, filter);
    case KERNEL_RANDOM: return make_random(what, state, filter);
    case KERNEL_LOWPASS: return abbe_filter_parse("lowpass", NULL, filter);
    case KERNEL_BANDPASS: return abbe_filter_parse("bandpass", NULL, filter);
    case KERNEL_NOTCHES: return make_notches(what, "gaussian", filter);
    case KERNEL_BUTTERWORTHS: return make_notches(what, "butterworth", filter);
    case KERNEL_MASK: return make_mask(what, state, filter);
    }
    return ABBE_ERR_INVALID;
}

/* Appends a gain of 1 at all frequencies. The filter stays the same, but a transfer function acts on the picture
 * at its own size. */
static int append_unity(abbe_filter **filter)
{
    abbe_filter *unity = NULL, *chain = NULL;
    int error = abbe_filter_parse("power:exponent=0", NULL, &unity);
    if (!error)
        error = abbe_filter_chain((const abbe_filter *const[]){ *filter, unity }, 2, &chain);
    abbe_filter_destroy(&unity);
    if (error)
        return error;
    abbe_filter_destroy(filter);
    *filter = chain;
    return ABBE_OK;
}

/* ---- The fixture --------------------------------------------------------------------------------------- */

bool fixture_create(const struct bench_case *what, uint64_t seed, struct fixture *fixture)
{
    uint64_t state = seed;
    *fixture = (struct fixture){ 0 };
    bool in_space = what->kernel <= KERNEL_RANDOM;
    if (make_case_filter(what, &state, &fixture->filter) ||
        (in_space && abbe_filter_taps(fixture->filter, 0, &fixture->taps)) ||
        (what->own_size && append_unity(&fixture->filter))) {
        say_error("%s: the filter cannot be created: %s", what->name, abbe_error_text(NULL));
        fixture_destroy(fixture);
        return false;
    }
    bool pictures = make_image(what, &fixture->source) && make_image(what, &fixture->result) &&
                    make_image(what, &fixture->expected);
    if (!pictures) {
        say_error("%s: out of memory", what->name);
        fixture_destroy(fixture);
        return false;
    }
    fill_pixels(&fixture->source, &state);
    return true;
}

void fixture_destroy(struct fixture *fixture)
{
    free(fixture->expected.data);
    free(fixture->result.data);
    free(fixture->source.data);
    abbe_matrix_free(&fixture->taps);
    abbe_filter_destroy(&fixture->filter);
    *fixture = (struct fixture){ 0 };
}

void fixture_erase_result(struct fixture *fixture)
{
    /* Each pair of 16-bit words is −3·10^26 as a float; bytes include 0 and 255. */
    uint16_t *pairs = fixture->result.data;
    size_t bytes = count_samples(&fixture->result) * abbe_type_size(fixture->result.type);
    for (size_t i = 0; i < bytes / 2; i++)
        pairs[i] = i % 2 ? 0xEB80 : 0x00FF;
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

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
    switch (image->type) {
    case ABBE_U8: return ((const uint8_t *)image->data)[index];
    case ABBE_F16: return half_value(((const uint16_t *)image->data)[index]);
    default: return ((const float *)image->data)[index];
    }
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
    for (int i = 0; i < POINTS && fixture->taps.values; i++) {
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
    for (size_t i = 0; i < count && a->type == ABBE_F16; i++) {
        double difference = fabs(half_value(((const uint16_t *)a->data)[i]) -
                                 half_value(((const uint16_t *)b->data)[i]));
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
    if (what->type == ABBE_F16)
        return 1e-3; /* results are stored in steps of 2^-11, and the two passes of separable kernels may store halves */
    return what->type == ABBE_U8 ? 1.0 : 2e-5;
}
