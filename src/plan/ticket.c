/* Runs in two steps: begun by one call, ended by another. */
#include "core/error.h"
#include "core/memory.h"
#include "plan/plan.h"

struct abbe_ticket {
    const abbe_plan *plan; /* that does it */
    struct job *job;       /* NULL: the run is over already */
};

/* A device that begins no runs does all of it now. */
static int begin(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                 struct abbe_ticket *ticket)
{
    abbe_plan *one = plan_current(plan);
    if (!one->device->table->submit)
        return abbe_run(plan, source, results);
    int error = plan_check_run(plan, source, results);
    if (error)
        return error;
    error = one->device->table->submit(one->device, one->head.engine, source, results, &ticket->job);
    if (error && plan_fall_back(&one, error))
        return begin(plan, source, results, ticket);
    ticket->plan = one;
    return plan_report_error(one, error);
}

int abbe_submit(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                abbe_ticket **ticket)
{
    if (!plan || !ticket)
        return core_fail(plan ? plan->head.owner : NULL, ABBE_ERR_INVALID, "submit: no %s given",
                         plan ? "place for the ticket" : "plan");
    struct abbe_ticket *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(plan->head.owner);
    int error = begin(plan, source, results, made);
    if (error) {
        core_free(made);
        return error;
    }
    *ticket = made;
    return ABBE_OK;
}

int abbe_wait(abbe_ticket **ticket)
{
    if (!ticket || !*ticket)
        return ABBE_OK;
    struct abbe_ticket *ended = *ticket;
    *ticket = NULL;
    abbe_device *device = ended->job ? ended->plan->device : NULL;
    int error = device ? plan_report_error(ended->plan, device->table->wait(device, ended->job)) : ABBE_OK;
    core_free(ended);
    return error;
}
