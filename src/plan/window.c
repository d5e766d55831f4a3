/* Runs of plans whose results are cut out of what the device filters. */
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "core/pool.h"
#include "core/threads.h"
#include "core/view.h"
#include "plan/plan.h"

#include <stdatomic.h>

/* What the device reads and writes in one run. */
struct window_scratch {
    abbe_image source; /* of excerpt.read */
    char *source_data; /* NULL: `source` is a part of the application's view */
    abbe_image *results;
    int result_count;
};

void plan_free_window(struct window_scratch *scratch)
{
    if (!scratch)
        return;
    for (int r = 0; r < scratch->result_count; r++)
        core_free(scratch->results[r].data);
    core_free(scratch->results);
    core_free(scratch->source_data);
    core_free(scratch);
}

static bool allocate_window(const struct abbe_plan *plan, struct window_scratch *scratch)
{
    const struct excerpt *excerpt = &plan->excerpt;
    const abbe_image shape = { .width = excerpt->read.width,
                               .height = excerpt->read.height,
                               .channels = excerpt->caller.channels };
    if (!plan_reads_inside(excerpt, &excerpt->read)) {
        if (!core_alloc_picture(&shape, excerpt->type, &scratch->source))
            return false;
        scratch->source_data = scratch->source.data;
    }
    scratch->results = core_alloc_zero((size_t)plan->work.result_count, sizeof *scratch->results);
    if (!scratch->results)
        return false;
    for (; scratch->result_count < plan->work.result_count; scratch->result_count++)
        if (!core_alloc_picture(&shape, excerpt->caller.result_type,
                                &scratch->results[scratch->result_count]))
            return false;
    return true;
}

/* The scratch of an earlier run, or a new one; NULL without memory. */
static struct window_scratch *take_scratch(const struct abbe_plan *plan)
{
    struct window_scratch *scratch = atomic_exchange(&((struct abbe_plan *)plan)->idle, NULL);
    if (scratch)
        return scratch;
    scratch = core_alloc_zero(1, sizeof *scratch);
    if (scratch && !allocate_window(plan, scratch)) {
        plan_free_window(scratch);
        scratch = NULL;
    }
    return scratch;
}

/* ---- Pixels ------------------------------------------------------------------------------------------- */

struct view_source {
    const struct abbe_plan *plan;
    const abbe_image *view;
};

struct copy_rows {
    const abbe_image *from, *to;
};

/* A pool_task over rows. */
static void copy_some_rows(void *context, int worker, long long first, long long end)
{
    (void)worker;
    const struct copy_rows *rows = context;
    int count = (int)(end - first);
    const abbe_image from = plan_part(rows->from, 0, first, rows->to->width, count);
    const abbe_image to = plan_part(rows->to, 0, first, rows->to->width, count);
    core_copy_picture(&from, &to);
}

static void copy_rows(int threads, const abbe_image *from, const abbe_image *to)
{
    struct copy_rows rows = { from, to };
    int workers = core_workers(threads, (double)to->height * to->width * to->channels);
    pool_loop(workers, to->height, pool_share(workers, to->height), copy_some_rows, &rows);
}

/* fetch_pixels from a view. */
static int fetch_from_view(void *context, int x, int y, const abbe_image *to)
{
    const struct view_source *source = context;
    abbe_image from = plan_part(source->view, x, y, to->width, to->height);
    if (from.type == to->type)
        copy_rows(source->plan->device->threads, &from, to);
    for (int i = 0; i < to->height && from.type != to->type; i++)
        plan_convert_row(&source->plan->excerpt, &from, i, to);
    return ABBE_OK;
}

int plan_open_window(const struct abbe_plan *plan, const abbe_image *source, struct window_scratch **scratch)
{
    const struct excerpt *excerpt = &plan->excerpt;
    const struct rectangle *read = &excerpt->read;
    struct window_scratch *taken = take_scratch(plan);
    if (!taken)
        return core_fail_memory(plan->head.owner);
    struct view_source context = { plan, source };
    if (taken->source_data)
        plan_fill(excerpt, read, 0, fetch_from_view, &context, &taken->source);
    else
        taken->source = plan_part(source, read->x, read->y, read->width, read->height);
    *scratch = taken;
    return ABBE_OK;
}

const abbe_image *plan_window_source(const struct window_scratch *scratch)
{
    return &scratch->source;
}

const abbe_image *plan_window_results(const struct window_scratch *scratch)
{
    return scratch->results;
}

void plan_close_window(const struct abbe_plan *plan, struct window_scratch *scratch,
                       const abbe_image *results, int error)
{
    const struct excerpt *excerpt = &plan->excerpt;
    for (int r = 0; r < scratch->result_count && !error; r++) {
        abbe_image part = plan_part(&scratch->results[r], excerpt->results.x - excerpt->read.x,
                                    excerpt->results.y - excerpt->read.y, excerpt->results.width,
                                    excerpt->results.height);
        copy_rows(plan->device->threads, &part, &results[r]);
    }
    struct window_scratch *none = NULL;
    if (!atomic_compare_exchange_strong(&((struct abbe_plan *)plan)->idle, &none, scratch))
        plan_free_window(scratch);
}
