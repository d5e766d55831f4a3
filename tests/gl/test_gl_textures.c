/* Textures filtered in an adopted context, compared with the oracle: every format, method, border and engine;
 * banks, alpha and light; rows counted from the bottom; in OpenGL ES and in desktop OpenGL.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/stage.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 23, HEIGHT = 18, RESULTS_MAX = 3 };

static const abbe_type types[] = { ABBE_U8, ABBE_F16, ABBE_F32 };
static abbe_device *device;

/* Tolerance for results in 0 … 1 that are rounded to their type. */
static double tolerance_of(abbe_type type)
{
    return type == ABBE_U8 ? 0.5 / 255 + 1e-5 : type == ABBE_F16 ? 0x1p-11 : 1e-5;
}

static struct picture convolved(const struct picture *in, const abbe_plan_params *params,
                                const abbe_filter *filter, int component)
{
    abbe_matrix taps;
    double outside = params->border == ABBE_BORDER_CONSTANT ? (double)params->border_value : 0;
    assert_int_equal(abbe_filter_taps(filter, component, &taps), ABBE_OK);
    struct picture out = reference_convolve(in, params->border, outside, &taps, taps.width / 2,
                                            taps.height / 2);
    abbe_matrix_free(&taps);
    return out;
}

/* Runs the plan on a texture that holds the picture; `in` is replaced by the values that the texture
 * stores. */
static void run(abbe_plan_params params, struct picture *in, struct picture *results)
{
    GLuint to[RESULTS_MAX], from;
    params.width = in->width;
    params.height = in->height;
    params.channels = 4;
    params.nonfinite = params.nonfinite ? params.nonfinite : ABBE_NONFINITE_TRUST;
    abbe_plan *plan = apply_plan(device, &params);
    from = stage_texture(in->width, in->height, params.source_type, in);
    for (size_t i = 0; i < params.filter_count; i++)
        to[i] = stage_texture(in->width, in->height, params.result_type, NULL);
    assert_true(stage_is_clean());
    if (abbe_gl_filter(plan, from, to))
        fail_msg("%s", abbe_error_text(device));
    assert_true(stage_is_clean());
    picture_free(in);
    *in = stage_read(from, params.width, params.height, params.source_type);
    for (size_t i = 0; i < params.filter_count; i++)
        results[i] = stage_read(to[i], params.width, params.height, params.result_type);
    glDeleteTextures(1, &from);
    glDeleteTextures((GLsizei)params.filter_count, to);
    abbe_plan_destroy(&plan);
    assert_true(stage_is_clean());
}

/* Filters noise with one filter that has taps, and compares with the oracle. */
static void check(abbe_plan_params params, const char *text)
{
    abbe_filter *filter = apply_filter(text);
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 1, true), got;
    params.filters = (const abbe_filter *const *)&filter;
    params.filter_count = 1;
    run(params, &in, &got);
    struct picture expected = convolved(&in, &params, filter, 0);
    if (!apply_near(&got, &expected, tolerance_of(params.result_type)))
        fail_msg("%s, types %d > %d, %s, border %s", text, (int)params.source_type, (int)params.result_type,
                 abbe_method_name(params.method), abbe_border_name(params.border));
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&filter);
}

/* ---- Tests -------------------------------------------------------------------------------------------- */

/* From every format to every format, with the methods in turn. */
static void formats(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++)
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
            check((abbe_plan_params){ .source_type = types[i / 3],
                                      .result_type = types[i % 3],
                                      .method = (abbe_method)method,
                                      .tile_width = method == ABBE_METHOD_TILES ? 9 : 0,
                                      .tile_height = method == ABBE_METHOD_TILES ? 9 : 0 },
                  "gaussian:sigma=1.3");
}

static void borders(void **state)
{
    (void)state;
    static const abbe_method methods[] = { ABBE_METHOD_DIRECT, ABBE_METHOD_FFT, ABBE_METHOD_SEPARABLE };
    for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++)
        check((abbe_plan_params){ .source_type = ABBE_F32,
                                  .result_type = ABBE_F32,
                                  .border = (abbe_border)border,
                                  .border_value = 0.25f,
                                  .method = methods[border % 3] },
              "box:radius=3");
}

/* An asymmetric filter: a picture that is upside down would differ. */
static void lopsided(void **state)
{
    (void)state;
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_FFT; method++)
        check((abbe_plan_params){ .source_type = ABBE_F32,
                                  .result_type = ABBE_F32,
                                  .method = (abbe_method)method },
              "motion:length=7:angle=30");
}

/* A bank with a transfer function, the magnitude of a gradient, and a blur. */
static void banks(void **state)
{
    (void)state;
    static const char *const texts[] = { "lowpass:cutoff=0.4", "sobel", "box:radius=2" };
    abbe_filter *filters[RESULTS_MAX];
    for (int i = 0; i < RESULTS_MAX; i++)
        filters[i] = apply_filter(texts[i]);
    struct picture in = apply_noise(20, 16, 4, 3, true), got[RESULTS_MAX];
    abbe_plan_params params = { .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .border = ABBE_BORDER_WRAP,
                                .filters = (const abbe_filter *const *)filters,
                                .filter_count = RESULTS_MAX };
    run(params, &in, got);
    struct picture low = reference_transfer(&in, ABBE_BORDER_WRAP, 0, 20, 16, 0, 0, filters[0], 0);
    struct picture a = convolved(&in, &params, filters[1], 0), b = convolved(&in, &params, filters[1], 1);
    struct picture blurred = convolved(&in, &params, filters[2], 0);
    for (size_t i = 0; i < picture_count(&a); i++)
        a.samples[i] = hypot(a.samples[i], b.samples[i]);
    assert_true(apply_near(&got[0], &low, 1e-5));
    assert_true(apply_near(&got[1], &a, 1e-4));
    assert_true(apply_near(&got[2], &blurred, 1e-5));
    struct picture *all[] = { &in, &low, &a, &b, &blurred, &got[0], &got[1], &got[2] };
    for (int i = 0; i < 8; i++)
        picture_free(all[i]);
    for (int i = 0; i < RESULTS_MAX; i++)
        abbe_filter_destroy(&filters[i]);
}

static double decoded(double coded)
{
    return coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4);
}

static double encoded(double linear)
{
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* Colours are filtered in linear light and premultiplied. */
static void alpha_and_light(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("box:radius=1");
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 4, true), got;
    abbe_plan_params params = { .source_type = ABBE_U8,
                                .result_type = ABBE_F32,
                                .alpha = ABBE_ALPHA_PREMULTIPLY,
                                .linear_light = true,
                                .filters = (const abbe_filter *const *)&blur,
                                .filter_count = 1 };
    run(params, &in, &got);
    for (size_t i = 0; i < picture_count(&in); i++)
        if (i % 4 != 3)
            in.samples[i] = decoded(in.samples[i]) * in.samples[i | 3];
    struct picture expected = convolved(&in, &params, blur, 0);
    for (size_t i = 0; i < picture_count(&expected); i++)
        if (i % 4 != 3)
            expected.samples[i] = encoded(expected.samples[i] / expected.samples[i | 3]);
    assert_true(apply_near(&got, &expected, 2e-5));
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&blur);
}

/* A filter without gain for constants keeps the alpha of the source. */
static void alpha_of_the_source(void **state)
{
    (void)state;
    abbe_filter *edges = apply_filter("laplacian");
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 5, true), got;
    run((abbe_plan_params){ .source_type = ABBE_F32,
                            .result_type = ABBE_F32,
                            .alpha = ABBE_ALPHA_PREMULTIPLY,
                            .filters = (const abbe_filter *const *)&edges,
                            .filter_count = 1 },
        &in, &got);
    for (size_t i = 3; i < picture_count(&in); i += 4)
        assert_true(got.samples[i] == in.samples[i]);
    picture_free(&in);
    picture_free(&got);
    abbe_filter_destroy(&edges);
}

/* NaN counts as 0 with ABBE_NONFINITE_ZERO. */
static void nonfinite(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("box:radius=1");
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 6, true), got;
    *picture_at(&in, 5, 6, 2) = NAN;
    abbe_plan_params params = { .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .nonfinite = ABBE_NONFINITE_ZERO,
                                .filters = (const abbe_filter *const *)&blur,
                                .filter_count = 1 };
    run(params, &in, &got);
    assert_true(isnan(*picture_at(&in, 5, 6, 2)));
    *picture_at(&in, 5, 6, 2) = 0;
    struct picture expected = convolved(&in, &params, blur, 0);
    assert_true(apply_near(&got, &expected, 1e-5));
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&blur);
}

static const struct CMUnitTest all[] = {
    cmocka_unit_test(formats),   cmocka_unit_test(borders),         cmocka_unit_test(lopsided),
    cmocka_unit_test(banks),     cmocka_unit_test(alpha_and_light), cmocka_unit_test(alpha_of_the_source),
    cmocka_unit_test(nonfinite),
};

/* ---- Rows from the bottom ----------------------------------------------------------------------------- */

static struct picture turned_over(const struct picture *in)
{
    struct picture out = picture_create(in->width, in->height, in->channels);
    for (int y = 0; y < in->height; y++)
        for (int i = 0; i < in->width * in->channels; i++)
            *picture_at(&out, 0, y, i) = *picture_at(in, 0, in->height - 1 - y, i);
    return out;
}

/* Without top_down, textures hold the picture upside down, as OpenGL draws it. */
static void bottom_up(void **state)
{
    (void)state;
    abbe_filter *streak = apply_filter("motion:length=9:angle=30");
    abbe_plan_params params = { .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const *)&streak,
                                .filter_count = 1 };
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_FFT; method++) {
        struct picture in = apply_noise(WIDTH, HEIGHT, 4, 7, true), got;
        params.method = (abbe_method)method;
        run(params, &in, &got);
        struct picture upright = turned_over(&in), result = turned_over(&got);
        struct picture expected = convolved(&upright, &params, streak, 0);
        assert_true(apply_near(&result, &expected, 1e-5));
        struct picture *gone[] = { &in, &got, &upright, &result, &expected };
        for (int i = 0; i < 5; i++)
            picture_free(gone[i]);
    }
    abbe_filter_destroy(&streak);
}

/* ---- Contexts and engines ----------------------------------------------------------------------------- */

static int run_all(const char *words, bool top_down, bool alone)
{
    abbe_gl_params params = stage_params();
    const struct CMUnitTest turned[] = { cmocka_unit_test(bottom_up) };
    params.words = words;
    params.top_down = top_down;
    params.alone = alone;
    device = stage_adopt(&params);
    printf("%s\n", abbe_device_detail(device));
    int failures = top_down ? cmocka_run_group_tests(all, NULL, NULL)
                            : cmocka_run_group_tests(turned, NULL, NULL);
    abbe_device_close(&device);
    return failures + !stage_is_clean();
}

int main(void)
{
    int failures = 0;
    for (int kind = STAGE_ES; kind <= STAGE_COMPATIBLE; kind++) {
        struct stage stage;
        if (!stage_open((enum stage_kind)kind, &stage)) {
            printf("no software driver of OpenGL, kind %d\n", kind);
            return TEST_SKIPPED;
        }
        failures += run_all(NULL, true, false) + run_all(NULL, false, false);
        if (kind == STAGE_ES)
            failures += run_all("fialka", true, false) + run_all("moreland", true, true) +
                        run_all(NULL, true, true);
        stage_close(&stage);
    }
    return failures;
}
