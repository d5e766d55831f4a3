/* Where a plan runs: on the device it is made with, or on the GPU that `auto` has beside it when that is sooner done. */
#include "core/error.h"
#include "core/memory.h"
#include "plan/plan.h"

#include <stdarg.h>
#include <stdio.h>

/* As far as the choice of a method. */
static int draft(abbe_device *owner, abbe_device *device, const abbe_plan_params *params,
                 struct abbe_plan **plan)
{
    struct abbe_plan *made = plan_alloc(owner, device, params);
    int error = made ? plan_lower(device, params, &made->work) : core_fail_memory(device);
    if (!error)
        error = plan_choose(made);
    if (error)
        abbe_plan_destroy(&made);
    else
        *plan = made;
    return error;
}

/* Seconds of all the runs that are expected, as choices have them: whatever the number of threads. */
static double price_of(const struct abbe_plan *plan)
{
    double seconds = 0;
    for (int i = 0; i < CANDIDATES; i++)
        if (plan->candidates[i].chosen)
            seconds = plan->ranks[i];
    return seconds * (plan->params.runs > 1 ? plan->params.runs : 1);
}

/* "3.1 ms", "12 s". */
struct span {
    char text[24];
};

static struct span span_of(double seconds)
{
    struct span span;
    bool short_one = seconds < 1;
    snprintf(span.text, sizeof span.text, "%.3g %s", short_one ? 1e3 * seconds : seconds,
             short_one ? "ms" : "s");
    return span;
}

static void give_reason(struct abbe_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void give_reason(struct abbe_plan *plan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plan->reason, sizeof plan->reason, format, arguments);
    va_end(arguments);
}

/* The work on the GPU of `auto`, when it is done sooner there; NULL otherwise. Either plan has its reason then. */
static struct abbe_plan *compare(struct abbe_plan *plan, abbe_device *gpu, const abbe_plan_params *params,
                                 double delay)
{
    struct abbe_plan *other = NULL;
    int error = draft(plan->head.owner, gpu, params, &other);
    double here = price_of(plan), there = error ? 0 : delay + price_of(other);
    bool better = !error && there < here;
    if (better)
        error = plan_create_engine(&other);
    if (error)
        give_reason(plan, "%s cannot do it: %s", abbe_device_name(gpu), core_failure(gpu));
    else
        give_reason(better ? other : plan, "%s on the CPU, %s on %s, of which %s until it is ready",
                    span_of(here).text, span_of(there).text, abbe_device_name(gpu), span_of(delay).text);
    if (error || !better)
        abbe_plan_destroy(&other);
    return other;
}

/* The GPU stays closed while the CPU needs no longer than opening it takes. */
static struct abbe_plan *find_better(struct abbe_plan *plan, const abbe_plan_params *params)
{
    const char *reason;
    double here = price_of(plan), delay = device_auto_gpu_delay(plan->head.owner);
    if (here <= delay) {
        give_reason(plan, "%s of work are not worth %s until a GPU would be ready", span_of(here).text,
                    span_of(delay).text);
        return NULL;
    }
    abbe_device *gpu = device_auto_gpu(plan->head.owner, &reason);
    if (!gpu)
        give_reason(plan, "there is no GPU to take %s of work; %s", span_of(here).text, reason);
    return gpu ? compare(plan, gpu, params, delay) : NULL;
}

int plan_place(abbe_device *device, const abbe_plan_params *params, struct abbe_plan **plan)
{
    struct abbe_plan *made = NULL;
    int error = draft(device, device, params, &made);
    if (error)
        return error;
    struct abbe_plan *better = device->auto_gpu ? find_better(made, params) : NULL;
    if (!better || !plan_can_resample(made))
        error = plan_create_engine(&made);
    if (error) {
        abbe_plan_destroy(&better);
        abbe_plan_destroy(&made);
        return error;
    }
    if (better)
        better->cpu_plan = made;
    *plan = better ? better : made;
    return ABBE_OK;
}
