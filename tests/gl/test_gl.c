/* The engines of the GL device: counts and spectra that the papers print, and which engine takes which work.
 *
 * Needs a software driver; skipped (77) without one. */
#include "gl/run.h"
#include "plan/plan.h"
#include "support/apply.h"
#include "support/paper.h"
#include "support/test.h"
#include "support/trial.h"

#include <EGL/egl.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gl *open_engine(const char *name)
{
    abbe_device *device = NULL;
    if (abbe_device_open(name, &(abbe_device_params){ .threads = 1 }, &device))
        fail_msg("%s", abbe_error_text(NULL));
    return (struct gl *)device;
}

static void close_engine(struct gl *gl)
{
    abbe_device *device = &gl->head;
    assert_int_equal(gl->debug_messages, 0);
    abbe_device_close(&device);
}

/* Creates a plan with one transform of M × N samples, the size of the picture. */
/* A plan without a pedestal (device/pedestal.h): the tests below read spectra of the picture as it is. */
static abbe_plan *plan_for(struct gl *gl, int m, int n, int channels, const abbe_filter *filter)
{
    return apply_plan(&gl->head, &(abbe_plan_params){ .width = m,
                                                      .height = n,
                                                      .channels = channels,
                                                      .source_type = ABBE_F32,
                                                      .result_type = ABBE_F32,
                                                      .filters = (const abbe_filter *const *)&filter,
                                                      .filter_count = 1,
                                                      .border = ABBE_BORDER_WRAP,
                                                      .method = ABBE_METHOD_FFT,
                                                      .nonfinite = ABBE_NONFINITE_ZERO });
}

static void run_once(abbe_plan *plan, struct picture *in, float *result)
{
    size_t count = picture_count(in);
    float *pixels = malloc(count * sizeof *pixels);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (float)in->samples[i];
    ptrdiff_t stride = (ptrdiff_t)in->width * in->channels * (ptrdiff_t)sizeof(float);
    abbe_image source = { .data = pixels,
                          .width = in->width,
                          .height = in->height,
                          .channels = in->channels,
                          .stride = stride,
                          .type = ABBE_F32 },
               to = source;
    to.data = result;
    assert_int_equal(abbe_run(plan, &source, &to), ABBE_OK);
    free(pixels);
}

/* Counts the fragments that each shader draws for an M × N picture of four channels. */
static void count_fragments(const char *name, int m, int n, double counts[ABGL_SHADERS])
{
    struct gl *gl = open_engine(name);
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = plan_for(gl, m, n, 4, blur);
    struct picture in = apply_noise(m, n, 4, 1, true);
    float *result = malloc(picture_count(&in) * sizeof *result);
    memset(gl->fragments, 0, sizeof gl->fragments);
    run_once(plan, &in, result);
    memcpy(counts, gl->fragments, sizeof gl->fragments);
    free(result);
    picture_free(&in);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
    close_engine(gl);
}

static const int sizes[][2] = { { 2, 2 }, { 4, 2 }, { 2, 8 }, { 8, 8 }, { 16, 4 }, { 32, 64 }, { 128, 16 } };
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Moreland & Angel 2003, table 1, the column of invocations. */
static void invocations_of_2003(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        double counts[ABGL_SHADERS], m = sizes[i][0], n = sizes[i][1];
        count_fragments("gl:moreland", sizes[i][0], sizes[i][1], counts);
        assert_true(counts[ABGL_SHADER_MORELAND_FFT] == 2 * m * n * (log2(n) + log2(m)));
        assert_true(counts[ABGL_SHADER_MORELAND_UNTANGLE] == m * n - 4);
        assert_true(counts[ABGL_SHADER_MORELAND_SCALE] == m * n + 2 * n);
        assert_true(counts[ABGL_SHADER_MORELAND_TANGLE] == m * n - 4);
        assert_true(counts[ABGL_SHADER_MORELAND_PASS] == m * n + 2 * n);
        assert_true(counts[ABGL_SHADER_MORELAND_MULTIPLY] == m * n);
        assert_true(counts[ABGL_SHADER_STEP] == 0 && counts[ABGL_SHADER_FIALKA] == 0);
    }
}

/* Fialka & Čadík 2006: log₂ N steps, four times. */
static void steps_of_2006(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        double counts[ABGL_SHADERS], m = sizes[i][0], n = sizes[i][1];
        count_fragments("gl:fialka", sizes[i][0], sizes[i][1], counts);
        assert_true(counts[ABGL_SHADER_FIALKA] == 2 * m * n * (log2(n) + log2(m)));
        assert_true(counts[ABGL_SHADER_MULTIPLY] == m * n);
        assert_true(counts[ABGL_SHADER_STEP] == 0 && counts[ABGL_SHADER_MORELAND_FFT] == 0);
    }
}

/* 128 = 16 · 8 and 16 = 16: a step draws one fragment for eight numbers. */
static void steps_of_high_radix(void **state)
{
    (void)state;
    double counts[ABGL_SHADERS];
    count_fragments("gl:fast", 128, 16, counts);
    assert_true(counts[ABGL_SHADER_STEP] == 2.0 * 128 * 16 * 3 / 8);
    assert_true(counts[ABGL_SHADER_MULTIPLY] == 0 && counts[ABGL_SHADER_LOAD] == 0);
    count_fragments("gl:moreland", 96, 16, counts);
    assert_true(counts[ABGL_SHADER_MORELAND_FFT] > 0); /* 96 is padded to a power of two */
}

/* ---- The packed spectrum of 2003 ---------------------------------------------------------------------- */

/* Σ f(x, y) W_M^(ux) W_N^(vy) / (MN), by definition. */
static struct paper_value transform_at(const struct picture *in, int channel, int u, int v)
{
    struct paper_value sum = { 0, 0 };
    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < in->width; x++) {
            double turns = fmod((double)u * x / in->width + (double)v * y / in->height, 1);
            double value = *picture_at(in, x, y, channel);
            sum.re += value * cos(2 * M_PI * turns);
            sum.im -= value * sin(2 * M_PI * turns);
        }
    double count = (double)in->width * in->height;
    return (struct paper_value){ sum.re / count, sum.im / count };
}

/* The texels of a grid, four floats each. */
static void read_grid(struct gl *gl, const struct gl_texture *grid, float *texels)
{
    gl_target_bind(gl, grid, 0, 1);
    gl->f.PixelStorei(GL_PACK_ROW_LENGTH, 0);
    gl->f.ReadPixels(0, 0, grid->shape.width, grid->shape.height, GL_RGBA, GL_FLOAT, texels);
}

/* The result of the engine's forward transform, channel by channel. */
static void packed_of(struct gl *gl, abbe_plan *plan, float *texels)
{
    int m = plan->work.width, n = plan->work.height;
    struct gl_region region = { .gl = gl, .engine = plan->head.engine };
    region.x = (struct region_span){ .results = m, .window = m, .tiles = 1 };
    region.y = (struct region_span){ .results = n, .window = n, .tiles = 1 };
    assert_int_equal(gl_enter(gl), ABBE_OK);
    int at = gl_moreland_forward(&region, 0); /* of the source that the last run uploaded */
    read_grid(gl, &plan->head.engine->grids[at], texels);
    assert_int_equal(gl_check(gl, "the test"), ABBE_OK);
    gl_leave(gl);
}

static void check_packed(struct gl *gl, int m, int n)
{
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = plan_for(gl, m, n, 4, blur);
    struct picture in = apply_noise(m, n, 4, (uint64_t)(m + n), false);
    float *texels = malloc(picture_count(&in) * sizeof *texels);
    double *packed = malloc((size_t)m * (size_t)n * sizeof *packed);
    run_once(plan, &in, texels);
    packed_of(gl, plan, texels);
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < m * n; i++)
            packed[i] = (double)texels[4 * i + c];
        for (int i = 0; i < m * n; i++) {
            struct paper_value got = paper_plane(packed, m, n, i % m, i / m);
            struct paper_value expected = transform_at(&in, c, i % m, i / m);
            if (!(fabs(got.re - expected.re) < 2e-7 && fabs(got.im - expected.im) < 2e-7))
                fail_msg("%d x %d, channel %d, F(%d, %d): %.9g %+.9gj, expected %.9g %+.9gj", m, n, c, i % m,
                         i / m, got.re, got.im, expected.re, expected.im);
        }
    }
    free(texels);
    free(packed);
    picture_free(&in);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
}

static void packed_spectrum_of_2003(void **state)
{
    (void)state;
    struct gl *gl = open_engine("gl:moreland");
    for (int i = 0; i < SIZES - 2; i++)
        check_packed(gl, sizes[i][0], sizes[i][1]);
    check_packed(gl, 32, 16);
    close_engine(gl);
}

/* The packed spectrum equals that of abbe_spectrum_forward, number by number. */
static void packed_spectrum_is_the_library_s(void **state)
{
    (void)state;
    enum { M = 32, N = 16 };
    struct gl *gl = open_engine("gl:moreland");
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = plan_for(gl, M, N, 4, blur);
    struct picture in = apply_noise(M, N, 4, 7, false);
    float pixels[M * N * 4], packed[M * N * 4], texels[M * N * 4];
    for (int i = 0; i < M * N * 4; i++)
        pixels[i] = (float)in.samples[i];
    abbe_image source = { .data = pixels,
                          .width = M,
                          .height = N,
                          .channels = 4,
                          .stride = sizeof pixels / N,
                          .type = ABBE_F32 },
               spectrum = source;
    spectrum.data = packed;
    assert_int_equal(abbe_spectrum_forward(NULL, &source, &spectrum), ABBE_OK);
    run_once(plan, &in, texels);
    packed_of(gl, plan, texels);
    for (int i = 0; i < M * N * 4; i++)
        if (!(fabsf(packed[i] - texels[i]) < 2e-7f))
            fail_msg("texel %d, channel %d: %.9g, the library has %.9g", i / 4, i % 4, (double)texels[i],
                     (double)packed[i]);
    picture_free(&in);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
    close_engine(gl);
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

static void check_kernel(abbe_device *device, abbe_method method, int side, enum taps_kind kind, bool u8)
{
    struct random random = { (uint64_t)side };
    struct trial_kernel kernel = trial_kernel_create(side, side, kind, false, &random);
    struct trial trial = { .seed = (uint64_t)side,
                           .width = 41,
                           .height = 23,
                           .channels = 4,
                           .source_type = u8 ? ABBE_U8 : ABBE_F32,
                           .result_type = ABBE_F32,
                           .method = method };
    struct trial_case one = trial_case_create(&trial, &kernel);
    assert_true(trial_run(device, &trial, &kernel, &one));
    trial_case_free(&one);
    trial_kernel_free(&kernel);
}

/* Payne et al. 2005 have kernels from 3 × 3 to 29 × 29; 61 × 61 takes several passes. Samples of U8 stay
 * bytes until taps are applied. */
static void kernels_of_2005(void **state)
{
    (void)state;
    static const int sides[] = { 3, 7, 15, 29, 30, 61 };
    struct gl *gl = open_engine("gl");
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int u8 = 0; u8 < 2; u8++) {
            check_kernel(&gl->head, ABBE_METHOD_DIRECT, sides[i], TAPS_ANY, u8);
            check_kernel(&gl->head, ABBE_METHOD_SEPARABLE, sides[i], TAPS_SEPARABLE, u8);
        }
    close_engine(gl);
}

/* A Gaussian whose factors have more taps than a pass takes, compared with its definition. */
static void long_factors(void **state)
{
    (void)state;
    enum { WIDTH = 7, HEIGHT = 5 };
    struct gl *gl = open_engine("gl");
    abbe_filter *blur = apply_filter("gaussian:sigma=180");
    abbe_matrix taps;
    const abbe_filter_info *info = abbe_filter_describe(blur);
    assert_int_equal(abbe_filter_taps(blur, 0, &taps), ABBE_OK);
    assert_true(taps.width > ABGL_PASS_TAPS);
    struct picture in = apply_noise(WIDTH, HEIGHT, 1, 3, true);
    struct picture expected = reference_convolve(&in, ABBE_BORDER_WRAP, 0, &taps, info->centre_x,
                                                 info->centre_y);
    struct picture got = apply(
        &gl->head, (abbe_plan_params){ .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_SEPARABLE }, blur,
        &in);
    assert_true(apply_near(&got, &expected, 1e-5));
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&blur);
    close_engine(gl);
}

/* Textures of 16 bits take less memory than textures of 32 bits: `f16` is honoured. */
static void halves_are_halves(void **state)
{
    (void)state;
    static const char *const names[] = { "gl:llvmpipe", "gl:llvmpipe:f16" };
    abbe_filter *blur = apply_filter("box:radius=2");
    double bytes[2];
    for (int i = 0; i < 2; i++) {
        struct gl *gl = open_engine(names[i]);
        abbe_plan *plan = plan_for(gl, 256, 256, 4, blur);
        bytes[i] = (double)abbe_plan_choice(plan)->bytes;
        abbe_plan_destroy(&plan);
        close_engine(gl);
    }
    assert_true(bytes[1] < bytes[0]);
    abbe_filter_destroy(&blur);
}

/* ---- The application's context ------------------------------------------------------------------------ */

static void context_comes_back(void **state)
{
    (void)state;
    void *library = dlopen("libEGL.so.1", RTLD_NOW), *symbol = dlsym(library, "eglGetCurrentContext");
    PFNEGLGETCURRENTCONTEXTPROC current;
    memcpy(&current, &symbol, sizeof symbol);
    assert_non_null(current);
    struct gl *outer = open_engine("gl"), *inner = open_engine("gl");
    assert_ptr_equal(current(), EGL_NO_CONTEXT);
    assert_int_equal(gl_enter(outer), ABBE_OK);
    EGLContext before = current();
    assert_ptr_not_equal(before, EGL_NO_CONTEXT);
    check_kernel(&inner->head, ABBE_METHOD_FFT, 3, TAPS_ANY, false);
    assert_ptr_equal(current(), before);
    gl_leave(outer);
    assert_ptr_equal(current(), EGL_NO_CONTEXT);
    close_engine(inner);
    close_engine(outer);
}

int main(void)
{
    test_require_device("gl:llvmpipe");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invocations_of_2003),
        cmocka_unit_test(steps_of_2006),
        cmocka_unit_test(steps_of_high_radix),
        cmocka_unit_test(packed_spectrum_of_2003),
        cmocka_unit_test(packed_spectrum_is_the_library_s),
        cmocka_unit_test(kernels_of_2005),
        cmocka_unit_test(long_factors),
        cmocka_unit_test(halves_are_halves),
        cmocka_unit_test(context_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
