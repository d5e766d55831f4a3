/* abbe_plan_replace: another bank for a plan, on the grid that was chosen for the first one. */
#include "core/error.h"
#include "filter/filter.h"
#include "plan/plan.h"

/* A kernel that does not suit the method separable. */
static const double TOLERANCE = 6e-8, TOLERANCE_DOUBLE = 1e-15;

bool plan_axis_suits(const struct axis *axis, abbe_border border, bool transfers, int before, int after)
{
    if (axis->even || (axis->step == axis->pixels && axis->length == grid_period(border, axis->pixels)))
        return true;
    return !transfers && before <= axis->before && after <= axis->length - axis->step - axis->before;
}

/* Gives the filters of a work what its method needs. `obstacle` receives why they do not suit the method or the grid,
 * or NULL. Records a message of an error. */
static int prepare_work(const struct abbe_plan *plan, struct work *work, const char **obstacle)
{
    bool transfers = false, real = true, factored = true;
    *obstacle = NULL;
    for (int i = 0; i < work->filter_count; i++) {
        struct work_filter *filter = &work->filters[i];
        const struct kernel *kernel = &filter->response.kernel;
        int error = ABBE_OK;
        transfers |= filter->response.transfer_count > 0;
        real &= filter->real;
        if (transfers)
            continue;
        bool direct = work->method == ABBE_METHOD_DIRECT;
        if (direct && (double)kernel->width * kernel->height > KERNEL_AREA_MAX)
            *obstacle = "a kernel has too many taps for the method";
        else if (direct)
            error = kernel_expand(kernel, &filter->dense);
        else if (work->method == ABBE_METHOD_SEPARABLE)
            error = kernel_factor(kernel, TERMS_MAX,
                                  work->precision == ABBE_PRECISION_DOUBLE ? TOLERANCE_DOUBLE : TOLERANCE,
                                  &filter->factors);
        factored &= error != ABBE_ERR_UNSUPPORTED;
        if (error && error != ABBE_ERR_UNSUPPORTED)
            return core_fail_memory(plan->device);
    }
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    if (!factored || (transfers && !fourier))
        *obstacle = "the method cannot do these filters";
    else if (fourier && (!plan_axis_suits(&work->x, work->border, transfers, work->left, work->right) ||
                         !plan_axis_suits(&work->y, work->border, transfers, work->above, work->below)))
        *obstacle = "the filters read more beyond the picture than the transform holds";
    else if (fourier && work->x.even && !real)
        *obstacle = "the transform is for filters that are the same in opposite directions";
    return ABBE_OK;
}

static bool same_components(const struct work *a, const struct work *b)
{
    if (a->filter_count != b->filter_count || a->result_count != b->result_count)
        return false;
    for (int i = 0; i < a->result_count; i++)
        if (a->results[i].components != b->results[i].components)
            return false;
    return true;
}

static int fail_unsuited(const struct abbe_plan *plan, const char *obstacle)
{
    return core_fail(plan->head.owner, ABBE_ERR_UNSUPPORTED, "abbe_plan_replace: %s; make another plan",
                     obstacle);
}

/* Lowers the bank to a work with the method and the grid of the plan. plan_work_free must follow. */
static int lower_bank(const struct abbe_plan *plan, const abbe_plan_params *params, struct work *work)
{
    const struct device_table *table = plan->device->table;
    const char *obstacle;
    int error = plan_lower(plan->device, params, work);
    if (error)
        return error;
    if (!same_components(&plan->work, work))
        return fail_unsuited(plan, "the bank has other results than the plan");
    work->memory = plan->work.memory;
    work->method = plan->work.method;
    work->x = plan->work.x;
    work->y = plan->work.y;
    error = prepare_work(plan, work, &obstacle);
    if (error)
        return error;
    if (!obstacle && table->refusal)
        obstacle = table->refusal(plan->device, work);
    struct footprint footprint = obstacle ? (struct footprint){ 0 } : table->footprint(plan->device, work);
    if (!obstacle && footprint.run + footprint.plan > work->memory)
        obstacle = "the filters need more memory than the device has";
    return obstacle ? fail_unsuited(plan, obstacle) : ABBE_OK;
}

/* Engines hold the address of the plan's work, which is each one's own while it is made and destroyed. */
static int exchange_engine(struct abbe_plan *plan, struct work *work)
{
    const struct device_table *table = plan->device->table;
    struct work before = plan->work;
    struct engine *engine = NULL;
    plan->work = *work;
    int error = table->create(plan->device, &plan->work, &engine);
    if (error) {
        plan->work = before;
        return plan_report_error(plan, error);
    }
    plan->work = before;
    table->destroy(plan->device, plan->head.engine);
    plan->work = *work;
    plan->head.engine = engine;
    *work = before;
    return ABBE_OK;
}

int abbe_plan_replace(abbe_plan *plan, const abbe_filter *const *filters, size_t count)
{
    if (!plan || !filters)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "abbe_plan_replace: %s is NULL",
                         plan ? "filters" : "plan");
    if (plan->is_draft)
        return core_fail(plan->head.owner, ABBE_ERR_INVALID, "abbe_plan_replace: plan is a draft");
    abbe_plan_params params = plan->params;
    params.filters = filters;
    params.filter_count = count;
    int error = device_check_process(plan->head.owner);
    if (!error)
        error = plan_check(plan->head.owner, &params);
    if (error)
        return error;
    if (plan->head.cut || plan->device != plan->head.owner || plan->fallback)
        return fail_unsuited(plan, plan->head.cut ? "the plan has a window"
                                                  : "the plan is on a GPU of 'auto', or one that failed");
    struct work work = { 0 };
    error = lower_bank(plan, &params, &work);
    if (!error)
        error = exchange_engine(plan, &work);
    plan_work_free(&work);
    return error;
}
