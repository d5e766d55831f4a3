/* Memory: a run allocates what its plan announced, and plans of absurd size succeed or fail at once
 * without allocating much.
 *
 * Argument: DEVICE. */
#include "plan/plan.h"
#include "support/apply.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static abbe_device *device;

/* The wrapped allocator does not see the memory of other devices. */
static bool is_on_host(void)
{
    return !strcmp(abbe_device_name(device), "cpu");
}

/* ---- What is announced is what is taken --------------------------------------------------------------- */

static size_t peak_of_run(const abbe_plan *plan, const abbe_plan_params *params, bool in_place)
{
    size_t bytes = (size_t)params->width * params->height * params->channels;
    unsigned char *pixels = calloc(bytes, 1 + params->filter_count);
    abbe_image source = { .data = pixels,
                          .width = params->width,
                          .height = params->height,
                          .channels = params->channels,
                          .stride = params->width * params->channels,
                          .type = ABBE_U8 };
    abbe_image results[3] = { source, source, source };
    for (size_t i = 0; i < params->filter_count; i++)
        results[i].data = pixels + (in_place ? i : i + 1) * bytes;
    faults_watch();
    size_t before = faults_bytes();
    assert_int_equal(abbe_run(plan, &source, results), ABBE_OK);
    free(pixels);
    return faults_peak() - before;
}

static void check_plan(const abbe_plan_params *params)
{
    bool on_host = is_on_host();
    /* Each run has another plan, since a second run of one plan reuses the scratch of the first. */
    size_t before = faults_bytes();
    abbe_plan *plan = apply_plan(device, params);
    const abbe_candidate *chosen = abbe_plan_choice(plan);
    size_t pixels = (size_t)params->width * params->height * params->channels;
    size_t views = params->filter_count * sizeof(abbe_image);
    size_t copy = chosen->method == ABBE_METHOD_FFT ? 0 : pixels + views + 128;
    size_t peak = peak_of_run(plan, params, false), kept = faults_bytes() - before;
    if (on_host && kept > abbe_plan_memory(plan))
        fail_msg("%d x %d x %d, %zu filters, %s: the plan keeps %zu bytes, and tells %zu", params->width,
                 params->height, params->channels, params->filter_count, abbe_method_name(chosen->method),
                 kept, abbe_plan_memory(plan));
    abbe_plan *other = on_host ? apply_plan(device, params) : NULL;
    size_t in_place = peak_of_run(other ? other : plan, params, true);
    if (peak > chosen->bytes || in_place > chosen->bytes + copy || (on_host && peak < chosen->bytes / 2))
        fail_msg("%d x %d x %d, %zu filters, %s: %zu bytes announced, %zu taken, %zu in place", params->width,
                 params->height, params->channels, params->filter_count, abbe_method_name(chosen->method),
                 chosen->bytes, peak, in_place);
    abbe_plan_destroy(&other);
    abbe_plan_destroy(&plan);
}

static void runs_take_what_was_announced(void **state)
{
    (void)state;
    const int shapes[][3] = { { 1, 1, 1 },    { 300, 1, 1 }, { 1, 300, 3 }, { 64, 64, 4 },
                              { 101, 53, 3 }, { 60, 5, 64 }, { 61, 67, 1 }, { 150, 90, 2 } };
    abbe_filter *filters[] = { apply_filter("gaussian:sigma=1"), apply_filter("sobel"), apply_filter("box") };
    bool on_host = is_on_host();
    int step = effort_is_slight() ? 11 : 1; /* meets every shape, method, border and number of filters */
    for (int number = 0; number < 8 * 5 * 2 * 3; number += step) {
        const int *shape = shapes[number % 8];
        check_plan(&(abbe_plan_params){ .width = shape[0],
                                        .height = shape[1],
                                        .channels = shape[2],
                                        .source_type = ABBE_U8,
                                        .result_type = ABBE_U8,
                                        .filters = (const abbe_filter *const *)filters,
                                        .filter_count = 1 + (size_t)(number / 80),
                                        .border = number / 40 % 2 ? ABBE_BORDER_WRAP : ABBE_BORDER_REFLECT,
                                        .method = (abbe_method)(number / 8 % 5),
                                        .precision = on_host && number % 3 == 1 ? ABBE_PRECISION_DOUBLE
                                                                                : ABBE_PRECISION_FULL });
    }
    for (int i = 0; i < 3; i++)
        abbe_filter_destroy(&filters[i]);
}

/* Blocks that are large enough to be allocated in whole pages. */
static void large_runs_take_what_was_announced(void **state)
{
    (void)state;
    if (!is_on_host())
        return;
    abbe_filter *filters[] = { apply_filter("gaussian:sigma=1"), apply_filter("sobel") };
    const int shapes[][3] = { { 1010, 1100, 4 }, { 2050, 1030, 1 } };
    for (int i = 0; i < 2; i++)
        for (size_t count = 1; count <= 2; count++)
            check_plan(&(abbe_plan_params){ .width = shapes[i][0],
                                            .height = shapes[i][1],
                                            .channels = shapes[i][2],
                                            .source_type = ABBE_U8,
                                            .result_type = ABBE_U8,
                                            .filters = (const abbe_filter *const *)filters,
                                            .filter_count = count,
                                            .method = ABBE_METHOD_FFT });
    for (int i = 0; i < 2; i++)
        abbe_filter_destroy(&filters[i]);
}

/* The memory that an engine keeps, and the peak while it is created. */
static void check_engine(const abbe_plan *plan, const char *text)
{
    const struct work *work = &plan->work;
    double announced = device->table->footprint(device, work).plan;
    struct engine *engine = NULL;
    faults_watch();
    size_t before = faults_bytes();
    assert_int_equal(device->table->create(device, work, &engine), ABBE_OK);
    double taken = (double)(faults_peak() - before);
    if (work->method == ABBE_METHOD_DIRECT) /* the plan has expanded its taps already */
        taken += (double)work->filters->dense.width * work->filters->dense.height * sizeof(double);
    device->table->destroy(device, engine);
    if (taken > announced || taken < announced / 3 - 8192)
        fail_msg("%s on %d x %d x %d by %s: %g bytes announced for the engine, %g taken", text, work->width,
                 work->height, work->channels, abbe_method_name(work->method), announced, taken);
}

static void engines_take_what_was_announced(void **state)
{
    (void)state;
    const int shapes[][3] = { { 1, 1, 1 },     { 64, 64, 4 },    { 101, 53, 3 }, { 61, 67, 1 },
                              { 700, 500, 2 }, { 1336, 167, 1 }, { 90, 359, 3 } };
    const char *const texts[] = { "gaussian:sigma=1", "disk:radius=9",  "sobel:axis=x", "box:radius=200",
                                  "motion:length=40", "gabor:sigma=20", "lowpass" };
    if (!is_on_host())
        return;
    for (int i = 0; i < 7 * 7 * 4 * 2; i++) {
        abbe_filter *filter = apply_filter(texts[i / 7 % 7]);
        abbe_plan *plan = NULL;
        if (abbe_plan_create(device,
                             &(abbe_plan_params){ .width = shapes[i % 7][0],
                                                  .height = shapes[i % 7][1],
                                                  .channels = shapes[i % 7][2],
                                                  .source_type = ABBE_U8,
                                                  .result_type = ABBE_U8,
                                                  .filters = (const abbe_filter *const[]){ filter },
                                                  .filter_count = 1,
                                                  .method = (abbe_method)(ABBE_METHOD_DIRECT + i / 49 % 4),
                                                  .precision = i < 7 * 7 * 4 ? ABBE_PRECISION_FULL
                                                                             : ABBE_PRECISION_DOUBLE },
                             &plan) == ABBE_OK)
            check_engine(plan, texts[i / 7 % 7]);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Absurd sizes ------------------------------------------------------------------------------------- */

/* Processor time, which other programs on a busy machine do not prolong. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The plan is refused with a message or fits the device's memory, and neither takes long. */
static void check_absurd(const abbe_plan_params *params, const char *filter)
{
    abbe_plan *plan = NULL;
    faults_watch();
    size_t before = faults_bytes();
    double start = seconds();
    int code = abbe_plan_create(device, params, &plan);
    double took = seconds() - start;
    size_t peak = faults_peak() - before;
    const char *text = abbe_error_text(device);
    bool answered = code == ABBE_OK ||
                    (code == ABBE_ERR_MEMORY &&
                     (strstr(text, "needs more memory") || strstr(text, " GB of memory"))) ||
                    (code == ABBE_ERR_SIZE && strstr(text, "long enough"));
    if (!answered || peak > device->memory || took > 5)
        fail_msg("%d x %d, %s, %s, %s: %s (%s), %zu bytes, %g s", params->width, params->height, filter,
                 abbe_border_name(params->border), abbe_method_name(params->method), abbe_error_name(code),
                 text, peak, took);
    abbe_plan_destroy(&plan);
}

static void absurd_sizes_are_answered_at_once(void **state)
{
    (void)state;
    /* 1072076519 needs Bluestein's algorithm and is too long for it; 1000003 is prime. */
    const int shapes[][2] = { { ABBE_SIDE_MAX, 1 }, { 1, ABBE_SIDE_MAX }, { ABBE_SIDE_MAX, ABBE_SIDE_MAX },
                              { 1072076519, 1 },    { 1 << 25, 1 },       { 1, 1000003 },
                              { 40000, 40000 } };
    const char *const texts[] = { "gaussian:sigma=2", "lowpass", "sobel" };
    size_t memory = device->memory;
    device->memory = (size_t)16 << 20;
    for (int t = 0; t < 3; t++) {
        abbe_filter *filter = apply_filter(texts[t]);
        for (int i = 0; i < 7 * 3 * 5; i++) {
            const abbe_border borders[] = { ABBE_BORDER_WRAP, ABBE_BORDER_REFLECT, ABBE_BORDER_ZERO };
            abbe_plan_params params = { .width = shapes[i % 7][0],
                                        .height = shapes[i % 7][1],
                                        .channels = 1,
                                        .source_type = ABBE_U8,
                                        .result_type = ABBE_U8,
                                        .filters = (const abbe_filter *const[]){ filter },
                                        .filter_count = 1,
                                        .border = borders[i / 7 % 3],
                                        .method = (abbe_method)(i / 21) };
            bool impossible = t == 1 && params.method != ABBE_METHOD_AUTO && params.method != ABBE_METHOD_FFT;
            if (!impossible)
                check_absurd(&params, texts[t]);
        }
        abbe_filter_destroy(&filter);
    }
    device->memory = memory;
}

/* The planner replaces a tile that needs too much memory by a smaller one. */
static void tiles_shrink_to_fit(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("disk:radius=30");
    size_t memory = device->memory;
    abbe_plan_params params = { .width = 20000,
                                .height = 20000,
                                .channels = 4,
                                .source_type = ABBE_U8,
                                .result_type = ABBE_U8,
                                .filters = (const abbe_filter *const[]){ filter },
                                .filter_count = 1,
                                .method = ABBE_METHOD_TILES };
    device->memory = (size_t)8 << 20;
    abbe_plan *plan = apply_plan(device, &params);
    assert_true(abbe_plan_choice(plan)->bytes <= device->memory);
    abbe_plan_destroy(&plan);
    device->memory = memory;
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_take_what_was_announced),
    cmocka_unit_test(large_runs_take_what_was_announced),
    cmocka_unit_test(engines_take_what_was_announced),
    cmocka_unit_test(absurd_sizes_are_answered_at_once),
    cmocka_unit_test(tiles_shrink_to_fit),
};

TEST_MAIN_ON_DEVICE(tests, device, 3)
