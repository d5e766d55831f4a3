/* Prices every method for a work and chooses the cheapest. A price is the sum of the units that the device
 * counts, each times the seconds per unit. */
#include "core/error.h"
#include "core/threads.h"
#include "fft/size.h"
#include "filter/sampling/sampler.h"
#include "plan/plan.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Prices ------------------------------------------------------------------------------------------- */

/* The plan's work with one method on one grid; x and y are NULL in space. */
static struct work work_with(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                             const struct axis *y)
{
    struct work work = plan->work;
    work.method = method;
    if (x && y) {
        work.x = *x;
        work.y = *y;
        work.width = x->pixels;
        work.height = y->pixels;
    }
    return work;
}

static bool fits_memory(const struct abbe_plan *plan, struct footprint footprint)
{
    return footprint.run + footprint.plan <= plan->work.memory;
}

bool plan_fits(const struct abbe_plan *plan, abbe_method method, const struct axis *x, const struct axis *y)
{
    struct work work = work_with(plan, method, x, y);
    return fits_memory(plan, plan->device->table->footprint(plan->device, &work));
}

/* Seconds of one run on a number of threads. `charges`, unless NULL, receives the terms of that sum. */
static double price_work(const abbe_device *device, const struct work *work, int threads,
                         abbe_charge *charges)
{
    double units[CHARGES_MAX] = { 0 }, seconds = 0;
    device->table->count_units(device, work, threads, units);
    for (int i = 0; i < device->table->charge_count; i++) {
        seconds += units[i] * device->prices[i];
        if (charges)
            charges[i] = (abbe_charge){ device->table->charge_names[i], units[i], device->prices[i] };
    }
    return seconds;
}

static double rank_work(const abbe_device *device, const struct work *work)
{
    double alone = price_work(device, work, 1, NULL);
    return device->processors > 1 ? sqrt(alone * price_work(device, work, device->processors, NULL)) : alone;
}

double plan_rank(const struct abbe_plan *plan, abbe_method method, const struct axis *x, const struct axis *y)
{
    struct work work = work_with(plan, method, x, y);
    return rank_work(plan->device, &work);
}

double plan_price_axis(const struct axis_pricer *pricer, const struct axis *axis)
{
    if (!pricer->x && !pricer->y)
        return fft_flops(axis->length);
    return plan_rank(pricer->plan, pricer->method, pricer->x ? pricer->x : axis,
                     pricer->y ? pricer->y : axis);
}

/* Numbers of all spectra that are sampled, and written for pairs of channels and for a single one. */
static double spectrum_units(const struct work *work, int number)
{
    const struct work_filter *filter = &work->filters[number];
    bool even = work->x.even, two = even ? !filter->even : !filter->real; /* parts of H */
    double written = (double)work->x.length * work->y.length * (two ? 2 : 1);
    double layouts = (work->channels > 1 ? 1 : 0) + (work->channels % 2 ? (even ? 1 : 0.5) : 0);
    int times = even && two ? 2 : 1, doubled = even ? 2 : 1;
    return layouts * written +
           times * sampler_units(&filter->response, doubled * work->x.length, doubled * work->y.length);
}

/* Seconds of sampling the spectra of a work. Callers' functions are called by one thread. */
static double price_spectra(const abbe_device *device, const struct work *work)
{
    double price = device->prices[device->table->spectrum_charge], seconds = 0;
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    bool in_runs = device->table->samples_in_runs && device->table->samples_in_runs(device, work);
    for (int i = 0; i < work->filter_count && fourier; i++) {
        double tables = 2.0 * ((double)work->x.length + work->y.length);
        double units = in_runs ? tables : spectrum_units(work, i);
        bool alone = response_has_callback(&work->filters[i].response);
        seconds += price * units / (alone ? 1 : core_workers(device->threads, units));
    }
    return seconds;
}

/* ---- Candidates --------------------------------------------------------------------------------------- */

static int refuse_candidate(struct abbe_plan *plan, abbe_candidate *candidate, int code, const char *reason)
{
    plan->refusals[candidate - plan->candidates] = code;
    *candidate = (abbe_candidate){ .method = candidate->method, .reason = reason };
    return ABBE_OK;
}

static int refuse_memory(struct abbe_plan *plan, abbe_candidate *candidate, struct footprint footprint)
{
    char *reason = plan->memory_reasons[candidate - plan->candidates];
    snprintf(reason, MEMORY_REASON_BYTES, "needs %.3g GB of memory, more than the %.3g GB that it may take",
             (footprint.run + footprint.plan) * 1e-9, plan->work.memory * 1e-9);
    return refuse_candidate(plan, candidate, ABBE_ERR_MEMORY, reason);
}

/* Prices a candidate on its grid (NULL in space), or refuses it where the device cannot do it or lacks
 * memory. */
static int price_candidate(struct abbe_plan *plan, abbe_candidate *candidate, const struct axis *x,
                           const struct axis *y)
{
    const abbe_device *device = plan->device;
    struct work work = work_with(plan, candidate->method, x, y);
    const char *reason = device->table->refusal ? device->table->refusal(device, &work) : NULL;
    if (reason)
        return refuse_candidate(plan, candidate, ABBE_ERR_SIZE, reason);
    struct footprint footprint = device->table->footprint(device, &work);
    if (!fits_memory(plan, footprint))
        return refuse_memory(plan, candidate, footprint);
    int i = (int)(candidate - plan->candidates);
    plan->ranks[i] = rank_work(device, &work);
    candidate->possible = true;
    candidate->seconds = price_work(device, &work, device->threads, plan->charges[i]);
    candidate->planning = price_spectra(device, &work);
    double bytes = footprint.run + plan_excerpt_bytes(&plan->excerpt);
    candidate->bytes = bytes < (double)PTRDIFF_MAX ? (size_t)bytes : (size_t)PTRDIFF_MAX;
    return ABBE_OK;
}

static bool has_transfers(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (work->filters[i].response.transfer_count)
            return true;
    return false;
}

static int price_direct(struct abbe_plan *plan, abbe_candidate *candidate)
{
    const struct work *work = &plan->work;
    if (has_transfers(work))
        return refuse_candidate(plan, candidate, ABBE_ERR_UNSUPPORTED,
                                "a transfer function has no finite kernel");
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = &work->filters[i].response.kernel;
        if ((double)kernel->width * kernel->height > KERNEL_AREA_MAX)
            return refuse_candidate(plan, candidate, ABBE_ERR_SIZE, "the kernel has too many taps");
    }
    return price_candidate(plan, candidate, NULL, NULL);
}

static int price_separable(struct abbe_plan *plan, abbe_candidate *candidate)
{
    struct work *work = &plan->work;
    if (has_transfers(work))
        return refuse_candidate(plan, candidate, ABBE_ERR_UNSUPPORTED,
                                "a transfer function has no finite kernel");
    /* Relative residuals of the factors: one rounding of a float, or a few of a double. */
    double tolerance = work->precision == ABBE_PRECISION_DOUBLE ? 1e-15 : 6e-8;
    for (int i = 0; i < work->filter_count; i++) {
        struct kernel *factors = &work->filters[i].factors;
        int error = kernel_factor(&work->filters[i].response.kernel, TERMS_MAX, tolerance, factors);
        if (error == ABBE_ERR_UNSUPPORTED)
            return refuse_candidate(plan, candidate, ABBE_ERR_UNSUPPORTED,
                                    "the kernel is not a sum of a few separable ones");
        if (error)
            return core_fail_memory(plan->device);
        candidate->passes += factors->terms;
    }
    return price_candidate(plan, candidate, NULL, NULL);
}

static int price_on_grid(struct abbe_plan *plan, abbe_candidate *candidate, const struct axis *x,
                         const struct axis *y)
{
    candidate->fft_width = x->length;
    candidate->fft_height = y->length;
    candidate->tile_width = x->step;
    candidate->tile_height = y->step;
    candidate->even = x->even;
    return price_candidate(plan, candidate, x, y);
}

/* The effective radius of the transfer functions, for borders that do not repeat the picture. Records a
 * message. */
static int find_transfer_radius(const struct abbe_plan *plan, int *radius)
{
    const struct work *work = &plan->work;
    int longer = work->width > work->height ? work->width : work->height;
    *radius = 0;
    for (int i = 0; i < work->filter_count; i++) {
        int one;
        int error = response_radius(&work->filters[i].response, longer, &one);
        if (error == ABBE_ERR_NONFINITE)
            return core_fail(plan->device, error, "filter %d has a gain that is not finite", i + 1);
        if (error)
            return core_fail_memory(plan->device);
        if (one > *radius)
            *radius = one;
    }
    return ABBE_OK;
}

/* The column length is chosen for the row length with the fewest operations, then the row length for that
 * column length: one hardly depends on the other. */
static bool choose_whole_grid(const struct abbe_plan *plan, const struct reach *across,
                              const struct reach *down, struct axis *x, struct axis *y)
{
    const struct work *work = &plan->work;
    const struct axis_pricer by_flops = { 0 };
    const struct axis_pricer for_y = { plan, ABBE_METHOD_FFT, x, NULL };
    const struct axis_pricer for_x = { plan, ABBE_METHOD_FFT, NULL, y };
    return grid_whole(work->border, work->width, across, &by_flops, x) &&
           grid_whole(work->border, work->height, down, &for_y, y) &&
           grid_whole(work->border, work->width, across, &for_x, x);
}

/* Whether even transforms may do the work: a picture that continues as its own reflection, and filters that are the
 * same in opposite directions. Their gains are sampled for the doubled lengths, which must be ints. */
static bool suits_even(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (!work->filters[i].real)
            return false;
    return work->border == ABBE_BORDER_REFLECT && work->width <= INT_MAX / 2 && work->height <= INT_MAX / 2;
}

/* The grid of even transforms of the picture's size; false where the device has none for the work. */
static bool find_even_grid(const struct abbe_plan *plan, struct axis *x, struct axis *y)
{
    const struct device_table *table = plan->device->table;
    int width = plan->work.width, height = plan->work.height;
    *x = (struct axis){ .pixels = width, .length = width, .step = width, .even = true };
    *y = (struct axis){ .pixels = height, .length = height, .step = height, .even = true };
    struct work even = work_with(plan, ABBE_METHOD_FFT, x, y);
    return table->has_even && suits_even(&plan->work) && table->has_even(plan->device, &even);
}

static void exchange_candidates(struct abbe_plan *plan, int first, int second)
{
    abbe_candidate candidate = plan->candidates[first];
    plan->candidates[first] = plan->candidates[second];
    plan->candidates[second] = candidate;
    double rank = plan->ranks[first];
    plan->ranks[first] = plan->ranks[second];
    plan->ranks[second] = rank;
    int refusal = plan->refusals[first];
    plan->refusals[first] = plan->refusals[second];
    plan->refusals[second] = refusal;
    for (int i = 0; i < CHARGES_MAX; i++) {
        abbe_charge charge = plan->charges[first][i];
        plan->charges[first][i] = plan->charges[second][i];
        plan->charges[second][i] = charge;
    }
}

/* Prices even transforms beside another grid of the whole picture. The cheaper become the candidate of the method,
 * and x and y their grid; so do even ones where neither is possible, because they need less memory. A reason
 * in plan->memory_reasons stays where it is. */
static int consider_even(struct abbe_plan *plan, int whole, struct axis *x, struct axis *y)
{
    struct axis even_x, even_y;
    if (!find_even_grid(plan, &even_x, &even_y))
        return ABBE_OK;
    abbe_candidate *candidate = &plan->candidates[whole], *other = &plan->candidates[OTHER_WHOLE];
    *other = (abbe_candidate){ .method = ABBE_METHOD_FFT, .reason = "" };
    int error = price_on_grid(plan, other, &even_x, &even_y);
    plan->candidate_list[plan->listed++] = other;
    other->even = true; /* also where it is not possible */
    bool dearer = !other->possible || plan->ranks[whole] <= plan->ranks[OTHER_WHOLE];
    if (error || (candidate->possible && dearer))
        return error;
    exchange_candidates(plan, whole, OTHER_WHOLE);
    *x = even_x;
    *y = even_y;
    return ABBE_OK;
}

static int price_whole(struct abbe_plan *plan, abbe_candidate *candidate, struct axis *x, struct axis *y)
{
    const struct work *work = &plan->work;
    struct reach across = { work->left, work->right, has_transfers(work) };
    struct reach down = { work->above, work->below, across.transfers };
    if (across.transfers && !grid_period(work->border, work->width)) {
        int radius;
        int error = find_transfer_radius(plan, &radius);
        if (error)
            return error;
        across.before += radius, across.after += radius;
        down.before += radius, down.after += radius;
    }
    int error = choose_whole_grid(plan, &across, &down, x, y)
                    ? price_on_grid(plan, candidate, x, y)
                    : refuse_candidate(plan, candidate, ABBE_ERR_SIZE, "no transform is long enough");
    return error ? error : consider_even(plan, (int)(candidate - plan->candidates), x, y);
}

static int price_tiles(struct abbe_plan *plan, abbe_candidate *candidate, struct axis *x, struct axis *y)
{
    const char *reason;
    if (has_transfers(&plan->work))
        return refuse_candidate(plan, candidate, ABBE_ERR_UNSUPPORTED,
                                "a transfer function acts on the whole picture");
    int error = grid_tiles(plan, x, y, &reason);
    return error ? refuse_candidate(plan, candidate, error, reason) : price_on_grid(plan, candidate, x, y);
}

/* ---- The choice --------------------------------------------------------------------------------------- */

/* Takes the wanted method, or the possible candidate with the lowest ranking price. */
static int choose_candidate(struct abbe_plan *plan, abbe_method wanted)
{
    int best = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        const abbe_candidate *candidate = &plan->candidates[i];
        if (wanted != ABBE_METHOD_AUTO && candidate->method != wanted)
            continue;
        if (!candidate->possible && wanted != ABBE_METHOD_AUTO)
            return core_fail(plan->device, plan->refusals[i], "method %s: %s", abbe_method_name(wanted),
                             candidate->reason);
        if (candidate->possible && (best < 0 || plan->ranks[i] < plan->ranks[best]))
            best = i;
    }
    if (best < 0) { /* only the method fft can do every bank, so its reason is the one that matters */
        int whole = ABBE_METHOD_FFT - ABBE_METHOD_DIRECT;
        return core_fail(plan->device, plan->refusals[whole], "plan: no method is possible; method fft: %s",
                         plan->candidates[whole].reason);
    }
    plan->candidates[best].chosen = true;
    plan->work.method = plan->candidates[best].method;
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
    plan->listed = 0;
    for (int i = 0; i < CANDIDATES; i++)
        candidates[i] = (abbe_candidate){ .method = (abbe_method)(ABBE_METHOD_DIRECT + i), .reason = "" };
    for (int i = 0; i < 3; i++)
        plan->candidate_list[plan->listed++] = &candidates[i];
    int error = price_direct(plan, &candidates[0]);
    if (!error)
        error = price_separable(plan, &candidates[1]);
    if (!error)
        error = price_whole(plan, &candidates[2], &whole_x, &whole_y);
    plan->candidate_list[plan->listed++] = &candidates[3];
    if (!error)
        error = price_tiles(plan, &candidates[3], &tile_x, &tile_y);
    if (!error)
        error = choose_candidate(plan, plan->params.method);
    if (error)
        return error;
    bool tiles = plan->work.method == ABBE_METHOD_TILES;
    plan->work.x = tiles ? tile_x : whole_x;
    plan->work.y = tiles ? tile_y : whole_y;
    return prepare_filters(plan);
}
