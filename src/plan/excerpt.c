/* Excerpts: the pixels that results cover, and the rectangle around them that the device filters. */
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>

/* ---- Margins ------------------------------------------------------------------------------------------ */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static struct margins join_margins(struct margins a, struct margins b)
{
    return (struct margins){ larger(a.left, b.left), larger(a.right, b.right), larger(a.above, b.above),
                             larger(a.below, b.below) };
}

static struct margins kernel_margins(const struct abbe_filter *filter)
{
    struct margins margins = { 0 };
    for (int i = 0; i < filter->components; i++) {
        const struct kernel *kernel = &filter->component[i].kernel;
        const struct margins one = { kernel->width - 1 - kernel->centre_x, kernel->centre_x,
                                     kernel->height - 1 - kernel->centre_y, kernel->centre_y };
        margins = join_margins(margins, one);
    }
    return margins;
}

int plan_find_margins(const abbe_device *device, const abbe_plan_params *params, const char *what,
                      struct margins *margins)
{
    struct margins found = { 0 };
    for (size_t i = 0; i < params->filter_count; i++) {
        const abbe_filter *filter = params->filters[i];
        struct margins one = kernel_margins(filter);
        int error = filter->info.in_frequency ? abbe_filter_reach(filter, response_tolerance(), &one.left,
                                                                  &one.right, &one.above, &one.below)
                                              : ABBE_OK;
        if (error)
            return core_fail(device, error, "%s: filter %zu: %s", what, i + 1, core_failure(NULL));
        found = join_margins(found, one);
    }
    const struct margins flipped = { found.right, found.left, found.below, found.above };
    *margins = params->correlate ? flipped : found;
    return ABBE_OK;
}

bool plan_has_transfers(const abbe_plan_params *params)
{
    for (size_t i = 0; i < params->filter_count; i++)
        if (params->filters[i]->info.in_frequency)
            return true;
    return false;
}

/* ---- Pictures of the size of an excerpt --------------------------------------------------------------- */

/* Sets the outside sample of a type; returns false where the type cannot hold it with the digits of float, or
 * of double if `wide`. */
static bool set_outside(abbe_type type, double value, double white, bool wide, unsigned char outside[8])
{
    abbe_image sample = { .data = outside, .width = 1, .height = 1, .channels = 1, .type = type };
    double wanted = value / white, held;
    core_store_pixels_f64(&sample, 0, 0, 1, NULL, &wanted);
    core_load_pixels_f64(&sample, 0, 0, 1, NULL, &held);
    return wide ? held == wanted : (float)held == (float)wanted;
}

/* Integers hold few values of 0 … 1. Where they do not hold the outside pixel, the device gets floats, or
 * doubles. */
static int find_outside(const abbe_device *device, abbe_plan_params *params, struct excerpt *excerpt)
{
    if (excerpt->caller.border != ABBE_BORDER_CONSTANT)
        return ABBE_OK; /* the sample of all zero bits is 0 in every type */
    bool values = params->scale == ABBE_SCALE_VALUE;
    bool wide = params->precision == ABBE_PRECISION_DOUBLE;
    double value = params->border_value, white = values ? core_type_white(params->source_type) : 1;
    if (set_outside(params->source_type, value, white, wide, excerpt->outside))
        return ABBE_OK;
    if (values && (params->linear_light || params->alpha != ABBE_ALPHA_NONE))
        return core_fail(device, ABBE_ERR_UNSUPPORTED,
                         "plan: a window or a stream with scale VALUE and alpha or linear_light needs a "
                         "border_value that the source's type can hold; %g is none",
                         value);
    excerpt->type = params->source_type = wide ? ABBE_F64 : ABBE_F32;
    set_outside(excerpt->type, value, 1, wide, excerpt->outside);
    return ABBE_OK;
}

static int check_read_size(const abbe_device *device, const struct rectangle *read, int channels)
{
    size_t bytes;
    bool fits = read->width <= ABBE_SIDE_MAX && read->height <= ABBE_SIDE_MAX;
    if (!fits ||
        !core_multiply((size_t)read->width * (size_t)channels * sizeof(float), (size_t)read->height,
                       &bytes) ||
        bytes > PTRDIFF_MAX)
        return core_fail(device, ABBE_ERR_SIZE,
                         "plan: the results need %d x %d pixels of the extended picture, more than can be "
                         "addressed",
                         read->width, read->height);
    return ABBE_OK;
}

/* The device sees a picture that repeats itself: every grid is exact for it, and what is wrong near its edges
 * is not part of the results. Transfer functions then act on one period, whose length must be a cheap one. */
int plan_cut_excerpt(const abbe_device *device, abbe_plan_params *params, struct excerpt *excerpt)
{
    struct rectangle *read = &excerpt->read;
    int error = check_read_size(device, read, params->channels);
    if (error)
        return error;
    if (plan_has_transfers(params)) {
        read->width = fft_good_size(read->width);
        read->height = fft_good_size(read->height);
        error = check_read_size(device, read, params->channels);
    }
    if (!error)
        error = find_outside(device, params, excerpt);
    excerpt->cut = true;
    params->width = read->width;
    params->height = read->height;
    params->border = ABBE_BORDER_WRAP;
    if (params->nonfinite == ABBE_NONFINITE_ERROR)
        params->nonfinite = ABBE_NONFINITE_TRUST; /* the plan checks what it copies */
    return error;
}

double plan_excerpt_bytes(const struct excerpt *excerpt)
{
    const struct rectangle *read = &excerpt->read;
    const abbe_plan_params *caller = &excerpt->caller;
    double samples = (double)read->width * read->height * caller->channels;
    double source = plan_reads_inside(excerpt, read) ? 0 : (double)abbe_type_size(excerpt->type);
    return excerpt->cut ? samples * (source + (double)caller->filter_count *
                                                  (double)abbe_type_size(caller->result_type))
                        : 0;
}

bool plan_reads_inside(const struct excerpt *excerpt, const struct rectangle *read)
{
    const abbe_plan_params *caller = &excerpt->caller;
    return read->x >= 0 && read->y >= 0 && read->x + read->width <= caller->width &&
           read->y + read->height <= caller->height && excerpt->type == caller->source_type;
}

/* ---- Windows ------------------------------------------------------------------------------------------ */

static int fail_empty(const abbe_device *device, const abbe_plan_params *params,
                      const struct margins *margins)
{
    return core_fail(
        device, ABBE_ERR_INVALID,
        "plan: window VALID: nothing remains of %d x %d pixels for filters that read %d + %d pixels "
        "across and %d + %d down",
        params->width, params->height, margins->left, margins->right, margins->above, margins->below);
}

int plan_find_results(const abbe_device *device, const abbe_plan_params *params, struct rectangle *results)
{
    struct margins m = { 0 };
    int error = params->window == ABBE_WINDOW_FULL || params->window == ABBE_WINDOW_VALID
                    ? plan_find_margins(device, params, "plan: window", &m)
                    : ABBE_OK;
    if (error)
        return error;
    int width = params->width, height = params->height;
    switch (params->window) {
    case ABBE_WINDOW_SAME: *results = (struct rectangle){ 0, 0, width, height }; break;
    case ABBE_WINDOW_FULL:
        *results = (struct rectangle){ -m.right, -m.below, width + m.left + m.right,
                                       height + m.above + m.below };
        break;
    case ABBE_WINDOW_VALID:
        *results = (struct rectangle){ m.left, m.above, width - m.left - m.right,
                                       height - m.above - m.below };
        break;
    case ABBE_WINDOW_RECTANGLE:
        *results = (struct rectangle){ params->result_x, params->result_y, params->result_width,
                                       params->result_height };
        break;
    }
    return results->width < 1 || results->height < 1 ? fail_empty(device, params, &m)
                                                     : check_read_size(device, results, params->channels);
}

int plan_find_excerpt(const abbe_device *device, abbe_plan_params *params, struct excerpt *excerpt)
{
    const struct rectangle whole = { 0, 0, params->width, params->height };
    *excerpt = (struct excerpt){ .caller = *params, .read = whole, .memory = INFINITY };
    excerpt->caller.filters = NULL;
    excerpt->type = params->source_type;
    struct rectangle *results = &excerpt->results;
    int error = plan_find_results(device, params, results);
    if (error)
        return error;
    bool inside = plan_reads_inside(excerpt, results);
    if (inside && results->width == whole.width && results->height == whole.height)
        return ABBE_OK;
    if (inside && plan_has_transfers(params)) {
        excerpt->cut = true;
        return ABBE_OK;
    }
    struct margins margins;
    error = plan_find_margins(device, params, "plan: window", &margins);
    if (error)
        return error;
    excerpt->read = plan_grow(results, &margins);
    return plan_cut_excerpt(device, params, excerpt);
}

struct rectangle plan_grow(const struct rectangle *results, const struct margins *margins)
{
    return (struct rectangle){ results->x - margins->left, results->y - margins->above,
                               results->width + margins->left + margins->right,
                               results->height + margins->above + margins->below };
}
