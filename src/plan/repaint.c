/* abbe_plan_repaint: other gains in a rectangle of a plan's mask, for a brush. */
#include "core/error.h"
#include "core/memory.h"
#include "filter/filter.h"
#include "filter/matrix.h"
#include "filter/transfer.h"
#include "plan/plan.h"

static int fail_unsuited(const struct abbe_plan *plan, const char *obstacle)
{
    return core_fail(plan->head.owner, ABBE_ERR_UNSUPPORTED, "abbe_plan_repaint: %s; use abbe_plan_replace",
                     obstacle);
}

/* The only painted mask of a response, or NULL. */
static struct transfer *find_mask(struct response *response)
{
    struct transfer *found = NULL;
    for (int i = 0; i < response->transfer_count; i++) {
        if (!transfer_is_mask(&response->transfers[i]))
            continue;
        if (found)
            return NULL;
        found = &response->transfers[i];
    }
    return found;
}

/* Why a mask cannot be painted on, or NULL. Masks that are the same above and below have spectra of another kind. */
static const char *find_obstacle(const struct abbe_plan *plan, int number, const struct transfer *mask)
{
    if (plan->head.cut || plan->device != plan->head.owner || plan->fallback)
        return plan->head.cut ? "the plan has a window"
                              : "the plan is on a GPU of 'auto', or one that failed";
    if (!plan->device->table->resample || plan->work.method != ABBE_METHOD_FFT)
        return "only plans of the CPU with the method fft are painted on";
    if (!mask)
        return "the filter has no mask, or several";
    if (mask->is_mirrored)
        return "the gains were the same in opposite rows";
    return plan->work.filters[number].even ? "the filter is even along each axis" : NULL;
}

static int check_place(const struct abbe_plan *plan, const struct transfer *mask, const abbe_matrix *gains,
                       int x, int y)
{
    if (x < 0 || y < 0 || gains->width > mask->mask.width - x || gains->height > mask->mask.height - y)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID,
                         "abbe_plan_repaint: %d × %d gains at %d, %d leave the mask of %d × %d", gains->width,
                         gains->height, x, y, mask->mask.width, mask->mask.height);
    return ABBE_OK;
}

/* Paints, and samples the columns that this changes. After a failure, `before` brings the gains back. */
static int paint(struct abbe_plan *plan, int number, struct transfer *mask, const abbe_matrix *gains, int x,
                 int y)
{
    const struct device_table *table = plan->device->table;
    struct frequency_span span = transfer_mask_span(mask, x, gains->width);
    double bound = mask->bound, constant = transfer_mask_constant(mask);
    abbe_matrix before;
    int error = abbe_matrix_create(gains->width, gains->height, &before);
    if (error)
        return core_fail_memory(plan->device);
    transfer_copy_mask(mask, x, y, &before);
    transfer_paint_mask(mask, gains, x, y);
    if (transfer_mask_constant(mask) != constant)
        error = fail_unsuited(plan, "the gain of a constant would change");
    else
        error = table->resample(plan->device, plan->head.engine, number, span);
    if (error) {
        transfer_paint_mask(mask, &before, x, y);
        mask->bound = bound;
    }
    if (error == ABBE_ERR_NONFINITE) { /* some columns have been written */
        core_fail(plan->head.owner, error, "abbe_plan_repaint: a gain is not finite");
        table->resample(plan->device, plan->head.engine, number, span);
    }
    if (error == DEVICE_ERR_DECLINED)
        error = fail_unsuited(plan, "this transform cannot be painted on");
    abbe_matrix_free(&before);
    return error;
}

int abbe_plan_repaint(abbe_plan *plan, size_t filter, const abbe_matrix *gains, int x, int y)
{
    if (!plan || !gains)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "abbe_plan_repaint: %s is NULL",
                         plan ? "gains" : "plan");
    if (plan->is_draft)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID, "abbe_plan_repaint: plan is a draft");
    if (filter >= (size_t)plan->work.result_count)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID, "abbe_plan_repaint: the plan has %d filters",
                         plan->work.result_count);
    int error = device_check_process(plan->head.owner);
    if (error)
        return error;
    error = matrix_check(gains, "abbe_plan_repaint: gains");
    if (error)
        return core_fail(plan->head.owner, error, "%s", abbe_error_text(NULL));
    int number = plan->work.results[filter].first;
    struct transfer *mask = find_mask(&plan->work.filters[number].response);
    const char *obstacle = find_obstacle(plan, number, mask);
    if (obstacle)
        return fail_unsuited(plan, obstacle);
    error = check_place(plan, mask, gains, x, y);
    return error ? error : paint(plan, number, mask, gains, x, y);
}
