/* Prices every method for a work and takes the cheapest. */
#include "core/error.h"
#include "core/threads.h"
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>
#include <stdint.h>

const char *abbe_method_name(abbe_method method)
{
    switch (method) {
    case ABBE_METHOD_AUTO: return "auto";
    case ABBE_METHOD_DIRECT: return "direct";
    case ABBE_METHOD_SEPARABLE: return "separable";
    case ABBE_METHOD_FFT: return "fft";
    case ABBE_METHOD_TILES: return "tiles";
    }
    return NULL;
}

static bool has_transfers(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (work->filters[i].response.transfer_count)
            return true;
    return false;
}

static double samples(const struct work *work)
{
    return (double)work->width * work->height * work->channels;
}

static size_t to_bytes(double bytes)
{
    return bytes < (double)PTRDIFF_MAX ? (size_t)bytes : (size_t)PTRDIFF_MAX;
}

static const char too_large[] = "needs more memory than the device has";

static int refuse(struct abbe_plan *plan, abbe_candidate *candidate, int code, const char *reason)
{
    plan->refusals[candidate - plan->candidates] = code;
    *candidate = (abbe_candidate){ .method = candidate->method, .reason = reason };
    return ABBE_OK;
}

/* What a method would take on the grid x, y, which are NULL in space. */
static struct footprint measure(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                                const struct axis *y)
{
    struct work work = plan->work;
    work.method = method;
    if (x && y) {
        work.x = *x;
        work.y = *y;
    }
    return plan->device->table->measure(plan->device, &work);
}

static bool fits(const struct abbe_plan *plan, struct footprint footprint)
{
    return footprint.run + footprint.plan <= (double)plan->device->memory;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static int accept(struct abbe_plan *plan, abbe_candidate *candidate, double seconds,
                  struct footprint footprint)
{
    if (!fits(plan, footprint))
        return refuse(plan, candidate, ABBE_ERR_MEMORY, too_large);
    /* Prices, but for that of a run, are those of all threads at work; a small picture does not wake them all. */
    double idle = (double)plan->device->threads / core_workers(plan->device->threads, samples(&plan->work));
    candidate->possible = true;
    candidate->seconds = plan->device->prices.run + seconds * idle;
    candidate->bytes = to_bytes(footprint.run);
    return ABBE_OK;
}

/* ---- In space ----------------------------------------------------------------------------------------- */

static int price_direct(struct abbe_plan *plan, abbe_candidate *candidate)
{
    const struct work *work = &plan->work;
    const struct prices *prices = &plan->device->prices;
    if (has_transfers(work))
        return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED, "a transfer function has no finite kernel");
    double taps = 0;
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel;
        if ((double)kernel->width * kernel->height > KERNEL_AREA_MAX)
            return refuse(plan, candidate, ABBE_ERR_SIZE, "the kernel has too many taps to lay out");
        taps += (double)kernel_count(kernel);
    }
    double each = taps * prices->direct_tap + (1 + work->result_count) * prices->sample;
    return accept(plan, candidate, samples(work) * each, measure(plan, ABBE_METHOD_DIRECT, NULL, NULL));
}

static int price_separable(struct abbe_plan *plan, abbe_candidate *candidate)
{
    struct work *work = &plan->work;
    const struct prices *prices = &plan->device->prices;
    if (has_transfers(work))
        return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED, "a transfer function has no finite kernel");
    double taps = 0;
    int passes = 0;
    for (int i = 0; i < work->filter_count; i++) {
        struct kernel *factors = &work->filters[i].factors;
        int error = kernel_factor(&work->filters[i].response.kernel, RANK_MAX, factors);
        if (error == ABBE_ERR_UNSUPPORTED)
            return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED,
                          "the kernel is not a sum of a few separable ones");
        if (error)
            return core_fail_memory(plan->device);
        passes += factors->rank;
        /* Every band filters the rows that the column factor reaches beyond it as well. */
        double rows = 1 + (factors->height - 1.0) / smaller(prices->band, work->height);
        taps += factors->rank * (factors->width * rows + factors->height);
    }
    double each = taps * prices->separable_tap + (1 + work->result_count) * prices->sample;
    candidate->passes = passes;
    return accept(plan, candidate, samples(work) * each, measure(plan, ABBE_METHOD_SEPARABLE, NULL, NULL));
}

/* ---- In the Fourier plane ----------------------------------------------------------------------------- */

/* One transform grid through the three passes: rows, columns · H per filter, rows. Two channels share one
 * complex plane. */
static double price_grid(const struct abbe_plan *plan, const struct axis *x, const struct axis *y)
{
    const struct work *work = &plan->work;
    const struct prices *prices = &plan->device->prices;
    double width = x->length, height = y->length, filters = work->filter_count;
    double row = fft_flops(x->length), column = fft_flops(y->length);
    double flops = height * row + width * column;
    flops += filters * (width * column + y->step * row + 6 * width * height);
    double moved = (1 + 2 * filters) * width * height;
    return work->channels / 2.0 * (flops * prices->fft_flop + moved * prices->fft_sample);
}

static void describe_grid(abbe_candidate *candidate, const struct axis *x, const struct axis *y)
{
    candidate->fft_width = x->length;
    candidate->fft_height = y->length;
    candidate->tile_width = x->step;
    candidate->tile_height = y->step;
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

static int price_whole(struct abbe_plan *plan, abbe_candidate *candidate, struct axis *x, struct axis *y)
{
    const struct work *work = &plan->work;
    const struct prices *prices = &plan->device->prices;
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
    if (!grid_whole(work->border, work->width, &across, x) ||
        !grid_whole(work->border, work->height, &down, y))
        return refuse(plan, candidate, ABBE_ERR_SIZE, "no transform is long enough");
    double seconds = price_grid(plan, x, y);
    seconds += samples(work) * (1 + work->result_count) * prices->sample;
    describe_grid(candidate, x, y);
    return accept(plan, candidate, seconds, measure(plan, ABBE_METHOD_FFT, x, y));
}

static double tile_count(const struct axis *axis)
{
    return ceil((double)axis->pixels / axis->step);
}

static double price_tiles_of(const struct abbe_plan *plan, const struct axis *x, const struct axis *y)
{
    const struct prices *prices = &plan->device->prices;
    double each = price_grid(plan, x, y) + prices->tile;
    double loads = (double)x->length * y->length * plan->work.channels * prices->sample;
    double stores = samples(&plan->work) * plan->work.result_count * prices->sample;
    return tile_count(x) * tile_count(y) * (each + loads) + stores;
}

/* Pixels a transform of about `length` samples yields beside `reach`; 0 when it is too short for any. */
static int tile_yield(int length, const struct reach *reach)
{
    long long yield = (long long)fft_good_size(length) - reach->before - reach->after;
    return yield > 0 ? (int)yield : 0;
}

static int price_tiles(struct abbe_plan *plan, const abbe_plan_params *params, abbe_candidate *candidate,
                       struct axis *x, struct axis *y)
{
    const struct work *work = &plan->work;
    const struct reach across = { work->left, work->right, false };
    const struct reach down = { work->above, work->below, false };
    if (has_transfers(work))
        return refuse(plan, candidate, ABBE_ERR_UNSUPPORTED, "a transfer function acts on the whole picture");
    double best = INFINITY;
    const char *reason = "no transform is long enough";
    for (int length = 32; length <= 1 << 18; length += length & (length - 1) ? length / 3 : length / 2) {
        struct axis tile_x, tile_y;
        int width = params->tile_width ? params->tile_width : tile_yield(length, &across);
        int height = params->tile_height ? params->tile_height : tile_yield(length, &down);
        if (!grid_tile(work->width, width, &across, &tile_x) ||
            !grid_tile(work->height, height, &down, &tile_y))
            continue;
        reason = too_large;
        double seconds = price_tiles_of(plan, &tile_x, &tile_y);
        if (seconds < best && fits(plan, measure(plan, ABBE_METHOD_TILES, &tile_x, &tile_y))) {
            best = seconds;
            *x = tile_x;
            *y = tile_y;
        }
    }
    if (best == INFINITY)
        return refuse(plan, candidate, reason == too_large ? ABBE_ERR_MEMORY : ABBE_ERR_SIZE, reason);
    describe_grid(candidate, x, y);
    return accept(plan, candidate, best, measure(plan, ABBE_METHOD_TILES, x, y));
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
        if (candidate->possible && (!best || candidate->seconds < best->seconds))
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

int plan_choose(struct abbe_plan *plan, const abbe_plan_params *params)
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
        error = price_tiles(plan, params, &candidates[3], &tile_x, &tile_y);
    if (!error)
        error = settle(plan, params->method);
    if (error)
        return error;
    bool tiles = plan->work.method == ABBE_METHOD_TILES;
    plan->work.x = tiles ? tile_x : whole_x;
    plan->work.y = tiles ? tile_y : whole_y;
    return prepare_filters(plan);
}
