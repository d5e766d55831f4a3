/* The placement of a plan: on the device it is made with, or on the GPU of `auto` where that finishes
 * sooner. */
#include "core/error.h"
#include "core/memory.h"
#include "plan/plan.h"

#include <stdarg.h>
#include <stdio.h>

/* Makes a plan up to the choice of a method, without its engine. */
static int draft_plan(abbe_device *owner, abbe_device *device, const abbe_plan_params *params,
                      const struct excerpt *excerpt, struct abbe_plan **plan)
{
    struct abbe_plan *made = plan_alloc(owner, device, params, excerpt);
    int error = made ? plan_lower(device, params, &made->work) : core_fail_memory(device);
    if (!error && excerpt->memory < made->work.memory)
        made->work.memory = excerpt->memory;
    if (!error)
        error = plan_choose(made);
    if (error)
        abbe_plan_destroy(&made);
    else
        *plan = made;
    return error;
}

/* The ranking price of all expected runs, in seconds. */
static double rank_runs(const struct abbe_plan *plan)
{
    double seconds = 0;
    for (int i = 0; i < CANDIDATES; i++)
        if (plan->candidates[i].chosen)
            seconds = plan->ranks[i];
    return seconds * (plan->params.runs > 1 ? plan->params.runs : 1);
}

/* A time as text: "3.1 ms", "12 s". */
struct time_text {
    char text[24];
};

static struct time_text show_time(double seconds)
{
    struct time_text shown;
    bool below_one = seconds < 1;
    snprintf(shown.text, sizeof shown.text, "%.3g %s", below_one ? 1e3 * seconds : seconds,
             below_one ? "ms" : "s");
    return shown;
}

static void set_reason(struct abbe_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void set_reason(struct abbe_plan *plan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plan->reason, sizeof plan->reason, format, arguments);
    va_end(arguments);
}

/* Drafts the plan on the GPU and sets *on_gpu to it when it finishes sooner there, with its engine unless
 * the plan is a draft. The plan that will be used has its reason set. Returns the error of a GPU that
 * cannot do it. */
static int compare_with_gpu(struct abbe_plan *plan, abbe_device *gpu, const abbe_plan_params *params,
                            double delay, struct abbe_plan **on_gpu)
{
    struct abbe_plan *other = NULL;
    int error = draft_plan(plan->head.owner, gpu, params, &plan->excerpt, &other);
    if (!error && gpu->table->preparation)
        delay += gpu->table->preparation(gpu, &other->work);
    double cpu_time = rank_runs(plan), gpu_time = error ? 0 : delay + rank_runs(other);
    bool better = !error && gpu_time < cpu_time;
    if (better && plan->is_draft)
        other->is_draft = true;
    else if (better)
        error = plan_create_engine(&other);
    if (error) {
        set_reason(plan, "%s cannot do it: %s", abbe_device_name(gpu), core_failure(gpu));
        device_log(plan->head.owner, ABBE_LOG_WARNING, "auto: %s cannot do a plan: %s; the CPU does it",
                   abbe_device_name(gpu), core_failure(gpu));
    } else
        set_reason(better ? other : plan, "%s on the CPU; %s on %s, including %s until it is ready",
                   show_time(cpu_time).text, show_time(gpu_time).text, abbe_device_name(gpu),
                   show_time(delay).text);
    if (error || !better)
        abbe_plan_destroy(&other);
    *on_gpu = other;
    return error;
}

/* Bytes of host memory that the driver of a GPU takes at least: 45 MB were measured for a software driver. */
static const double driver_bytes = 64e6;

/* Sets *on_gpu to the same bank on the GPU of `auto`, or to NULL where the CPU finishes sooner. The GPU is
 * not opened for work that the CPU does in less time than opening takes, nor for parts of a stream whose
 * memory is too little for its driver. Returns the error of a GPU that cannot do it. */
static int try_auto_gpu(struct abbe_plan *plan, const abbe_plan_params *params, struct abbe_plan **on_gpu)
{
    const char *reason;
    if (params->precision == ABBE_PRECISION_DOUBLE) {
        set_reason(plan, "GPUs have no double precision");
        return ABBE_OK;
    }
    double cpu_time = rank_runs(plan), delay = device_auto_gpu_delay(plan->head.owner);
    if (cpu_time <= delay) {
        set_reason(plan, "%s of work is not worth the %s until a GPU would be ready",
                   show_time(cpu_time).text, show_time(delay).text);
        return ABBE_OK;
    }
    if (plan->excerpt.memory < driver_bytes && !device_auto_gpu_is_open(plan->head.owner)) {
        set_reason(plan, "%.3g MB of memory are too little to open a GPU", plan->excerpt.memory * 1e-6);
        return ABBE_OK;
    }
    abbe_device *gpu = device_auto_gpu(plan->head.owner, &reason);
    if (gpu)
        return compare_with_gpu(plan, gpu, params, delay, on_gpu);
    set_reason(plan, "there is no GPU for %s of work; %s", show_time(cpu_time).text, reason);
    return ABBE_ERR_DEVICE;
}

/* A plan on the GPU keeps the CPU's plan for its fallback. That plan gets its engine now where its filters
 * cannot be sampled later, and otherwise when it is needed. */
int plan_place(abbe_device *device, const abbe_plan_params *params, const struct excerpt *excerpt, bool draft,
               struct abbe_plan **plan)
{
    struct abbe_plan *made = NULL;
    int error = draft_plan(device, device, params, excerpt, &made);
    if (error)
        return error;
    made->is_draft = draft;
    struct abbe_plan *on_gpu = NULL;
    int gpu_error = device->auto_gpu ? try_auto_gpu(made, params, &on_gpu) : ABBE_OK;
    if (!draft && (!on_gpu || !plan_can_resample(made)))
        error = plan_create_engine(&made);
    if (error && gpu_error)
        core_fail(device, error, "%s: %s; %s", abbe_device_name(device), core_failure(device), made->reason);
    if (error) {
        abbe_plan_destroy(&on_gpu);
        abbe_plan_destroy(&made);
        return error;
    }
    if (on_gpu)
        on_gpu->cpu_plan = made;
    *plan = on_gpu ? on_gpu : made;
    return ABBE_OK;
}
