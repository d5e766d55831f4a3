/* abbe_run_batch: many pictures of one shape, side by side where one alone does not keep the device busy. */
#include "core/error.h"
#include "core/params.h"
#include "core/pool.h"
#include "plan/plan.h"

#include <stdatomic.h>
#include <stdio.h>

/* Pictures under way at once on a GPU. */
enum { SUBMITTED = 3 };

/* The threads of the CPU divide pictures with more samples than this among them, one picture after the other:
 * they are busy all the same, and the scratch of one picture is enough. */
enum { SMALL_SAMPLES = 1 << 21 };

/* Times that each thread takes pictures: more divide the work more evenly. */
enum { CHUNKS = 8 };

struct stack {
    const abbe_plan *plan;
    size_t count, filter_count;
    const abbe_image *sources, *results;
    struct watch watch;
    atomic_size_t done;
    atomic_int error; /* of the first picture that failed; its thread wrote `picture` and `reason` */
    size_t picture;
    bool side_by_side; /* each thread filters pictures alone */
    char reason[384];
};

/* Records a failure; the first one counts. Messages are kept per thread, so this one is copied. */
static void fail_picture(struct stack *stack, size_t picture, int error)
{
    int none = ABBE_OK;
    if (!atomic_compare_exchange_strong(&stack->error, &none, error))
        return;
    stack->picture = picture;
    snprintf(stack->reason, sizeof stack->reason, "%s", core_failure(stack->plan->head.owner));
}

/* progress() of the run of one picture. */
static int report_picture(void *user, double done)
{
    const struct stack *stack = user;
    double share = ((double)stack->done + done) / (double)stack->count;
    return stack->error || device_report(&stack->watch, share < 1 ? share : 1);
}

/* progress() of a picture on another thread than the caller's, which only asks whether the batch goes on. */
static int poll_stack(void *user, double done)
{
    const struct stack *stack = user;
    (void)done;
    return stack->error != ABBE_OK;
}

/* Runs one picture. The thread that called the library (`watched`) reports to the application. */
static int run_picture(struct stack *stack, size_t i, bool watched)
{
    const abbe_watch watch = { .progress = watched ? report_picture : poll_stack, .user = stack };
    int error = abbe_run_watched(stack->plan, &stack->sources[i], &stack->results[i * stack->filter_count],
                                 stack->watch.progress ? &watch : NULL);
    stack->done++;
    return error;
}

/* A pool_task over pictures. */
static void run_some_pictures(void *context, int worker, long long first, long long end)
{
    struct stack *stack = context;
    pool_stay_alone(stack->side_by_side);
    for (long long i = first; i < end && !stack->error; i++) {
        int error = run_picture(stack, (size_t)i, worker == 0);
        if (error)
            fail_picture(stack, (size_t)i, error);
    }
    pool_stay_alone(false);
}

static int fail_stopped_stack(const struct stack *stack)
{
    return core_fail(stack->plan->head.owner, ABBE_ERR_CANCELLED, "the watch's progress() stopped it");
}

/* Submits pictures to a GPU, and waits for each as late as possible. */
static void submit_pictures(struct stack *stack)
{
    abbe_ticket *tickets[SUBMITTED] = { NULL };
    for (size_t i = 0; i < stack->count + SUBMITTED; i++) {
        int error = abbe_wait(&tickets[i % SUBMITTED]);
        if (error)
            fail_picture(stack, i - SUBMITTED, error);
        if (i >= SUBMITTED)
            stack->done++;
        if (i >= stack->count || stack->error)
            continue;
        error = report_picture(stack, 0)
                    ? fail_stopped_stack(stack)
                    : abbe_submit(stack->plan, &stack->sources[i], &stack->results[i * stack->filter_count],
                                  &tickets[i % SUBMITTED]);
        if (error)
            fail_picture(stack, i, error);
    }
}

static void run_all_pictures(struct stack *stack)
{
    const abbe_plan *current = plan_current(stack->plan);
    const abbe_plan_params *params = &current->params;
    int threads = current->device->threads;
    double samples = (double)params->width * params->height * params->channels;
    stack->side_by_side = samples <= SMALL_SAMPLES && stack->count >= (size_t)threads &&
                          current->device->table->side_by_side;
    /* One at a time where the application watches, so that its thread is not done long before the others. */
    long long chunk = stack->watch.progress ? 1 : (long long)stack->count / (CHUNKS * threads) + 1;
    if (report_picture(stack, 0))
        fail_picture(stack, 0, fail_stopped_stack(stack));
    else if (current->device->table->submit)
        submit_pictures(stack);
    else
        pool_loop(stack->side_by_side ? threads : 1, (long long)stack->count, chunk, run_some_pictures,
                  stack);
    if (!stack->error && report_picture(stack, 0))
        fail_picture(stack, stack->count - 1, fail_stopped_stack(stack));
}

int abbe_run_batch(const abbe_plan *plan, size_t count, const abbe_image *sources, const abbe_image *results,
                   const abbe_watch *watch)
{
    abbe_device *owner = plan ? plan->head.owner : NULL;
    if (!plan || (count && (!sources || !results)))
        return core_fail(owner, ABBE_ERR_INVALID, "abbe_run_batch: %s is NULL",
                         !plan      ? "plan"
                         : !sources ? "sources"
                                    : "results");
    struct stack stack = { .plan = plan,
                           .count = count,
                           .filter_count = (size_t)plan->work.result_count,
                           .sources = sources,
                           .results = results };
    int error = plan_read_watch(owner, "abbe_run_batch: watch", watch, &stack.watch);
    for (size_t i = 0; i < count && !error; i++) {
        error = plan_check_views(plan, &sources[i], &results[i * stack.filter_count]);
        if (error)
            fail_picture(&stack, i, error);
    }
    if (!error && count)
        run_all_pictures(&stack);
    return stack.error ? core_fail(owner, stack.error, "abbe_run_batch: picture %zu: %s", stack.picture + 1,
                                   stack.reason)
                       : error;
}
