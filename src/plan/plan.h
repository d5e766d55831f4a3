/* The inside of abbe_plan, and the steps that make one: check, lower, choose, place. */
#ifndef ABBE_PLAN_PLAN_H
#define ABBE_PLAN_PLAN_H

#include "core/lock.h"
#include "device/device.h"

/* The largest number of filters in one bank. */
enum { FILTERS_MAX = 1024 };

/* A kernel of more separable terms than this is not factored. */
enum { TERMS_MAX = 8 };

/* One candidate per method, and the dearer of two ways to transform the whole picture, which is listed and never
 * chosen: even transforms, or those of a larger grid. */
enum { CANDIDATES = 4, OTHER_WHOLE = CANDIDATES, LISTED_MAX };

/* The longest text that tells how much memory a candidate needs. */
enum { MEMORY_REASON_BYTES = 96 };

/* A rectangle of pixels. Coordinates are those of the source, and may lie far outside it. */
struct rectangle {
    long long x, y;
    int width, height;
};

/* The pixels of one run: the source that the application gives, the results that it wants, and the rectangle
 * around them that the device filters. Where that is not the source itself, the plan copies it with its
 * border into scratch, lets the device filter it as a picture of its own, and cuts the results out.
 *
 *      read ┌──────────────────┐
 *           │   above          │
 *           │ left ┌─────────┐ │
 *           │      │ results │ right
 *           │      └─────────┘ │
 *           └──── below ───────┘
 */
struct excerpt {
    abbe_plan_params caller; /* what the application asked for, without filters */
    struct rectangle results;
    struct rectangle read;
    bool cut; /* false: `results` and `read` are the source, and nothing is copied */
    /* Of `read`: the caller's source type, or F32 (F64 for double precision) where that type cannot hold the
     * outside pixel. */
    abbe_type type;
    unsigned char outside[8]; /* the outside sample in that type */
    double memory;            /* bytes that an engine and its run may take */
};

struct window_scratch;

struct abbe_plan {
    struct plan_head head;
    abbe_device *device;     /* the device that the plan runs on: the owner, or its auto_gpu */
    abbe_plan_params params; /* of what the device filters; without filters, which belong to the caller */
    struct excerpt excerpt;
    _Atomic(struct window_scratch *) idle; /* scratch of a finished run, for the next one */
    struct work work;
    bool is_draft;                        /* has no engine, and cannot run (abbe_plan_draft) */
    struct core_lock lock;                /* held while a fallback is made */
    _Atomic(struct abbe_plan *) fallback; /* takes over after this plan has failed; NULL until then */
    /* The same bank on the owner, where the plan is on the auto_gpu; may lack an engine. */
    struct abbe_plan *cpu_plan;
    char reason[192]; /* why the plan is on its device */
    abbe_candidate candidates[LISTED_MAX];
    const abbe_candidate
        *candidate_list[LISTED_MAX]; /* addresses of `listed` of them, for abbe_plan_explain */
    size_t listed;
    abbe_charge charges[LISTED_MAX][CHARGES_MAX];         /* the terms of each candidate's seconds */
    double ranks[LISTED_MAX];                             /* ranking prices, by which the method is chosen */
    char memory_reasons[LISTED_MAX][MEMORY_REASON_BYTES]; /* of candidates that need too much memory */
    int refusals[LISTED_MAX]; /* the error code of a candidate that is not possible */
};

/* ---- check.c ---- */

/* Checks every rule of abbe_plan_params and records a message for the first that is broken. */
int plan_check(const abbe_device *device, const abbe_plan_params *params);

/* ---- lower.c: the work of a bank ---- */

/* Fills `work` from the caller's parameters, except the method and its geometry. Records a message. */
int plan_lower(const abbe_device *device, const abbe_plan_params *params, struct work *work);

/* Copies a work without what the choice of a method added. plan_work_free must follow, also after an error.
 * ABBE_OK or ABBE_ERR_MEMORY. */
int plan_work_copy(const struct work *work, struct work *copy);
void plan_work_free(struct work *work);

/* ---- choose.c: prices, and the choice of a method ---- */

/* Prices every method into plan->candidates and sets work.method, work.x and work.y. Records a message. */
int plan_choose(struct abbe_plan *plan);

/* The ranking price of a method on the grid x, y (NULL in space): the geometric mean of its prices on one
 * thread and on every processor. It does not depend on the device's number of threads, because no result
 * may. */
double plan_rank(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                 const struct axis *y);

/* Whether the device has the memory that a method on the grid x, y needs. */
bool plan_fits(const struct abbe_plan *plan, abbe_method method, const struct axis *x, const struct axis *y);

/* Context that prices one axis of a grid. Exactly one of x, y is set: the axis that is already chosen. Where
 * neither is, the price is the number of floating-point operations of one transform. */
struct axis_pricer {
    const struct abbe_plan *plan;
    abbe_method method;
    const struct axis *x, *y;
};
double plan_price_axis(const struct axis_pricer *pricer, const struct axis *axis);

/* ---- grid.c: transform grids. The functions return false when no transform is long enough. ---- */

struct reach {
    int before, after; /* samples that a filter reads beyond each end of an axis */
    bool transfers;    /* a transfer function acts: the grid must be periodic where the border is */
};

/* The period after which a border repeats a picture of that many pixels; 0 when it never does. */
long long grid_period(abbe_border border, int pixels);

/* The cheapest grid of one axis for the whole picture. */
bool grid_whole(abbe_border border, int pixels, const struct reach *reach, const struct axis_pricer *pricer,
                struct axis *axis);

/* The axis of tiles of one transform length. */
bool grid_tile(int pixels, int length, const struct reach *reach, struct axis *axis);

/* The cheapest tiles that fit the device; params->tile_width and tile_height are honoured. ABBE_OK, or a code
 * and its reason. */
int grid_tiles(const struct abbe_plan *plan, struct axis *x, struct axis *y, const char **reason);

/* ---- replace.c ---- */

/* Whether one axis of a plan's grid serves any filter; or, without `transfers`, kernels that read no more
 * than `before` and `after` samples beyond an end. */
bool plan_axis_suits(const struct axis *axis, abbe_border border, bool transfers, int before, int after);

/* ---- placement.c ---- */

/* Makes a plan on the device, or on its auto_gpu where that finishes sooner; a draft gets no engine.
 * Records a message. */
int plan_place(abbe_device *device, const abbe_plan_params *params, const struct excerpt *excerpt, bool draft,
               struct abbe_plan **plan);

/* ---- fallback.c: plans that take over from others ---- */

/* An empty plan of `owner` on `device`; NULL without memory. */
struct abbe_plan *plan_alloc(abbe_device *owner, abbe_device *device, const abbe_plan_params *params,
                             const struct excerpt *excerpt);

/* Creates the engine of a plan. While the device answers DEVICE_ERR_FULL, *plan is replaced by one for
 * smaller regions of the picture. Records a message. */
int plan_create_engine(struct abbe_plan **plan);

/* Whether the filters can be sampled again after the plan was created: a caller's transfer function
 * cannot. */
bool plan_can_resample(const struct abbe_plan *plan);

/* Replaces *plan, which failed with `error`, by its fallback; false when there is none. */
bool plan_fall_back(struct abbe_plan **plan, int error);

/* Turns the answer of a device into a public error code, and hands its message to the owner. */
int plan_report_error(const struct abbe_plan *plan, int error);

/* Adds to the owner's message that another device had failed before, so that no message is lost. Returns
 * `error`. */
int plan_add_failure(const struct abbe_plan *plan, const abbe_device *other, int error);

/* ---- excerpt.c: which pixels results cover, and what must be read for them ---- */

/* Pixels that a bank reads beyond each side of a result. */
struct margins {
    int left, right, above, below;
};

/* The margins of a bank. Records a message that begins with `what`. */
int plan_find_margins(const abbe_device *device, const abbe_plan_params *params, const char *what,
                      struct margins *margins);

/* Whether one of the filters has a transfer function. */
bool plan_has_transfers(const abbe_plan_params *params);

/* The rectangle that results depend on. */
struct rectangle plan_grow(const struct rectangle *results, const struct margins *margins);

/* Whether a rectangle lies in the source, so that the device can read it there. */
bool plan_reads_inside(const struct excerpt *excerpt, const struct rectangle *read);

/* The rectangle that the results of checked parameters cover. Records a message. */
int plan_find_results(const abbe_device *device, const abbe_plan_params *params, struct rectangle *results);

/* Fills the excerpt of checked parameters. `params` becomes what the device filters. Records a message. */
int plan_find_excerpt(const abbe_device *device, abbe_plan_params *params, struct excerpt *excerpt);

/* Makes `params` those of a picture of the size of excerpt->read that the plan fills, border included.
 * Records a message. */
int plan_cut_excerpt(const abbe_device *device, abbe_plan_params *params, struct excerpt *excerpt);

/* Bytes of the scratch of a run: `read` and its results; 0 where nothing is copied. */
double plan_excerpt_bytes(const struct excerpt *excerpt);

/* ---- fill.c: the pixels of an excerpt ---- */

/* Copies pixels of the source, all of which lie inside it, from (x, y) on into a view of the excerpt's
 * type. */
typedef int fetch_pixels(void *context, int x, int y, const abbe_image *to);

/* Fills the rows of `read` from `first_row` on; those before it must be filled. `to` is a packed picture of
 * its size and of excerpt->type. Returns what `fetch` returns. */
int plan_fill(const struct excerpt *excerpt, const struct rectangle *read, int first_row, fetch_pixels *fetch,
              void *context, const abbe_image *to);

/* Part of a view, as a view of its own. */
abbe_image plan_part(const abbe_image *view, long long x, long long y, int width, int height);

/* Converts a row of the source's type to the excerpt's, which differs. */
void plan_convert_row(const struct excerpt *excerpt, const abbe_image *from, int y, const abbe_image *to);

/* ---- window.c: runs of plans whose results are cut out ---- */

/* Reads what a run needs of the source into scratch. Records a message. */
int plan_open_window(const struct abbe_plan *plan, const abbe_image *source, struct window_scratch **scratch);

/* The pictures between plan_open_window and plan_close_window, for the engine. */
const abbe_image *plan_window_source(const struct window_scratch *scratch);
const abbe_image *plan_window_results(const struct window_scratch *scratch);

/* Cuts the results out, unless `error`, and keeps the scratch for the next run. */
void plan_close_window(const struct abbe_plan *plan, struct window_scratch *scratch,
                       const abbe_image *results, int error);
void plan_free_window(struct window_scratch *scratch);

/* ---- run.c ---- */

/* Checks every view of a run by itself, then every pair of views for overlap. Records a message. */
int plan_check_views(const struct abbe_plan *plan, const abbe_image *source, const abbe_image *results);

/* Copies the application's watch, which may be NULL. Records a message for `device` that begins with
 * `name`. */
int plan_read_watch(const abbe_device *device, const char *name, const abbe_watch *watch,
                    struct watch *inside);

/* Runs the engine of a plan, or of its fallbacks, on checked views. Records a message. */
int plan_run_engine(const struct abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                    struct watch *watch);

/* Checks that every sample of a part of the source is finite. (left, above) is its place in the source, for
 * the message. progress() of the watch, which may be NULL, can stop it. */
int plan_check_finite(const struct abbe_plan *plan, const abbe_image *part, int left, int above,
                      const struct watch *watch);

/* The plan that runs now: this one, or the last of its fallbacks. */
struct abbe_plan *plan_current(const struct abbe_plan *plan);

#endif
