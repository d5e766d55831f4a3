/* Transfer functions with every border, compared with the naive DFT: WRAP on the picture itself, REFLECT
 * and MIRROR on the exact even extension, the others on the picture extended by the effective radius.
 *
 * Argument: DEVICE. */
#include "plan/plan.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

/* The length of the grid on which abbe.h lets a transfer function act; 0 where the effective radius
 * decides. */
static int exact_period(abbe_border border, int n)
{
    switch (border) {
    case ABBE_BORDER_WRAP: return n;
    case ABBE_BORDER_REFLECT: return 2 * n;
    case ABBE_BORDER_MIRROR: return n == 1 ? 1 : 2 * n - 2;
    case ABBE_BORDER_CLAMP:
    case ABBE_BORDER_ZERO:
    case ABBE_BORDER_CONSTANT: break;
    }
    return 0;
}

/* The length of an axis; even transforms take the place of twice their length. */
static int grid_length(const struct axis *axis)
{
    return axis->even ? 2 * axis->length : axis->length;
}

static double peak_gain(const abbe_filter *filter)
{
    double peak = 0, gain[2];
    for (int v = -16; v < 16; v++)
        for (int u = -16; u < 16; u++) {
            assert_int_equal(abbe_filter_gain(filter, 0, u / 32.0, v / 32.0, gain), ABBE_OK);
            peak = fmax(peak, hypot(gain[0], gain[1]));
        }
    return peak;
}

static void check_transfer(const abbe_filter *filter, const char *name, int width, int height, int channels,
                           abbe_border border)
{
    float constant = border == ABBE_BORDER_CONSTANT ? 0.25f : 0;
    abbe_plan *plan = NULL;
    abbe_plan_params params = {
        .width = width,
        .height = height,
        .channels = channels,
        .source_type = ABBE_F32,
        .result_type = ABBE_F32,
        .filters = &filter,
        .filter_count = 1,
        .border = border,
        .border_value = constant,
    };
    if (abbe_plan_create(device, &params, &plan))
        fail_msg("%s: %s", name, abbe_error_text(device));
    const struct work *work = &plan->work;
    int period_x = exact_period(border, width), period_y = exact_period(border, height);
    int length_x = grid_length(&work->x), length_y = grid_length(&work->y);
    if (period_x && (length_x != period_x || length_y != period_y))
        fail_msg("%s on %s: grid %d x %d", name, abbe_border_name(border), length_x, length_y);

    struct random random = { (uint64_t)(width * 1000 + height) };
    struct stored source = stored_create(width, height, channels, ABBE_F32, 4, false, true);
    struct stored result = stored_create(width, height, channels, ABBE_F32, 0, true, true);
    stored_randomize(&source, &random, true);
    struct picture in = stored_read(&source);
    struct picture expected = reference_transfer(&in, border, (double)constant, length_x, length_y,
                                                 work->x.before, work->y.before, filter, 0);
    assert_int_equal(abbe_run(plan, &source.view, &result.view), ABBE_OK);
    double around = (double)constant * sqrt((double)work->x.length * work->y.length * channels);
    char what[160];
    snprintf(what, sizeof what, "%s on %d x %d x %d, border %s", name, width, height, channels,
             abbe_border_name(border));
    assert_true(trial_compare(&result, &expected, (picture_norm(&in) + around) * peak_gain(filter),
                              trial_bound_fft(work->x.length, work->y.length), what));
    picture_free(&in);
    picture_free(&expected);
    stored_free(&source);
    stored_free(&result);
    abbe_plan_destroy(&plan);
}

static const struct shape {
    int width, height, channels;
} shapes[] = {
    { 1, 1, 1 }, { 7, 1, 2 }, { 1, 11, 3 }, { 8, 6, 1 }, { 5, 9, 4 }, { 13, 17, 2 }, { 23, 4, 1 }
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* In slight tests each shape meets two borders. Of the borders whose grid depends on the filter, filter
 * number n meets one. */
static bool is_tried(int number, int shape, abbe_border border)
{
    return !effort_is_slight() ||
           ((shape + (int)border) % 3 == 0 && (exact_period(border, 1) || shape == number % SHAPES));
}

static void check_filter(const abbe_filter *filter, int number, const char *name)
{
    for (int i = 0; i < SHAPES; i++)
        for (int border = ABBE_BORDER_REFLECT; border <= (int)ABBE_BORDER_WRAP; border++)
            if (is_tried(number, i, (abbe_border)border))
                check_transfer(filter, name, shapes[i].width, shapes[i].height, shapes[i].channels,
                               (abbe_border)border);
}

static void check_named(const char *text, int number)
{
    abbe_filter *filter = NULL;
    if (abbe_filter_parse(text, NULL, &filter))
        fail_msg("%s: %s", text, abbe_error_text(NULL));
    check_filter(filter, number, text);
    abbe_filter_destroy(&filter);
}

static void the_catalogue(void **state)
{
    (void)state;
    static const char *const names[] = {
        "lowpass",
        "lowpass:cutoff=0.4:shape=gaussian",
        "lowpass:cutoff=0.5:shape=ideal",
        "highpass:cutoff=0.3",
        "bandpass:low=0.2:high=0.7",
        "bandreject:low=0.3:high=0.6:shape=gaussian",
        "notch:x=0.5:y=0.25:radius=0.2",
        "streak:angle=30:width=40",
        "power:exponent=-0.5",
        "gaussian:sigma=1,lowpass:cutoff=0.5",
        "sobel:axis=x,highpass:cutoff=0.2",
        "motion:length=4:angle=40,streak:angle=10,power:exponent=0.5",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_named(names[i], (int)i);
}

/* A delay by a fraction of a pixel with a gain that is neither even nor odd. */
static void callback(void *user, double fx, double fy, double gain[2])
{
    const double *shift = user;
    double phase = -2 * M_PI * (fx * shift[0] + fy * shift[1]);
    gain[0] = cos(phase) * exp(-4 * fx * fx) + 0.3 * fx;
    gain[1] = sin(phase) * exp(-4 * fx * fx) + 0.1;
}

static void a_callback(void **state)
{
    (void)state;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_transfer(callback, (double[]){ 0.75, -1.25 }, &filter), ABBE_OK);
    check_filter(filter, 4, "callback");
    abbe_filter_destroy(&filter);
}

static void a_mask(void **state)
{
    (void)state;
    struct random random = { 7 };
    abbe_matrix mask;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_matrix_create(9, 12, &mask), ABBE_OK);
    for (int i = 0; i < 9 * 12; i++)
        mask.values[i] = random_unit(&random);
    assert_int_equal(abbe_filter_from_mask(&mask, &filter), ABBE_OK);
    check_filter(filter, 5, "mask");
    abbe_filter_destroy(&filter);
    abbe_matrix_free(&mask);
}

/* out = Re(inverse DFT of (DFT of in) · G), with G in the order of the DFT: the Hermitian part of G acts. */
static void naive_gains(int width, int height, const double *gains, const float *in, double *out)
{
    for (int i = 0; i < width * height; i++)
        out[i] = 0;
    for (int k = 0; k < width * height; k++) {
        int u = k % width, v = k / width;
        double re = 0, im = 0;
        for (int i = 0; i < width * height; i++) {
            double phase = 2 * M_PI *
                           ((double)(u * (i % width)) / width + (double)(v * (i / width)) / height);
            re += (double)in[i] * cos(phase);
            im -= (double)in[i] * sin(phase);
        }
        double product[2] = { re * gains[2 * k] - im * gains[2 * k + 1],
                              re * gains[2 * k + 1] + im * gains[2 * k] };
        for (int i = 0; i < width * height; i++) {
            double phase = 2 * M_PI *
                           ((double)(u * (i % width)) / width + (double)(v * (i / width)) / height);
            out[i] += (product[0] * cos(phase) - product[1] * sin(phase)) / (width * height);
        }
    }
}

/* With the border WRAP and a picture of their size, gains act as they are. */
static void gains_in_the_order_of_the_transform(void **state)
{
    (void)state;
    const int sizes[][2] = { { 7, 5 }, { 8, 6 }, { 1, 9 }, { 12, 1 } };
    for (int s = 0; s < 4; s++) {
        int width = sizes[s][0], height = sizes[s][1], count = width * height;
        double gains[2 * 48], expected[48];
        struct random random = { (uint64_t)s + 20 };
        for (int i = 0; i < 2 * count; i++)
            gains[i] = s == 1 && i % 2 ? 0 : random_signed(&random);
        abbe_filter *filter = NULL;
        assert_int_equal(abbe_filter_from_gains(width, height, gains, &filter), ABBE_OK);
        struct picture in = apply_noise(width, height, 1, 4, false);
        float samples[48];
        for (int i = 0; i < count; i++)
            samples[i] = (float)in.samples[i];
        naive_gains(width, height, gains, samples, expected);
        struct picture got = apply(device, (abbe_plan_params){ .border = ABBE_BORDER_WRAP }, filter, &in);
        for (int i = 0; i < count; i++)
            if (!(fabs(got.samples[i] - expected[i]) <= trial_tolerance(3e-6)))
                fail_msg("%d x %d, sample %d: %g, not %g", width, height, i, got.samples[i], expected[i]);
        picture_free(&in);
        picture_free(&got);
        abbe_filter_destroy(&filter);
    }
}

/* Correlation conjugates H, so a callback that delays by whole pixels then advances. */
static void whole_delay(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = cos(2 * M_PI * (2 * fx + fy));
    gain[1] = -sin(2 * M_PI * (2 * fx + fy));
}

static void correlation_conjugates(void **state)
{
    (void)state;
    enum { WIDTH = 7, HEIGHT = 5 };
    float source[HEIGHT][WIDTH], result[HEIGHT][WIDTH];
    struct random random = { 3 };
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        source[i / WIDTH][i % WIDTH] = (float)random_signed(&random);
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_transfer(whole_delay, NULL, &filter), ABBE_OK);
    for (int correlate = 0; correlate < 2; correlate++) {
        abbe_plan *plan = NULL;
        abbe_plan_params params = {
            .width = WIDTH,
            .height = HEIGHT,
            .channels = 1,
            .source_type = ABBE_F32,
            .result_type = ABBE_F32,
            .filters = (const abbe_filter *const[]){ filter },
            .filter_count = 1,
            .border = ABBE_BORDER_WRAP,
            .correlate = correlate,
        };
        assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK);
        abbe_image from = { .data = source,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .channels = 1,
                            .stride = sizeof source[0],
                            .type = ABBE_F32 },
                   to = from;
        to.data = result;
        assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
        int sign = correlate ? 1 : -1;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                assert_true(fabsf(result[y][x] -
                                  source[(y + sign + HEIGHT) % HEIGHT][(x + 2 * sign + WIDTH) % WIDTH]) <
                            (float)trial_tolerance(1e-6));
        abbe_plan_destroy(&plan);
    }
    abbe_filter_destroy(&filter);
}

/* The effective radius suffices: a Gaussian low pass equals the Gaussian kernel of the same shape. */
static void radius_is_enough(void **state)
{
    (void)state;
    enum { WIDTH = 61, HEIGHT = 47 };
    static float source[HEIGHT * WIDTH], low[HEIGHT * WIDTH], blur[HEIGHT * WIDTH];
    struct random random = { 5 };
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        source[i] = (float)random_unit(&random);
    /* 2^(−(f/fc)²) = e^(−2π²σ²f²) for σ² = ln 2 / (2π² fc²); fc = 0.2 of Nyquist = 0.1 cycles per pixel. */
    char text[64];
    snprintf(text, sizeof text, "gaussian:sigma=%.9f:truncate=6", sqrt(log(2) / (2 * M_PI * M_PI)) / 0.1);
    abbe_filter *filters[2] = { NULL, NULL };
    assert_int_equal(abbe_filter_parse("lowpass:cutoff=0.2:shape=gaussian", NULL, &filters[0]), ABBE_OK);
    assert_int_equal(abbe_filter_parse(text, NULL, &filters[1]), ABBE_OK);
    float *results[2] = { low, blur };
    for (int border = ABBE_BORDER_REFLECT; border <= (int)ABBE_BORDER_WRAP; border++) {
        for (int i = 0; i < 2; i++) {
            abbe_plan *plan = NULL;
            abbe_plan_params params = {
                .width = WIDTH,
                .height = HEIGHT,
                .channels = 1,
                .source_type = ABBE_F32,
                .result_type = ABBE_F32,
                .filters = (const abbe_filter *const[]){ filters[i] },
                .filter_count = 1,
                .border = (abbe_border)border,
                .border_value = 0.5f,
            };
            abbe_image from = { .data = source,
                                .width = WIDTH,
                                .height = HEIGHT,
                                .channels = 1,
                                .stride = WIDTH * sizeof(float),
                                .type = ABBE_F32 },
                       to = from;
            to.data = results[i];
            assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK);
            assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
            abbe_plan_destroy(&plan);
        }
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            if (!(fabsf(low[i] - blur[i]) < 2e-3f))
                fail_msg("border %s, sample %d: %g and %g", abbe_border_name((abbe_border)border), i,
                         (double)low[i], (double)blur[i]);
    }
    abbe_filter_destroy(&filters[0]);
    abbe_filter_destroy(&filters[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_catalogue),    cmocka_unit_test(a_callback),
    cmocka_unit_test(a_mask),           cmocka_unit_test(correlation_conjugates),
    cmocka_unit_test(radius_is_enough), cmocka_unit_test(gains_in_the_order_of_the_transform),
};

TEST_MAIN_ON_DEVICE(tests, device, 0)
