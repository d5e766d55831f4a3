/* Runs in two steps, submit and wait: many jobs at once, waited for in any order and by any thread, each
 * compared with the oracle; and misuse, which is refused.
 *
 * Argument: DEVICE. */
#include "device/device.h"
#include "support/apply.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 37, HEIGHT = 29, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS, RUNS = 5, BANK = 2 };

static abbe_device *device;
static abbe_filter *bank[BANK];
static abbe_matrix taps[BANK];

/* A job: a picture, the results of the bank and the expected results. */
struct run {
    float source[SAMPLES], results[BANK][SAMPLES];
    struct picture expected[BANK];
    abbe_ticket *ticket;
};

static struct run runs[RUNS];

static abbe_image view_of(float *samples)
{
    return (abbe_image){ .data = samples,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = CHANNELS,
                         .stride = WIDTH * CHANNELS * sizeof(float),
                         .type = ABBE_F32 };
}

static abbe_plan *make_plan(abbe_method method, size_t count)
{
    return apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                   .height = HEIGHT,
                                                   .channels = CHANNELS,
                                                   .source_type = ABBE_F32,
                                                   .result_type = ABBE_F32,
                                                   .filters = (const abbe_filter *const *)bank,
                                                   .filter_count = count,
                                                   .method = method,
                                                   .tile_width = 16,
                                                   .tile_height = 16 });
}

static int make_runs(void **state)
{
    (void)state;
    static const char *const texts[BANK] = { "gaussian:sigma=1", "emboss" };
    const abbe_filter_info *infos[BANK];
    for (int i = 0; i < BANK; i++) {
        bank[i] = apply_filter(texts[i]);
        infos[i] = abbe_filter_describe(bank[i]);
        if (abbe_filter_taps(bank[i], 0, &taps[i]))
            return 1;
    }
    for (int r = 0; r < RUNS; r++) {
        struct picture in = apply_noise(WIDTH, HEIGHT, CHANNELS, (uint64_t)r, true);
        for (int i = 0; i < BANK; i++)
            runs[r].expected[i] = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps[i],
                                                     infos[i]->centre_x, infos[i]->centre_y);
        picture_free(&in);
    }
    return 0;
}

static int free_runs(void **state)
{
    (void)state;
    for (int i = 0; i < BANK; i++) {
        for (int r = 0; r < RUNS; r++)
            picture_free(&runs[r].expected[i]);
        abbe_matrix_free(&taps[i]);
        abbe_filter_destroy(&bank[i]);
    }
    return 0;
}

static void fill_source(float *source, int number)
{
    struct picture in = apply_noise(WIDTH, HEIGHT, CHANNELS, (uint64_t)number, true);
    for (int i = 0; i < SAMPLES; i++)
        source[i] = (float)in.samples[i];
    picture_free(&in);
}

static void fill(struct run *run, int number)
{
    fill_source(run->source, number);
    memset(run->results, 0x7e, sizeof run->results);
}

/* Submits job r and overwrites its source at once, which the caller may do. */
static int submit(const abbe_plan *plan, int r)
{
    fill(&runs[r], r);
    abbe_image source = view_of(runs[r].source), results[BANK];
    for (int i = 0; i < BANK; i++)
        results[i] = view_of(runs[r].results[i]);
    int error = abbe_submit(plan, &source, results, &runs[r].ticket);
    memset(runs[r].source, 0xff, sizeof runs[r].source);
    memset(results, 0, sizeof results);
    return error;
}

static bool is_right(const float *samples, const struct picture *expected)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!(fabs(samples[i] - expected->samples[i]) < 1e-5))
            return false;
    return true;
}

static void check(int r, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!is_right(runs[r].results[i], &runs[r].expected[i]))
            fail_msg("%s: run %d, result %zu is wrong", what, r, i);
}

/* ---- Many at once ------------------------------------------------------------------------------------- */

/* Submits all jobs before it waits for any, in another order; twice, so that scratch is reused. */
static void check_method(abbe_method method, size_t count)
{
    static const int order[RUNS] = { 3, 0, 4, 1, 2 };
    abbe_plan *plan = make_plan(method, count);
    for (int turn = 0; turn < 2; turn++) {
        for (int r = 0; r < RUNS; r++)
            if (submit(plan, r))
                fail_msg("%s: %s", abbe_method_name(method), abbe_error_text(device));
        for (int i = 0; i < RUNS; i++) {
            assert_int_equal(abbe_wait(&runs[order[i]].ticket), ABBE_OK);
            assert_null(runs[order[i]].ticket);
            check(order[i], count, abbe_method_name(method));
        }
    }
    abbe_plan_destroy(&plan);
}

static void many_at_once(void **state)
{
    (void)state;
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++)
        for (size_t count = 1; count <= BANK; count++)
            if (method != ABBE_METHOD_SEPARABLE || count == 1)
                check_method((abbe_method)method, count);
}

/* Jobs of two plans alternate, with ordinary runs between them. */
static void plans_mix(void **state)
{
    (void)state;
    abbe_plan *plans[] = { make_plan(ABBE_METHOD_FFT, 1), make_plan(ABBE_METHOD_DIRECT, 1) };
    for (int r = 0; r < RUNS; r++) {
        assert_int_equal(submit(plans[r % 2], r), ABBE_OK);
        if (r % 2 == 0)
            continue;
        float apart[SAMPLES];
        abbe_image view = view_of(apart);
        fill_source(apart, r - 1);
        assert_int_equal(abbe_run(plans[0], &view, &view), ABBE_OK);
        assert_true(is_right(apart, &runs[r - 1].expected[0]));
    }
    for (int r = RUNS - 1; r >= 0; r--) {
        assert_int_equal(abbe_wait(&runs[r].ticket), ABBE_OK);
        check(r, 1, "two plans");
    }
    for (int i = 0; i < 2; i++)
        abbe_plan_destroy(&plans[i]);
}

static void in_place(void **state)
{
    (void)state;
    abbe_plan *plan = make_plan(ABBE_METHOD_AUTO, 1);
    for (int r = 0; r < 2; r++) {
        fill(&runs[r], r);
        abbe_image view = view_of(runs[r].source);
        assert_int_equal(abbe_submit(plan, &view, &view, &runs[r].ticket), ABBE_OK);
    }
    for (int r = 0; r < 2; r++) {
        assert_int_equal(abbe_wait(&runs[r].ticket), ABBE_OK);
        assert_true(is_right(runs[r].source, &runs[r].expected[0]));
    }
    abbe_plan_destroy(&plan);
}

/* A device with too little memory for the picture filters it in regions, with the same result. */
static void little_memory(void **state)
{
    (void)state;
    size_t memory = device->memory;
    abbe_plan *plan = NULL;
    for (device->memory = 1 << 12; !plan; device->memory += device->memory / 4)
        if (abbe_plan_create(device,
                             &(abbe_plan_params){ .width = WIDTH,
                                                  .height = HEIGHT,
                                                  .channels = CHANNELS,
                                                  .source_type = ABBE_F32,
                                                  .result_type = ABBE_F32,
                                                  .filters = (const abbe_filter *const *)bank,
                                                  .filter_count = 1,
                                                  .method = ABBE_METHOD_DIRECT },
                             &plan) != ABBE_OK)
            assert_null(plan);
    for (int r = 0; r < RUNS; r++)
        assert_int_equal(submit(plan, r), ABBE_OK);
    for (int r = 0; r < RUNS; r++) {
        assert_int_equal(abbe_wait(&runs[r].ticket), ABBE_OK);
        check(r, 1, "little memory");
    }
    abbe_plan_destroy(&plan);
    device->memory = memory;
}

/* ---- Threads ------------------------------------------------------------------------------------------ */

static const abbe_plan *shared;

static void *submit_one(void *number)
{
    int r = *(int *)number;
    return submit(shared, r) ? "submit failed" : NULL;
}

static void *wait_one(void *number)
{
    int r = *(int *)number;
    return abbe_wait(&runs[r].ticket) ? "wait failed" : NULL;
}

static void in_threads(void *(*what)(void *), const int *numbers)
{
    pthread_t threads[RUNS];
    void *complaint;
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, what, (void *)&numbers[i]), 0);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(pthread_join(threads[i], &complaint), 0);
        assert_null(complaint);
    }
}

/* One thread submits each job and another waits for it. */
static void any_thread(void **state)
{
    (void)state;
    static const int order[RUNS] = { 0, 1, 2, 3, 4 };
    abbe_plan *plan = make_plan(ABBE_METHOD_AUTO, BANK);
    shared = plan;
    in_threads(submit_one, order);
    in_threads(wait_one, order);
    for (int r = 0; r < RUNS; r++)
        check(r, BANK, "threads");
    abbe_plan_destroy(&plan);
}

/* ---- Refusals ----------------------------------------------------------------------------------------- */

static void refused(const abbe_plan *plan, const abbe_image *source, const abbe_image *results, int code,
                    const char *says)
{
    static char mark;
    abbe_ticket *ticket = (abbe_ticket *)&mark;
    assert_int_equal(abbe_submit(plan, source, results, &ticket), code);
    assert_ptr_equal(ticket, &mark);
    const char *text = abbe_error_text(plan ? device : NULL);
    if (!strstr(text, says))
        fail_msg("'%s' does not say '%s'", text, says);
}

static void bad_input(void **state)
{
    (void)state;
    abbe_plan *plan = make_plan(ABBE_METHOD_AUTO, 1);
    fill(&runs[0], 0);
    abbe_image source = view_of(runs[0].source), result = view_of(runs[0].results[0]), other = result;
    refused(NULL, &source, &result, ABBE_ERR_INVALID, "plan is NULL");
    refused(plan, NULL, &result, ABBE_ERR_INVALID, "source");
    refused(plan, &source, NULL, ABBE_ERR_INVALID, "result");
    other.width--;
    refused(plan, &source, &other, ABBE_ERR_INVALID, "result 1");
    other = source;
    other.data = runs[0].source + CHANNELS;
    refused(plan, &source, &other, ABBE_ERR_INVALID, "overlaps");
    runs[0].source[7] = NAN;
    refused(plan, &source, &result, ABBE_ERR_NONFINITE, "x 2, y 0, channel 1");
    assert_int_equal(abbe_submit(plan, &source, &result, NULL), ABBE_ERR_INVALID);
    const unsigned char *bytes = (const unsigned char *)runs[0].results;
    for (size_t i = 0; i < sizeof runs[0].results; i++)
        assert_int_equal(bytes[i], 0x7e);
    abbe_ticket *none = NULL;
    assert_int_equal(abbe_wait(NULL), ABBE_OK);
    assert_int_equal(abbe_wait(&none), ABBE_OK);
    abbe_plan_destroy(&plan);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_at_once),  cmocka_unit_test(plans_mix),  cmocka_unit_test(in_place),
        cmocka_unit_test(little_memory), cmocka_unit_test(any_thread), cmocka_unit_test(bad_input),
    };
    int failures = cmocka_run_group_tests(tests, make_runs, free_runs);
    abbe_device_close(&device);
    return failures;
}
