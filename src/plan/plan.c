/* The public plan: create, destroy, explain. */
#include "plan/plan.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"

#include <stdint.h>

/* Makes a plan, or a draft of it, for the public function `name`. */
static int create_plan(const char *name, abbe_device *device, const abbe_plan_params *params, bool draft,
                       abbe_plan **plan)
{
    if (!device || !params || !plan)
        return core_fail(device, ABBE_ERR_INVALID, "%s: %s is NULL", name,
                         !device   ? "device"
                         : !params ? "params"
                                   : "plan");
    const struct core_params about = { draft ? "abbe_plan_draft: params" : "abbe_plan_create: params",
                                       PLAN_PARAMS_0_2, sizeof(abbe_plan_params) };
    abbe_plan_params known;
    int error = core_read_params(device, &about, params, &known);
    if (error)
        return error;
    if (!known.result_type)
        known.result_type = known.source_type;
    struct excerpt excerpt;
    error = device_check_process(device);
    if (!error)
        error = plan_check(device, &known);
    if (!error)
        error = plan_find_excerpt(device, &known, &excerpt);
    return error ? error : plan_place(device, &known, &excerpt, draft, plan);
}

int abbe_plan_create(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan)
{
    return create_plan("abbe_plan_create", device, params, false, plan);
}

int abbe_plan_draft(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan)
{
    return create_plan("abbe_plan_draft", device, params, true, plan);
}

void abbe_plan_destroy(abbe_plan **plan)
{
    if (!plan || !*plan)
        return;
    abbe_plan *gone = *plan, *fallback = gone->fallback;
    if (gone->cpu_plan == fallback) /* a fork stopped plan_fall_back between its two stores */
        gone->cpu_plan = NULL;
    abbe_plan_destroy(&fallback);
    abbe_plan_destroy(&gone->cpu_plan);
    if (gone->head.engine && !device_is_inherited(gone->device))
        gone->device->table->destroy(gone->device, gone->head.engine);
    plan_work_free(&gone->work);
    plan_free_window(gone->idle);
    core_lock_destroy(&gone->lock);
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

int abbe_plan_result_size(const abbe_plan *plan, int *width, int *height, int *x, int *y)
{
    if (!plan)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_plan_result_size: plan is NULL");
    const struct rectangle *results = &plan->excerpt.results;
    if (width)
        *width = results->width;
    if (height)
        *height = results->height;
    if (x)
        *x = (int)results->x;
    if (y)
        *y = (int)results->y;
    return ABBE_OK;
}

const abbe_candidate *const *abbe_plan_explain(const abbe_plan *plan, size_t *count)
{
    const struct abbe_plan *current = plan ? plan_current(plan) : NULL;
    if (count)
        *count = current ? current->listed : 0;
    return current ? current->candidate_list : NULL;
}

const abbe_candidate *abbe_plan_choice(const abbe_plan *plan)
{
    const struct abbe_plan *current = plan ? plan_current(plan) : NULL;
    return current ? &current->candidates[current->work.method - ABBE_METHOD_DIRECT] : NULL;
}

static double part_bytes(const struct abbe_plan *part)
{
    struct footprint footprint = part->device->table->footprint(part->device, &part->work);
    return footprint.plan + footprint.run + plan_excerpt_bytes(&part->excerpt) + (double)sizeof *part;
}

/* A GPU's plan of callers' functions, which are only called now, has the CPU's engine ready. */
size_t abbe_plan_memory(const abbe_plan *plan)
{
    double bytes = 0;
    for (const struct abbe_plan *part = plan; part; part = part->fallback) {
        bytes += part_bytes(part);
        if (part->cpu_plan && part->cpu_plan->head.engine)
            bytes += part_bytes(part->cpu_plan);
    }
    return bytes < (double)PTRDIFF_MAX ? (size_t)bytes : (size_t)PTRDIFF_MAX;
}

const abbe_charge *abbe_plan_charges(const abbe_plan *plan, abbe_method method, size_t *count)
{
    int i = (int)method - ABBE_METHOD_DIRECT;
    const struct abbe_plan *current = plan && i >= 0 && i < CANDIDATES ? plan_current(plan) : NULL;
    bool possible = current && current->candidates[i].possible;
    if (count)
        *count = possible ? (size_t)current->device->table->charge_count : 0;
    return possible ? current->charges[i] : NULL;
}
