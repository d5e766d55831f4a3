/* Threads: many threads run one plan at once, a run uses any number of threads, threads create and destroy
 * plans at the same time, and every thread and device has a separate error message.
 *
 * Argument: DEVICE. The pictures are small because the thread sanitizer is slow. */
#include "core/pool.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The picture is tall, so that every thread of a run finds rows to work on. */
enum { THREADS = 8, BANK = 3, WIDTH = 127, HEIGHT = 151, CHANNELS = 3 };
enum { RESULT_FLOATS = WIDTH * HEIGHT * CHANNELS };

static int argument_count;
static char **arguments;
static abbe_filter *bank[BANK];
static float source_pixels[RESULT_FLOATS];

static abbe_image view_of(float *pixels)
{
    ptrdiff_t stride = WIDTH * CHANNELS * (ptrdiff_t)sizeof *pixels;
    return (abbe_image){ .data = pixels,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = CHANNELS,
                         .stride = stride,
                         .type = ABBE_F32 };
}

static abbe_plan_params params_of(abbe_method method)
{
    bool tiles = method == ABBE_METHOD_TILES;
    return (abbe_plan_params){ .width = WIDTH,
                               .height = HEIGHT,
                               .channels = CHANNELS,
                               .source_type = ABBE_F32,
                               .result_type = ABBE_F32,
                               .filters = (const abbe_filter *const *)bank,
                               .filter_count = BANK,
                               .method = method,
                               .tile_width = tiles ? 16 : 0,
                               .tile_height = tiles ? 9 : 0 };
}

/* Runs the bank into BANK pictures of `results`. */
static int run(const abbe_plan *plan, float *results)
{
    abbe_image source = view_of(source_pixels), views[BANK];
    for (int i = 0; i < BANK; i++)
        views[i] = view_of(results + i * RESULT_FLOATS);
    return abbe_run(plan, &source, views);
}

static int make_bank(void **state)
{
    (void)state;
    static const char *const texts[BANK] = { "gaussian:sigma=1.5", "sobel", "unsharp" };
    struct random random = { 1 };
    for (int i = 0; i < RESULT_FLOATS; i++)
        source_pixels[i] = (float)random_unit(&random);
    for (int i = 0; i < BANK; i++)
        bank[i] = apply_filter(texts[i]);
    return 0;
}

static int free_bank(void **state)
{
    (void)state;
    for (int i = 0; i < BANK; i++)
        abbe_filter_destroy(&bank[i]);
    return 0;
}

/* ---- One plan, many threads --------------------------------------------------------------------------- */

struct runner {
    pthread_t thread;
    abbe_device *device;
    const abbe_plan *plan;
    abbe_method method;
    const float *expected;
    int number, failures;
    char text[128];
};

static void start_all(struct runner *runners, void *(*what)(void *))
{
    for (int i = 0; i < THREADS; i++) {
        runners[i].number = i;
        assert_int_equal(pthread_create(&runners[i].thread, NULL, what, &runners[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(runners[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (runners[i].failures)
            fail_msg("method %s, thread %d: %d failures %s", abbe_method_name(runners[i].method), i,
                     runners[i].failures, runners[i].text);
}

static void *run_often(void *argument)
{
    struct runner *runner = argument;
    float *results = malloc(BANK * RESULT_FLOATS * sizeof *results);
    for (int i = 0; i < 3; i++) {
        memset(results, 0xEE, BANK * RESULT_FLOATS * sizeof *results);
        runner->failures += run(runner->plan, results) != ABBE_OK;
        runner->failures += memcmp(results, runner->expected, BANK * RESULT_FLOATS * sizeof *results) != 0;
    }
    free(results);
    return NULL;
}

static void one_plan_many_threads(void **state)
{
    (void)state;
    abbe_device *device = test_open_device(argument_count, arguments, 2);
    float *expected = malloc(BANK * RESULT_FLOATS * sizeof *expected);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        abbe_plan_params params = params_of((abbe_method)method);
        abbe_plan *plan = apply_plan(device, &params);
        assert_int_equal(run(plan, expected), ABBE_OK);
        struct runner runners[THREADS];
        for (int i = 0; i < THREADS; i++)
            runners[i] = (struct runner){ .plan = plan, .method = (abbe_method)method, .expected = expected };
        start_all(runners, run_often);
        abbe_plan_destroy(&plan);
    }
    free(expected);
    abbe_device_close(&device);
}

/* ---- Threads inside a run ----------------------------------------------------------------------------- */

static void threads_change_nothing(void **state)
{
    (void)state;
    static const int counts[] = { 1, 2, 3, 7 };
    float *first = malloc(BANK * RESULT_FLOATS * sizeof *first);
    float *other = malloc(BANK * RESULT_FLOATS * sizeof *other);
    int step = effort_is_slight() ? 2 : 1; /* GPUs use these threads only while a plan is made */
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++)
        for (int i = 0; i < 4; i += step) {
            abbe_device *device = test_open_device(argument_count, arguments, counts[i]);
            abbe_plan_params params = params_of((abbe_method)method);
            abbe_plan *plan = apply_plan(device, &params);
            assert_int_equal(run(plan, i ? other : first), ABBE_OK);
            if (i && memcmp(first, other, BANK * RESULT_FLOATS * sizeof *first))
                fail_msg("method %s: %d threads give other bytes than one",
                         abbe_method_name((abbe_method)method), counts[i]);
            abbe_plan_destroy(&plan);
            abbe_device_close(&device);
        }
    free(first);
    free(other);
}

/* Other devices take long to create plans and do not run on the library's threads. */
static bool is_cpu(void)
{
    return argument_count < 2 || !strncmp(arguments[1], "cpu", 3);
}

/* The same with one filter, whose columns are filtered in place, for one plane of floats and two planes of
 * bytes. */
static void threads_change_nothing_of_single_filters(void **state)
{
    (void)state;
    enum { SIDE_X = 130, SIDE_Y = 129, BYTES = SIDE_X * SIDE_Y * 4 };
    static const int counts[] = { 1, 2, 3, 7 };
    static unsigned char first[BYTES], other[BYTES];
    for (int i = 0; i < (is_cpu() ? 4 * 2 * 4 : 0); i++) {
        abbe_method method = (abbe_method)(ABBE_METHOD_DIRECT + i / 8);
        bool bytes = i / 4 % 2;
        int channels = bytes ? 4 : 1, threads = counts[i % 4];
        abbe_type type = bytes ? ABBE_U8 : ABBE_F32;
        abbe_device *device = test_open_device(argument_count, arguments, threads);
        abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = SIDE_X,
                                                                  .height = SIDE_Y,
                                                                  .channels = channels,
                                                                  .source_type = type,
                                                                  .result_type = type,
                                                                  .filters = (const abbe_filter *const *)bank,
                                                                  .filter_count = 1,
                                                                  .method = method });
        abbe_image source = { .data = source_pixels,
                              .width = SIDE_X,
                              .height = SIDE_Y,
                              .channels = channels,
                              .stride = SIDE_X * 4,
                              .type = type },
                   result = source;
        result.data = i % 4 ? other : first;
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        if (i % 4 && memcmp(first, other, BYTES))
            fail_msg("method %s, %d channels: %d threads give other bytes than one", abbe_method_name(method),
                     channels, threads);
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
}

/* ---- What a run leaves behind in its threads ---------------------------------------------------------- */

static volatile float tiny = 0x1p-140f;

/* A pool_task; the context is an atomic_int that counts threads which lost denormal floats. */
static void look_at_denormals(void *context, int worker, long long first, long long end)
{
    (void)worker, (void)first, (void)end;
    float half = tiny * 0.5f;
    uint32_t bits; /* compares bits, since without denormals a comparison of floats would see zeros */
    memcpy(&bits, &half, sizeof bits);
    atomic_fetch_add((atomic_int *)context, bits != 1u << 8);
}

/* Whether the threads of the pool still compute with denormal floats. */
static bool denormals_are_kept(int threads)
{
    atomic_int lost = 0;
    pool_loop(threads, 1000 * threads, 1, look_at_denormals, &lost);
    return lost == 0;
}

/* Engines flush denormals to zero while they run and must restore the mode of the caller and its threads. */
static void denormals_stay_as_they_were(void **state)
{
    (void)state;
    float *results = malloc(BANK * RESULT_FLOATS * sizeof *results), kept = source_pixels[0];
    assert_true(denormals_are_kept(3));
    for (int method = ABBE_METHOD_DIRECT; is_cpu() && method <= ABBE_METHOD_TILES; method++)
        for (int bad = 0; bad < 2; bad++) {
            abbe_device *device = test_open_device(argument_count, arguments, 3);
            abbe_plan_params params = params_of((abbe_method)method);
            params.filter_count = bad ? 1 : BANK;
            abbe_plan *plan = apply_plan(device, &params);
            source_pixels[0] = bad ? NAN : kept;
            assert_int_equal(run(plan, results), bad ? ABBE_ERR_NONFINITE : ABBE_OK);
            if (!denormals_are_kept(3))
                fail_msg("%s leaves threads without denormals", abbe_method_name((abbe_method)method));
            abbe_plan_destroy(&plan);
            abbe_device_close(&device);
        }
    source_pixels[0] = kept;
    free(results);
}

/* ---- Bad samples -------------------------------------------------------------------------------------- */

/* Several threads search for nonfinite samples; the message names the first one in reading order. */
static void first_bad_sample_is_named(void **state)
{
    (void)state;
    abbe_device *device = test_open_device(argument_count, arguments, 3);
    abbe_plan_params params = params_of(ABBE_METHOD_AUTO);
    abbe_plan *plan = apply_plan(device, &params);
    float *results = malloc(BANK * RESULT_FLOATS * sizeof *results), kept[RESULT_FLOATS];
    memcpy(kept, source_pixels, sizeof kept);
    for (int y = HEIGHT - 1; y >= 0; y -= 7) {
        source_pixels[(y * WIDTH + 5) * CHANNELS + 2] = NAN;
        char expected[32];
        snprintf(expected, sizeof expected, "x 5, y %d, channel 2 ", y);
        assert_int_equal(run(plan, results), ABBE_ERR_NONFINITE);
        if (!strstr(abbe_error_text(device), expected))
            fail_msg("'%s' does not contain '%s'", abbe_error_text(device), expected);
    }
    memcpy(source_pixels, kept, sizeof kept);
    free(results);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

/* ---- Plans side by side ------------------------------------------------------------------------------- */

static void *make_plans(void *argument)
{
    struct runner *runner = argument;
    float *results = malloc(BANK * RESULT_FLOATS * sizeof *results);
    for (int i = 0; i < 4; i++) {
        abbe_plan *plan = NULL;
        abbe_plan_params params = params_of((abbe_method)(ABBE_METHOD_DIRECT + (runner->number + i) % 4));
        runner->failures += abbe_plan_create(runner->device, &params, &plan) != ABBE_OK;
        runner->failures += !plan || run(plan, results) != ABBE_OK;
        abbe_plan_destroy(&plan);
    }
    free(results);
    return NULL;
}

static void plans_side_by_side(void **state)
{
    (void)state;
    abbe_device *device = test_open_device(argument_count, arguments, 1);
    struct runner runners[THREADS];
    for (int i = 0; i < THREADS; i++)
        runners[i] = (struct runner){ .device = device };
    start_all(runners, make_plans);
    abbe_device_close(&device);
}

/* ---- Messages ----------------------------------------------------------------------------------------- */

/* Fails on the device with a message that contains `width`. */
static void fail_on(abbe_device *device, int width)
{
    abbe_plan *plan = NULL;
    abbe_plan_params params = params_of(ABBE_METHOD_AUTO);
    params.width = width;
    if (abbe_plan_create(device, &params, &plan) != ABBE_ERR_INVALID)
        abort();
}

static bool has_message(const abbe_device *device, int width)
{
    char expected[32];
    snprintf(expected, sizeof expected, "size %d x %d", width, HEIGHT);
    return strstr(abbe_error_text(device), expected);
}

/* A new thread has no error messages; later it reads only its own, with and without a device. */
static void *fail_often(void *argument)
{
    struct runner *runner = argument;
    char name[32], *shown = runner->text;
    abbe_filter *filter = NULL;
    runner->failures += abbe_error_text(runner->device)[0] != 0 || abbe_error_text(NULL)[0] != 0;
    for (int i = 1; i <= 100; i++) {
        int width = -1000 * runner->number - i;
        snprintf(name, sizeof name, "nothing%d", 1000 * runner->number + i);
        fail_on(runner->device, width);
        runner->failures += abbe_filter_parse(name, NULL, &filter) != ABBE_ERR_SYNTAX;
        runner->failures += !has_message(runner->device, width) || !strstr(abbe_error_text(NULL), name);
    }
    snprintf(shown, sizeof runner->text, "%s", abbe_error_text(runner->device));
    return NULL;
}

static void messages_per_thread(void **state)
{
    (void)state;
    abbe_device *device = test_open_device(argument_count, arguments, 1);
    fail_on(device, -7);
    struct runner runners[THREADS];
    for (int i = 0; i < THREADS; i++)
        runners[i] = (struct runner){ .device = device };
    start_all(runners, fail_often);
    assert_true(has_message(device, -7));
    abbe_device_close(&device);
}

/* A thread remembers the messages of the last four devices that failed; a new failure of a device renews
 * its place. */
static void messages_per_device(void **state)
{
    (void)state;
    enum { DEVICES = 6 };
    abbe_device *devices[DEVICES];
    for (int i = 0; i < DEVICES; i++)
        devices[i] = test_open_device(argument_count, arguments, 1);
    for (int i = 0; i < 5; i++)
        fail_on(devices[i], -10 - i);
    assert_string_equal(abbe_error_text(devices[0]), "");
    for (int i = 1; i < 5; i++)
        assert_true(has_message(devices[i], -10 - i));
    fail_on(devices[1], -50);
    fail_on(devices[5], -60);
    assert_string_equal(abbe_error_text(devices[2]), "");
    assert_true(has_message(devices[1], -50) && has_message(devices[3], -13) &&
                has_message(devices[4], -14) && has_message(devices[5], -60));
    for (int i = 0; i < DEVICES; i++)
        abbe_device_close(&devices[i]);
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_plan_many_threads),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(first_bad_sample_is_named),
        cmocka_unit_test(plans_side_by_side),
        cmocka_unit_test(messages_per_thread),
        cmocka_unit_test(messages_per_device),
        cmocka_unit_test(denormals_stay_as_they_were),
        cmocka_unit_test(threads_change_nothing_of_single_filters),
    };
    return cmocka_run_group_tests(tests, make_bank, free_bank);
}
