/* Threads: one plan run by many at once, any number of threads inside a run, plans made and destroyed side by
 * side, and a sentence of its own for every thread and device.
 *
 * Argument: DEVICE. Small pictures, since the thread sanitizer watches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/apply.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tall, so that every thread of a run finds rows to work on before the others have taken all of them. */
enum { THREADS = 8, BANK = 3, WIDTH = 127, HEIGHT = 151, CHANNELS = 3 };
enum { RESULT_FLOATS = WIDTH * HEIGHT * CHANNELS };

static int argument_count;
static char **arguments;
static abbe_filter *bank[BANK];
static float source_pixels[RESULT_FLOATS];

static abbe_image view_of(float *pixels)
{
    ptrdiff_t stride = WIDTH * CHANNELS * (ptrdiff_t)sizeof *pixels;
    return (abbe_image){ pixels, WIDTH, HEIGHT, CHANNELS, stride, ABBE_F32 };
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
    abbe_device *device = apply_device(argument_count, arguments, 2);
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
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++)
        for (int i = 0; i < 4; i++) {
            abbe_device *device = apply_device(argument_count, arguments, counts[i]);
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

/* Several threads look for bad samples; the first one in reading order is named, whoever finds it. */
static void first_bad_sample_is_named(void **state)
{
    (void)state;
    abbe_device *device = apply_device(argument_count, arguments, 3);
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
            fail_msg("'%s' does not say '%s'", abbe_error_text(device), expected);
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
    abbe_device *device = apply_device(argument_count, arguments, 1);
    struct runner runners[THREADS];
    for (int i = 0; i < THREADS; i++)
        runners[i] = (struct runner){ .device = device };
    start_all(runners, make_plans);
    abbe_device_close(&device);
}

/* ---- Sentences ---------------------------------------------------------------------------------------- */

/* Fails on the device with a sentence that holds `width`. */
static void fail_on(abbe_device *device, int width)
{
    abbe_plan *plan = NULL;
    abbe_plan_params params = params_of(ABBE_METHOD_AUTO);
    params.width = width;
    if (abbe_plan_create(device, &params, &plan) != ABBE_ERR_INVALID)
        abort();
}

static bool says(const abbe_device *device, int width)
{
    char expected[32];
    snprintf(expected, sizeof expected, "size %d x %d", width, HEIGHT);
    return strstr(abbe_error_text(device), expected);
}

/* A new thread has heard of no failure; then it hears of its own, on the device and on none. */
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
        runner->failures += !says(runner->device, width) || !strstr(abbe_error_text(NULL), name);
    }
    snprintf(shown, sizeof runner->text, "%s", abbe_error_text(runner->device));
    return NULL;
}

static void sentences_per_thread(void **state)
{
    (void)state;
    abbe_device *device = apply_device(argument_count, arguments, 1);
    fail_on(device, -7);
    struct runner runners[THREADS];
    for (int i = 0; i < THREADS; i++)
        runners[i] = (struct runner){ .device = device };
    start_all(runners, fail_often);
    assert_true(says(device, -7));
    abbe_device_close(&device);
}

/* Five devices fail; the last four are remembered, and a later failure of one of them renews it. */
static void sentences_per_device(void **state)
{
    (void)state;
    enum { DEVICES = 6 };
    abbe_device *devices[DEVICES];
    for (int i = 0; i < DEVICES; i++)
        devices[i] = apply_device(argument_count, arguments, 1);
    for (int i = 0; i < 5; i++)
        fail_on(devices[i], -10 - i);
    assert_string_equal(abbe_error_text(devices[0]), "");
    for (int i = 1; i < 5; i++)
        assert_true(says(devices[i], -10 - i));
    fail_on(devices[1], -50);
    fail_on(devices[5], -60);
    assert_string_equal(abbe_error_text(devices[2]), "");
    assert_true(says(devices[1], -50) && says(devices[3], -13) && says(devices[4], -14) &&
                says(devices[5], -60));
    for (int i = 0; i < DEVICES; i++)
        abbe_device_close(&devices[i]);
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_plan_many_threads),     cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(first_bad_sample_is_named), cmocka_unit_test(plans_side_by_side),
        cmocka_unit_test(sentences_per_thread),      cmocka_unit_test(sentences_per_device),
    };
    return cmocka_run_group_tests(tests, make_bank, free_bank);
}
