/* Where `auto` runs small and large works, with a GPU beside the CPU that a file of prices makes cheap or
 * expensive; and that the CPU takes over when that GPU fails.
 *
 * Needs a software driver, which stands for the GPU; skipped (77) without one. */
#include "support/apply.h"
#include "support/blur.h"
#include "support/child.h"
#include "support/faults.h"
#include "support/halving.h"
#include "support/shims.h"
#include "support/test.h"

#include <abbe/measure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int MANY = 1000000;

/* ---- Prices ------------------------------------------------------------------------------------------- */

static char prices[] = "/tmp/abbe-test-XXXXXX";

/* The built-in prices of the software driver divided by a number. */
static void set_prices(double divisor)
{
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    FILE *file = fopen(prices, "w");
    setenv("ABBE_PRICES", "builtin", 1);
    assert_int_equal(abbe_device_open("vulkan:lavapipe", NULL, &device), ABBE_OK);
    assert_int_equal(blur_plan(device, ABBE_METHOD_DIRECT, &plan), ABBE_OK);
    size_t count;
    const abbe_charge *charges = abbe_plan_charges(plan, ABBE_METHOD_DIRECT, &count);
    assert_non_null(file);
    fprintf(file, "abbe-prices 1\n[auto]\nopen 1e-2\nplan 1e-3\n[%s]\n", abbe_device_section(device));
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s %g\n", charges[i].name, charges[i].seconds / divisor);
    fclose(file);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    setenv("ABBE_PRICES", prices, 1);
}

static int make_prices(void **state)
{
    int file = mkstemp(prices);
    if (file < 0 || close(file))
        return 1;
    set_prices(900);
    return blur_make_expected(state);
}

static int remove_prices(void **state)
{
    (void)state;
    return unlink(prices);
}

/* ---- Plans -------------------------------------------------------------------------------------------- */

static int openings;

void *__real_dlopen(const char *file, int flags);
void *__wrap_dlopen(const char *file, int flags);

void *__wrap_dlopen(const char *file, int flags)
{
    openings += !strcmp(file, "libvulkan.so.1");
    return __real_dlopen(file, flags);
}

/* The last warning of the device's logger. */
static char warning[600];

static void note_warning(void *user, abbe_log_level level, const char *text)
{
    (void)user;
    if (level == ABBE_LOG_WARNING)
        snprintf(warning, sizeof warning, "%s", text);
}

static abbe_device *open_auto(void)
{
    abbe_device *device = NULL;
    openings = 0;
    *warning = 0;
    shims_fail(-1, VK_SUCCESS);
    shims_room(UINT64_MAX);
    assert_int_equal(abbe_device_open("auto", &(abbe_device_params){ .log = note_warning }, &device),
                     ABBE_OK);
    return device;
}

static int plan_with(abbe_device *device, const abbe_filter *filter, int runs, abbe_plan **plan)
{
    return abbe_plan_create(device,
                            &(abbe_plan_params){ .width = BLUR_WIDTH,
                                                 .height = BLUR_HEIGHT,
                                                 .channels = 1,
                                                 .source_type = ABBE_F32,
                                                 .result_type = ABBE_F32,
                                                 .filters = (const abbe_filter *const *)&filter,
                                                 .filter_count = 1,
                                                 .runs = runs },
                            plan);
}

static abbe_plan *plan_for(abbe_device *device, int runs)
{
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = NULL;
    if (plan_with(device, blur, runs, &plan))
        fail_msg("%s", abbe_error_text(device));
    abbe_filter_destroy(&blur);
    return plan;
}

/* Checks that a plan is on the named device for that reason, and that its result is right. */
static void check(const abbe_plan *plan, const char *name, const char *reason)
{
    float out[BLUR_SAMPLES] = { 0 };
    abbe_image source = blur_source(), result = blur_view(out);
    if (strcmp(abbe_device_name(abbe_plan_device(plan)), name) || !strstr(abbe_plan_reason(plan), reason))
        fail_msg("%s: %s", abbe_device_name(abbe_plan_device(plan)), abbe_plan_reason(plan));
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
    blur_assert_right(out);
}

static void choices(void **state)
{
    (void)state;
    abbe_device *device = open_auto();
    abbe_plan *small = plan_for(device, 0);
    check(small, "cpu", "not worth");
    assert_int_equal(openings, 0);
    abbe_plan *large = plan_for(device, MANY), *after = plan_for(device, 10);
    check(large, "vulkan", "on the CPU");
    check(after, "cpu", "not worth"); /* the driver is open, but pipelines take time too */
    assert_int_equal(openings, 1);
    abbe_plan_destroy(&small);
    abbe_plan_destroy(&large);
    abbe_plan_destroy(&after);
    abbe_device_close(&device);
}

static void dear_gpu(void **state)
{
    (void)state;
    set_prices(1);
    abbe_device *device = open_auto();
    abbe_plan *plan = plan_for(device, MANY);
    check(plan, "cpu", "on vulkan");
    assert_int_equal(openings, 1);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    set_prices(900);
}

static void no_gpu(void **state)
{
    (void)state;
    unsetenv("ABBE_VULKAN_SOFTWARE");
    abbe_device *device = open_auto();
    for (int i = 0; i < 2; i++) {
        abbe_plan *plan = plan_for(device, MANY);
        if (!strcmp(abbe_device_name(abbe_plan_device(plan)), "cpu"))
            check(plan, "cpu", "there is no GPU");
        assert_null(strstr(abbe_device_detail(abbe_plan_device(plan)), "llvmpipe"));
        abbe_plan_destroy(&plan);
    }
    assert_int_equal(openings, 1);
    abbe_device_close(&device);
    setenv("ABBE_VULKAN_SOFTWARE", "1", 1);
}

static void named_devices_have_no_choice(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &device), ABBE_OK);
    plan = plan_for(device, MANY);
    assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "cpu");
    assert_string_equal(abbe_plan_reason(plan), "");
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    assert_null(abbe_plan_device(NULL));
    assert_string_equal(abbe_plan_reason(NULL), "");
}

static int stop_reading(void *user, int x, int y, const abbe_image *to)
{
    (void)user, (void)x, (void)y, (void)to;
    return 1;
}

static int drop_part(void *user, int result, int x, int y, const abbe_image *from)
{
    (void)user, (void)result, (void)x, (void)y, (void)from;
    return 0;
}

/* The GPU is opened for a stream that has memory for its driver, and used by others from then on. The stream ends
 * when it has made its plan. */
static void streams(void **state)
{
    (void)state;
    static const struct {
        size_t memory;
        int openings;
    } cases[] = { { 20 << 20, 0 }, { 500 << 20, 1 }, { 20 << 20, 1 } };
    abbe_device *device = open_auto();
    abbe_filter *blur = apply_filter("gaussian:sigma=20");
    const abbe_plan_params plan = { .width = 20000,
                                    .height = 20000,
                                    .channels = 1,
                                    .source_type = ABBE_U8,
                                    .result_type = ABBE_U8,
                                    .filters = (const abbe_filter *const *)&blur,
                                    .filter_count = 1 };
    for (int i = 0; i < 3; i++) {
        const abbe_stream_params params = {
            .plan = &plan, .read = stop_reading, .write = drop_part, .memory = cases[i].memory
        };
        assert_int_equal(abbe_stream(device, &params, NULL), ABBE_ERR_FILE);
        assert_int_equal(openings, cases[i].openings);
    }
    abbe_filter_destroy(&blur);
    abbe_device_close(&device);
}

static void wrong_runs(void **state)
{
    (void)state;
    abbe_device *device = open_auto();
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = NULL;
    assert_int_equal(plan_with(device, blur, -1, &plan), ABBE_ERR_INVALID);
    assert_non_null(strstr(abbe_error_text(device), "runs is -1"));
    abbe_filter_destroy(&blur);
    abbe_device_close(&device);
}

/* ---- Faults ------------------------------------------------------------------------------------------- */

/* A plan on a GPU whose calls can be made to fail. */
static abbe_plan *plan_shimmed(abbe_device *device)
{
    abbe_plan *plan = plan_for(device, MANY);
    assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "vulkan");
    shims_put((abbe_device *)abbe_plan_device(plan));
    return plan;
}

/* Every call from call n on fails: the CPU takes over, and the plan's reason and the logger tell. */
static void fails_for_good(void **state)
{
    (void)state;
    const VkResult failures[] = { VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_UNKNOWN };
    for (int i = 0; i < 3; i++) {
        bool failed = true;
        for (long n = 0; failed; n += 3) {
            float out[BLUR_SAMPLES] = { 0 };
            abbe_device *device = open_auto();
            abbe_plan *plan = plan_shimmed(device);
            abbe_image source = blur_source(), result = blur_view(out);
            shims_fail_for_good(n, failures[i]);
            if (abbe_run(plan, &source, &result))
                fail_msg("failure %d, call %ld: %s", i, n, abbe_error_text(device));
            blur_assert_right(out);
            failed = shims_failed();
            if (failed) {
                check(plan, "cpu", "vulkan failed");
                assert_non_null(strstr(warning, "continues on the CPU"));
            }
            abbe_plan_destroy(&plan);
            abbe_device_close(&device);
        }
    }
}

/* Counts calls down and stops the run at 0. */
static int count_down(void *user, double done)
{
    (void)done;
    int *calls_left = user;
    return --*calls_left <= 0;
}

/* A run that the application stops neither moves to the CPU nor starts again there, also after a failure of
 * the GPU. */
static void stopped_runs_do_not_fall_back(void **state)
{
    (void)state;
    for (int calls = 1; calls <= 2; calls++) {
        float out[BLUR_SAMPLES] = { 0 };
        abbe_device *device = open_auto();
        abbe_plan *plan = plan_shimmed(device);
        abbe_image source = blur_source(), result = blur_view(out);
        int calls_left = calls;
        abbe_watch watch = { .progress = count_down, .user = &calls_left };
        assert_int_equal(abbe_run_watched(plan, &source, &result, &watch), ABBE_ERR_CANCELLED);
        assert_int_equal(calls_left, 0);
        assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "vulkan");
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        blur_assert_right(out);
        shims_fail_for_good(0, VK_ERROR_DEVICE_LOST);
        calls_left = calls;
        assert_int_equal(abbe_run_watched(plan, &source, &result, &watch), ABBE_ERR_CANCELLED);
        assert_int_equal(calls_left, 0);
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        blur_assert_right(out);
        check(plan, "cpu", "vulkan failed");
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
}

static void fails_while_plans_are_made(void **state)
{
    (void)state;
    abbe_device *device = open_auto();
    abbe_plan *first = plan_shimmed(device);
    shims_room(64);
    abbe_plan *plan = plan_for(device, MANY);
    check(plan, "cpu", "vulkan cannot");
    assert_non_null(strstr(warning, "auto: vulkan cannot do a plan"));
    abbe_plan_destroy(&plan);
    abbe_plan_destroy(&first);
    abbe_device_close(&device);
}

static void fails_in_two_steps(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES] = { 0 };
    abbe_device *device = open_auto();
    abbe_plan *plan = plan_shimmed(device);
    abbe_image source = blur_source(), result = blur_view(out);
    abbe_ticket *ticket = NULL;
    assert_int_equal(abbe_submit(plan, &source, &result, &ticket), ABBE_OK);
    assert_int_equal(abbe_wait(&ticket), ABBE_OK);
    blur_assert_right(out);
    assert_int_equal(abbe_submit(plan, &source, &result, &ticket), ABBE_OK);
    shims_fail_for_good(0, VK_ERROR_DEVICE_LOST);
    assert_int_equal(abbe_wait(&ticket), ABBE_ERR_DEVICE); /* its source is gone */
    assert_non_null(strstr(abbe_error_text(device), "lost"));
    memset(out, 0, sizeof out);
    assert_int_equal(abbe_submit(plan, &source, &result, &ticket), ABBE_OK);
    assert_int_equal(abbe_wait(&ticket), ABBE_OK);
    blur_assert_right(out);
    check(plan, "cpu", "vulkan failed");
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

/* The GPU fails, and then the CPU has no memory, for its engine or for its run: the message names both. */
static void both_devices_fail(void **state)
{
    (void)state;
    int failures = 0, error = ABBE_ERR_MEMORY;
    for (long n = 0; error; n++) {
        float out[BLUR_SAMPLES] = { 0 };
        abbe_device *device = open_auto();
        abbe_plan *plan = plan_shimmed(device);
        abbe_image source = blur_source(), result = blur_view(out);
        shims_fail_for_good(0, VK_ERROR_DEVICE_LOST);
        faults_arm(n, true);
        error = abbe_run(plan, &source, &result);
        faults_disarm();
        const char *message = abbe_error_text(device);
        if (error && (!strstr(message, "vulkan") || !strstr(message, "cpu")))
            fail_msg("allocation %ld: %s", n, message);
        failures += error && strstr(message, "lost") && strstr(message, "out of memory");
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
    assert_true(failures > 0);
}

/* A caller's transfer function is called while the plan is made, for both devices, and never afterwards. */
static void callers_function(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    abbe_device *device = open_auto();
    abbe_filter *halving = halving_filter();
    abbe_plan *plan = NULL;
    abbe_image source = blur_source(), result = blur_view(out);
    halving_may_be_asked = true;
    assert_int_equal(plan_with(device, halving, MANY, &plan), ABBE_OK);
    halving_may_be_asked = false;
    assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "vulkan");
    shims_put((abbe_device *)abbe_plan_device(plan));
    shims_fail_for_good(0, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
    for (int i = 0; i < BLUR_SAMPLES; i++)
        assert_true(fabsf(out[i] - 0.5f * ((float *)source.data)[i]) < 1e-5f);
    assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "cpu");
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&halving);
    abbe_device_close(&device);
}

/* A child of fork(): the plan on the GPU continues on the CPU, and new plans are on the CPU. */
static int run_in_child(void *argument)
{
    abbe_plan **plans = argument;
    abbe_device *device = (abbe_device *)plan_device(plans[0]);
    float out[BLUR_SAMPLES] = { 0 };
    abbe_image source = blur_source(), result = blur_view(out);
    bool right = !abbe_run(plans[0], &source, &result) && blur_is_right(out) &&
                 !strcmp(abbe_device_name(abbe_plan_device(plans[0])), "cpu") &&
                 strstr(abbe_plan_reason(plans[0]), "before fork()");
    abbe_ticket *ticket = NULL;
    right = right && !abbe_submit(plans[1], &source, &result, &ticket) && !abbe_wait(&ticket);
    abbe_plan *made = plan_for(device, MANY);
    right = right && !strcmp(abbe_device_name(abbe_plan_device(made)), "cpu") &&
            strstr(abbe_plan_reason(made), "before fork()") && !abbe_run(made, &source, &result);
    abbe_plan_destroy(&made);
    abbe_plan_destroy(&plans[0]);
    abbe_plan_destroy(&plans[1]);
    abbe_device_close(&device);
    return right ? 0 : 1;
}

static void forked(void **state)
{
    (void)state;
    abbe_device *device = open_auto();
    abbe_plan *plans[2] = { plan_for(device, MANY), plan_for(device, MANY) };
    check(plans[0], "vulkan", "on the CPU");
    assert_int_equal(child_run(run_in_child, plans), 0);
    check(plans[0], "vulkan", "on the CPU");
    abbe_plan_destroy(&plans[0]);
    abbe_plan_destroy(&plans[1]);
    abbe_device_close(&device);
}

/* Errors of a run are recorded for the device that the plan was made with. */
static void messages(void **state)
{
    (void)state;
    float in[BLUR_SAMPLES] = { [7] = NAN }, out[BLUR_SAMPLES];
    abbe_device *device = open_auto();
    abbe_plan *plan = plan_shimmed(device);
    abbe_image source = blur_view(in), result = blur_view(out);
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_ERR_NONFINITE);
    assert_non_null(strstr(abbe_error_text(device), "x 7, y 0"));
    source.width--;
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_ERR_INVALID);
    assert_non_null(strstr(abbe_error_text(device), "11 x 10"));
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

int main(void)
{
    setenv("ABBE_VULKAN_SOFTWARE", "1", 1);
    test_require_device("vulkan:lavapipe");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices),
        cmocka_unit_test(dear_gpu),
        cmocka_unit_test(no_gpu),
        cmocka_unit_test(named_devices_have_no_choice),
        cmocka_unit_test(streams),
        cmocka_unit_test(wrong_runs),
        cmocka_unit_test(fails_for_good),
        cmocka_unit_test(stopped_runs_do_not_fall_back),
        cmocka_unit_test(fails_while_plans_are_made),
        cmocka_unit_test(fails_in_two_steps),
        cmocka_unit_test(both_devices_fail),
        cmocka_unit_test(callers_function),
        cmocka_unit_test(forked),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, make_prices, remove_prices);
}
