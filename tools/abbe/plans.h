/* The plans of abbe filter: one for each kind of picture, kept for the next one like it within a bound of
 * bytes. */
#ifndef ABBE_TOOL_PLANS_H
#define ABBE_TOOL_PLANS_H

#include <abbe/abbe.h>

enum { PLANS_MAX = 16 };

/* What a plan is made for; the rest is the same for all inputs. */
struct plan_kind {
    int width, height, channels;
    abbe_type source_type, result_type;
    double offset;
    bool has_alpha;
};

struct kept_plan {
    abbe_plan *plan;
    struct plan_kind kind;
};

/* The plan used last is the first. Zero before the first call. */
struct plans {
    int count;
    struct kept_plan kept[PLANS_MAX];
};

/* A quarter of the memory that the process may have, in bytes. */
double plans_quarter(void);

/* The plan of that kind; NULL if there is none. */
abbe_plan *plans_find(struct plans *plans, const struct plan_kind *kind);

/* Keeps a plan, and destroys those used longest ago while there are too many or they take too many bytes
 * together: a gigabyte, or a quarter of the memory that the process may have, whichever is less. The new one
 * is kept in any case. */
void plans_keep(struct plans *plans, const struct plan_kind *kind, abbe_plan *plan);

/* Destroys all plans but `needed`, which may be NULL, to make room. False if there were no others. */
bool plans_drop(struct plans *plans, const abbe_plan *needed);

#endif
