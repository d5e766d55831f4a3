/* Double precision: results of every method, border, type and layout keep the bounds of docs/maths.md,
 * compared with sums in long double. Devices without it refuse the plan.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;
static const char *device_name;

static const abbe_type types[] = { ABBE_F64, ABBE_F32, ABBE_I32, ABBE_U8,
                                   ABBE_U32, ABBE_U16, ABBE_I16, ABBE_F16 };
enum { TYPES = sizeof types / sizeof *types };

/* The bounds: 10⁻¹⁵·√log₂(MN) in the Fourier plane, 10⁻¹⁵·√taps in space. */
static double bound_of(const abbe_plan *plan, double taps)
{
    const abbe_candidate *chosen = abbe_plan_choice(plan);
    double samples = (double)chosen->fft_width * chosen->fft_height;
    return samples > 0 ? 1e-15 * sqrt(fmax(1, log2(samples))) : 1e-15 * sqrt(taps);
}

/* Half a step of a type at a value. */
static double half_step(abbe_type type, double value)
{
    if (type_levels(type) > 0)
        return 0.5 / type_levels(type);
    double size = fabs(value);
    return type == ABBE_F16 ? 0x1p-11 * size + 0x1p-25 : type == ABBE_F32 ? 0x1p-24 * size + 0x1p-150 : 0;
}

static double lowest_of(abbe_type type)
{
    return type == ABBE_I16        ? -32768 / 32767.0
           : type == ABBE_I32      ? -2147483648.0 / 2147483647.0
           : type_levels(type) > 0 ? 0
                                   : -INFINITY;
}

/* Whether each sample is within `allowed` of the exact one, and then rounded to the type; integers
 * saturate. */
static bool compare_samples(const struct picture *got, const struct picture *exact, abbe_type type,
                            double allowed)
{
    double highest = type_levels(type) > 0 ? 1 : INFINITY;
    for (size_t i = 0; i < picture_count(got); i++) {
        double value = fmin(fmax(exact->samples[i], lowest_of(type)), highest);
        if (fabs(got->samples[i] - value) <= allowed + half_step(type, value) * (1 + 1e-6))
            continue;
        printf("sample %zu of type %d is %.17g, exact is %.17g, allowed %g\n", i, (int)type, got->samples[i],
               value, allowed);
        return false;
    }
    return true;
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

/* out(x) = Σ tap(i) · in(x − (i − centre)), or in(x + i − centre) for a correlation, in long double. */
static struct picture sum_taps(const struct picture *in, const abbe_plan_params *params,
                               const struct trial_kernel *kernel)
{
    int sign = params->correlate ? 1 : -1;
    double outside = params->border == ABBE_BORDER_CONSTANT ? params->border_value : 0;
    struct picture out = picture_create(in->width, in->height, in->channels);
    for (size_t at = 0; at < picture_count(&out); at++) {
        int c = (int)(at % (size_t)in->channels), x = (int)(at / (size_t)in->channels) % in->width,
            y = (int)(at / (size_t)in->channels) / in->width;
        long double sum = 0;
        for (int j = 0; j < kernel->taps.height; j++)
            for (int i = 0; i < kernel->taps.width; i++)
                sum += (long double)kernel->taps.values[j * kernel->taps.width + i] *
                       reference_sample(in, params->border, outside, x + sign * (i - kernel->centre_x),
                                        y + sign * (j - kernel->centre_y), c);
        out.samples[at] = (double)sum;
    }
    return out;
}

static struct trial_kernel make_kernel(int number, struct random *random)
{
    static const int sides[][2] = { { 3, 3 }, { 1, 7 }, { 6, 2 }, { 9, 9 }, { 5, 1 }, { 4, 13 } };
    const int *side = sides[number % 6];
    return trial_kernel_create(side[0], side[1], (enum taps_kind)(number % 3), number % 2, random);
}

/* The worst error found so far, in units of its bound. */
static double worst_windows, worst_space;

static void note_error(const abbe_plan *plan, double ratio)
{
    double *worst = abbe_plan_choice(plan)->fft_width ? &worst_windows : &worst_space;
    *worst = fmax(*worst, ratio);
}

static void fill_source(struct stored *source, struct random *random)
{
    struct picture noise = picture_create(source->view.width, source->view.height, source->view.channels);
    for (size_t i = 0; i < picture_count(&noise); i++)
        noise.samples[i] = random_signed(random);
    if (source->view.type == ABBE_F64)
        stored_write(source, &noise);
    else
        stored_randomize(source, random, false);
    picture_free(&noise);
}

static bool check_kernel(int number, const abbe_plan_params *params, enum layout from, enum layout to,
                         const struct trial_kernel *kernel, struct random *random)
{
    int width = params->width, height = params->height, channels = params->channels;
    struct stored source = stored_create_laid(width, height, channels, params->source_type, from),
                  result = stored_create_laid(width, height, channels, params->result_type, to);
    fill_source(&source, random);
    struct picture in = stored_read(&source), exact = sum_taps(&in, params, kernel);
    abbe_plan *plan = apply_plan(device, params);
    assert_int_equal(abbe_run(plan, &source.view, &result.view), ABBE_OK);
    struct picture got = stored_read(&result);
    double around = (double)(width + kernel->taps.width) * (height + kernel->taps.height) * channels;
    double outside = params->border == ABBE_BORDER_CONSTANT ? fabs(params->border_value) * sqrt(around) : 0;
    double scale = (picture_norm(&in) + outside) * kernel->peak;
    double allowed = scale * bound_of(plan, (double)kernel->taps.width * kernel->taps.height);
    bool good = compare_samples(&got, &exact, params->result_type, allowed) && stored_check(&result);
    if (good && params->result_type == ABBE_F64) {
        good = picture_distance(&got, &exact) <= allowed;
        note_error(plan, picture_distance(&got, &exact) / allowed);
    }
    if (!good)
        printf(
            "case %d: %d x %d x %d, types %d > %d, border %s, method %s, kernel %d x %d, layouts %d > %d\n",
            number, width, height, channels, (int)params->source_type, (int)params->result_type,
            abbe_border_name(params->border), abbe_method_name(params->method), kernel->taps.width,
            kernel->taps.height, (int)from, (int)to);
    abbe_plan_destroy(&plan);
    picture_free(&in), picture_free(&exact), picture_free(&got);
    stored_free(&source), stored_free(&result);
    return good;
}

/* Every number is a case; consecutive numbers meet all methods, borders, types, layouts and channels. */
static void kernels_keep_their_digits(void **state)
{
    (void)state;
    static const int shapes[][2] = { { 1, 1 },   { 23, 1 },  { 1, 19 },  { 16, 16 },
                                     { 37, 41 }, { 22, 67 }, { 101, 12 } };
    int failures = 0, cases = effort_is_slight() ? 120 : effort_is_brief() ? 400 : 1200;
    for (int number = 0; number < cases; number++) {
        struct random random = { (uint64_t)number };
        struct trial_kernel kernel = make_kernel(number / 4, &random);
        bool separable = number / 4 % 3 == TAPS_SEPARABLE || kernel.taps.width == 1 ||
                         kernel.taps.height == 1;
        abbe_method method = (abbe_method)(ABBE_METHOD_DIRECT + number % 4);
        const abbe_plan_params params = {
            .width = shapes[number % 7][0],
            .height = shapes[number % 7][1],
            .channels = 1 + number / 3 % 5,
            .source_type = types[number / 2 % TYPES],
            .result_type = number % 3 ? ABBE_F64 : types[number / 3 % TYPES],
            .filters = (const abbe_filter *const[]){ kernel.filter },
            .filter_count = 1,
            .border = (abbe_border)(number % 6),
            .border_value = 0.1,
            .method = method == ABBE_METHOD_SEPARABLE && !separable ? ABBE_METHOD_AUTO : method,
            .tile_width = method == ABBE_METHOD_TILES ? 7 : 0,
            .correlate = number % 5 == 1,
            .precision = ABBE_PRECISION_DOUBLE,
        };
        failures += !check_kernel(number, &params, (enum layout)(number / 5 % LAYOUTS),
                                  (enum layout)(number / 7 % LAYOUTS), &kernel, &random);
        trial_kernel_free(&kernel);
    }
    printf("largest error: %.2g of the bound in the Fourier plane, %.2g in space\n", worst_windows,
           worst_space);
    assert_int_equal(failures, 0);
}

static void transfer_functions(void **state)
{
    (void)state;
    static const char *const texts[] = { "lowpass:cutoff=0.1", "bandpass", "highpass:shape=gaussian" };
    static const int shapes[][2] = { { 24, 18 }, { 29, 23 } }; /* products of small primes, and primes */
    static const abbe_border borders[] = { ABBE_BORDER_WRAP, ABBE_BORDER_REFLECT, ABBE_BORDER_MIRROR };
    for (int number = 0; number < 3 * 2 * 3; number++) {
        abbe_filter *filter = apply_filter(texts[number % 3]);
        const int *shape = shapes[number / 3 % 2];
        abbe_border border = borders[number / 6];
        int grid[2];
        for (int i = 0; i < 2; i++)
            grid[i] = border == ABBE_BORDER_WRAP ? shape[i]
                                                 : 2 * shape[i] - (border == ABBE_BORDER_MIRROR ? 2 : 0);
        struct picture in = apply_noise(shape[0], shape[1], 1 + number % 3, (uint64_t)number, false);
        struct picture exact = reference_transfer(&in, border, 0, grid[0], grid[1], 0, 0, filter, 0);
        struct picture got = apply(device,
                                   (abbe_plan_params){ .source_type = ABBE_F64,
                                                       .result_type = ABBE_F64,
                                                       .border = border,
                                                       .precision = ABBE_PRECISION_DOUBLE },
                                   filter, &in);
        double error = picture_distance(&got, &exact) / (picture_norm(&in) * apply_peak(filter));
        if (!(error <= 1e-15 * sqrt(log2((double)grid[0] * grid[1]))))
            fail_msg("%s on %d x %d, border %s: error %g", texts[number % 3], shape[0], shape[1],
                     abbe_border_name(border), error);
        picture_free(&in), picture_free(&exact), picture_free(&got);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Banks and magnitudes ----------------------------------------------------------------------------- */

static void banks_and_magnitudes(void **state)
{
    (void)state;
    static double across[] = { 1, 0, -1, 2, 0, -2, 1, 0, -1 }, down[] = { 1, 2, 1, 0, 0, 0, -1, -2, -1 };
    abbe_matrix taps[] = { { 3, 3, across }, { 3, 3, down } };
    abbe_filter *x = apply_kernel(&taps[0], NULL), *sobel = apply_filter("sobel"),
                *y = apply_kernel(&taps[1], NULL);
    const abbe_filter *const bank[] = { x, sobel, y };
    struct picture in = apply_noise(31, 26, 3, 9, false), out[3];
    struct picture gx = reference_convolve(&in, ABBE_BORDER_CLAMP, 0, &taps[0], 1, 1),
                   gy = reference_convolve(&in, ABBE_BORDER_CLAMP, 0, &taps[1], 1, 1);
    struct picture both = picture_create(31, 26, 3);
    double most = 0;
    for (size_t i = 0; i < picture_count(&both); i++)
        most = fmax(most, both.samples[i] = hypot(gx.samples[i], gy.samples[i]));
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        apply_bank(device,
                   (abbe_plan_params){ .filters = bank,
                                       .filter_count = 3,
                                       .source_type = ABBE_F64,
                                       .result_type = ABBE_F64,
                                       .border = ABBE_BORDER_CLAMP,
                                       .method = (abbe_method)method,
                                       .precision = ABBE_PRECISION_DOUBLE },
                   &in, out);
        assert_true(apply_near(&out[0], &gx, 1e-14 * most));
        assert_true(apply_near(&out[1], &both, 1e-14 * most));
        assert_true(apply_near(&out[2], &gy, 1e-14 * most));
        for (int i = 0; i < 3; i++)
            picture_free(&out[i]);
    }
    picture_free(&in), picture_free(&gx), picture_free(&gy), picture_free(&both);
    abbe_filter_destroy(&x), abbe_filter_destroy(&sobel), abbe_filter_destroy(&y);
}

/* Squares of these samples exceed the range of double, or vanish. */
static void magnitudes_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    abbe_filter *sobel = apply_filter("sobel");
    for (int i = 0; i < 2; i++) {
        double unit = i ? 1e-250 : 1e250;
        struct picture in = apply_noise(9, 9, 1, 4, false), scaled = picture_create(9, 9, 1);
        for (size_t k = 0; k < picture_count(&in); k++)
            scaled.samples[k] = unit * in.samples[k];
        const abbe_plan_params params = { .source_type = ABBE_F64,
                                          .result_type = ABBE_F64,
                                          .method = ABBE_METHOD_DIRECT,
                                          .precision = ABBE_PRECISION_DOUBLE };
        struct picture small = apply(device, params, sobel, &in), got = apply(device, params, sobel, &scaled);
        for (size_t k = 0; k < picture_count(&in); k++)
            got.samples[k] /= unit;
        assert_true(apply_near(&got, &small, 1e-14));
        picture_free(&in), picture_free(&scaled), picture_free(&small), picture_free(&got);
    }
    abbe_filter_destroy(&sobel);
}

/* ---- Large numbers ------------------------------------------------------------------------------------ */

/* Integers around 10⁹ that stand for themselves, with detail of a few levels: every result is the nearest
 * integer. F32 has steps of 64 there. */
static void levels_of_large_integers(void **state)
{
    (void)state;
    enum { WIDTH = 33, HEIGHT = 20, COUNT = WIDTH * HEIGHT };
    static int32_t source[COUNT], result[COUNT];
    double values[] = { 0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625 };
    abbe_matrix taps = { 3, 3, values };
    abbe_filter *blur = apply_kernel(&taps, NULL);
    struct picture in = picture_create(WIDTH, HEIGHT, 1);
    struct random random = { 12 };
    for (int i = 0; i < COUNT; i++)
        in.samples[i] = source[i] = 1000000000 + random_int(&random, 0, 99);
    struct picture exact = reference_convolve(&in, ABBE_BORDER_CONSTANT, 1000000001, &taps, 1, 1);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        const abbe_plan_params params = { .width = WIDTH,
                                          .height = HEIGHT,
                                          .channels = 1,
                                          .source_type = ABBE_I32,
                                          .filters = (const abbe_filter *[]){ blur },
                                          .filter_count = 1,
                                          .border = ABBE_BORDER_CONSTANT,
                                          .border_value = 1000000001,
                                          .offset = 7,
                                          .method = (abbe_method)method,
                                          .precision = ABBE_PRECISION_DOUBLE,
                                          .scale = ABBE_SCALE_VALUE };
        abbe_plan *plan = apply_plan(device, &params);
        const abbe_image from = {
            .const_data = source, .width = WIDTH, .height = HEIGHT, .channels = 1, .type = ABBE_I32
        };
        abbe_image to = from;
        to.data = result;
        assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
        for (int i = 0; i < COUNT; i++)
            if (fabs(result[i] - (exact.samples[i] + 7)) > 0.50001)
                fail_msg("method %s: sample %d is %d, exact is %.3f", abbe_method_name((abbe_method)method),
                         i, result[i], exact.samples[i] + 7);
        abbe_plan_destroy(&plan);
    }
    picture_free(&in), picture_free(&exact);
    abbe_filter_destroy(&blur);
}

/* An offset of nearly half a level does not round up, and half a level on a flat picture is one level everywhere. */
static void offsets_of_bytes_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        double offset;
        int expected;
    } cases[] = { { "identity", 0.495 / 255, 100 },
                  { "identity", 0.505 / 255, 101 },
                  { "laplacian", 0.5, 128 } };
    for (int i = 0; i < 3; i++) {
        uint8_t source[64], result[64];
        memset(source, 100, sizeof source);
        abbe_filter *filter = apply_filter(cases[i].filter);
        const abbe_plan_params params = { .width = 8,
                                          .height = 8,
                                          .channels = 1,
                                          .source_type = ABBE_U8,
                                          .filters = (const abbe_filter *[]){ filter },
                                          .filter_count = 1,
                                          .offset = cases[i].offset,
                                          .precision = ABBE_PRECISION_DOUBLE };
        abbe_plan *plan = apply_plan(device, &params);
        const abbe_image from = {
            .const_data = source, .width = 8, .height = 8, .channels = 1, .type = ABBE_U8
        };
        abbe_image to = from;
        to.data = result;
        assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
        for (int k = 0; k < 64; k++)
            if (result[k] != cases[i].expected)
                fail_msg("%s, offset %g: sample %d is %d", cases[i].filter, cases[i].offset, k, result[k]);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Nonfinite samples -------------------------------------------------------------------------------- */

static int run_row(const double *source, double *result, abbe_nonfinite nonfinite, abbe_precision precision)
{
    abbe_filter *identity = apply_filter("identity");
    const abbe_plan_params params = { .width = 4,
                                      .height = 1,
                                      .channels = 1,
                                      .source_type = ABBE_F64,
                                      .filters = (const abbe_filter *[]){ identity },
                                      .filter_count = 1,
                                      .method = ABBE_METHOD_DIRECT,
                                      .nonfinite = nonfinite,
                                      .precision = precision };
    abbe_plan *plan = apply_plan(device, &params);
    abbe_image from = { .const_data = source, .width = 4, .height = 1, .channels = 1, .type = ABBE_F64 },
               to = from;
    to.data = result;
    int error = abbe_run(plan, &from, &to);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&identity);
    return error;
}

/* A sample beyond the range of F32 is finite in double precision only. */
static void nonfinite_samples(void **state)
{
    (void)state;
    const double large[] = { 1, 1e300, -1e300, 5e-324 }, wild[] = { 1, NAN, -INFINITY, 2 };
    double got[4] = { 7, 7, 7, 7 };
    assert_int_equal(run_row(large, got, ABBE_NONFINITE_ERROR, ABBE_PRECISION_FULL), ABBE_ERR_NONFINITE);
    assert_true(got[0] == 7 && got[3] == 7);
    assert_int_equal(run_row(large, got, ABBE_NONFINITE_ERROR, ABBE_PRECISION_DOUBLE), ABBE_OK);
    assert_memory_equal(got, large, sizeof large);
    assert_int_equal(run_row(large, got, ABBE_NONFINITE_ZERO, ABBE_PRECISION_DOUBLE), ABBE_OK);
    assert_memory_equal(got, large, sizeof large);
    got[0] = got[3] = 7;
    int error = run_row(wild, got, ABBE_NONFINITE_ERROR, ABBE_PRECISION_DOUBLE);
    test_refused("run", error, ABBE_ERR_NONFINITE, device, "x 1, y 0, channel 0");
    assert_true(got[0] == 7 && got[3] == 7);
    assert_int_equal(run_row(wild, got, ABBE_NONFINITE_ZERO, ABBE_PRECISION_DOUBLE), ABBE_OK);
    assert_true(got[0] == 1 && got[1] == 0 && got[2] == 0 && got[3] == 2);
    assert_int_equal(run_row(wild, got, ABBE_NONFINITE_TRUST, ABBE_PRECISION_DOUBLE), ABBE_OK);
    assert_true(got[0] == 1 && isnan(got[1]) && isinf(got[2]) && got[3] == 2);
}

/* ---- Threads ------------------------------------------------------------------------------------------ */

static void check_threads(abbe_method method)
{
    enum { WIDTH = 150, HEIGHT = 131, CHANNELS = 3, COUNT = WIDTH * HEIGHT * CHANNELS };
    static double source[COUNT], results[2][2][COUNT];
    struct random random = { 3 };
    for (int i = 0; i < COUNT; i++)
        source[i] = random_signed(&random);
    abbe_filter *filters[] = { apply_filter("gaussian:sigma=1.5"), apply_filter("sobel") };
    const abbe_image view = {
        .const_data = source, .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .type = ABBE_F64
    };
    static const int threads[] = { 1, 2, 3, 8 };
    for (int i = 0; i < 4; i++) {
        abbe_device *other = NULL;
        assert_int_equal(
            abbe_device_open(device_name, &(abbe_device_params){ .threads = threads[i] }, &other), ABBE_OK);
        abbe_plan *plan = apply_plan(other,
                                     &(abbe_plan_params){ .width = WIDTH,
                                                          .height = HEIGHT,
                                                          .channels = CHANNELS,
                                                          .source_type = ABBE_F64,
                                                          .filters = (const abbe_filter *const *)filters,
                                                          .filter_count = 2,
                                                          .method = method,
                                                          .precision = ABBE_PRECISION_DOUBLE });
        abbe_image views[2] = { view, view };
        views[0].data = results[i > 0][0], views[1].data = results[i > 0][1];
        assert_int_equal(abbe_run(plan, &view, views), ABBE_OK);
        if (i && memcmp(results[0], results[1], sizeof results[0]))
            fail_msg("method %s: %d threads change the result", abbe_method_name(method), threads[i]);
        abbe_plan_destroy(&plan);
        abbe_device_close(&other);
    }
    abbe_filter_destroy(&filters[0]), abbe_filter_destroy(&filters[1]);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++)
        check_threads((abbe_method)method);
}

/* ---- Plans -------------------------------------------------------------------------------------------- */

/* The planner knows that double takes longer and more memory. */
static void prices_and_memory(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("gaussian:sigma=3");
    abbe_plan_params params = { .width = 512,
                                .height = 512,
                                .channels = 1,
                                .source_type = ABBE_F32,
                                .filters = (const abbe_filter *[]){ blur },
                                .filter_count = 1 };
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        params.method = (abbe_method)method;
        params.precision = ABBE_PRECISION_FULL;
        abbe_plan *full = apply_plan(device, &params);
        params.precision = ABBE_PRECISION_DOUBLE;
        abbe_plan *wide = apply_plan(device, &params);
        assert_true(abbe_plan_choice(wide)->seconds > 1.3 * abbe_plan_choice(full)->seconds);
        assert_true(abbe_plan_choice(wide)->bytes > abbe_plan_choice(full)->bytes);
        abbe_plan_destroy(&full);
        abbe_plan_destroy(&wide);
    }
    abbe_filter_destroy(&blur);
}

/* A window that reads an outside pixel which the source's type cannot hold. */
static void windows_keep_their_digits(void **state)
{
    (void)state;
    static int32_t source[4] = { 1000000001, 1000000003, 1000000002, 1000000007 };
    double result[6], values[] = { 0.5, 0.25, 0.25 };
    abbe_filter *filter = apply_kernel(&(abbe_matrix){ 3, 1, values }, NULL);
    const abbe_plan_params params = { .width = 4,
                                      .height = 1,
                                      .channels = 1,
                                      .source_type = ABBE_I32,
                                      .result_type = ABBE_F64,
                                      .filters = (const abbe_filter *[]){ filter },
                                      .filter_count = 1,
                                      .border = ABBE_BORDER_CONSTANT,
                                      .border_value = 1000000000.125,
                                      .precision = ABBE_PRECISION_DOUBLE,
                                      .scale = ABBE_SCALE_VALUE,
                                      .window = ABBE_WINDOW_FULL };
    abbe_plan *plan = apply_plan(device, &params);
    abbe_image from = { .const_data = source, .width = 4, .height = 1, .channels = 1, .type = ABBE_I32 };
    abbe_image to = { .data = result, .width = 6, .height = 1, .channels = 1, .type = ABBE_F64 };
    assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
    for (int x = -1; x <= 4; x++) {
        double exact = 0;
        for (int i = 0; i < 3; i++) {
            int at = x - (i - 1);
            exact += values[i] * (at < 0 || at > 3 ? params.border_value : source[at]);
        }
        if (fabs(result[x + 1] - exact) > 1e-5)
            fail_msg("x %d: %.6f, exact is %.6f", x, result[x + 1], exact);
    }
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static abbe_plan_params plain_params(const abbe_filter *const *filter)
{
    return (abbe_plan_params){ .width = 8,
                               .height = 8,
                               .channels = 1,
                               .source_type = ABBE_F64,
                               .filters = filter,
                               .filter_count = 1,
                               .border = ABBE_BORDER_CONSTANT,
                               .precision = ABBE_PRECISION_DOUBLE };
}

static void values_beyond_float(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("box");
    const abbe_filter *const filters[] = { blur };
    abbe_plan_params params = plain_params(filters);
    params.border_value = params.offset = 1e300;
    abbe_plan *plan = apply_plan(device, &params);
    abbe_plan_destroy(&plan);
    params.offset = INFINITY;
    test_refused("offset", abbe_plan_create(device, &params, &plan), ABBE_ERR_NONFINITE, device, "offset");
    params.precision = ABBE_PRECISION_FULL;
    params.offset = 0;
    test_refused("border", abbe_plan_create(device, &params, &plan), ABBE_ERR_NONFINITE, device,
                 "border_value");
    params.border_value = 0;
    params.offset = -1e300;
    test_refused("offset", abbe_plan_create(device, &params, &plan), ABBE_ERR_NONFINITE, device, "offset");
    abbe_filter_destroy(&blur);
}

/* Work that is worth a GPU stays on the CPU. */
static void auto_stays_on_the_cpu(void **state)
{
    (void)state;
    abbe_device *automatic = NULL;
    abbe_filter *blur = apply_filter("gaussian:sigma=3");
    assert_int_equal(abbe_device_open("auto", NULL, &automatic), ABBE_OK);
    const abbe_filter *const filters[] = { blur };
    abbe_plan_params params = plain_params(filters);
    params.runs = 1000000000;
    abbe_plan *plan = apply_plan(automatic, &params);
    assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "cpu");
    assert_non_null(strstr(abbe_plan_reason(plan), "no double precision"));
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
    abbe_device_close(&automatic);
}

static void other_devices_refuse(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("box");
    const abbe_filter *const filters[] = { blur };
    abbe_plan_params params = plain_params(filters);
    abbe_plan *plan = NULL;
    test_refused("plan", abbe_plan_create(device, &params, &plan), ABBE_ERR_UNSUPPORTED, device,
                 "has no double precision; use 'cpu'");
    assert_null(plan);
    abbe_filter_destroy(&blur);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_keep_their_digits), cmocka_unit_test(transfer_functions),
    cmocka_unit_test(banks_and_magnitudes),      cmocka_unit_test(magnitudes_neither_overflow_nor_vanish),
    cmocka_unit_test(levels_of_large_integers),  cmocka_unit_test(nonfinite_samples),
    cmocka_unit_test(threads_change_no_bit),     cmocka_unit_test(prices_and_memory),
    cmocka_unit_test(windows_keep_their_digits), cmocka_unit_test(values_beyond_float),
    cmocka_unit_test(auto_stays_on_the_cpu),     cmocka_unit_test(offsets_of_bytes_are_exact),
};

static const struct CMUnitTest refusals[] = { cmocka_unit_test(other_devices_refuse) };

int main(int argc, char **argv)
{
    device_name = argc > 1 ? argv[1] : "cpu";
    device = test_open_device(argc, argv, 2);
    int failures = strcmp(abbe_device_name(device), "cpu") ? cmocka_run_group_tests(refusals, NULL, NULL)
                                                           : cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
