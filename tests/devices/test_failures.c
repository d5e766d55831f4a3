/* Every allocation of every public function fails once. The function returns an error, leaks nothing and
 * writes nothing, and existing objects still work.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/exhaust.h"
#include "support/faults.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *device_name = "cpu";
static abbe_device *device;

/* ---- Devices and matrices ----------------------------------------------------------------------------- */

static int call_open(const struct attempt *attempt, struct outputs *out)
{
    return abbe_device_open(attempt->text, NULL, &out->device);
}

static int call_matrix_create(const struct attempt *attempt, struct outputs *out)
{
    return abbe_matrix_create(attempt->width, attempt->height, &out->matrix);
}

static int call_matrix_parse(const struct attempt *attempt, struct outputs *out)
{
    return abbe_matrix_parse(attempt->text, strlen(attempt->text), ABBE_MATRIX_AUTO, &out->matrix);
}

static int call_matrix_from_image(const struct attempt *attempt, struct outputs *out)
{
    abbe_image view = { .const_data = attempt->source,
                        .width = attempt->width,
                        .height = attempt->height,
                        .channels = 3,
                        .stride = 3 * attempt->width,
                        .type = ABBE_U8 };
    return abbe_matrix_from_image(&view, &out->matrix);
}

static unsigned char zeros[ARRAY];

static void devices_and_matrices(void **state)
{
    (void)state;
    static struct outputs out;
    static char long_text[64 * 128 + 1];
    for (size_t i = 0; i < sizeof long_text / 64 * 64; i += 2)
        memcpy(long_text + i, i % 64 == 62 ? "3\n" : "1 ", 2);
    exhaust(&(struct attempt){ .name = "device open", .call = call_open, .text = device_name }, &out);
    exhaust(&(struct attempt){ .name = "auto", .call = call_open, .text = "auto" }, &out);
    exhaust(&(struct attempt){ .name = "matrix", .call = call_matrix_create, .width = 5, .height = 3 }, &out);
    exhaust(&(struct attempt){ .name = "text", .call = call_matrix_parse, .text = "1 2\n3 4" }, &out);
    exhaust(&(struct attempt){ .name = "vips text", .call = call_matrix_parse, .text = "2 2 8\n1 2\n3 4" },
            &out);
    exhaust(&(struct attempt){ .name = "long text", .call = call_matrix_parse, .text = long_text }, &out);
    exhaust(&(struct attempt){ .name = "matrix from image",
                               .call = call_matrix_from_image,
                               .source = zeros,
                               .width = 9,
                               .height = 4 },
            &out);
}

/* ---- Filters ------------------------------------------------------------------------------------------ */

static int load_matrix(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name;
    return abbe_matrix_parse("0 1 0\n1 4 1\n0 1 2", 17, ABBE_MATRIX_AUTO, matrix);
}

static int call_parse(const struct attempt *attempt, struct outputs *out)
{
    const abbe_loader loader = { load_matrix, NULL };
    return abbe_filter_parse(attempt->text, &loader, &out->filter);
}

static int call_kernel(const struct attempt *attempt, struct outputs *out)
{
    const abbe_kernel_params params = { .taps = attempt->matrix,
                                        .normalize = true,
                                        .centre = (int[]){ 0, 2 } };
    return abbe_filter_from_kernel(&params, &out->filter);
}

static int call_mask(const struct attempt *attempt, struct outputs *out)
{
    return abbe_filter_from_mask(attempt->matrix, &out->filter);
}

/* The gain of a few taps, so that its reach is found on a small grid. */
static void lean(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = cos(2 * M_PI * fx) + cos(2 * M_PI * fy);
    gain[1] = sin(2 * M_PI * fx);
}

static int call_transfer(const struct attempt *attempt, struct outputs *out)
{
    (void)attempt;
    return abbe_filter_from_transfer(lean, NULL, &out->filter);
}

static int call_separable(const struct attempt *attempt, struct outputs *out)
{
    const double *values = attempt->matrix->values;
    const abbe_separable_params params = { .row = values, .width = 2, .column = values, .height = 2 };
    return abbe_filter_from_separable(&params, &out->filter);
}

static int call_gains(const struct attempt *attempt, struct outputs *out)
{
    return abbe_filter_from_gains(1, 2, attempt->matrix->values, &out->filter);
}

static int call_chain(const struct attempt *attempt, struct outputs *out)
{
    return abbe_filter_chain(attempt->filters, attempt->filter_count, &out->filter);
}

static int call_taps(const struct attempt *attempt, struct outputs *out)
{
    return abbe_filter_taps(attempt->filters[0], 0, &out->matrix);
}

/* A failure leaves all four numbers as they are. */
static int call_reach(const struct attempt *attempt, struct outputs *out)
{
    (void)out;
    int sides[4] = { -1, -1, -1, -1 };
    int error = abbe_filter_reach(attempt->filters[0], 1e-2, &sides[0], &sides[1], &sides[2], &sides[3]);
    for (int i = 0; i < 4; i++)
        assert_true((sides[i] == -1) == (error != ABBE_OK));
    return error;
}

static void filters_by_name(void **state)
{
    (void)state;
    static struct outputs out;
    size_t count;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        bool file = !strcmp(entries[i]->name, "kernel") || !strcmp(entries[i]->name, "mask");
        snprintf(text, sizeof text, "%s%s", entries[i]->name, file ? ":file=taps" : "");
        if (!strcmp(entries[i]->name, "notch"))
            snprintf(text, sizeof text, "notch:x=0.3:y=0.1");
        exhaust(&(struct attempt){ .name = text, .call = call_parse, .text = text, .loads_files = file },
                &out);
    }
    const char *chains[] = { "gaussian:sigma=3,laplacian", "lowpass,box:radius=1,highpass",
                             "disk:radius=2,emboss,sobel", "mask:file=a,kernel:file=b,lowpass" };
    for (int i = 0; i < 4; i++)
        exhaust(
            &(struct attempt){
                .name = chains[i], .call = call_parse, .text = chains[i], .loads_files = i == 3 },
            &out);
}

static void filters_by_hand(void **state)
{
    (void)state;
    static struct outputs out;
    abbe_matrix taps;
    assert_int_equal(load_matrix(NULL, "kernel", "", &taps), ABBE_OK);
    abbe_filter *parts[3] = { apply_kernel(&taps, NULL), apply_filter("lowpass"), apply_filter("gaussian") };
    const abbe_filter *const *filters = (const abbe_filter *const *)parts;
    exhaust(&(struct attempt){ .name = "from kernel", .call = call_kernel, .matrix = &taps }, &out);
    exhaust(&(struct attempt){ .name = "from mask", .call = call_mask, .matrix = &taps }, &out);
    exhaust(&(struct attempt){ .name = "from factors", .call = call_separable, .matrix = &taps }, &out);
    exhaust(&(struct attempt){ .name = "from gains", .call = call_gains, .matrix = &taps }, &out);
    exhaust(&(struct attempt){ .name = "from transfer", .call = call_transfer }, &out);
    exhaust(&(struct attempt){ .name = "chain", .call = call_chain, .filters = filters, .filter_count = 3 },
            &out);
    exhaust(&(struct attempt){ .name = "taps", .call = call_taps, .filters = filters }, &out);
    exhaust(&(struct attempt){ .name = "reach", .call = call_reach, .filters = filters + 1 }, &out);
    exhaust(&(struct attempt){ .name = "taps of factors", .call = call_taps, .filters = filters + 2 }, &out);
    for (int i = 0; i < 3; i++)
        abbe_filter_destroy(&parts[i]);
    abbe_matrix_free(&taps);
}

/* ---- Plans and runs ----------------------------------------------------------------------------------- */

static int call_plan(const struct attempt *attempt, struct outputs *out)
{
    return abbe_plan_create(device, attempt->params, &out->plan);
}

/* Views of results one after the other; in place, the first result is the source. */
static int run_plan(const abbe_plan *plan, const struct attempt *attempt, bool in_two_steps,
                    struct outputs *out)
{
    const abbe_plan_params *params = attempt->params;
    size_t row = (size_t)params->width * params->channels * abbe_type_size(params->source_type);
    abbe_image source = { .const_data = attempt->source,
                          .width = params->width,
                          .height = params->height,
                          .channels = params->channels,
                          .stride = (ptrdiff_t)row,
                          .type = params->source_type };
    if (attempt->planes) {
        source.pixel_stride = (ptrdiff_t)abbe_type_size(params->source_type);
        source.stride = source.pixel_stride * params->width;
        source.channel_stride = source.stride * params->height;
    }
    abbe_image results[3] = { source, source, source };
    if (attempt->in_place)
        source.data = out->array;
    for (int i = 0; i < 3; i++)
        results[i].data = out->array + (size_t)i * row * params->height;
    assert_true(params->filter_count * row * params->height <= ARRAY);
    if (!in_two_steps)
        return abbe_run(plan, &source, results);
    abbe_ticket *ticket = NULL;
    int error = abbe_submit(plan, &source, results, &ticket);
    return error ? error : abbe_wait(&ticket);
}

/* A plan keeps the memory of its runs, so each attempt creates a new plan. */
static int call_run(const struct attempt *attempt, struct outputs *out)
{
    abbe_plan *plan = NULL;
    int error = abbe_plan_create(device, attempt->params, &plan);
    if (!error)
        error = run_plan(plan, attempt, false, out);
    abbe_plan_destroy(&plan);
    return error;
}

/* The results of a plan without failures. */
static void run_in_peace(const struct attempt *attempt, unsigned char *results)
{
    static struct outputs out;
    memset(out.array, PATTERN, sizeof out.array);
    if (attempt->in_place)
        memcpy(out.array, attempt->source, sizeof out.array);
    assert_int_equal(call_run(attempt, &out), ABBE_OK);
    memcpy(results, out.array, ARRAY);
}

/* A plan still runs after its runs have failed in every way. */
static void run_after_failures(const struct attempt *attempt, bool in_two_steps, struct outputs *out)
{
    abbe_plan *plan = apply_plan(device, attempt->params);
    int code = ABBE_ERR_MEMORY;
    for (long n = 0; code; n++) {
        faults_arm(n, false);
        code = run_plan(plan, attempt, in_two_steps, out);
        if (!faults_disarm())
            assert_int_equal(code, ABBE_OK);
    }
    abbe_plan_destroy(&plan);
}

static void exhaust_plan(const char *name, const abbe_plan_params *params, bool planes,
                         const unsigned char *source)
{
    static struct outputs out;
    static unsigned char expected[ARRAY];
    struct attempt attempt = { .name = name,
                               .call = call_plan,
                               .reports_to = device,
                               .params = params,
                               .source = source,
                               .planes = planes };
    for (int in_place = 0; in_place < 2; in_place++) {
        attempt.in_place = in_place;
        run_in_peace(&attempt, expected);
        attempt.call = call_plan;
        exhaust(&attempt, &out);
        attempt.call = call_run;
        exhaust(&attempt, &out);
        if (memcmp(out.array, expected, ARRAY))
            fail_msg("%s, in place %d: after the failures the run gives other bytes", name, in_place);
        for (int in_two_steps = 0; in_two_steps < 2; in_two_steps++) {
            if (in_place)
                memcpy(out.array, source, sizeof out.array);
            run_after_failures(&attempt, in_two_steps, &out);
            if (memcmp(out.array, expected, ARRAY))
                fail_msg("%s, in place %d: a plan whose runs had failed gives other bytes", name, in_place);
        }
    }
}

/* Compares the expected result of exhaust_plan with the oracle. */
static void check_convolution(const abbe_plan_params *params, const abbe_matrix *taps, const float *source)
{
    struct picture in = picture_create(params->width, params->height, params->channels);
    for (int i = 0; i < in.width * in.height * in.channels; i++)
        in.samples[i] = source[i];
    struct picture got = apply(device, *params, params->filters[0], &in);
    struct picture right = reference_convolve(&in, params->border, 0, taps, taps->width / 2,
                                              taps->height / 2);
    assert_true(apply_near(&got, &right, 1e-5));
    picture_free(&in);
    picture_free(&got);
    picture_free(&right);
}

static void plans_and_runs(void **state)
{
    (void)state;
    static float source[ARRAY / sizeof(float)];
    struct random random = { 2 };
    for (size_t i = 0; i < ARRAY / sizeof *source; i++)
        source[i] = (float)random_signed(&random);
    abbe_matrix taps;
    assert_int_equal(load_matrix(NULL, "kernel", "", &taps), ABBE_OK);
    abbe_filter *filters[3] = { apply_kernel(&taps, NULL), apply_filter("sobel"),
                                apply_filter("gaussian:sigma=1") };
    abbe_filter *low = apply_filter("lowpass,gaussian:sigma=1"), *own = NULL;
    assert_int_equal(abbe_filter_from_transfer(lean, NULL, &own), ABBE_OK);
    abbe_plan_params params = { .width = 11,
                                .height = 9,
                                .channels = 3,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const *)filters };
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++) {
        params.method = (abbe_method)method;
        params.filter_count = 1;
        params.tile_width = params.tile_height = 4;
        check_convolution(&params, &taps, source);
        exhaust_plan(abbe_method_name(params.method), &params, false, (unsigned char *)source);
        params.filter_count = 3;
        params.correlate = true;
        exhaust_plan("a bank", &params, false, (unsigned char *)source);
        params.correlate = false;
        if (!strcmp(abbe_device_name(device), "cpu"))
            exhaust_plan("planes", &params, true, (unsigned char *)source);
    }
    bool on_cpu = !strcmp(abbe_device_name(device), "cpu");
    params.precision = ABBE_PRECISION_DOUBLE;
    for (int method = ABBE_METHOD_DIRECT; on_cpu && method <= ABBE_METHOD_TILES; method++) {
        params.method = (abbe_method)method;
        exhaust_plan("double precision", &params, false, (unsigned char *)source);
    }
    /* 11 and 13 are primes; only Bluestein's algorithm transforms these lengths without padding. */
    const abbe_border borders[] = { ABBE_BORDER_WRAP, ABBE_BORDER_REFLECT, ABBE_BORDER_ZERO };
    for (int i = 0; i < 6; i++) {
        const abbe_filter *one = i % 2 ? own : low;
        abbe_plan_params odd = { .width = 11,
                                 .height = 13,
                                 .channels = 1 + i % 3,
                                 .source_type = ABBE_F32,
                                 .result_type = ABBE_F32,
                                 .filters = &one,
                                 .filter_count = 1,
                                 .border = borders[i / 2],
                                 .correlate = i % 2 };
        exhaust_plan("transfer function", &odd, false, (unsigned char *)source);
    }
    for (int i = 0; i < 3; i++)
        abbe_filter_destroy(&filters[i]);
    abbe_filter_destroy(&low);
    abbe_filter_destroy(&own);
    abbe_matrix_free(&taps);
}

/* ---- Spectra ------------------------------------------------------------------------------------------ */

static int call_forward(const struct attempt *attempt, struct outputs *out)
{
    return abbe_fft_forward(device, attempt->width, attempt->height,
                            attempt->in_place ? (float *)(void *)out->array : attempt->source,
                            (float *)(void *)out->array);
}

static int call_inverse(const struct attempt *attempt, struct outputs *out)
{
    return abbe_fft_inverse(device, attempt->width, attempt->height,
                            attempt->in_place ? (float *)(void *)out->array : attempt->source,
                            (float *)(void *)out->array);
}

static abbe_image floats(const struct attempt *attempt, const void *data)
{
    return (abbe_image){ .const_data = data,
                         .width = attempt->width,
                         .height = attempt->height,
                         .channels = 3,
                         .stride = attempt->width * 12,
                         .type = ABBE_F32 };
}

static int call_spectrum_forward(const struct attempt *attempt, struct outputs *out)
{
    abbe_image to = floats(attempt, out->array), from = floats(attempt, attempt->source);
    return abbe_spectrum_forward(device, attempt->in_place ? &to : &from, &to);
}

static int call_spectrum_inverse(const struct attempt *attempt, struct outputs *out)
{
    abbe_image to = floats(attempt, out->array), from = floats(attempt, attempt->source);
    return abbe_spectrum_inverse(device, attempt->in_place ? &to : &from, &to);
}

static void spectra(void **state)
{
    (void)state;
    test_require_host(device);
    static struct outputs out;
    static float source[ARRAY / sizeof(float)];
    source[0] = 1;
    const struct attempt attempts[] = {
        { .name = "fft forward", .call = call_forward },
        { .name = "fft inverse", .call = call_inverse },
        { .name = "spectrum forward", .call = call_spectrum_forward },
        { .name = "spectrum inverse", .call = call_spectrum_inverse },
    };
    const int sides[][2] = { { 8, 6 }, { 11, 13 }, { 1, 1 }, { 17, 1 } };
    for (int i = 0; i < 32; i++) {
        struct attempt attempt = attempts[i % 4];
        attempt.width = sides[i / 4 % 4][0];
        attempt.height = sides[i / 4 % 4][1];
        attempt.source = source;
        attempt.reports_to = device;
        attempt.in_place = i / 16;
        exhaust(&attempt, &out);
        float expected = i % 2 ? 1 : 1 / (float)(attempt.width * attempt.height), got;
        memcpy(&got, out.array, sizeof got);
        assert_float_equal(got, expected, 1e-6);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        device_name = argv[1];
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_and_matrices),
        cmocka_unit_test(filters_by_name),
        cmocka_unit_test(filters_by_hand),
        cmocka_unit_test(plans_and_runs),
        cmocka_unit_test(spectra),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures + (faults_live() != 0);
}
