/* Runs of a plan: checks of their views, abbe_run, abbe_submit and abbe_wait. */
#include "core/border.h"
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

/* Checks one view of a run; `shape` has the size and type that the plan wants. */
static int check_view(const abbe_plan *plan, const abbe_image *view, const abbe_image *shape,
                      const char *name)
{
    abbe_device *owner = plan->head.owner;
    if (!view)
        return core_fail(owner, ABBE_ERR_INVALID, "%s: view is NULL", name);
    int error = core_check_shape(owner, view, name);
    if (error)
        return error;
    if (view->width != shape->width || view->height != shape->height || view->channels != shape->channels)
        return core_fail(
            owner, ABBE_ERR_INVALID, "%s: %d x %d with %d channels, but the plan is for %d x %d with %d",
            name, view->width, view->height, view->channels, shape->width, shape->height, shape->channels);
    if (view->type != shape->type)
        return core_fail(owner, ABBE_ERR_INVALID, "%s: its samples are %s, but the plan is for %s", name,
                         abbe_type_name(view->type), abbe_type_name(shape->type));
    return core_check_view(owner, view, name);
}

int plan_check_views(const struct abbe_plan *plan, const abbe_image *source, const abbe_image *results)
{
    abbe_device *owner = plan->head.owner;
    const abbe_plan_params *caller = &plan->excerpt.caller;
    const abbe_image wanted = { .width = caller->width,
                                .height = caller->height,
                                .channels = caller->channels,
                                .type = caller->source_type };
    const abbe_image made = { .width = plan->excerpt.results.width,
                              .height = plan->excerpt.results.height,
                              .channels = caller->channels,
                              .type = caller->result_type };
    int error = plan->is_draft ? core_fail(owner, ABBE_ERR_INVALID, "plan is a draft, which cannot run")
                               : check_view(plan, source, &wanted, "source");
    if (!error && !results)
        error = core_fail(owner, ABBE_ERR_INVALID, "results: view is NULL");
    char name[32];
    for (int i = 0; i < plan->work.result_count && !error; i++) {
        snprintf(name, sizeof name, "result %d", i + 1);
        error = check_view(plan, &results[i], &made, name);
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

/* The same in double, where F64 samples beyond the range of float are finite. */
static long long find_nonfinite_f64(const abbe_image *source, int y)
{
    enum { CHUNK = 1024 };
    double chunk[CHUNK];
    int pixels = CHUNK / source->channels;
    for (int x = 0; x < source->width; x += pixels) {
        int count = source->width - x < pixels ? source->width - x : pixels;
        size_t samples = (size_t)count * source->channels;
        core_load_pixels_f64(source, x, y, count, NULL, chunk);
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
    long long (*find)(const abbe_image *source, int y); /* find_nonfinite, in float or in double */
    atomic_int first;                                   /* row; the height when there is none */
    atomic_bool stopped;
};

/* A pool_task over rows. Worker 0 is the thread that calls the application. */
static void search_rows(void *context, int worker, long long first, long long end)
{
    struct nonfinite_search *search = context;
    for (int y = (int)first; y < end && y < search->first && !search->stopped; y++) {
        int found = search->find(search->source, y) >= 0 ? search->first : 0;
        while (y < found && !atomic_compare_exchange_weak(&search->first, &found, y))
            ;
        if (worker == 0 && device_report(search->watch, 0))
            search->stopped = true;
    }
}

int plan_check_finite(const struct abbe_plan *plan, const abbe_image *source, int left, int above,
                      const struct watch *watch)
{
    enum { ROWS_AT_ONCE = 16 };
    bool wide = plan->work.precision == ABBE_PRECISION_DOUBLE && source->type == ABBE_F64;
    struct nonfinite_search search = { source, watch, wide ? find_nonfinite_f64 : find_nonfinite,
                                       source->height, false };
    int workers = core_workers(plan->device->threads,
                               (double)source->height * source->width * source->channels);
    pool_loop(workers, source->height, ROWS_AT_ONCE, search_rows, &search);
    if (search.stopped)
        return fail_cancelled(plan);
    int first = search.first;
    if (first == source->height)
        return ABBE_OK;
    long long sample = search.find(source, first);
    return core_fail(plan->head.owner, ABBE_ERR_NONFINITE,
                     "source: the sample at x %lld, y %d, channel %lld is not finite",
                     sample / source->channels + left, first + above, sample % source->channels);
}

/* The pixels of an axis that an excerpt reads. */
static struct border_map find_range(abbe_border border, long long first, int count, int n)
{
    struct border_map range = { .low = n, .high = -1 };
    for (int i = 0; i < count; i++) {
        int index = core_border_index(border, first + i, n);
        if (index >= 0 && index < range.low)
            range.low = index;
        if (index > range.high)
            range.high = index;
    }
    return range;
}

/* Checks every sample of the source that a run reads before anything is written, so that a refused source
 * leaves the results unchanged. progress() of the watch, which may be NULL, can stop it. */
static int check_finite_source(const abbe_plan *plan, const abbe_image *source, const struct watch *watch)
{
    const struct excerpt *excerpt = &plan->excerpt;
    const struct rectangle *read = &excerpt->read;
    abbe_border border = excerpt->caller.border;
    if (!excerpt->cut)
        return plan_check_finite(plan, source, 0, 0, watch);
    struct border_map x = find_range(border, read->x, read->width, source->width);
    struct border_map y = find_range(border, read->y, read->height, source->height);
    if (x.low > x.high || y.low > y.high)
        return ABBE_OK;
    abbe_image part = plan_part(source, x.low, y.low, x.high - x.low + 1, y.high - y.low + 1);
    return plan_check_finite(plan, &part, x.low, y.low, watch);
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
    int error = plan_check_views(plan, source, results);
    if (error)
        return error;
    if (device_report(watch, 0))
        return fail_cancelled(plan);
    const abbe_plan *current = plan_current(plan);
    bool must_be_finite = core_type_has_nonfinite(source->type) &&
                          plan->excerpt.caller.nonfinite == ABBE_NONFINITE_ERROR;
    bool checked = !plan->excerpt.cut && source->type == plan->work.source_type &&
                   current->device->table->checks_finite(current->head.engine, source);
    if (must_be_finite && !checked)
        error = check_finite_source(plan, source, watch);
    return error;
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Tells the logger of a device, once, that the system refuses threads: runs take longer, and nothing
 * fails. */
static void log_refused_threads(abbe_device *device)
{
    if (pool_refusals() && !atomic_exchange(&device->logged_refusals, true))
        device_log(device, ABBE_LOG_WARNING,
                   "the system refuses to start threads; runs go on with fewer, and take longer");
}

int plan_run_engine(const struct abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                    struct watch *watch)
{
    int error;
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
    log_refused_threads(plan->head.owner);
    if (error == ABBE_ERR_CANCELLED)
        return fail_cancelled(plan);
    error = error == ABBE_ERR_NONFINITE ? check_finite_source(plan, source, NULL)
                                        : plan_report_error(current, error);
    return error && current->device != first ? plan_add_failure(current, first, error) : error;
}

/* Runs a plan; `watch` may be NULL. */
static int run_plan(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                    struct watch *watch)
{
    if (!plan)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_run: plan is NULL");
    int error = check_run(plan, source, results, watch);
    if (error || !plan->excerpt.cut)
        return error ? error : plan_run_engine(plan, source, results, watch);
    struct window_scratch *scratch;
    error = plan_open_window(plan, source, &scratch);
    if (error)
        return error;
    error = plan_run_engine(plan, plan_window_source(scratch), plan_window_results(scratch), watch);
    plan_close_window(plan, scratch, results, error);
    return error;
}

int plan_read_watch(const abbe_device *device, const char *name, const abbe_watch *watch,
                    struct watch *inside)
{
    const struct core_params about = { name, WATCH_0_2, sizeof(abbe_watch) };
    abbe_watch known = { 0 };
    int error = watch ? core_read_params(device, &about, watch, &known) : ABBE_OK;
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
    int error = plan_read_watch(plan ? plan->head.owner : NULL, "abbe_run_watched: watch", watch, &inside);
    return error ? error : run_plan(plan, source, results, &inside);
}

int abbe_run_timed(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                   const abbe_watch *watch, abbe_times *times)
{
    if (!times)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "abbe_run_timed: times is NULL");
    struct watch inside;
    int error = plan_read_watch(plan ? plan->head.owner : NULL, "abbe_run_timed: watch", watch, &inside);
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
    /* Of a plan whose results are cut out; NULL otherwise. */
    const abbe_plan *cut_plan; /* the plan that was submitted */
    struct window_scratch *scratch;
    abbe_image *results;
};

/* Makes the scratch of a run whose results are cut out when it ends. */
static int open_ticket_window(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                              struct abbe_ticket *ticket)
{
    size_t count = (size_t)plan->work.result_count;
    ticket->results = core_alloc(count, sizeof *results);
    if (!ticket->results)
        return core_fail_memory(plan->head.owner);
    memcpy(ticket->results, results, count * sizeof *results);
    int error = plan_open_window(plan, source, &ticket->scratch);
    if (!error)
        ticket->cut_plan = plan;
    return error;
}

static void close_ticket_window(struct abbe_ticket *ticket, int error)
{
    if (ticket->cut_plan)
        plan_close_window(ticket->cut_plan, ticket->scratch, ticket->results, error);
    core_free(ticket->results);
    ticket->cut_plan = NULL;
    ticket->scratch = NULL;
    ticket->results = NULL;
}

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
    if (plan->excerpt.cut)
        error = open_ticket_window(plan, source, results, ticket);
    if (error)
        return error;
    struct window_scratch *scratch = ticket->scratch;
    error = device_check_process(current->device);
    if (!error)
        error = current->device->table->submit(
            current->device, current->head.engine, scratch ? plan_window_source(scratch) : source,
            scratch ? plan_window_results(scratch) : results, &ticket->job);
    const abbe_device *failed = current->device;
    if (error && plan_fall_back(&current, error)) {
        close_ticket_window(ticket, error);
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
        close_ticket_window(made, error);
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
    close_ticket_window(ended, error);
    core_free(ended);
    return error;
}
