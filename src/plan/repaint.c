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

/* Why a mask cannot be painted on, or NULL. Masks that are the same above and below have spectra of another
 * kind. Where a border leads to padding, that is as wide as the first mask needed. */
static const char *find_obstacle(const struct abbe_plan *plan, const struct work_result *result,
                                 const struct transfer *mask)
{
    const struct work *work = &plan->work;
    const struct work_filter *filter = &work->filters[result->first];
    if (plan->head.cut || plan->device != plan->head.owner || plan->fallback)
        return plan->head.cut ? "the plan has a window"
                              : "the plan is on a GPU of 'auto', or one that failed";
    if (!plan->device->table->resample || work->method != ABBE_METHOD_FFT)
        return "only plans of the CPU with the method fft are painted on";
    if (!mask)
        return "the filter has no mask, or several";
    if (mask->is_mirrored)
        return "the gains were the same in opposite rows";
    if (result->components != 1)
        return "the filter has several components";
    if (response_has_callback(&filter->response))
        return "the filter has a function of the application, which is called only while plans are made";
    if (!plan_axis_suits(&work->x, work->border, true, 0, 0) ||
        !plan_axis_suits(&work->y, work->border, true, 0, 0))
        return "the transform holds as much of the border as the first gains needed";
    return filter->even ? "the filter is even along each axis" : NULL;
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

/* Paints, and samples the columns that this changes. A failure leaves these as they were; `before` brings the
 * gains back. */
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
    if (error == ABBE_ERR_NONFINITE)
        core_fail(plan->head.owner, error, "abbe_plan_repaint: a gain is not finite as a float");
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
    const struct work_result *result = &plan->work.results[filter];
    struct transfer *mask = find_mask(&plan->work.filters[result->first].response);
    const char *obstacle = find_obstacle(plan, result, mask);
    if (obstacle)
        return fail_unsuited(plan, obstacle);
    error = check_place(plan, mask, gains, x, y);
    return error ? error : paint(plan, result->first, mask, gains, x, y);
}
