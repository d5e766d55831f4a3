/* Alpha under filters that do not keep constants: the gain applies to colours, and edge filters keep the
 * source's alpha. Also numbers whose squares or products overflow or underflow.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 13, HEIGHT = 9 };

static abbe_device *device;
static const abbe_method methods[] = { ABBE_METHOD_DIRECT, ABBE_METHOD_SEPARABLE, ABBE_METHOD_FFT,
                                       ABBE_METHOD_TILES };

/* Random colours with alpha from ¼ to 1. */
static struct picture translucent(void)
{
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 11, true);
    for (size_t i = 3; i < picture_count(&in); i += 4)
        in.samples[i] = 0.25 + 0.75 * in.samples[i];
    return in;
}

static struct picture premultiplied(const struct picture *in)
{
    struct picture out = picture_create(in->width, in->height, 4);
    for (size_t i = 0; i < picture_count(in); i++)
        out.samples[i] = i % 4 == 3 ? in->samples[i] : in->samples[i] * in->samples[i | 3];
    return out;
}

static struct picture run(const char *text, abbe_method method, const struct picture *in)
{
    abbe_filter *filter = apply_filter(text);
    struct picture out = apply(device,
                               (abbe_plan_params){ .alpha = ABBE_ALPHA_PREMULTIPLY,
                                                   .border = ABBE_BORDER_CLAMP,
                                                   .method = method,
                                                   .tile_width = 5,
                                                   .tile_height = 4 },
                               filter, in);
    abbe_filter_destroy(&filter);
    return out;
}

/* The Laplacian with the border CLAMP convolves premultiplied colours and keeps alpha. */
static void edges_keep_alpha(void **state)
{
    (void)state;
    double values[] = { 0, 1, 0, 1, -4, 1, 0, 1, 0 };
    abbe_matrix taps = { 3, 3, values };
    struct picture in = translucent(), product = premultiplied(&in);
    struct picture expected = reference_convolve(&product, ABBE_BORDER_CLAMP, 0, &taps, 1, 1);
    for (size_t i = 3; i < picture_count(&in); i += 4)
        expected.samples[i] = in.samples[i];
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct picture got = run("laplacian", methods[m], &in);
        assert_true(apply_near(&got, &expected, 1e-5));
        picture_free(&got);
    }
    picture_free(&expected);
    picture_free(&product);
    picture_free(&in);
}

/* The magnitude of a gradient, and a bank in place whose second result still needs the alpha of the
 * overwritten source. */
static void alpha_outlives_the_source(void **state)
{
    (void)state;
    struct picture in = translucent();
    struct picture alone = run("sobel", ABBE_METHOD_FFT, &in);
    abbe_filter *filters[2] = { apply_filter("gaussian:sigma=1"), apply_filter("sobel") };
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                              .height = HEIGHT,
                                                              .channels = 4,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .alpha = ABBE_ALPHA_PREMULTIPLY,
                                                              .border = ABBE_BORDER_CLAMP,
                                                              .method = ABBE_METHOD_FFT,
                                                              .filters = (const abbe_filter *const *)filters,
                                                              .filter_count = 2 });
    struct stored source = stored_create(WIDTH, HEIGHT, 4, ABBE_F32, 0, false, true);
    struct stored edges = stored_create(WIDTH, HEIGHT, 4, ABBE_F32, 0, false, true);
    stored_write(&source, &in);
    abbe_image results[2] = { source.view, edges.view };
    assert_int_equal(abbe_run(plan, &source.view, results), ABBE_OK);
    struct picture got = stored_read(&edges);
    assert_true(apply_near(&got, &alone, 1e-5));
    for (size_t i = 3; i < picture_count(&in); i += 4)
        assert_true(got.samples[i] == (double)(float)in.samples[i]);
    stored_free(&source);
    stored_free(&edges);
    picture_free(&got);
    picture_free(&alone);
    picture_free(&in);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filters[0]);
    abbe_filter_destroy(&filters[1]);
}

/* More channels than the GPUs keep in a unit, and even transforms: one result of a bank divides by the filtered alpha,
 * the other has the source's. */
static void alpha_of_many_channels(void **state)
{
    (void)state;
    abbe_filter *filters[2] = { apply_filter("gaussian:sigma=1"), apply_filter("highpass:cutoff=0.3") };
    struct picture in = apply_noise(WIDTH, HEIGHT, 5, 15, true), out[2];
    for (size_t i = 4; i < picture_count(&in); i += 5)
        in.samples[i] = 0.25 + 0.75 * in.samples[i];
    apply_bank(device,
               (abbe_plan_params){ .alpha = ABBE_ALPHA_PREMULTIPLY,
                                   .border = ABBE_BORDER_REFLECT,
                                   .method = ABBE_METHOD_FFT,
                                   .filters = (const abbe_filter *const *)filters,
                                   .filter_count = 2 },
               &in, out);
    for (size_t i = 4; i < picture_count(&in); i += 5)
        assert_true(out[1].samples[i] == (double)(float)in.samples[i]);
    for (int i = 0; i < 2; i++)
        picture_free(&out[i]), abbe_filter_destroy(&filters[i]);
    picture_free(&in);
}

/* A kernel of gain 2 doubles colours; an opaque picture stays opaque. */
static void gain_stays_with_colours(void **state)
{
    (void)state;
    double values[] = { 0.5, 1, 0.5 };
    abbe_matrix taps = { 3, 1, values };
    abbe_filter *filter = apply_kernel(&taps, NULL);
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 12, true);
    for (size_t i = 3; i < picture_count(&in); i += 4)
        in.samples[i] = 1;
    struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, 1, 0);
    for (size_t i = 3; i < picture_count(&in); i += 4)
        expected.samples[i] = 1;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct picture got = apply(
            device, (abbe_plan_params){ .alpha = ABBE_ALPHA_PREMULTIPLY, .method = methods[m] }, filter, &in);
        assert_true(apply_near(&got, &expected, 1e-5));
        picture_free(&got);
    }
    picture_free(&expected);
    picture_free(&in);
    abbe_filter_destroy(&filter);
}

/* √(a² + b²) of numbers whose squares overflow or underflow a float. */
static void magnitudes_of_any_size(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("sobel");
    static const double sizes[] = { 1e-25, 1, 1e25 };
    struct picture in = apply_noise(WIDTH, HEIGHT, 1, 13, true);
    struct picture usual = apply(device, (abbe_plan_params){ .method = ABBE_METHOD_DIRECT }, filter, &in);
    for (int i = 0; i < 3; i++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            struct picture scaled = picture_create(WIDTH, HEIGHT, 1);
            for (size_t k = 0; k < picture_count(&in); k++)
                scaled.samples[k] = in.samples[k] * sizes[i];
            struct picture got = apply(device, (abbe_plan_params){ .method = methods[m] }, filter, &scaled);
            for (size_t k = 0; k < picture_count(&in); k++)
                got.samples[k] /= sizes[i];
            assert_true(apply_near(&got, &usual, 1e-4));
            picture_free(&got);
            picture_free(&scaled);
        }
    picture_free(&usual);
    picture_free(&in);
    abbe_filter_destroy(&filter);
}

/* A tap that floats hold only as a denormal number: alpha is not divided by it, and stays the source's. */
static void tiny_gains_keep_alpha(void **state)
{
    (void)state;
    double tap = 3e-43;
    abbe_matrix taps = { 1, 1, &tap };
    abbe_filter *filter = apply_kernel(&taps, NULL);
    struct picture in = translucent(), expected = picture_create(in.width, in.height, 4);
    for (size_t i = 3; i < picture_count(&in); i += 4)
        expected.samples[i] = in.samples[i];
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct picture got = apply(
            device,
            (abbe_plan_params){
                .alpha = ABBE_ALPHA_PREMULTIPLY, .method = methods[m], .tile_width = 5, .tile_height = 4 },
            filter, &in);
        assert_true(apply_near(&got, &expected, 1e-5));
        picture_free(&got);
    }
    picture_free(&in);
    picture_free(&expected);
    abbe_filter_destroy(&filter);
}

static void huge(void *user, double fx, double fy, double gain[2])
{
    (void)user, (void)fx, (void)fy;
    gain[0] = 1e40;
    gain[1] = 0;
}

/* A gain that is finite in double precision and overflows a float. */
static void gains_beyond_float(void **state)
{
    (void)state;
    abbe_filter *filter = NULL;
    abbe_plan *plan = NULL;
    assert_int_equal(abbe_filter_from_transfer(huge, NULL, &filter), ABBE_OK);
    abbe_plan_params params = { .width = 8,
                                .height = 8,
                                .channels = 1,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const[]){ filter },
                                .filter_count = 1,
                                .border = ABBE_BORDER_WRAP };
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_ERR_NONFINITE);
    assert_null(plan);
    assert_non_null(strstr(abbe_error_text(device), "filter 1"));
    abbe_filter_destroy(&filter);
}

/* A kernel much larger than the picture. With CLAMP its tails all read the same sample and cost nothing. */
static void huge_kernels_on_small_pictures(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=3000");
    struct picture in = apply_noise(WIDTH, HEIGHT, 1, 14, true);
    double left = 0, right = 0;
    for (int y = 0; y < HEIGHT; y++) {
        left += *picture_at(&in, 0, y, 0) * (y == 0 || y == HEIGHT - 1 ? 1 : 0);
        right += *picture_at(&in, WIDTH - 1, y, 0) * (y == 0 || y == HEIGHT - 1 ? 1 : 0);
    }
    struct picture got = apply(device, (abbe_plan_params){ .border = ABBE_BORDER_CLAMP }, filter, &in);
    /* Nearly all of the kernel lies outside the picture, so each result is a quarter of each corner. */
    for (size_t i = 0; i < picture_count(&got); i++)
        assert_true(fabs(got.samples[i] - (left + right) / 4) < 0.01);
    picture_free(&got);
    picture_free(&in);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(edges_keep_alpha),        cmocka_unit_test(alpha_outlives_the_source),
    cmocka_unit_test(alpha_of_many_channels),  cmocka_unit_test(tiny_gains_keep_alpha),
    cmocka_unit_test(gain_stays_with_colours), cmocka_unit_test(magnitudes_of_any_size),
    cmocka_unit_test(gains_beyond_float),      cmocka_unit_test(huge_kernels_on_small_pictures),
};

TEST_MAIN_ON_DEVICE(tests, device, 2)
