/* The public plan: create, destroy, explain. */
#include "plan/plan.h"

#include "core/error.h"
#include "core/memory.h"

int abbe_plan_create(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan)
{
    if (!device || !plan)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_plan_create: %s is NULL",
                         device ? "plan" : "device");
    int error = plan_check(device, params);
    return error ? error : plan_place(device, params, plan);
}

void abbe_plan_destroy(abbe_plan **plan)
{
    if (!plan || !*plan)
        return;
    abbe_plan *gone = *plan, *fallback = gone->fallback;
    abbe_plan_destroy(&fallback);
    abbe_plan_destroy(&gone->cpu_plan);
    if (gone->head.engine)
        gone->device->table->destroy(gone->device, gone->head.engine);
    plan_work_free(&gone->work);
    pthread_mutex_destroy(&gone->lock);
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

int abbe_plan_explain(const abbe_plan *plan, const abbe_candidate **candidates, size_t *count)
{
    if (!plan || !candidates || !count)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "abbe_plan_explain: %s is NULL",
                         !plan         ? "plan"
                         : !candidates ? "candidates"
                                       : "count");
    *candidates = plan_current(plan)->candidates;
    *count = CANDIDATES;
    return ABBE_OK;
}
