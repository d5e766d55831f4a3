/* Drafts of plans: they explain what a plan would be, and cannot run; and the predicted time of planning. */
#include "support/test.h"

#include <abbe/abbe.h>
#include <abbe/measure.h>

#include <string.h>

enum { WIDTH = 90, HEIGHT = 70 };

static abbe_device *open_cpu(int threads)
{
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open("cpu", &(abbe_device_params){ .threads = threads }, &device), ABBE_OK);
    return device;
}

static abbe_filter *parse(const char *text)
{
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_parse(text, NULL, &filter), ABBE_OK);
    return filter;
}

static abbe_plan_params params_of(const abbe_filter *const *filter, int width, int height)
{
    return (abbe_plan_params){ .width = width,
                               .height = height,
                               .channels = 3,
                               .source_type = ABBE_F32,
                               .filters = filter,
                               .filter_count = 1,
                               .border = ABBE_BORDER_REFLECT };
}

static void a_draft_explains_what_the_plan_does(void **state)
{
    (void)state;
    static const char *const texts[] = { "gaussian", "disk:radius=20", "lowpass", "sobel",
                                         "emboss,highpass" };
    abbe_device *device = open_cpu(2);
    for (int i = 0; i < 5; i++) {
        abbe_plan *plan = NULL, *draft = NULL;
        const abbe_filter *filter = parse(texts[i]);
        const abbe_plan_params params = params_of(&filter, WIDTH, HEIGHT);
        assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK);
        assert_int_equal(abbe_plan_draft(device, &params, &draft), ABBE_OK);
        size_t count, drafted;
        const abbe_candidate *const *of_plan = abbe_plan_explain(plan, &count);
        const abbe_candidate *const *of_draft = abbe_plan_explain(draft, &drafted);
        assert_int_equal(count, drafted);
        for (size_t k = 0; k < count; k++) {
            const abbe_candidate *a = of_plan[k], *b = of_draft[k];
            assert_true(a->chosen == b->chosen && a->possible == b->possible && a->seconds == b->seconds);
            assert_true(a->planning == b->planning && a->bytes == b->bytes && a->fft_width == b->fft_width);
            bool fourier = a->method == ABBE_METHOD_FFT || a->method == ABBE_METHOD_TILES;
            assert_true(a->possible && fourier ? a->planning > 0 && a->planning < 1 : a->planning == 0);
        }
        assert_true(abbe_plan_memory(plan) == abbe_plan_memory(draft));
        assert_ptr_equal(abbe_plan_device(draft), device);
        abbe_plan_destroy(&draft);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy((abbe_filter **)&filter);
    }
    abbe_device_close(&device);
}

static void a_draft_does_not_run(void **state)
{
    (void)state;
    static float source[WIDTH * HEIGHT * 3], result[WIDTH * HEIGHT * 3];
    const abbe_image from = { .data = source,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = 3,
                              .stride = WIDTH * 3 * sizeof(float),
                              .type = ABBE_F32 };
    abbe_image to = from;
    to.data = result;
    abbe_device *device = open_cpu(1);
    abbe_plan *draft = NULL;
    abbe_ticket *ticket = NULL;
    const abbe_filter *filter = parse("lowpass");
    abbe_plan_params params = params_of(&filter, WIDTH, HEIGHT);
    assert_int_equal(abbe_plan_draft(device, &params, &draft), ABBE_OK);
    assert_int_equal(abbe_run(draft, &from, &to), ABBE_ERR_INVALID);
    assert_non_null(strstr(abbe_error_text(device), "draft"));
    assert_int_equal(abbe_submit(draft, &from, &to, &ticket), ABBE_ERR_INVALID);
    assert_int_equal(abbe_run_batch(draft, 1, &from, &to, NULL), ABBE_ERR_INVALID);
    abbe_times times;
    assert_int_equal(abbe_run_timed(draft, &from, &to, NULL, &times), ABBE_ERR_INVALID);
    abbe_plan_destroy(&draft);
    assert_int_equal(abbe_plan_draft(NULL, &params, &draft), ABBE_ERR_INVALID);
    assert_int_equal(abbe_plan_draft(device, NULL, &draft), ABBE_ERR_INVALID);
    assert_int_equal(abbe_plan_draft(device, &params, NULL), ABBE_ERR_INVALID);
    assert_non_null(strstr(abbe_error_text(device), "abbe_plan_draft: plan is NULL"));
    params.width = 0;
    assert_int_equal(abbe_plan_draft(device, &params, &draft), ABBE_ERR_INVALID);
    assert_null(draft);
    abbe_filter_destroy((abbe_filter **)&filter);
    abbe_device_close(&device);
}

/* Predicted seconds of planning by the method fft. */
static double planning_with(abbe_border border, const char *text, int threads, int width, int height)
{
    abbe_device *device = open_cpu(threads);
    abbe_plan *draft = NULL;
    const abbe_filter *filter = parse(text);
    abbe_plan_params params = params_of(&filter, width, height);
    params.method = ABBE_METHOD_FFT;
    params.border = border;
    assert_int_equal(abbe_plan_draft(device, &params, &draft), ABBE_OK);
    double seconds = abbe_plan_choice(draft)->planning;
    abbe_plan_destroy(&draft);
    abbe_filter_destroy((abbe_filter **)&filter);
    abbe_device_close(&device);
    return seconds;
}

static double planning(const char *text, int threads, int width, int height)
{
    return planning_with(ABBE_BORDER_WRAP, text, threads, width, height);
}

/* Large even transforms sample their gains while they run. */
static void planning_keeps_no_large_spectra(void **state)
{
    (void)state;
    double even = planning_with(ABBE_BORDER_REFLECT, "lowpass", 1, 6000, 4000);
    assert_true(even > 0 && even < 0.01 * planning("lowpass", 1, 6000, 4000));
}

static void planning_grows_with_the_work(void **state)
{
    (void)state;
    double one = planning("lowpass", 1, 6000, 4000);
    assert_true(one > 1e-3 && one < 10);
    assert_true(planning("lowpass", 2, 6000, 4000) < 0.6 * one);
    assert_true(planning("lowpass", 1, 600, 400) < 0.02 * one);
    assert_true(planning("streak:angle=30", 1, 6000, 4000) > 1.5 * one);
    assert_true(planning("lowpass,highpass,bandpass", 1, 6000, 4000) > one);
    assert_true(planning("emboss,lowpass", 1, 6000, 4000) > 1.5 * one);
}

/* A reflected row of ABBE_SIDE_MAX pixels has a period that is no int: no even transform takes its place. */
static void the_longest_row_has_no_even_transform(void **state)
{
    (void)state;
    abbe_device *device = open_cpu(1);
    abbe_plan *draft = NULL;
    const abbe_filter *filter = parse("box");
    abbe_plan_params params = params_of(&filter, ABBE_SIDE_MAX, 2);
    params.channels = 1;
    assert_int_equal(abbe_plan_draft(device, &params, &draft), ABBE_OK);
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(draft, &count);
    for (size_t i = 0; i < count; i++)
        assert_false(candidates[i]->even);
    abbe_plan_destroy(&draft);
    abbe_filter_destroy((abbe_filter **)&filter);
    abbe_device_close(&device);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_draft_explains_what_the_plan_does),   cmocka_unit_test(a_draft_does_not_run),
    cmocka_unit_test(planning_keeps_no_large_spectra),       cmocka_unit_test(planning_grows_with_the_work),
    cmocka_unit_test(the_longest_row_has_no_even_transform),
};

TEST_MAIN(tests)
