/* Even transforms: filters that are the same in opposite directions, on pictures that continue as their own
 * reflection. Filters that are not the same along each axis have an odd part. Kernels are compared with direct convolution,
 * transfer functions with the naive DFT of the picture and its reflection, both in double precision.
 *
 * Argument: DEVICE. */
#include "plan/plan.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;
static int even_plans; /* plans with even transforms that were compared */

/* Slight tests take the first five: primes, odd and even sizes, a single column. Then widths of one, several
 * and odd numbers of vectors of 4, 8 and 16 lanes, and others; heights of every radix, of primes with sums and with
 * convolutions, odd and even. */
static const struct shape {
    int width, height;
} shapes[] = { { 23, 29 },  { 1, 9 },   { 50, 34 },  { 37, 8 },  { 9, 4 },   { 16, 64 },  { 13, 1 },
               { 13, 17 },  { 4, 2 },   { 8, 3 },    { 16, 5 },  { 12, 7 },  { 20, 4 },   { 24, 9 },
               { 40, 6 },   { 48, 10 }, { 80, 15 },  { 64, 21 }, { 112, 8 }, { 32, 32 },  { 96, 16 },
               { 144, 18 }, { 160, 2 }, { 16, 105 }, { 1, 1 },   { 88, 13 }, { 176, 22 }, { 48, 67 },
               { 208, 3 },  { 16, 74 }, { 16, 134 }, { 272, 5 }, { 2, 3 } };
enum { SHAPES = sizeof shapes / sizeof *shapes, SLIGHT = 5 };

static int grid_length(const struct axis *axis)
{
    return axis->even ? 2 * axis->length : axis->length;
}

/* Runs a bank of FFT on REFLECT and compares every result with `expected`. */
static void check_bank(int shape_number, int channels, const abbe_filter *const *filters, size_t count,
                       const struct picture *in, const struct picture *expected, const double *peaks)
{
    static const abbe_type types[] = { ABBE_F32, ABBE_U16, ABBE_U8, ABBE_F16 };
    const struct shape *shape = &shapes[shape_number];
    abbe_type type = types[(shape_number + 2 * (channels - 1)) % 4]; /* slight tests meet all four */
    bool doubles = !strcmp(abbe_device_name(device), "cpu") && (shape_number + channels) % 4 == 1;
    abbe_plan *plan = apply_plan(
        device, &(abbe_plan_params){ .width = shape->width,
                                     .height = shape->height,
                                     .channels = channels,
                                     .source_type = ABBE_F32,
                                     .result_type = type,
                                     .border = ABBE_BORDER_REFLECT,
                                     .method = ABBE_METHOD_FFT,
                                     .precision = doubles ? ABBE_PRECISION_DOUBLE : ABBE_PRECISION_FULL,
                                     .filters = filters,
                                     .filter_count = count });
    struct stored source = stored_create(shape->width, shape->height, channels, ABBE_F32, 3, true, false);
    struct stored results[2];
    abbe_image views[2];
    stored_write(&source, in);
    for (size_t i = 0; i < count; i++) {
        results[i] = stored_create(shape->width, shape->height, channels, type, 1, false, true);
        views[i] = results[i].view;
    }
    assert_int_equal(abbe_run(plan, &source.view, views), ABBE_OK);
    const struct axis *x = &plan->work.x;
    even_plans += x->even;
    assert_int_equal(abbe_plan_choice(plan)->even, x->even);
    for (size_t i = 0; i < count; i++) {
        char what[128];
        snprintf(what, sizeof what, "%d x %d x %d, filter %zu of %zu, %s", shape->width, shape->height,
                 channels, i + 1, count, x->even ? "even" : "not even");
        assert_true(trial_compare(&results[i], &expected[i], picture_norm(in) * peaks[i],
                                  trial_bound_fft(grid_length(x), grid_length(&plan->work.y)), what));
        stored_free(&results[i]);
    }
    stored_free(&source);
    abbe_plan_destroy(&plan);
}

/* In slight tests some shapes meet one number of channels. */
static bool is_tried(int shape, int channels)
{
    return !effort_is_slight() || (shape < SLIGHT && shape % 5 + 1 == channels);
}

/* Kernels as large as the picture and larger, alone and as a bank of two. */
static void mirrored_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int channels = 1; channels <= 5; channels++) {
            struct random random = { (uint64_t)(10 * i + channels) };
            int width = shapes[i].width < 24 ? 2 * shapes[i].width + 1 : 29;
            int height = shapes[i].height < 24 ? 2 * shapes[i].height - 1 : 31;
            if (!is_tried(i, channels))
                continue;
            enum taps_kind large = (i + channels) % 3 ? TAPS_MIRRORED : TAPS_SYMMETRIC;
            enum taps_kind small = (i + channels) % 2 ? TAPS_SYMMETRIC : TAPS_MIRRORED;
            struct trial_kernel kernels[2] = { trial_kernel_create(width, height, large, false, &random),
                                               trial_kernel_create(3, 5, small, false, &random) };
            struct picture in = apply_noise(shapes[i].width, shapes[i].height, channels, (uint64_t)i, true);
            struct picture expected[2];
            for (int k = 0; k < 2; k++)
                expected[k] = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &kernels[k].taps,
                                                 kernels[k].centre_x, kernels[k].centre_y);
            const abbe_filter *const bank[2] = { kernels[0].filter, kernels[1].filter };
            const double peaks[2] = { kernels[0].peak, kernels[1].peak };
            for (size_t count = 1; count <= 2; count++)
                if (!effort_is_slight() || (int)count == 1 + i % 2)
                    check_bank(i, channels, bank, count, &in, expected, peaks);
            for (int k = 0; k < 2; k++)
                picture_free(&expected[k]), trial_kernel_free(&kernels[k]);
            picture_free(&in);
        }
}

/* Slight tests leave one channel to test_transfer. */
static void transfer_functions(void **state)
{
    (void)state;
    static const char *const names[] = { "lowpass:cutoff=0.3",          "highpass:cutoff=0.2:shape=gaussian",
                                         "bandpass:low=0.2:high=0.6",   "power:exponent=0.5",
                                         "gaussian:sigma=1,bandreject", "notch:x=0.4:y=0.3:radius=0.2",
                                         "streak:angle=30:width=40",    "motion:length=7:angle=20,lowpass" };
    enum { NAMES = sizeof names / sizeof *names };
    for (int i = 0; i < SHAPES; i++)
        for (int channels = 1; channels <= 4; channels++) {
            abbe_filter *filter = apply_filter(names[(i + 3 * channels) % NAMES]);
            double peak = apply_peak(filter);
            if (is_tried(i, channels) && !(effort_is_slight() && channels == 1)) {
                struct picture in = apply_noise(shapes[i].width, shapes[i].height, channels, (uint64_t)i,
                                                true);
                struct picture expected = reference_transfer(&in, ABBE_BORDER_REFLECT, 0, 2 * shapes[i].width,
                                                             2 * shapes[i].height, 0, 0, filter, 0);
                check_bank(i, channels, (const abbe_filter *const[]){ filter }, 1, &in, &expected, &peak);
                picture_free(&expected);
                picture_free(&in);
            }
            abbe_filter_destroy(&filter);
        }
}

/* ---- Pictures so large that gains are sampled while columns are filtered ------------------------------- */

/* A picture of cosines that continue as its reflection does: amplitude · cos θ · cos φ with θ = πu(2x + 1) / 2M and
 * φ = πv(2y + 1) / 2N. */
struct cosine {
    int u, v;
    double amplitude;
};

/* cos and sin of πu(2n + 1) / 2 · length, for all n. */
static void fill_waves(int u, int length, double *cosine, double *sine)
{
    const double pi = 3.14159265358979323846;
    for (int n = 0; n < length; n++) {
        cosine[n] = cos(pi * u * (2.0 * n + 1) / (2.0 * length));
        sine[n] = sin(pi * u * (2.0 * n + 1) / (2.0 * length));
    }
}

/* Adds a cosine to `in`, and to `expected` what a filter makes of it: the product of both cosines is half of two waves,
 * of which one meets H(u, v) and the other H(u, −v). */
static void add_cosine(const abbe_filter *filter, const struct cosine *wave, int channel, struct picture *in,
                       struct picture *expected)
{
    int width = in->width, height = in->height;
    double *x = calloc(2 * (size_t)(width + height), sizeof *x), *y = x + 2 * width, plus[2], minus[2];
    double fx = 0.5 * wave->u / width, fy = 0.5 * wave->v / height;
    assert_non_null(x);
    fill_waves(wave->u, width, x, x + width);
    fill_waves(wave->v, height, y, y + height);
    assert_int_equal(abbe_filter_gain(filter, 0, fx, fy, plus), ABBE_OK);
    assert_int_equal(abbe_filter_gain(filter, 0, fx, -fy, minus), ABBE_OK);
    double even = 0.5 * (plus[0] + minus[0]) * wave->amplitude,
           odd = 0.5 * (plus[0] - minus[0]) * wave->amplitude;
    for (int m = 0; m < height; m++)
        for (int n = 0; n < width; n++) {
            double product = x[n] * y[m];
            *picture_at(in, n, m, channel) += wave->amplitude * product;
            *picture_at(expected, n, m, channel) += even * product - odd * x[width + n] * y[height + m];
        }
    free(x);
}

/* Their product is interpolated between nodes of batches. */
#define WIDE_NOTCHES                                  \
    "notch:x=0.4:y=0.3:radius=0.2:shape=butterworth," \
    "notch:x=0.1:y=-0.6:radius=0.2:shape=butterworth"

/* Rows of whole vectors and others; one channel, and a pair with a single one. */
static void gains_on_demand(void **state)
{
    (void)state;
    test_require_host(device);
    static const struct {
        int width, height, channels;
        const char *filter;
    } cases[] = { { 2112, 2000, 3, "notch:x=0.4:y=0.3:radius=0.2,notch:x=0.1:y=-0.6:radius=0.3" },
                  { 2107, 2001, 1, "notch:x=0.4:y=0.3:radius=0.2:shape=butterworth" },
                  { 2106, 1999, 2, "lowpass:cutoff=0.3" },
                  { 2112, 2000, 3, WIDE_NOTCHES },
                  { 2107, 2001, 1, WIDE_NOTCHES } };
    bool plain = strstr(abbe_device_detail(device), "plain"); /* keeps its gains, and is slow */
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases) && !plain; i++) {
        int width = cases[i].width, height = cases[i].height, channels = cases[i].channels;
        abbe_filter *filter = apply_filter(cases[i].filter);
        struct picture in = picture_create(width, height, channels),
                       expected = picture_create(width, height, channels);
        for (int channel = 0; channel < channels; channel++) {
            const struct cosine waves[] = { { 0, 0, 0.3 },
                                            { 5 + channel, 3, 0.2 },
                                            { (int)(0.37 * width) + channel, (int)(0.28 * height), 0.25 },
                                            { width - 1 - channel, height - 1, 0.125 } };
            for (int k = 0; k < 4; k++)
                add_cosine(filter, &waves[k], channel, &in, &expected);
        }
        struct picture out = apply(device, (abbe_plan_params){ .border = ABBE_BORDER_REFLECT }, filter, &in);
        /* and the rounding of the source to floats */
        double bound = (trial_bound_fft(2.0 * width, 2.0 * height) + 6e-8) * picture_norm(&in);
        double error = picture_distance(&out, &expected);
        if (!(error <= bound) || !apply_near(&out, &expected, 2e-5))
            fail_msg("%s on %d x %d x %d: error %g, bound %g", cases[i].filter, width, height, channels,
                     error, bound);
        picture_free(&in), picture_free(&expected), picture_free(&out);
        abbe_filter_destroy(&filter);
    }
}

/* Every level of the CPU and the Vulkan device have even transforms. */
static void were_compared(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("lowpass");
    abbe_plan *plan = apply_plan(device,
                                 &(abbe_plan_params){ .width = 64,
                                                      .height = 64,
                                                      .channels = 1,
                                                      .source_type = ABBE_F32,
                                                      .result_type = ABBE_F32,
                                                      .border = ABBE_BORDER_REFLECT,
                                                      .filters = (const abbe_filter *const[]){ filter },
                                                      .filter_count = 1 });
    assert_true(abbe_plan_choice(plan)->even);
    /* By the prices of cuda, the larger grid is cheaper for one small picture more. */
    int fewest = !effort_is_slight() ? 20 : strcmp(abbe_device_name(device), "cuda") ? 7 : 6;
    assert_true(even_plans > fewest);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

/* Filters with complex gains, and other borders, take other grids. */
static void other_work_is_not_even(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        abbe_border border;
    } others[] = { { "sobel:axis=x", ABBE_BORDER_REFLECT },
                   { "lowpass", ABBE_BORDER_MIRROR },
                   { "lowpass", ABBE_BORDER_WRAP } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        abbe_filter *filter = apply_filter(others[i].filter);
        abbe_plan *plan = apply_plan(device,
                                     &(abbe_plan_params){ .width = 64,
                                                          .height = 48,
                                                          .channels = 1,
                                                          .source_type = ABBE_F32,
                                                          .result_type = ABBE_F32,
                                                          .border = others[i].border,
                                                          .method = ABBE_METHOD_FFT,
                                                          .filters = (const abbe_filter *const[]){ filter },
                                                          .filter_count = 1 });
        assert_false(abbe_plan_choice(plan)->even);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy(&filter);
    }
}

/* The number of threads does not change a byte. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    test_require_host(device);
    enum { WIDTH = 320, HEIGHT = 270 };
    for (int channels = 1; channels <= 3; channels++) {
        struct picture in = apply_noise(WIDTH, HEIGHT, channels, 7, true), out[2];
        abbe_filter *filter = apply_filter("lowpass:cutoff=0.1");
        for (int i = 0; i < 2; i++) {
            abbe_device *other = NULL;
            assert_int_equal(abbe_device_open("cpu", &(abbe_device_params){ .threads = i + 1 }, &other),
                             ABBE_OK);
            out[i] = apply(other, (abbe_plan_params){ .border = ABBE_BORDER_REFLECT }, filter, &in);
            abbe_device_close(&other);
        }
        assert_memory_equal(out[0].samples, out[1].samples, picture_count(&in) * sizeof *in.samples);
        abbe_filter_destroy(&filter);
        picture_free(&in), picture_free(&out[0]), picture_free(&out[1]);
    }
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrored_kernels),      cmocka_unit_test(transfer_functions),
        cmocka_unit_test(were_compared),         cmocka_unit_test(other_work_is_not_even),
        cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(gains_on_demand),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
