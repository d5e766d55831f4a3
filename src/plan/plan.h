/* What an abbe_plan is inside, and the steps that make one: check, lower, choose. */
#ifndef ABBE_PLAN_PLAN_H
#define ABBE_PLAN_PLAN_H

#include "device/device.h"

#include <pthread.h>

/* Filters of one bank. */
enum { FILTERS_MAX = 1024 };

/* Separable terms above which a kernel is not worth factoring. */
enum { RANK_MAX = 8 };

enum { CANDIDATES = 4 };

struct abbe_plan {
    struct plan_head head;
    abbe_device *device;     /* the device that the plan runs on; the owner, or its auto_gpu */
    abbe_plan_params params; /* without filters, which belong to the caller */
    struct work work;
    pthread_mutex_t lock;                 /* while a fallback is made */
    _Atomic(struct abbe_plan *) fallback; /* does what this one has failed to do; NULL: none yet */
    struct abbe_plan *cpu_plan; /* on the owner, where `auto` chose another; perhaps without an engine */
    char reason[192];           /* why it is on its device */
    abbe_candidate candidates[CANDIDATES];
    abbe_charge charges[CANDIDATES][CHARGES_MAX];
    double ranks[CANDIDATES]; /* what the choice goes by */
    int refusals[CANDIDATES]; /* why a candidate is not possible, as a code */
};

/* check.c: every rule of abbe_plan_params; records a sentence. */
int plan_check(const abbe_device *device, const abbe_plan_params *params);

/* lower.c: copies shape and filters into work, all but the method and its geometry. */
int plan_lower(const abbe_device *device, const abbe_plan_params *params, struct work *work);
void plan_work_free(struct work *work);

/* All but what the choice has added. plan_work_free must follow in any case. ABBE_OK or ABBE_ERR_MEMORY. */
int plan_work_copy(const struct work *work, struct work *copy);

/* price.c: what one run would cost on the device's threads, by a method on the grid x, y, which are NULL in space. The
 * charges that the price is the sum of go to `charges`, one per primitive of the device. */
double plan_price(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                  const struct axis *y, abbe_charge *charges);

/* What choices go by: the geometric mean of the price on one thread and on every processor, whatever the device's
 * threads are, because no result may depend on them. */
double plan_rank(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                 const struct axis *y);

/* Who is asked for the rank of one axis: the axis beside it is given, the other NULL. By flops alone when both are. */
struct axis_pricer {
    const struct abbe_plan *plan;
    abbe_method method;
    const struct axis *x, *y;
};
double plan_price_axis(const struct axis_pricer *pricer, const struct axis *axis);

/* grid.c: the transform grid. All return false when no grid of possible size exists. */
struct reach {
    int before, after; /* samples a filter looks at beyond each end */
    bool transfers;    /* a transfer function acts: the extension must be periodic where the border is */
};
bool grid_whole(abbe_border border, int pixels, const struct reach *reach, const struct axis_pricer *pricer,
                struct axis *axis);
/* Tiles of transforms of that length; tiles that yield at least so many pixels by the cheapest transform. */
bool grid_tile(int pixels, int length, const struct reach *reach, struct axis *axis);
bool grid_cheapest_tile(int pixels, int wanted, const struct reach *reach, const struct axis_pricer *pricer,
                        struct axis *axis);

/* tiles.c: the cheapest tiles that fit the device; ABBE_OK, or a code and its reason. */
int plan_tiles(const struct abbe_plan *plan, const abbe_plan_params *params, struct axis *x, struct axis *y,
               const char **reason);

/* What a method would take on the grid x, y; and whether the device has that much. */
struct footprint plan_footprint(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                                const struct axis *y);
bool plan_fits(const struct abbe_plan *plan, struct footprint footprint);

/* Why the device cannot do it on the grid x, y, whatever its memory; NULL when it can. */
const char *plan_refusal(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                         const struct axis *y);

/* choose.c: prices every method into plan->candidates and settles work.method, work.x, work.y. */
int plan_choose(struct abbe_plan *plan);

/* placement.c: a plan on the device, or on the one that `auto` has beside it. Records a sentence. */
int plan_place(abbe_device *device, const abbe_plan_params *params, struct abbe_plan **plan);

/* fallback.c: plans that take over from others. */

/* An empty plan of `owner` on `device`; NULL without memory. */
struct abbe_plan *plan_alloc(abbe_device *owner, abbe_device *device, const abbe_plan_params *params);

/* Whether its filters may be sampled once more when it has been made. */
bool plan_can_resample(const struct abbe_plan *plan);

/* Its engine, made in smaller and smaller parts of the picture while the device's memory is full: *plan is then another.
 * Records a sentence. */
int plan_create_engine(struct abbe_plan **plan);

/* The plan that runs now for this one: itself, or the last of its fallbacks. */
struct abbe_plan *plan_current(const struct abbe_plan *plan);

/* Moves on to the one that takes over after an error; false when there is none. */
bool plan_fall_back(struct abbe_plan **plan, int error);

/* The public code of an error that the plan's device has answered; its sentence goes to the owner. */
int plan_report_error(const struct abbe_plan *plan, int error);

/* plan.c: whether a run of the plan may take these views; looks at samples where the device does not. */
int plan_check_run(const struct abbe_plan *plan, const abbe_image *source, const abbe_image *results);

#endif
