/* Runs that progress() stops: they return ABBE_ERR_CANCELLED, leave the source as it was and the plan as good
 * as before, and call progress() no more.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 2 };

static const char *device_name = "cpu";
static struct trial_kernel kernels[KERNELS];

/* When progress() stops a run, and what it saw. */
struct stop {
    int at_call;    /* the number of the call, from 1; 0: at no call */
    double at_done; /* the first call with so much done; above 1: at no call */
    int calls, calls_after;
    bool stopped, fell, strange_thread;
    double last;
    pthread_t caller;
};

static int stop_when_due(void *user, double done)
{
    struct stop *stop = user;
    stop->calls++;
    stop->calls_after += stop->stopped;
    stop->fell = stop->fell || !(done >= stop->last && done <= 1);
    stop->strange_thread = stop->strange_thread || !pthread_equal(pthread_self(), stop->caller);
    stop->last = done;
    stop->stopped = stop->stopped || stop->calls == stop->at_call || done >= stop->at_done;
    return stop->stopped ? -7 : 0;
}

/* A plan, its source and the exact results. */
struct scene {
    struct trial trial;
    int count; /* of the bank */
    struct trial_case cases[KERNELS];
    abbe_plan *plan;
    struct stored results[KERNELS];
};

static struct scene scene_create(abbe_device *device, abbe_method method, abbe_type type, int count,
                                 abbe_precision precision)
{
    struct scene scene = { .count = count };
    scene.trial = (struct trial){ .seed = 5,
                                  .width = 83,
                                  .height = 150,
                                  .channels = 3,
                                  .source_type = type,
                                  .result_type = type,
                                  .method = method,
                                  .tile_width = method == ABBE_METHOD_TILES ? 30 : 0,
                                  .tile_height = method == ABBE_METHOD_TILES ? 30 : 0 };
    const abbe_filter *filters[KERNELS];
    for (int i = 0; i < count; i++) {
        scene.cases[i] = trial_case_create(&scene.trial, &kernels[i]);
        scene.results[i] = stored_create(83, 150, 3, type, 0, false, true);
        filters[i] = kernels[i].filter;
    }
    abbe_plan_params params = { .width = 83,
                                .height = 150,
                                .channels = 3,
                                .source_type = type,
                                .result_type = type,
                                .filters = filters,
                                .filter_count = (size_t)count,
                                .method = method,
                                .precision = precision,
                                .tile_width = scene.trial.tile_width,
                                .tile_height = scene.trial.tile_height };
    scene.plan = apply_plan(device, &params);
    return scene;
}

static void scene_free(struct scene *scene)
{
    abbe_plan_destroy(&scene->plan);
    for (int i = 0; i < scene->count; i++) {
        trial_case_free(&scene->cases[i]);
        stored_free(&scene->results[i]);
    }
}

/* Runs once. In place, the first result is the source, whose pixels are put back after a run that
 * succeeds. */
static int run_once(struct scene *scene, bool in_place, struct stop *stop)
{
    struct stored *source = &scene->cases[0].source;
    abbe_image views[KERNELS] = { scene->results[0].view, scene->results[1].view };
    unsigned char *before = malloc(source->pixels);
    memcpy(before, source->first, source->pixels);
    if (in_place)
        views[0] = source->view;
    stop->caller = pthread_self();
    abbe_watch watch = { .progress = stop_when_due, .user = stop };
    int error = abbe_run_watched(scene->plan, &source->view, views, &watch);
    if (in_place && !error) {
        memcpy(scene->results[0].first, source->first, source->pixels);
        memcpy(source->first, before, source->pixels);
    }
    assert_memory_equal(source->first, before, source->pixels);
    free(before);
    assert_false(stop->fell || stop->strange_thread);
    return error;
}

/* A run that is not stopped calls progress() until 1 is done, and its results agree with the oracle. */
static int check_whole_run(struct scene *scene, bool in_place)
{
    struct stop never = { .at_done = 2 };
    assert_int_equal(run_once(scene, in_place, &never), ABBE_OK);
    assert_true(never.last == 1);
    for (int i = 0; i < scene->count; i++) {
        const abbe_candidate *chosen = abbe_plan_choice(scene->plan);
        double bound = chosen->fft_width ? trial_bound_fft(chosen->fft_width, chosen->fft_height)
                                         : trial_bound_taps(kernels[i].taps.width * kernels[i].taps.height);
        double scale = scene->cases[i].norm * kernels[i].peak;
        assert_true(trial_compare(&scene->results[i], &scene->cases[i].expected, scale, bound, "whole run"));
    }
    return never.calls;
}

static void check_stopped_run(abbe_device *device, struct scene *scene, bool in_place, struct stop stop)
{
    test_refused("abbe_run_watched", run_once(scene, in_place, &stop), ABBE_ERR_CANCELLED, device,
                 "progress");
    assert_true(stop.stopped);
    assert_int_equal(stop.calls_after, 0);
}

/* Stops one plan early, in the middle, late, and twice at the same place; it works before, between and
 * after. */
static void check_scene(abbe_device *device, struct scene *scene, bool one_thread)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        check_whole_run(scene, in_place); /* touches its new scratch, with more calls */
        int calls = check_whole_run(scene, in_place);
        assert_true(calls >= 2);
        check_stopped_run(device, scene, in_place, (struct stop){ .at_call = 1, .at_done = 2 });
        check_stopped_run(device, scene, in_place, (struct stop){ .at_done = 0.5 });
        check_stopped_run(device, scene, in_place, (struct stop){ .at_done = 0.5 });
        check_whole_run(scene, in_place);
        check_stopped_run(device, scene, in_place, (struct stop){ .at_done = 1 });
        /* With several threads, the number of calls is not the same in every run. */
        int step = effort_is_brief() ? calls / 4 + 1 : 1;
        for (int call = 2; call <= calls && one_thread; call += step)
            check_stopped_run(device, scene, in_place, (struct stop){ .at_call = call, .at_done = 2 });
        check_whole_run(scene, in_place);
    }
}

static void check_method(abbe_device *device, abbe_method method, abbe_type type, int count, bool one_thread)
{
    bool wide = type == ABBE_F64;
    struct scene scene = scene_create(device, method, type, count,
                                      wide ? ABBE_PRECISION_DOUBLE : ABBE_PRECISION_FULL);
    check_scene(device, &scene, one_thread);
    scene_free(&scene);
}

static void check_device(int threads)
{
    abbe_device *device = NULL;
    if (abbe_device_open(device_name, &(abbe_device_params){ .threads = threads }, &device))
        exit(TEST_SKIPPED);
    size_t live = faults_live();
    bool all = !strncmp(device_name, "cpu", 3);
    check_method(device, ABBE_METHOD_FFT, ABBE_F32, 2, threads == 1);
    check_method(device, ABBE_METHOD_SEPARABLE, ABBE_F32, 1, threads == 1);
    if (all) {
        check_method(device, ABBE_METHOD_FFT, ABBE_U8, 1, threads == 1);
        check_method(device, ABBE_METHOD_FFT, ABBE_F16, 1, threads == 1);
        check_method(device, ABBE_METHOD_SEPARABLE, ABBE_U8, 2, threads == 1);
        check_method(device, ABBE_METHOD_DIRECT, ABBE_U8, 1, threads == 1);
        check_method(device, ABBE_METHOD_DIRECT, ABBE_F32, 2, threads == 1);
        check_method(device, ABBE_METHOD_TILES, ABBE_F32, 2, threads == 1);
        check_method(device, ABBE_METHOD_TILES, ABBE_U8, 1, threads == 1);
        check_method(device, ABBE_METHOD_FFT, ABBE_F64, 2, threads == 1); /* in double precision */
        check_method(device, ABBE_METHOD_DIRECT, ABBE_F64, 1, threads == 1);
        check_method(device, ABBE_METHOD_SEPARABLE, ABBE_F64, 1, threads == 1);
        assert_int_equal(faults_live(), live);
    }
    abbe_device_close(&device);
}

static void one_thread(void **state)
{
    (void)state;
    check_device(1);
}

static void several_threads(void **state)
{
    (void)state;
    if (!strncmp(device_name, "cpu", 3)) /* GPUs have no other code for them */
        check_device(4);
}

/* A stopped run returns its scratch: the next run allocates nothing. */
static void scratch_is_kept(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    if (strncmp(device_name, "cpu", 3) || !strcmp(device_name, "cpu:plain"))
        return; /* GPUs allocate in their drivers, and the plain loops in each run */
    assert_int_equal(abbe_device_open(device_name, NULL, &device), ABBE_OK);
    for (int i = 0; i < 2; i++) {
        struct scene scene = scene_create(device, i ? ABBE_METHOD_FFT : ABBE_METHOD_DIRECT, ABBE_F32, 1,
                                          ABBE_PRECISION_FULL);
        check_stopped_run(device, &scene, false, (struct stop){ .at_done = 0.5 });
        faults_arm(0, true);
        struct stop never = { .at_done = 2 };
        assert_int_equal(run_once(&scene, false, &never), ABBE_OK);
        faults_disarm();
        scene_free(&scene);
    }
    abbe_device_close(&device);
}

static int make_kernels(void **state)
{
    (void)state;
    struct random random = { 11 };
    for (int i = 0; i < KERNELS; i++)
        kernels[i] = trial_kernel_create(7, 5, TAPS_SEPARABLE, true, &random);
    return 0;
}

static int free_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < KERNELS; i++)
        trial_kernel_free(&kernels[i]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        device_name = argv[1];
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_thread), cmocka_unit_test(several_threads),
                                        cmocka_unit_test(scratch_is_kept) };
    return cmocka_run_group_tests(tests, make_kernels, free_kernels);
}
