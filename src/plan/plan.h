/* What an abbe_plan is inside, and the steps that make one: check, lower, choose. */
#ifndef ABBE_PLAN_PLAN_H
#define ABBE_PLAN_PLAN_H

#include "device.h"

/* Filters of one bank. */
enum { FILTERS_MAX = 1024 };

/* Separable terms above which a kernel is not worth factoring. */
enum { RANK_MAX = 8 };

enum { CANDIDATES = 4 };

struct abbe_plan {
    abbe_device *device;
    struct work work;
    struct engine *engine;
    abbe_candidate candidates[CANDIDATES];
    int refusals[CANDIDATES]; /* why a candidate is not possible, as a code */
};

/* check.c: every rule of abbe_plan_params; records a sentence. */
int plan_check(const abbe_device *device, const abbe_plan_params *params);

/* lower.c: copies shape and filters into work, all but the method and its geometry. */
int plan_lower(const abbe_device *device, const abbe_plan_params *params, struct work *work);
void plan_work_free(struct work *work);

/* grid.c: the transform grid. All return false when no grid of possible size exists. */
struct reach {
    int before, after; /* samples a filter looks at beyond each end */
    bool transfers;    /* a transfer function acts: the extension must be periodic where the border is */
};
bool grid_whole(abbe_border border, int pixels, const struct reach *reach, struct axis *axis);
bool grid_tile(int pixels, int wanted, const struct reach *reach, struct axis *axis);

/* choose.c: prices every method into plan->candidates and settles work.method, work.x, work.y. */
int plan_choose(struct abbe_plan *plan, const abbe_plan_params *params);

#endif
