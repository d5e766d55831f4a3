/* abbe_plan_replace: plans with other filters give the results of those filters, by the naive sums; what does not suit a
 * plan is refused and leaves it as it was.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <string.h>

static abbe_device *device;

enum { WIDTH = 37, HEIGHT = 26, CHANNELS = 3 };

static struct picture run_plan(const abbe_plan *plan, const struct picture *in)
{
    static float source[WIDTH * HEIGHT * CHANNELS], result[WIDTH * HEIGHT * CHANNELS];
    struct picture out = picture_create(WIDTH, HEIGHT, CHANNELS);
    for (size_t i = 0; i < picture_count(in); i++)
        source[i] = (float)in->samples[i];
    abbe_image from = {
        .data = source, .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .type = ABBE_F32
    };
    abbe_image to = from;
    to.data = result;
    if (abbe_run(plan, &from, &to))
        fail_msg("%s", abbe_error_text(device));
    for (size_t i = 0; i < picture_count(in); i++)
        out.samples[i] = result[i];
    return out;
}

/* Compares a run with the convolution by a kernel of odd sides. */
static void check_run(const abbe_plan *plan, const struct picture *in, abbe_border border,
                      const struct trial_kernel *kernel, const char *what)
{
    struct picture expected = reference_convolve(in, border, 0, &kernel->taps, kernel->centre_x,
                                                 kernel->centre_y);
    struct picture got = run_plan(plan, in);
    double bound = trial_bound_fft(4 * WIDTH, 4 * HEIGHT) * picture_norm(in) * kernel->peak;
    double distance = picture_distance(&got, &expected);
    if (distance > bound)
        fail_msg("%s, border %s: the error is %g, the bound %g", what, abbe_border_name(border), distance,
                 bound);
    picture_free(&got);
    picture_free(&expected);
}

static abbe_plan *make_plan(const abbe_filter *filter, abbe_border border, abbe_method method)
{
    return apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                   .height = HEIGHT,
                                                   .channels = CHANNELS,
                                                   .source_type = ABBE_F32,
                                                   .filters = &filter,
                                                   .filter_count = 1,
                                                   .border = border,
                                                   .method = method });
}

static struct picture noise;

static void kernels_take_turns(void **state)
{
    (void)state;
    static const enum taps_kind kinds[] = { TAPS_MIRRORED, TAPS_SYMMETRIC, TAPS_SEPARABLE, TAPS_MIRRORED };
    static const int sides[] = { 9, 5, 7, 1 };
    struct random random = { 3 };
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
        for (int border = 0; border < (effort_is_slight() ? 1 : ABBE_BORDER_COUNT); border++) {
            struct trial_kernel first = trial_kernel_create(9, 9, TAPS_SEPARABLE, false, &random);
            abbe_plan *plan = make_plan(first.filter, (abbe_border)border, (abbe_method)method);
            for (int i = 0; i < 4; i++) {
                enum taps_kind kind = method == ABBE_METHOD_SEPARABLE ? TAPS_SEPARABLE : kinds[i];
                struct trial_kernel next = trial_kernel_create(sides[i], sides[i], kind, false, &random);
                const abbe_filter *filter = next.filter;
                if (abbe_plan_replace(plan, &filter, 1))
                    fail_msg("kernel %d, method %d, border %d: %s", i, method, border,
                             abbe_error_text(device));
                check_run(plan, &noise, (abbe_border)border, &next, "replaced");
                trial_kernel_free(&next);
            }
            abbe_plan_destroy(&plan);
            trial_kernel_free(&first);
        }
}

/* Masks on the grid of another mask, and kernels: what a brush does. */
static void masks_take_turns(void **state)
{
    (void)state;
    struct random random = { 4 };
    abbe_filter *lowpass = apply_filter("lowpass"), *highpass = apply_filter("highpass:cutoff=0.4");
    static const abbe_border borders[] = { ABBE_BORDER_WRAP, ABBE_BORDER_REFLECT, ABBE_BORDER_MIRROR };
    for (int b = 0; b < (effort_is_slight() ? 1 : 3); b++) {
        struct trial_kernel kernel = trial_kernel_create(5, 5, TAPS_SYMMETRIC, false, &random);
        const abbe_filter *filters[] = { highpass, kernel.filter };
        abbe_plan *plan = make_plan(lowpass, borders[b], ABBE_METHOD_FFT);
        abbe_plan *fresh = make_plan(highpass, borders[b], ABBE_METHOD_FFT);
        assert_int_equal(abbe_plan_replace(plan, &filters[0], 1), ABBE_OK);
        struct picture got = run_plan(plan, &noise), expected = run_plan(fresh, &noise);
        assert_true(picture_distance(&got, &expected) <= 1e-6 * picture_norm(&noise));
        assert_int_equal(abbe_plan_replace(plan, &filters[1], 1), ABBE_OK);
        check_run(plan, &noise, borders[b], &kernel, "after a mask");
        picture_free(&got);
        picture_free(&expected);
        abbe_plan_destroy(&plan);
        abbe_plan_destroy(&fresh);
        trial_kernel_free(&kernel);
    }
    abbe_filter_destroy(&lowpass);
    abbe_filter_destroy(&highpass);
}

static void unsuited_filters_are_refused(void **state)
{
    (void)state;
    struct random random = { 5 };
    struct trial_kernel kernel = trial_kernel_create(3, 3, TAPS_SEPARABLE, false, &random);
    abbe_filter *wide = apply_filter("box:radius=9"), *lowpass = apply_filter("lowpass"),
                *edges = apply_filter("sobel");
    const struct {
        abbe_method method;
        const abbe_filter *filter;
        const char *message;
    } cases[] = {
        { ABBE_METHOD_FFT, wide, "beyond the picture" },    { ABBE_METHOD_TILES, wide, "beyond the picture" },
        { ABBE_METHOD_FFT, lowpass, "beyond the picture" }, { ABBE_METHOD_DIRECT, lowpass, "the method" },
        { ABBE_METHOD_SEPARABLE, lowpass, "the method" },   { ABBE_METHOD_FFT, edges, "other results" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_plan *plan = make_plan(kernel.filter, ABBE_BORDER_CLAMP, cases[i].method);
        /* Transforms may be longer than needed; a kernel may fit by chance. */
        int error = abbe_plan_replace(plan, &cases[i].filter, 1);
        if (error || cases[i].filter != wide)
            test_refused("abbe_plan_replace", error, ABBE_ERR_UNSUPPORTED, device, cases[i].message);
        if (error)
            check_run(plan, &noise, ABBE_BORDER_CLAMP, &kernel, "after a refusal");
        abbe_plan_destroy(&plan);
    }
    abbe_plan *plan = make_plan(kernel.filter, ABBE_BORDER_WRAP, ABBE_METHOD_FFT);
    const abbe_filter *two[] = { kernel.filter, kernel.filter };
    test_refused("two", abbe_plan_replace(plan, two, 2), ABBE_ERR_UNSUPPORTED, device, "other results");
    test_refused("none", abbe_plan_replace(plan, two, 0), ABBE_ERR_INVALID, device, "filter");
    test_refused("NULL", abbe_plan_replace(plan, NULL, 1), ABBE_ERR_INVALID, device, "filters is NULL");
    test_refused("no plan", abbe_plan_replace(NULL, two, 1), ABBE_ERR_INVALID, NULL, "plan is NULL");
    check_run(plan, &noise, ABBE_BORDER_WRAP, &kernel, "after all refusals");
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&wide);
    abbe_filter_destroy(&lowpass);
    abbe_filter_destroy(&edges);
    trial_kernel_free(&kernel);
}

/* Every allocation fails once; the plan keeps its filter, and nothing leaks. */
static void without_memory_nothing_changes(void **state)
{
    (void)state;
    struct random random = { 6 };
    if (strcmp(abbe_device_name(device), "cpu") != 0)
        skip();
    struct trial_kernel first = trial_kernel_create(5, 5, TAPS_SYMMETRIC, false, &random);
    struct trial_kernel second = trial_kernel_create(3, 3, TAPS_SYMMETRIC, false, &random);
    const abbe_filter *filter = second.filter;
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_FFT; method += 2) {
        abbe_plan *plan = make_plan(first.filter, ABBE_BORDER_REFLECT, (abbe_method)method);
        size_t live = faults_live();
        int error = ABBE_ERR_MEMORY, failures = 0;
        for (; error; failures++) {
            faults_arm(failures, true);
            error = abbe_plan_replace(plan, &filter, 1);
            if (!faults_disarm())
                assert_int_equal(error, ABBE_OK);
            if (!error)
                break;
            assert_int_equal(error, ABBE_ERR_MEMORY);
            assert_int_equal(faults_live(), live);
        }
        assert_true(failures > 3);
        check_run(plan, &noise, ABBE_BORDER_REFLECT, &second, "at last");
        abbe_plan_destroy(&plan);
    }
    trial_kernel_free(&first);
    trial_kernel_free(&second);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_take_turns),
    cmocka_unit_test(masks_take_turns),
    cmocka_unit_test(unsuited_filters_are_refused),
    cmocka_unit_test(without_memory_nothing_changes),
};

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    noise = apply_noise(WIDTH, HEIGHT, CHANNELS, 9, true);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    picture_free(&noise);
    abbe_device_close(&device);
    return failures;
}
