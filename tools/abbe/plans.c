/* The plans of abbe filter: one for each kind of picture, kept for the next one like it within a bound of
 * bytes. */
#include "plans.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const double gigabyte = 1 << 30;

static bool kinds_are_equal(const struct plan_kind *a, const struct plan_kind *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->source_type == b->source_type && a->result_type == b->result_type && a->offset == b->offset &&
           a->has_alpha == b->has_alpha;
}

/* Moves the plan at `index` to the front. */
static void move_to_front(struct plans *plans, int index)
{
    struct kept_plan moved = plans->kept[index];
    memmove(plans->kept + 1, plans->kept, (size_t)index * sizeof moved);
    plans->kept[0] = moved;
}

abbe_plan *plans_find(struct plans *plans, const struct plan_kind *kind)
{
    for (int i = 0; i < plans->count; i++)
        if (kinds_are_equal(&plans->kept[i].kind, kind)) {
            move_to_front(plans, i);
            return plans->kept[0].plan;
        }
    return NULL;
}

double plans_quarter(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    double most = pages > 0 && size > 0 ? (double)pages * (double)size / 4 : gigabyte;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (double)limit.rlim_cur / 4 < most)
        most = (double)limit.rlim_cur / 4;
    return most;
}

/* The bytes that all plans may take together. */
static double bytes_max(void)
{
    return fmin(plans_quarter(), gigabyte);
}

/* Destroys the plans from `count` on. */
static void cut_plans(struct plans *plans, int count)
{
    for (int i = count; i < plans->count; i++)
        abbe_plan_destroy(&plans->kept[i].plan);
    plans->count = count < plans->count ? count : plans->count;
}

void plans_keep(struct plans *plans, const struct plan_kind *kind, abbe_plan *plan)
{
    cut_plans(plans, PLANS_MAX - 1);
    plans->kept[plans->count] = (struct kept_plan){ plan, *kind };
    move_to_front(plans, plans->count++);
    double bytes = (double)abbe_plan_memory(plan);
    int count = 1;
    while (count < plans->count) {
        bytes += (double)abbe_plan_memory(plans->kept[count].plan);
        if (bytes > bytes_max())
            break;
        count++;
    }
    cut_plans(plans, count);
}

bool plans_drop(struct plans *plans, const abbe_plan *needed)
{
    int before = plans->count, kept = 0;
    for (int i = 0; i < plans->count && !kept; i++)
        if (needed && plans->kept[i].plan == needed) {
            move_to_front(plans, i);
            kept = 1;
        }
    cut_plans(plans, kept);
    return plans->count < before;
}
