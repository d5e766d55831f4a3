/* The rules of abbe_plan_params, each with its message. */
#include "core/error.h"
#include "core/memory.h"
#include "core/view.h"
#include "plan/plan.h"

#include <float.h>
#include <math.h>

static int check_images(const abbe_device *device, const abbe_plan_params *params)
{
    abbe_image image = { .width = params->width,
                         .height = params->height,
                         .channels = params->channels,
                         .type = params->source_type };
    int error = core_check_shape(device, &image, "source");
    if (error)
        return error;
    image.type = params->result_type;
    error = core_check_shape(device, &image, "result");
    if (error)
        return error;
    size_t samples;
    if (!core_multiply((size_t)params->width * params->channels * sizeof(float), params->height, &samples) ||
        samples > PTRDIFF_MAX)
        return core_fail(device, ABBE_ERR_SIZE, "plan: %d x %d pixels of %d channels cannot be addressed",
                         params->width, params->height, params->channels);
    return ABBE_OK;
}

static int check_filters(const abbe_device *device, const abbe_plan_params *params)
{
    if (!params->filters || params->filter_count < 1)
        return core_fail(device, ABBE_ERR_INVALID,
                         "plan: the bank has no filters; set filters and filter_count");
    if (params->filter_count > FILTERS_MAX)
        return core_fail(device, ABBE_ERR_SIZE, "plan: the bank has %zu filters; the limit is %d",
                         params->filter_count, FILTERS_MAX);
    for (size_t i = 0; i < params->filter_count; i++)
        if (!params->filters[i])
            return core_fail(device, ABBE_ERR_INVALID, "plan: filter %zu of the bank is NULL", i + 1);
    return ABBE_OK;
}

static int check_enumerators(const abbe_device *device, const abbe_plan_params *params)
{
    if (!abbe_border_name(params->border))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown border %d", (int)params->border);
    if (!abbe_method_name(params->method))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown method %d", (int)params->method);
    if (!abbe_alpha_name(params->alpha))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown alpha treatment %d", (int)params->alpha);
    if (!abbe_nonfinite_name(params->nonfinite))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown treatment of non-finite samples %d",
                         (int)params->nonfinite);
    if (!abbe_scale_name(params->scale))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown scale %d", (int)params->scale);
    if (!abbe_window_name(params->window))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown window %d", (int)params->window);
    if (!abbe_precision_name(params->precision))
        return core_fail(device, ABBE_ERR_INVALID, "plan: unknown precision %d", (int)params->precision);
    if (params->precision == ABBE_PRECISION_DOUBLE && !device->table->computes_doubles)
        return core_fail(device, ABBE_ERR_UNSUPPORTED,
                         "plan: device '%s' has no double precision; use 'cpu', or precision FULL",
                         device->table->name);
    return ABBE_OK;
}

/* Whether a value is finite in the arithmetic of the plan: double if `wide`, or float. */
static bool is_finite_as(double value, bool wide)
{
    return wide ? isfinite(value) : fabs(value) <= (double)FLT_MAX;
}

static int check_values(const abbe_device *device, const abbe_plan_params *params)
{
    if (params->alpha != ABBE_ALPHA_NONE && params->channels < 2)
        return core_fail(device, ABBE_ERR_INVALID,
                         "plan: alpha needs at least 2 channels; there is only one");
    bool needs_unit = params->linear_light || params->alpha != ABBE_ALPHA_NONE;
    if (params->scale == ABBE_SCALE_VALUE && needs_unit && params->source_type != params->result_type)
        return core_fail(device, ABBE_ERR_INVALID,
                         "plan: scale VALUE with alpha or linear_light needs equal types; they are %s and %s",
                         abbe_type_name(params->source_type), abbe_type_name(params->result_type));
    if (params->tile_width < 0 || params->tile_height < 0)
        return core_fail(
            device, ABBE_ERR_INVALID,
            "plan: a tile of %d x %d pixels; both sides must be positive, or 0 to let the planner choose",
            params->tile_width, params->tile_height);
    if (params->runs < 0)
        return core_fail(device, ABBE_ERR_INVALID, "plan: runs is %d; it must be positive, or 0 for one run",
                         params->runs);
    bool wide = params->precision == ABBE_PRECISION_DOUBLE;
    if (params->border == ABBE_BORDER_CONSTANT && !is_finite_as(params->border_value, wide))
        return core_fail(device, ABBE_ERR_NONFINITE,
                         "plan: border_value is not finite; a constant border needs a finite number");
    if (!is_finite_as(params->offset, wide))
        return core_fail(device, ABBE_ERR_NONFINITE, "plan: offset is not finite");
    return ABBE_OK;
}

static int check_window(const abbe_device *device, const abbe_plan_params *params)
{
    int x = params->result_x, y = params->result_y;
    bool given = x || y || params->result_width || params->result_height;
    if (params->window != ABBE_WINDOW_RECTANGLE)
        return given
                   ? core_fail(device, ABBE_ERR_INVALID,
                               "plan: result_x, result_y, result_width and result_height are for the window "
                               "RECTANGLE; leave them 0 or set window")
                   : ABBE_OK;
    if (params->result_width < 1 || params->result_height < 1)
        return core_fail(device, ABBE_ERR_INVALID,
                         "plan: results of %d x %d pixels; both sides must be positive", params->result_width,
                         params->result_height);
    if (params->result_width > ABBE_SIDE_MAX || params->result_height > ABBE_SIDE_MAX || x > ABBE_SIDE_MAX ||
        y > ABBE_SIDE_MAX || x < -ABBE_SIDE_MAX || y < -ABBE_SIDE_MAX)
        return core_fail(device, ABBE_ERR_SIZE,
                         "plan: results of %d x %d pixels at x %d, y %d; the limit of each is %d",
                         params->result_width, params->result_height, x, y, ABBE_SIDE_MAX);
    return ABBE_OK;
}

int plan_check(const abbe_device *device, const abbe_plan_params *params)
{
    int error = check_images(device, params);
    if (!error)
        error = check_filters(device, params);
    if (!error)
        error = check_enumerators(device, params);
    if (!error)
        error = check_values(device, params);
    if (!error)
        error = check_window(device, params);
    return error;
}
