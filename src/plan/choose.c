/* Prices every method for a work and takes the cheapest. */
#include "core/error.h"
#include "plan/plan.h"

#include <stdint.h>

static bool has_transfers(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (work->filters[i].response.transfer_count)
            return true;
    return false;
}

static size_t to_bytes(double bytes)
{
    return bytes < (double)PTRDIFF_MAX ? (size_t)bytes : (size_t)PTRDIFF_MAX;
}

static int refuse(struct abbe_plan *plan, abbe_candidate *candidate, int code, const char *reason)
{
    plan->refusals[candidate - plan->candidates] = code;
    *candidate = (abbe_candidate){ .method = candidate->method, .reason = reason };
    return ABBE_OK;
}

/* Prices a method on its grid, NULL in space, unless the device cannot do it or it needs too much memory. */
static int accept(struct abbe_plan *plan, abbe_candidate *candidate, const struct axis *x,
                  const struct axis *y)
{
    const char *reason = plan_refusal(plan, candidate->method, x, y);
    if (reason)
        return refuse(plan, candidate, ABBE_ERR_SIZE, reason);
    struct footprint footprint = plan_footprint(plan, candidate->method, x, y);
    if (!plan_fits(plan, footprint))
        return refuse(plan, candidate, ABBE_ERR_MEMORY, "needs more memory than the device has");
    abbe_charge *charges = plan->charges[candidate - plan->candidates];
    plan->ranks[candidate - plan->candidates] = plan_rank(plan, candidate->method, x, y);
    candidate->possible = true;
    candidate->seconds = plan_price(plan, candidate->method, x, y, charges);
    candidate->bytes = to_bytes(footprint.run);
    candidate->charges = charges;
    candidate->charge_count = (size_t)plan->device->table->charge_count;
    return ABBE_OK;
}

/* ---- In space ----------------------------------------------------------------------------------------- */

static int price_direct(struct abbe_plan *plan, abbe_candidate *candidate)
{
    const struct work *work = &plan->work;
    if (has_transfers(work))
        return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED, "a transfer function has no finite kernel");
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel;
        if ((double)kernel->width * kernel->height > KERNEL_AREA_MAX)
            return refuse(plan, candidate, ABBE_ERR_SIZE, "the kernel has too many taps to lay out");
    }
    return accept(plan, candidate, NULL, NULL);
}

static int price_separable(struct abbe_plan *plan, abbe_candidate *candidate)
{
    struct work *work = &plan->work;
    if (has_transfers(work))
        return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED, "a transfer function has no finite kernel");
    for (int i = 0; i < work->filter_count; i++) {
        struct kernel *factors = &work->filters[i].factors;
        int error = kernel_factor(&work->filters[i].response.kernel, RANK_MAX, factors);
        if (error == ABBE_ERR_UNSUPPORTED)
            return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED,
                          "the kernel is not a sum of a few separable ones");
        if (error)
            return core_fail_memory(plan->device);
        candidate->passes += factors->rank;
    }
    return accept(plan, candidate, NULL, NULL);
}

/* ---- In the Fourier plane ----------------------------------------------------------------------------- */

static int accept_grid(struct abbe_plan *plan, abbe_candidate *candidate, const struct axis *x,
                       const struct axis *y)
{
    candidate->fft_width = x->length;
    candidate->fft_height = y->length;
    candidate->tile_width = x->step;
    candidate->tile_height = y->step;
    return accept(plan, candidate, x, y);
}

/* How far transfer functions reach where the border does not repeat the picture. */
static int transfer_radius(const struct abbe_plan *plan, int *radius)
{
    const struct work *work = &plan->work;
    int limit = work->width > work->height ? work->width : work->height;
    *radius = 0;
    for (int i = 0; i < work->filter_count; i++) {
        int one;
        int error = response_radius(&work->filters[i].response, limit, &one);
        if (error == ABBE_ERR_NONFINITE)
            return core_fail(plan->device, error, "filter %d has a gain that is not finite", i + 1);
        if (error)
            return core_fail_memory(plan->device);
        if (one > *radius)
            *radius = one;
    }
    return ABBE_OK;
}

/* Columns are chosen beside rows that have the fewest operations, then rows beside those columns: one length hardly
 * depends on the other. */
static bool whole_grid(const struct abbe_plan *plan, const struct reach *across, const struct reach *down,
                       struct axis *x, struct axis *y)
{
    const struct work *work = &plan->work;
    const struct axis_pricer by_flops = { 0 };
    const struct axis_pricer for_y = { plan, ABBE_METHOD_FFT, x, NULL },
                             for_x = { plan, ABBE_METHOD_FFT, NULL, y };
    return grid_whole(work->border, work->width, across, &by_flops, x) &&
           grid_whole(work->border, work->height, down, &for_y, y) &&
           grid_whole(work->border, work->width, across, &for_x, x);
}

static int price_whole(struct abbe_plan *plan, abbe_candidate *candidate, struct axis *x, struct axis *y)
{
    const struct work *work = &plan->work;
    struct reach across = { work->left, work->right, has_transfers(work) };
    struct reach down = { work->above, work->below, across.transfers };
    bool repeats = work->border == ABBE_BORDER_WRAP || work->border == ABBE_BORDER_REFLECT ||
                   work->border == ABBE_BORDER_MIRROR;
    if (across.transfers && !repeats) {
        int radius;
        int error = transfer_radius(plan, &radius);
        if (error)
            return error;
        across.before += radius, across.after += radius;
        down.before += radius, down.after += radius;
    }
    if (!whole_grid(plan, &across, &down, x, y))
        return refuse(plan, candidate, ABBE_ERR_SIZE, "no transform is long enough");
    return accept_grid(plan, candidate, x, y);
}

static int price_tiles(struct abbe_plan *plan, const abbe_plan_params *params, abbe_candidate *candidate,
                       struct axis *x, struct axis *y)
{
    const char *reason;
    if (has_transfers(&plan->work))
        return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED, "a transfer function acts on the whole picture");
    int error = plan_tiles(plan, params, x, y, &reason);
    return error ? refuse(plan, candidate, error, reason) : accept_grid(plan, candidate, x, y);
}

/* ---- The choice --------------------------------------------------------------------------------------- */

static int settle(struct abbe_plan *plan, abbe_method wanted)
{
    abbe_candidate *best = NULL;
    for (int i = 0; i < CANDIDATES; i++) {
        abbe_candidate *candidate = &plan->candidates[i];
        if (wanted != ABBE_METHOD_AUTO && candidate->method != wanted)
            continue;
        if (!candidate->possible && wanted != ABBE_METHOD_AUTO)
            return core_fail(plan->device, plan->refusals[i], "method %s: %s", abbe_method_name(wanted),
                             candidate->reason);
        if (candidate->possible && (!best || plan->ranks[i] < plan->ranks[best - plan->candidates]))
            best = candidate;
    }
    if (!best) { /* the whole picture in one transform is what can do everything, were it not for its size */
        int whole = ABBE_METHOD_FFT - ABBE_METHOD_DIRECT;
        return core_fail(plan->device, plan->refusals[whole], "no method can do it; in one transform: %s",
                         plan->candidates[whole].reason);
    }
    best->chosen = true;
    plan->work.method = best->method;
    return ABBE_OK;
}

/* Keeps of each filter what the chosen method needs. */
static int prepare_filters(struct abbe_plan *plan)
{
    for (int i = 0; i < plan->work.filter_count; i++) {
        struct work_filter *filter = &plan->work.filters[i];
        if (plan->work.method != ABBE_METHOD_SEPARABLE)
            kernel_free(&filter->factors);
        if (plan->work.method == ABBE_METHOD_DIRECT &&
            kernel_expand(&filter->response.kernel, &filter->dense))
            return core_fail_memory(plan->device);
    }
    return ABBE_OK;
}

int plan_choose(struct abbe_plan *plan)
{
    struct axis whole_x = { 0 }, whole_y = { 0 }, tile_x = { 0 }, tile_y = { 0 };
    abbe_candidate *candidates = plan->candidates;
    for (int i = 0; i < CANDIDATES; i++)
        candidates[i] = (abbe_candidate){ .method = (abbe_method)(ABBE_METHOD_DIRECT + i), .reason = "" };
    int error = price_direct(plan, &candidates[0]);
    if (!error)
        error = price_separable(plan, &candidates[1]);
    if (!error)
        error = price_whole(plan, &candidates[2], &whole_x, &whole_y);
    if (!error)
        error = price_tiles(plan, &plan->params, &candidates[3], &tile_x, &tile_y);
    if (!error)
        error = settle(plan, plan->params.method);
    if (error)
        return error;
    bool tiles = plan->work.method == ABBE_METHOD_TILES;
    plan->work.x = tiles ? tile_x : whole_x;
    plan->work.y = tiles ? tile_y : whole_y;
    return prepare_filters(plan);
}
