/* The public plan: create, explain, run. */
#include "plan/plan.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/sample.h"
#include "core/threads.h"
#include "core/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int abbe_plan_create(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan)
{
    if (!device || !plan)
        return core_fail(device, ABBE_ERR_INVALID, "plan: no %s given",
                         device ? "place for the result" : "device");
    int error = plan_check(device, params);
    return error ? error : plan_place(device, params, plan);
}

void abbe_plan_destroy(abbe_plan **plan)
{
    if (!plan || !*plan)
        return;
    abbe_plan *gone = *plan, *fallback = gone->fallback;
    abbe_plan_destroy(&fallback);
    abbe_plan_destroy(&gone->cpu_plan);
    if (gone->head.engine)
        gone->device->table->destroy(gone->device, gone->head.engine);
    plan_work_free(&gone->work);
    pthread_mutex_destroy(&gone->lock);
    core_free(gone);
    *plan = NULL;
}

const abbe_device *abbe_plan_device(const abbe_plan *plan)
{
    return plan ? plan_current(plan)->device : NULL;
}

const char *abbe_plan_reason(const abbe_plan *plan)
{
    return plan ? plan_current(plan)->reason : "";
}

int abbe_plan_explain(const abbe_plan *plan, const abbe_candidate **candidates, size_t *count)
{
    if (!plan || !candidates || !count)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "explain: an argument is NULL");
    *candidates = plan_current(plan)->candidates;
    *count = CANDIDATES;
    return ABBE_OK;
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static int check_view(const abbe_plan *plan, const abbe_image *view, abbe_type type, const char *what)
{
    const struct work *work = &plan->work;
    if (!view)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID, "%s: no image given", what);
    int error = core_check_shape(plan->head.owner, view, what);
    if (error)
        return error;
    if (view->width != work->width || view->height != work->height || view->channels != work->channels)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID,
                         "%s: %d x %d with %d channels, but the plan is for %d x %d with %d", what,
                         view->width, view->height, view->channels, work->width, work->height,
                         work->channels);
    static const char *const names[] = { "", "U8", "U16", "F16", "F32" };
    if (view->type != type)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID, "%s: its samples are %s, but the plan is for %s",
                         what, names[view->type], names[type]);
    return core_check_view(plan->head.owner, view, what);
}

/* Every view on its own, then every pair: results apart from each other, and apart from the source or it. */
static int check_views(const abbe_plan *plan, const abbe_image *source, const abbe_image *results)
{
    int error = check_view(plan, source, plan->work.source_type, "source");
    if (!error && !results)
        error = core_fail(plan->head.owner, ABBE_ERR_INVALID, "result: no image given");
    char what[32];
    for (int i = 0; i < plan->work.result_count && !error; i++) {
        snprintf(what, sizeof what, "result %d", i + 1);
        error = check_view(plan, &results[i], plan->work.result_type, what);
        if (!error && core_overlap(source, &results[i]) == CORE_OVERLAP)
            error = core_fail(plan->head.owner, ABBE_ERR_INVALID, "%s overlaps the source without being it",
                              what);
        for (int j = 0; j < i && !error; j++)
            if (core_overlap(&results[j], &results[i]) != CORE_APART)
                error = core_fail(plan->head.owner, ABBE_ERR_INVALID, "%s overlaps result %d", what, j + 1);
    }
    return error;
}

/* x − x is 0 for a finite x, and otherwise a NaN, whose bits survive being gathered: no branch per sample. */
static bool all_finite(const float *samples, size_t count)
{
    uint32_t gathered = 0;
    for (size_t i = 0; i < count; i++) {
        float nothing = samples[i] - samples[i];
        uint32_t bits;
        memcpy(&bits, &nothing, sizeof bits);
        gathered |= bits;
    }
    return gathered == 0;
}

/* The first sample of row y that is not finite, or −1. */
static long long find_nonfinite(const abbe_image *source, int y)
{
    enum { CHUNK = 1024 };
    float chunk[CHUNK];
    size_t count = (size_t)source->width * source->channels, size = abbe_type_size(source->type);
    const char *row = core_row(source, y);
    for (size_t start = 0; start < count; start += CHUNK) {
        size_t length = count - start < CHUNK ? count - start : CHUNK;
        core_load_samples(source->type, row + start * size, chunk, length);
        if (all_finite(chunk, length))
            continue;
        for (size_t i = 0; i < length; i++)
            if (!isfinite(chunk[i]))
                return (long long)(start + i);
    }
    return -1;
}

static bool must_be_finite(const abbe_plan *plan)
{
    bool integers = plan->work.source_type == ABBE_U8 || plan->work.source_type == ABBE_U16;
    return !integers && plan->work.nonfinite == ABBE_NONFINITE_ERROR;
}

/* Looks at every sample before anything is written, so that a refused source leaves the results alone. */
static int check_finite(const abbe_plan *plan, const abbe_image *source)
{
    int first = source->height;
    int workers = core_workers(plan->device->threads,
                               (double)source->height * source->width * source->channels);
#pragma omp parallel for schedule(static) reduction(min : first) num_threads(workers)
    for (int y = 0; y < source->height; y++)
        if (y < first && find_nonfinite(source, y) >= 0)
            first = y;
    if (first == source->height)
        return ABBE_OK;
    long long sample = find_nonfinite(source, first);
    return core_fail(plan->head.owner, ABBE_ERR_NONFINITE,
                     "source: the sample at x %lld, y %d, channel %lld is not finite",
                     sample / source->channels, first, sample % source->channels);
}

static bool checks_finite(const abbe_plan *plan)
{
    return plan->device->table->checks_finite(plan->head.engine);
}

int plan_check_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results)
{
    if (!plan)
        return core_fail(NULL, ABBE_ERR_INVALID, "run: no plan given");
    int error = check_views(plan, source, results);
    if (!error && must_be_finite(plan) && !checks_finite(plan_current(plan)))
        error = check_finite(plan, source);
    return error;
}

int abbe_run_watched(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                     abbe_watch *watch)
{
    int error = plan_check_run(plan, source, results);
    if (error)
        return error;
    abbe_plan *one = plan_current(plan);
    do {
        if (watch)
            watch->pass_count = 0;
        error = one->device->table->run(one->device, one->head.engine, source, results, watch);
    } while (error && plan_fall_back(&one, error));
    return error == ABBE_ERR_NONFINITE ? check_finite(plan, source) : plan_report_error(one, error);
}

int abbe_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results)
{
    return abbe_run_watched(plan, source, results, NULL);
}
