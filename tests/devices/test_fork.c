/* fork(): the CPU works in the child with threads, whatever other threads of the parent were doing, and in
 * the parent afterwards. GPUs that were opened before the fork refuse to work in the child; nothing hangs.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/child.h"
#include "support/test.h"
#include "support/trial.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough samples for eight threads. */
enum { WIDTH = 256, HEIGHT = 240, SAMPLES = WIDTH * HEIGHT, THREADS_MAX = 8 };

/* Answers of a child. */
enum { RIGHT, NO_RUN, WRONG_RESULT, NO_PLAN, NO_THREADS, NOT_REFUSED, WRONG_MESSAGE };

static int argument_count;
static char **arguments;
static abbe_filter *blur;
static float pixels[SAMPLES], expected[SAMPLES];

static bool is_cpu(void)
{
    return argument_count < 2 || !strncmp(arguments[1], "cpu", 3);
}

static int make_expected(void **state)
{
    (void)state;
    abbe_matrix taps;
    blur = apply_filter("gaussian:sigma=1");
    const abbe_filter_info *info = abbe_filter_describe(blur);
    struct picture in = apply_noise(WIDTH, HEIGHT, 1, 5, true);
    assert_int_equal(abbe_filter_taps(blur, 0, &taps), ABBE_OK);
    struct picture out = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, info->centre_x,
                                            info->centre_y);
    for (int i = 0; i < SAMPLES; i++) {
        pixels[i] = (float)in.samples[i];
        expected[i] = (float)out.samples[i];
    }
    picture_free(&in);
    picture_free(&out);
    abbe_matrix_free(&taps);
    return 0;
}

static int free_filter(void **state)
{
    (void)state;
    abbe_filter_destroy(&blur);
    return 0;
}

static int make_plan(abbe_device *device, abbe_method method, abbe_plan **plan)
{
    return abbe_plan_create(device,
                            &(abbe_plan_params){ .width = WIDTH,
                                                 .height = HEIGHT,
                                                 .channels = 1,
                                                 .source_type = ABBE_F32,
                                                 .result_type = ABBE_F32,
                                                 .filters = (const abbe_filter *const *)&blur,
                                                 .filter_count = 1,
                                                 .method = method },
                            plan);
}

static abbe_image view_of(float *samples)
{
    return (abbe_image){ .data = samples,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = 1,
                         .stride = WIDTH * sizeof(float),
                         .type = ABBE_F32 };
}

/* Runs a plan and compares with the oracle. */
static int run_and_compare(const abbe_plan *plan)
{
    float *out = malloc(SAMPLES * sizeof *out);
    abbe_image source = view_of(pixels), result = view_of(out);
    int answer = abbe_run(plan, &source, &result) ? NO_RUN : RIGHT;
    for (int i = 0; i < SAMPLES && answer == RIGHT; i++)
        if (!(out[i] - expected[i] < 1e-5f && expected[i] - out[i] < 1e-5f))
            answer = WRONG_RESULT;
    free(out);
    return answer;
}

/* What a child works with. */
struct inheritance {
    abbe_device *device;
    abbe_plan *plan;
    abbe_method method;
    int threads;
};

/* ---- The CPU ------------------------------------------------------------------------------------------ */

static int run_inherited(void *argument)
{
    return run_and_compare(((const struct inheritance *)argument)->plan);
}

/* The parent's plan, a plan on the parent's device, and a plan on the child's own device. */
static int run_in_child(void *argument)
{
    struct inheritance *from = argument;
    abbe_plan *plan = NULL;
    abbe_device *device = NULL;
    int answer = run_inherited(from);
    if (!answer)
        answer = make_plan(from->device, from->method, &plan) ? NO_PLAN : run_and_compare(plan);
    abbe_plan_destroy(&plan);
    abbe_device_params params = { .threads = from->threads };
    if (!answer)
        answer = abbe_device_open(argument_count > 1 ? arguments[1] : "cpu", &params, &device) ||
                         make_plan(device, from->method, &plan)
                     ? NO_PLAN
                     : run_and_compare(plan);
    if (!answer && from->threads > 1 && child_count_threads() == 1)
        answer = NO_THREADS;
    if (!answer && child_run(run_inherited, from)) /* a grandchild */
        answer = WRONG_RESULT;
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    abbe_plan_destroy(&from->plan);
    abbe_device_close(&from->device);
    return answer;
}

static atomic_bool stop;
static atomic_int background_errors;

static void *run_until_stopped(void *plan)
{
    while (!stop)
        if (run_and_compare(plan))
            background_errors++;
    return NULL;
}

static struct inheritance inherit(abbe_method method, int threads)
{
    struct inheritance from = { test_open_device(argument_count, arguments, threads), NULL, method, threads };
    assert_int_equal(make_plan(from.device, method, &from.plan), ABBE_OK);
    assert_int_equal(run_and_compare(from.plan), RIGHT);
    return from;
}

static void disinherit(struct inheritance *from)
{
    assert_int_equal(run_and_compare(from->plan), RIGHT);
    abbe_plan_destroy(&from->plan);
    abbe_device_close(&from->device);
}

/* A run is under way in another thread at the moment of each fork. */
static void children_run(void **state)
{
    (void)state;
    static const int counts[] = { 1, 2, 8 };
    for (int i = 0; is_cpu() && i < 3 * 4; i++) {
        struct inheritance from = inherit((abbe_method)(ABBE_METHOD_DIRECT + i % 4), counts[i / 4]);
        pthread_t thread;
        stop = false;
        assert_int_equal(pthread_create(&thread, NULL, run_until_stopped, from.plan), 0);
        for (int turn = 0; turn < (effort_is_brief() ? 1 : 5); turn++) {
            int answer = child_run(run_in_child, &from);
            if (answer != RIGHT)
                fail_msg("method %s, %d threads: the child answered %d", abbe_method_name(from.method),
                         from.threads, answer);
            assert_int_equal(run_and_compare(from.plan), RIGHT);
        }
        stop = true;
        pthread_join(thread, NULL);
        assert_int_equal(background_errors, 0);
        disinherit(&from);
    }
}

/* Forks and runs by turns; returns the argument if all is right. */
static void *fork_often(void *argument)
{
    bool right = true;
    for (int turn = 0; turn < (effort_is_brief() ? 2 : 4); turn++) {
        right = right && child_run(run_inherited, argument) == RIGHT;
        right = right && run_inherited(argument) == RIGHT;
    }
    return right ? argument : NULL;
}

/* 1, 2 and 8 threads fork and run at the same time. */
static void many_threads_fork(void **state)
{
    (void)state;
    static const int counts[] = { 1, 2, THREADS_MAX };
    for (int turn = 0; is_cpu() && turn < 3; turn++) {
        int count = counts[turn];
        struct inheritance from = inherit(ABBE_METHOD_FFT, 2);
        pthread_t threads[THREADS_MAX];
        for (int i = 0; i < count; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, fork_often, &from), 0);
        for (int i = 0; i < count; i++) {
            void *answer;
            assert_int_equal(pthread_join(threads[i], &answer), 0);
            assert_non_null(answer);
        }
        disinherit(&from);
    }
}

/* ---- GPUs --------------------------------------------------------------------------------------------- */

static bool was_refused(int error, const abbe_device *device)
{
    return error == ABBE_ERR_DEVICE && strstr(abbe_error_text(device), "before fork()");
}

static int meet_inherited_gpu(void *argument)
{
    struct inheritance *from = argument;
    static float out[SAMPLES];
    abbe_image source = view_of(pixels), result = view_of(out);
    abbe_plan *plan = NULL;
    abbe_ticket *ticket = NULL;
    bool refused = was_refused(abbe_run(from->plan, &source, &result), from->device) &&
                   was_refused(make_plan(from->device, from->method, &plan), from->device) &&
                   was_refused(abbe_submit(from->plan, &source, &result, &ticket), from->device);
    for (int i = 0; i < SAMPLES; i++)
        refused = refused && out[i] == 0;
    abbe_plan_destroy(&from->plan);
    abbe_device_close(&from->device);
    return refused && !plan && !ticket ? RIGHT : NOT_REFUSED;
}

static void gpus_refuse_in_the_child(void **state)
{
    (void)state;
    if (is_cpu())
        return;
    struct inheritance from = inherit(ABBE_METHOD_DIRECT, 2);
    pthread_t thread;
    stop = false;
    assert_int_equal(pthread_create(&thread, NULL, run_until_stopped, from.plan), 0);
    for (int turn = 0; turn < 3; turn++)
        assert_int_equal(child_run(meet_inherited_gpu, &from), RIGHT);
    stop = true;
    pthread_join(thread, NULL);
    assert_int_equal(background_errors, 0);
    disinherit(&from);
}

/* A new device in the child works, or fails with a message. */
static int open_again(void *argument)
{
    struct inheritance *from = argument;
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    int error = abbe_device_open(arguments[1], NULL, &device);
    int answer = RIGHT;
    if (error)
        answer = was_refused(error, NULL) ? RIGHT : WRONG_MESSAGE;
    else
        answer = make_plan(device, from->method, &plan) ? NO_PLAN : run_and_compare(plan);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    return answer;
}

static void children_open_gpus(void **state)
{
    (void)state;
    if (is_cpu())
        return;
    struct inheritance from = inherit(ABBE_METHOD_DIRECT, 2);
    for (int turn = 0; turn < 2; turn++)
        assert_int_equal(child_run(open_again, &from), RIGHT);
    disinherit(&from);
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_run),
        cmocka_unit_test(many_threads_fork),
        cmocka_unit_test(gpus_refuse_in_the_child),
        cmocka_unit_test(children_open_gpus),
    };
    return cmocka_run_group_tests(tests, make_expected, free_filter);
}
