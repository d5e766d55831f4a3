/* Fallbacks: plans for smaller regions of the picture where a device's memory is full, and plans on the CPU
 * where the GPU of `auto` has failed. */
#include "core/error.h"
#include "core/memory.h"
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

struct abbe_plan *plan_alloc(abbe_device *owner, abbe_device *device, const abbe_plan_params *params,
                             const struct excerpt *excerpt)
{
    struct abbe_plan *plan = core_alloc_zero(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->head.owner = owner;
    plan->device = device;
    plan->params = *params;
    plan->params.filters = NULL; /* the caller owns them and may destroy them */
    plan->excerpt = *excerpt;
    plan->head.cut = excerpt->cut;
    core_lock_init(&plan->lock);
    return plan;
}

static int create_plan_engine(struct abbe_plan *plan)
{
    return plan->device->table->create(plan->device, &plan->work, &plan->head.engine);
}

/* ---- Smaller regions ---------------------------------------------------------------------------------- */

static int fail_device_full(const struct abbe_plan *plan)
{
    return core_fail(plan->device, ABBE_ERR_MEMORY,
                     "the memory of the device is full, even for the smallest region of the picture");
}

/* The same bank with half of the memory that this plan takes, up to the choice of a method. */
static int halve_plan(struct abbe_plan *plan, struct abbe_plan **half)
{
    struct footprint taken = plan->device->table->footprint(plan->device, &plan->work);
    struct abbe_plan *made = plan_alloc(plan->head.owner, plan->device, &plan->params, &plan->excerpt);
    int error = made ? plan_work_copy(&plan->work, &made->work) : ABBE_ERR_MEMORY;
    if (!error) {
        made->work.memory = (taken.run + taken.plan) / 2;
        error = plan_choose(made);
    }
    if (error) {
        abbe_plan_destroy(&made);
        return fail_device_full(plan);
    }
    memcpy(made->reason, plan->reason, sizeof made->reason);
    made->cpu_plan = plan->cpu_plan;
    plan->cpu_plan = NULL;
    *half = made;
    return ABBE_OK;
}

int plan_create_engine(struct abbe_plan **plan)
{
    int error = create_plan_engine(*plan);
    while (error == DEVICE_ERR_FULL) {
        struct abbe_plan *half = NULL;
        error = halve_plan(*plan, &half);
        if (error)
            break;
        abbe_plan_destroy(plan);
        *plan = half;
        error = create_plan_engine(half);
    }
    return error;
}

/* ---- While plans run ---------------------------------------------------------------------------------- */

bool plan_can_resample(const struct abbe_plan *plan)
{
    for (int i = 0; i < plan->work.filter_count; i++)
        if (response_has_callback(&plan->work.filters[i].response))
            return false;
    return true;
}

/* A fallback on the same device for smaller regions; NULL, and a message, when there is none. */
static struct abbe_plan *make_smaller_plan(struct abbe_plan *plan)
{
    struct abbe_plan *half = NULL;
    if (!plan_can_resample(plan) ? fail_device_full(plan) : halve_plan(plan, &half))
        return NULL;
    if (!plan_create_engine(&half)) {
        device_log(plan->head.owner, ABBE_LOG_INFO,
                   "%s: its memory is full; the plan continues with smaller regions of the picture",
                   abbe_device_name(plan->device));
        return half;
    }
    plan->cpu_plan = half->cpu_plan;
    half->cpu_plan = NULL;
    abbe_plan_destroy(&half);
    return NULL;
}

/* The fallback on the CPU; NULL when there is none. Where the CPU fails, too, the message of the plan's
 * device gets that of the CPU. */
static struct abbe_plan *take_cpu_plan(struct abbe_plan *plan)
{
    struct abbe_plan *cpu_plan = plan->cpu_plan;
    if (!cpu_plan)
        return NULL;
    int error = cpu_plan->head.engine ? ABBE_OK : create_plan_engine(cpu_plan);
    if (error) {
        core_fail(plan->device, error, "%s: %s; then %s failed: %s", abbe_device_name(plan->device),
                  core_failure(plan->device), abbe_device_name(cpu_plan->device),
                  core_failure(cpu_plan->device));
        return NULL;
    }
    snprintf(cpu_plan->reason, sizeof cpu_plan->reason, "%s failed: %s", abbe_device_name(plan->device),
             core_failure(plan->device));
    device_log(plan->head.owner, ABBE_LOG_WARNING, "%s failed: %s; the plan continues on the CPU",
               abbe_device_name(plan->device), core_failure(plan->device));
    return cpu_plan;
}

bool plan_fall_back(struct abbe_plan **plan, int error)
{
    struct abbe_plan *failed = *plan;
    if (error != DEVICE_ERR_FULL && error != ABBE_ERR_DEVICE && error != ABBE_ERR_MEMORY)
        return false;
    core_lock(&failed->lock);
    struct abbe_plan *next = failed->fallback;
    if (!next && error == DEVICE_ERR_FULL)
        next = make_smaller_plan(failed);
    if (!next)
        next = take_cpu_plan(failed);
    failed->fallback = next;
    if (next == failed->cpu_plan)
        failed->cpu_plan = NULL;
    core_unlock(&failed->lock);
    *plan = next ? next : failed;
    return next;
}

int plan_report_error(const struct abbe_plan *plan, int error)
{
    if (error && plan->device != plan->head.owner)
        core_fail(plan->head.owner, error, "%s", core_failure(plan->device));
    return error == DEVICE_ERR_FULL ? ABBE_ERR_MEMORY : error;
}

int plan_add_failure(const struct abbe_plan *plan, const abbe_device *other, int error)
{
    const abbe_device *owner = plan->head.owner;
    return core_fail(owner, error, "%s: %s; before that %s failed: %s", abbe_device_name(owner),
                     core_failure(owner), abbe_device_name(other), core_failure(other));
}
