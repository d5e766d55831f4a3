/* Plans that take over from others: where a device's memory is full, a plan for smaller parts of the picture. */
#include "core/error.h"
#include "core/memory.h"
#include "plan/plan.h"

struct abbe_plan *plan_alloc(abbe_device *device, const abbe_plan_params *params)
{
    struct abbe_plan *plan = core_alloc_zero(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->device = device;
    plan->wishes = *params;
    plan->wishes.filters = NULL; /* the caller's, who may destroy them */
    pthread_mutex_init(&plan->lock, NULL);
    return plan;
}

/* ---- Smaller parts ------------------------------------------------------------------------------------ */

/* The same bank with half of the memory that this plan takes, as far as the choice. Not for a caller's function once
 * the plan is made, because choosing asks it. */
static int halve(const struct abbe_plan *plan, struct abbe_plan **half)
{
    struct footprint taken = plan->device->table->measure(plan->device, &plan->work);
    struct abbe_plan *made = plan_alloc(plan->device, &plan->wishes);
    if (!made)
        return core_fail_memory(plan->device);
    int error = plan_work_copy(&plan->work, &made->work);
    if (error) {
        core_fail_memory(plan->device);
    } else {
        made->work.memory = (taken.run + taken.plan) / 2;
        error = plan_choose(made);
    }
    if (error) {
        abbe_plan_destroy(&made);
        return error;
    }
    *half = made;
    return ABBE_OK;
}

static int create(struct abbe_plan *plan)
{
    return plan->device->table->create(plan->device, &plan->work, &plan->engine);
}

int plan_equip(struct abbe_plan **plan)
{
    abbe_device *device = (*plan)->device;
    int error = create(*plan);
    while (error == DEVICE_ERR_FULL) {
        struct abbe_plan *half = NULL;
        if (halve(*plan, &half))
            return core_fail(device, ABBE_ERR_MEMORY,
                             "the memory of the device is full, and no smaller part of the picture will do");
        abbe_plan_destroy(plan);
        *plan = half;
        error = create(half);
    }
    return error;
}

/* ---- While plans run ---------------------------------------------------------------------------------- */

struct abbe_plan *plan_current(const struct abbe_plan *plan)
{
    struct abbe_plan *last = (struct abbe_plan *)plan; /* its stand-ins are no part of what does not change */
    while (last->standin)
        last = last->standin;
    return last;
}

static bool may_be_asked_again(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (response_has_callback(&work->filters[i].response))
            return false;
    return true;
}

static struct abbe_plan *make_smaller(const struct abbe_plan *plan)
{
    struct abbe_plan *half = NULL;
    if (!may_be_asked_again(&plan->work) || halve(plan, &half)) {
        core_fail(plan->device, ABBE_ERR_MEMORY,
                  "the memory of the device is full, and no smaller part of the picture will do");
        return NULL;
    }
    if (plan_equip(&half))
        abbe_plan_destroy(&half);
    return half;
}

struct abbe_plan *plan_next(struct abbe_plan *plan, int error)
{
    if (error != DEVICE_ERR_FULL)
        return NULL;
    pthread_mutex_lock(&plan->lock);
    struct abbe_plan *next = plan->standin;
    if (!next) {
        next = make_smaller(plan);
        plan->standin = next;
    }
    pthread_mutex_unlock(&plan->lock);
    return next;
}

int plan_code(int error)
{
    return error == DEVICE_ERR_FULL ? ABBE_ERR_MEMORY : error;
}
