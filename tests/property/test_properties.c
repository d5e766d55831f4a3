/* Properties of every linear filter: linearity, shift, impulse, constants and correlation.
 *
 * Argument: DEVICE. Every property is tested with every shape, number of channels and method below;
 * borders and kernel sizes change with the case. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

/* Twice the bound of docs/maths.md for the largest grid here, since both sides of an equation are rounded. */
static const double tolerance = 2 * 3e-7 * 4;

struct setting {
    int number;
    int width, height, channels;
    abbe_method method;
    abbe_border border;
    struct trial_kernel kernel;
};

static const int shapes[][2] = { { 1, 1 },   { 1, 13 },  { 16, 1 }, { 2, 2 },  { 7, 5 },
                                 { 16, 16 }, { 17, 31 }, { 24, 9 }, { 37, 8 }, { 30, 35 } };
enum { SHAPES = sizeof shapes / sizeof *shapes, CHANNELS = 4, METHODS = 4 };

static void print_setting(const struct setting *setting)
{
    printf("case %d: %d x %d x %d, method %s, border %s, kernel %d x %d centred at %d, %d\n", setting->number,
           setting->width, setting->height, setting->channels, abbe_method_name(setting->method),
           abbe_border_name(setting->border), setting->kernel.taps.width, setting->kernel.taps.height,
           setting->kernel.centre_x, setting->kernel.centre_y);
    fflush(stdout);
}

static void check_each(void (*check)(const struct setting *setting))
{
    static const abbe_method methods[METHODS] = { ABBE_METHOD_DIRECT, ABBE_METHOD_SEPARABLE, ABBE_METHOD_FFT,
                                                  ABBE_METHOD_TILES };
    int step = effort_is_slight() ? 13 : 1; /* meets every method, shape and number of channels */
    for (int number = 0; number < SHAPES * CHANNELS * METHODS; number += step) {
        struct random random = { (uint64_t)number };
        struct setting setting = {
            .number = number,
            .width = shapes[number / (CHANNELS * METHODS)][0],
            .height = shapes[number / (CHANNELS * METHODS)][1],
            .channels = 1 + number / METHODS % CHANNELS,
            .method = methods[number % METHODS],
            .border = (abbe_border)random_int(&random, ABBE_BORDER_REFLECT, ABBE_BORDER_WRAP),
            .kernel = trial_kernel_create(random_int(&random, 1, 6), random_int(&random, 1, 6),
                                          TAPS_SEPARABLE, true, &random),
        };
        check(&setting);
        trial_kernel_free(&setting.kernel);
    }
}

static abbe_plan_params params_of(const struct setting *setting)
{
    return (abbe_plan_params){ .method = setting->method,
                               .border = setting->border,
                               .tile_width = setting->method == ABBE_METHOD_TILES ? 7 : 0,
                               .tile_height = setting->method == ABBE_METHOD_TILES ? 5 : 0 };
}

static struct picture noise(const struct setting *setting, uint64_t seed)
{
    return apply_noise(setting->width, setting->height, setting->channels, seed, false);
}

static void assert_close(const struct setting *setting, const struct picture *got,
                         const struct picture *expected, double scale)
{
    double error = picture_distance(got, expected);
    if (error <= tolerance * scale)
        return;
    print_setting(setting);
    fail_msg("error %g at a scale of %g", error, scale);
}

/* ---- Linearity ---------------------------------------------------------------------------------------- */

static struct picture combine(double a, const struct picture *f, double b, const struct picture *g)
{
    struct picture sum = picture_create(f->width, f->height, f->channels);
    for (size_t i = 0; i < (size_t)f->width * f->height * f->channels; i++)
        sum.samples[i] = a * f->samples[i] + b * g->samples[i];
    return sum;
}

/* h ∗ (a·f + b·g) = a·(h ∗ f) + b·(h ∗ g) */
static void check_linear(const struct setting *setting)
{
    const double a = 0.75, b = -1.5;
    struct picture f = noise(setting, 1), g = noise(setting, 2), sum = combine(a, &f, b, &g);
    struct picture of_f = apply(device, params_of(setting), setting->kernel.filter, &f);
    struct picture of_g = apply(device, params_of(setting), setting->kernel.filter, &g);
    struct picture of_sum = apply(device, params_of(setting), setting->kernel.filter, &sum);
    struct picture expected = combine(a, &of_f, b, &of_g);
    double scale = a * picture_norm(&f) - b * picture_norm(&g);
    assert_close(setting, &of_sum, &expected, scale * setting->kernel.peak);
    struct picture *all[] = { &f, &g, &sum, &of_f, &of_g, &of_sum, &expected };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        picture_free(all[i]);
}

static void linearity(void **state)
{
    (void)state;
    check_each(check_linear);
}

/* ---- Shift -------------------------------------------------------------------------------------------- */

static struct picture roll(const struct picture *in, int dx, int dy)
{
    struct picture out = picture_create(in->width, in->height, in->channels);
    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < in->width; x++)
            for (int c = 0; c < in->channels; c++)
                *picture_at(&out, x, y, c) = reference_sample(in, ABBE_BORDER_WRAP, 0, (long long)x - dx,
                                                              (long long)y - dy, c);
    return out;
}

/* With the border WRAP, a shifted source gives the shifted result. */
static void check_shift(const struct setting *setting)
{
    abbe_plan_params params = params_of(setting);
    params.border = ABBE_BORDER_WRAP;
    struct picture in = noise(setting, 3), moved = roll(&in, 3, -2);
    struct picture out = apply(device, params, setting->kernel.filter, &in), expected = roll(&out, 3, -2);
    struct picture got = apply(device, params, setting->kernel.filter, &moved);
    assert_close(setting, &got, &expected, picture_norm(&in) * setting->kernel.peak);
    struct picture *all[] = { &in, &moved, &out, &expected, &got };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        picture_free(all[i]);
}

static void shift(void **state)
{
    (void)state;
    check_each(check_shift);
}

/* ---- Impulse ------------------------------------------------------------------------------------------ */

/* The taps, unflipped, with their centre on pixel (x, y), in one channel. */
static struct picture laid_taps(const struct setting *setting, const abbe_matrix *taps, int x, int y,
                                int channel)
{
    struct picture out = picture_create(setting->width, setting->height, setting->channels);
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            int to_x = x + i - taps->width / 2, to_y = y + j - taps->height / 2;
            if (to_x >= 0 && to_x < out.width && to_y >= 0 && to_y < out.height)
                *picture_at(&out, to_x, to_y, channel) = (float)taps->values[j * taps->width + i];
        }
    return out;
}

/* A single white pixel gives the taps around the documented centre { width / 2, height / 2 }. The direct
 * method is exact. */
static void check_impulse(const struct setting *setting)
{
    const abbe_matrix *taps = &setting->kernel.taps;
    abbe_filter *filter = apply_kernel(taps, NULL);
    abbe_plan_params params = params_of(setting);
    params.border = ABBE_BORDER_ZERO;
    for (int place = 0; place < 3; place++) {
        int x = place * (setting->width - 1) / 2, y = place * (setting->height - 1) / 2;
        int channel = (setting->number + place) % setting->channels;
        struct picture in = picture_create(setting->width, setting->height, setting->channels);
        *picture_at(&in, x, y, channel) = 1;
        struct picture got = apply(device, params, filter, &in);
        struct picture expected = laid_taps(setting, taps, x, y, channel);
        double allowed = setting->method == ABBE_METHOD_DIRECT ? 0 : tolerance * setting->kernel.peak;
        if (!apply_near(&got, &expected, allowed)) {
            print_setting(setting);
            fail_msg("impulse at %d, %d, channel %d", x, y, channel);
        }
        picture_free(&in);
        picture_free(&got);
        picture_free(&expected);
    }
    abbe_filter_destroy(&filter);
}

static void impulse(void **state)
{
    (void)state;
    check_each(check_impulse);
}

/* ---- Constants ---------------------------------------------------------------------------------------- */

static int load_small(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name;
    return abbe_matrix_parse("1 2 1\n2 4 2\n1 2 1", 17, ABBE_MATRIX_AUTO, matrix);
}

/* |H(0)| of a linear filter; √(|H₁(0)|² + |H₂(0)|²) of a magnitude filter. */
static double gain_at_zero(const abbe_filter *filter)
{
    double sum = 0, gain[2];
    const abbe_filter_info *info = abbe_filter_describe(filter);
    for (int i = 0; i < info->components; i++) {
        assert_int_equal(abbe_filter_gain(filter, i, 0, 0, gain), ABBE_OK);
        assert_true(fabs(gain[1]) < 1e-9);
        sum += info->components == 1 ? gain[0] : gain[0] * gain[0];
    }
    return info->components == 1 ? sum : sqrt(sum);
}

/* A constant picture is multiplied by H(0) everywhere, up to the reflecting edges. */
static void check_constant(const char *name, const abbe_filter *filter, abbe_method method)
{
    struct picture in = picture_create(19, 14, 3), got, expected = picture_create(19, 14, 3);
    double gain = gain_at_zero(filter), peak = fmax(1, apply_peak(filter));
    for (size_t i = 0; i < 19 * 14 * 3; i++) {
        in.samples[i] = 0.5;
        expected.samples[i] = 0.5 * gain;
    }
    got = apply(device, (abbe_plan_params){ .method = method }, filter, &in);
    if (!apply_near(&got, &expected, tolerance * peak))
        fail_msg("%s by %s: a constant picture, H(0) = %g", name, abbe_method_name(method), gain);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
}

/* The parameters without a default that a filter needs. */
static const char *needed_parameters(const char *name)
{
    if (!strcmp(name, "kernel") || !strcmp(name, "mask"))
        return ":file=small";
    return !strcmp(name, "notch") ? ":x=0.2:y=0.3" : "";
}

static void constants(void **state)
{
    (void)state;
    size_t count;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s%s", entries[i]->name, needed_parameters(entries[i]->name));
        abbe_filter *filter = NULL;
        if (abbe_filter_parse(text, &(abbe_loader){ load_small, NULL }, &filter))
            fail_msg("%s: %s", text, abbe_error_text(NULL));
        const abbe_filter_info *info = abbe_filter_describe(filter);
        check_constant(text, filter, ABBE_METHOD_FFT);
        check_constant(text, filter, ABBE_METHOD_AUTO);
        if (!info->in_frequency) {
            check_constant(text, filter, ABBE_METHOD_DIRECT);
            check_constant(text, filter, ABBE_METHOD_TILES);
        }
        abbe_filter_destroy(&filter);
    }
}

/* ---- Correlation -------------------------------------------------------------------------------------- */

/* Correlation is convolution with the kernel rotated by 180° around its centre. */
static void check_correlation(const struct setting *setting)
{
    const abbe_matrix *taps = &setting->kernel.taps;
    abbe_matrix turned;
    assert_int_equal(abbe_matrix_create(taps->width, taps->height, &turned), ABBE_OK);
    int last = taps->width * taps->height - 1;
    for (int i = 0; i <= last; i++)
        turned.values[i] = taps->values[last - i];
    int centre[2] = { taps->width - 1 - setting->kernel.centre_x,
                      taps->height - 1 - setting->kernel.centre_y };
    abbe_filter *filter = apply_kernel(&turned, centre);
    abbe_plan_params params = params_of(setting), correlating = params;
    correlating.correlate = true;
    struct picture in = noise(setting, 4), expected = apply(device, params, filter, &in);
    struct picture got = apply(device, correlating, setting->kernel.filter, &in);
    assert_close(setting, &got, &expected, picture_norm(&in) * setting->kernel.peak);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&filter);
    abbe_matrix_free(&turned);
}

/* A delay of a third of a pixel to the right with some smoothing, neither real nor even. −1 in `user`
 * reverses the direction. */
static void delay(void *user, double fx, double fy, double gain[2])
{
    double size = exp(-4 * (fx * fx + fy * fy)), angle = -2 * M_PI * fx / 3 * *(const double *)user;
    gain[0] = size * cos(angle);
    gain[1] = size * sin(angle);
}

static void correlation(void **state)
{
    (void)state;
    check_each(check_correlation);
    double forth = 1, back = -1;
    abbe_filter *late = NULL, *early = NULL;
    assert_int_equal(abbe_filter_from_transfer(delay, &forth, &late), ABBE_OK);
    assert_int_equal(abbe_filter_from_transfer(delay, &back, &early), ABBE_OK);
    struct picture in = apply_noise(18, 11, 3, 5, false);
    struct picture got = apply(device, (abbe_plan_params){ .correlate = true }, late, &in);
    struct picture expected = apply(device, (abbe_plan_params){ 0 }, early, &in);
    assert_true(apply_near(&got, &expected, tolerance));
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&late);
    abbe_filter_destroy(&early);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(linearity), cmocka_unit_test(shift),       cmocka_unit_test(impulse),
    cmocka_unit_test(constants), cmocka_unit_test(correlation),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
