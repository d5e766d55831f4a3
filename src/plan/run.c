/* Runs of a plan: checks of their views, abbe_run, abbe_submit and abbe_wait. */
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/pixels.h"
#include "core/pool.h"
#include "core/threads.h"
#include "core/view.h"
#include "plan/plan.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- Views -------------------------------------------------------------------------------------------- */

static int check_view(const abbe_plan *plan, const abbe_image *view, abbe_type type, const char *name)
{
    const struct work *work = &plan->work;
    abbe_device *owner = plan->head.owner;
    if (!view)
        return core_fail(owner, ABBE_ERR_INVALID, "%s: view is NULL", name);
    int error = core_check_shape(owner, view, name);
    if (error)
        return error;
    if (view->width != work->width || view->height != work->height || view->channels != work->channels)
        return core_fail(
            owner, ABBE_ERR_INVALID, "%s: %d x %d with %d channels, but the plan is for %d x %d with %d",
            name, view->width, view->height, view->channels, work->width, work->height, work->channels);
    if (view->type != type)
        return core_fail(owner, ABBE_ERR_INVALID, "%s: its samples are %s, but the plan is for %s", name,
                         abbe_type_name(view->type), abbe_type_name(type));
    return core_check_view(owner, view, name);
}

/* Checks every view by itself, then every pair of views for overlap. */
static int check_run_views(const abbe_plan *plan, const abbe_image *source, const abbe_image *results)
{
    abbe_device *owner = plan->head.owner;
    int error = check_view(plan, source, plan->params.source_type, "source");
    if (!error && !results)
        error = core_fail(owner, ABBE_ERR_INVALID, "results: view is NULL");
    char name[32];
    for (int i = 0; i < plan->work.result_count && !error; i++) {
        snprintf(name, sizeof name, "result %d", i + 1);
        error = check_view(plan, &results[i], plan->params.result_type, name);
        if (!error && core_overlap(source, &results[i]) == CORE_OVERLAP)
            error = core_fail(owner, ABBE_ERR_INVALID,
                              "%s overlaps the source; it must be the same view or lie apart", name);
        for (int j = 0; j < i && !error; j++)
            if (core_overlap(&results[j], &results[i]) != CORE_APART)
                error = core_fail(owner, ABBE_ERR_INVALID, "%s overlaps result %d; results must lie apart",
                                  name, j + 1);
    }
    return error;
}

/* ---- Samples ------------------------------------------------------------------------------------------ */

/* x − x is 0 for a finite x and NaN otherwise. The bits of the differences are combined without a branch. */
static bool samples_are_finite(const float *samples, size_t count)
{
    uint32_t combined = 0;
    for (size_t i = 0; i < count; i++) {
        float difference = samples[i] - samples[i];
        uint32_t bits;
        memcpy(&bits, &difference, sizeof bits);
        combined |= bits;
    }
    return combined == 0;
}

/* The index of the first nonfinite sample of row y, or −1. */
static long long find_nonfinite(const abbe_image *source, int y)
{
    enum { CHUNK = 1024 };
    float chunk[CHUNK];
    int pixels = CHUNK / source->channels;
    for (int x = 0; x < source->width; x += pixels) {
        int count = source->width - x < pixels ? source->width - x : pixels;
        size_t samples = (size_t)count * source->channels;
        core_load_pixels(source, x, y, count, NULL, chunk);
        if (samples_are_finite(chunk, samples))
            continue;
        for (size_t i = 0; i < samples; i++)
            if (!isfinite(chunk[i]))
                return (long long)x * source->channels + (long long)i;
    }
    return -1;
}

static int fail_cancelled(const abbe_plan *plan)
{
    return core_fail(plan->head.owner, ABBE_ERR_CANCELLED, "run: the watch's progress() stopped it");
}

/* A search for the first row with a nonfinite sample. */
struct nonfinite_search {
    const abbe_image *source;
    const struct watch *watch;
    atomic_int first; /* row; the height when there is none */
    atomic_bool stopped;
};

/* A pool_task over rows. Worker 0 is the thread that calls the application. */
static void search_rows(void *context, int worker, long long first, long long end)
{
    struct nonfinite_search *search = context;
    for (int y = (int)first; y < end && y < search->first && !search->stopped; y++) {
        int found = find_nonfinite(search->source, y) >= 0 ? search->first : 0;
        while (y < found && !atomic_compare_exchange_weak(&search->first, &found, y))
            ;
        if (worker == 0 && device_report(search->watch, 0))
            search->stopped = true;
    }
}

/* Checks every sample of the source before anything is written, so that a refused source leaves the results
 * unchanged. progress() of the watch, which may be NULL, can stop it. */
static int check_finite_source(const abbe_plan *plan, const abbe_image *source, const struct watch *watch)
{
    enum { ROWS_AT_ONCE = 16 };
    struct nonfinite_search search = { source, watch, source->height, false };
    int workers = core_workers(plan->device->threads,
                               (double)source->height * source->width * source->channels);
    pool_loop(workers, source->height, ROWS_AT_ONCE, search_rows, &search);
    if (search.stopped)
        return fail_cancelled(plan);
    int first = search.first;
    if (first == source->height)
        return ABBE_OK;
    long long sample = find_nonfinite(source, first);
    return core_fail(plan->head.owner, ABBE_ERR_NONFINITE,
                     "source: the sample at x %lld, y %d, channel %lld is not finite",
                     sample / source->channels, first, sample % source->channels);
}

/* Fallbacks are not part of a plan's immutable state, so the plan loses its const here. */
struct abbe_plan *plan_current(const struct abbe_plan *plan)
{
    struct abbe_plan *last = (struct abbe_plan *)plan;
    while (last->fallback)
        last = last->fallback;
    return last;
}

static int check_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                     const struct watch *watch)
{
    int error = check_run_views(plan, source, results);
    if (error)
        return error;
    if (device_report(watch, 0))
        return fail_cancelled(plan);
    const abbe_plan *current = plan_current(plan);
    bool must_be_finite = core_type_has_nonfinite(source->type) &&
                          plan->work.nonfinite == ABBE_NONFINITE_ERROR;
    bool checked = source->type == plan->work.source_type &&
                   current->device->table->checks_finite(current->head.engine, source);
    if (must_be_finite && !checked)
        error = check_finite_source(plan, source, watch);
    return error;
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Runs a plan; `watch` may be NULL. */
static int run_plan(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                    struct watch *watch)
{
    if (!plan)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_run: plan is NULL");
    int error = check_run(plan, source, results, watch);
    if (error)
        return error;
    abbe_plan *current = plan_current(plan);
    const abbe_device *first = current->device;
    do {
        if (watch)
            watch->times.pass_count = 0;
        error = device_check_process(current->device);
        if (!error)
            error = current->device->table->run(current->device, current->head.engine, source, results,
                                                watch);
    } while (error && plan_fall_back(&current, error));
    if (error == ABBE_ERR_CANCELLED)
        return fail_cancelled(plan);
    error = error == ABBE_ERR_NONFINITE ? check_finite_source(plan, source, NULL)
                                        : plan_report_error(current, error);
    return error && current->device != first ? plan_add_failure(current, first, error) : error;
}

static int read_watch(const abbe_plan *plan, const abbe_watch *watch, struct watch *inside)
{
    static const struct core_params about = { "abbe_run_watched: watch", WATCH_0_2, sizeof(abbe_watch) };
    abbe_watch known;
    int error = core_read_params(plan ? plan->head.owner : NULL, &about, watch, &known);
    if (!error)
        *inside = (struct watch){ .progress = known.progress, .user = known.user };
    return error;
}

int abbe_run_watched(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                     const abbe_watch *watch)
{
    if (!watch)
        return run_plan(plan, source, results, NULL);
    struct watch inside;
    int error = read_watch(plan, watch, &inside);
    return error ? error : run_plan(plan, source, results, &inside);
}

int abbe_run_timed(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                   const abbe_watch *watch, abbe_times *times)
{
    static const abbe_watch unwatched;
    if (!times)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "abbe_run_timed: times is NULL");
    struct watch inside;
    int error = read_watch(plan, watch ? watch : &unwatched, &inside);
    if (!error)
        error = run_plan(plan, source, results, &inside);
    if (!error)
        *times = inside.times;
    return error;
}

int abbe_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results)
{
    return run_plan(plan, source, results, NULL);
}

/* ---- Runs in two steps -------------------------------------------------------------------------------- */

struct abbe_ticket {
    const abbe_plan *plan; /* the plan or fallback that the run was submitted to */
    struct job *job;       /* NULL: the run has finished */
};

/* Submits a run, or runs it now on a device without submit(). */
static int submit_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                      struct abbe_ticket *ticket)
{
    abbe_plan *current = plan_current(plan);
    if (!current->device->table->submit)
        return abbe_run(plan, source, results);
    int error = check_run(plan, source, results, NULL);
    if (error)
        return error;
    error = device_check_process(current->device);
    if (!error)
        error = current->device->table->submit(current->device, current->head.engine, source, results,
                                               &ticket->job);
    const abbe_device *failed = current->device;
    if (error && plan_fall_back(&current, error)) {
        error = submit_run(plan, source, results, ticket);
        return error && current->device != failed ? plan_add_failure(current, failed, error) : error;
    }
    ticket->plan = current;
    return plan_report_error(current, error);
}

int abbe_submit(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                abbe_ticket **ticket)
{
    if (!plan || !ticket)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "abbe_submit: %s is NULL",
                         plan ? "ticket" : "plan");
    struct abbe_ticket *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(plan->head.owner);
    int error = submit_run(plan, source, results, made);
    if (error) {
        core_free(made);
        return error;
    }
    *ticket = made;
    return ABBE_OK;
}

int abbe_wait(abbe_ticket **ticket)
{
    if (!ticket || !*ticket)
        return ABBE_OK;
    struct abbe_ticket *ended = *ticket;
    *ticket = NULL;
    abbe_device *device = ended->job ? ended->plan->device : NULL;
    int error = device ? device_check_process(device) : ABBE_OK;
    if (device && !error)
        error = device->table->wait(device, ended->job);
    if (device)
        error = plan_report_error(ended->plan, error);
    core_free(ended);
    return error;
}
