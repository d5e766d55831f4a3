/* Lowers a bank: turns the caller's filters into the work of a device, one entry per linear component. */
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "plan/plan.h"

#include <float.h>
#include <math.h>

/* The offset in the unit of results. An offset of 0.5 puts a flat sky, of which a high pass leaves 0, at 127.5 of
 * 255, where the sign of a rounding error of 10⁻⁴ levels decides between 127 and 128. A small part of a level
 * more decides for 128 everywhere. It is an odd multiple of 1/512, so that multiples of 1/256, as binomial
 * kernels make them, are not moved onto a tie. The errors of doubles are far smaller, and so is theirs. */
static double result_offset(const abbe_plan_params *params, double white)
{
    double bias = params->precision == ABBE_PRECISION_DOUBLE ? 1e-9 : 3.0 / 512;
    bool bytes = params->result_type == ABBE_U8 && params->offset != 0;
    return params->offset / white + (bytes ? bias / core_type_white(ABBE_U8) : 0);
}

static void copy_params(const abbe_plan_params *params, struct work *work)
{
    work->width = params->width;
    work->height = params->height;
    work->channels = params->channels;
    work->source_type = core_native_type(params->source_type);
    work->result_type = core_native_type(params->result_type);
    work->border = params->border;
    work->converted = work->source_type != params->source_type || work->result_type != params->result_type;
    bool value = params->scale == ABBE_SCALE_VALUE;
    double source_white = value ? core_type_white(params->source_type) : 1;
    double result_white = value ? core_type_white(params->result_type) : 1;
    work->border_value = params->border == ABBE_BORDER_CONSTANT ? params->border_value / source_white : 0;
    work->offset = result_offset(params, result_white);
    work->alpha = params->alpha;
    work->nonfinite = params->nonfinite;
    work->precision = params->precision;
    work->linear_light = params->linear_light;
    work->correlate = params->correlate;
}

static void raise_to(int *value, int least)
{
    if (*value < least)
        *value = least;
}

/* Widens the reach of the work by that of a kernel: out(x) reads in(x − i + centre) for i = 0 … width − 1. */
static void widen_reach(const struct kernel *kernel, struct work *work)
{
    raise_to(&work->left, kernel->width - 1 - kernel->centre_x);
    raise_to(&work->right, kernel->centre_x);
    raise_to(&work->above, kernel->height - 1 - kernel->centre_y);
    raise_to(&work->below, kernel->centre_y);
}

/* Σ |tap|; for separable kernels an upper bound of it. */
static double sum_tap_magnitudes(const struct kernel *kernel)
{
    double sum = 0;
    for (int r = 0; r < kernel->terms; r++) {
        double row = 0, column = 0;
        for (int i = 0; i < kernel->width; i++)
            row += fabs(kernel->rows[(long long)r * kernel->width + i]);
        for (int j = 0; j < kernel->height; j++)
            column += fabs(kernel->columns[(long long)r * kernel->height + j]);
        sum += row * column;
    }
    for (long long i = 0; !kernel->terms && i < (long long)kernel->width * kernel->height; i++)
        sum += fabs(kernel->taps[i]);
    return sum;
}

/* The gain of a constant, by which filtered alpha is divided so that it stays a coverage; 0 for filters that
 * remove constants (edges, high passes) or leave too little of them for a division in floats, which cannot
 * filter alpha. */
static double find_alpha_gain(const abbe_filter *filter)
{
    double gain[2];
    bool known = filter->components == 1 && !abbe_filter_gain(filter, 0, 0, 0, gain);
    double least = fmax(1e-4 * sum_tap_magnitudes(&filter->component[0].kernel), FLT_MIN);
    return known && fabs(gain[0]) > least ? gain[0] : 0;
}

/* Folds a kernel larger than the picture: onto the samples that the border repeats outward, or onto the period
 * with which it repeats the picture. Not in front of a transfer function, which reads the kernel's results
 * beyond the picture too. */
static int fold_response(struct response *response, const struct work *work)
{
    long long period_x = grid_period(work->border, work->width);
    long long period_y = grid_period(work->border, work->height);
    if (response->transfer_count)
        return ABBE_OK;
    struct kernel folded;
    int error = period_x ? kernel_fold_periodic(&response->kernel, period_x, period_y, &folded)
                         : kernel_fold(&response->kernel, work->width, work->height, &folded);
    if (error)
        return error;
    kernel_free(&response->kernel);
    response->kernel = folded;
    return ABBE_OK;
}

/* `gain` is what results are multiplied by, beside the filter's own gain. */
static int lower_filter(const abbe_filter *filter, double gain, struct work *work)
{
    struct work_result *result = &work->results[work->result_count++];
    *result = (struct work_result){ work->filter_count, filter->components, find_alpha_gain(filter) };
    for (int i = 0; i < filter->components; i++) {
        struct response *response = &work->filters[work->filter_count].response;
        int error = work->correlate ? response_flip(&filter->component[i], response)
                                    : response_copy(&filter->component[i], response);
        if (error)
            return error;
        work->filters[work->filter_count++].constant_gain = response_constant_gain(response) * gain;
        kernel_scale(&response->kernel, gain);
        error = fold_response(response, work);
        if (error)
            return error;
        work->filters[work->filter_count - 1].real = response_is_real(response);
        work->filters[work->filter_count - 1].even = response_is_even(response);
        widen_reach(&response->kernel, work);
    }
    return ABBE_OK;
}

int plan_lower(const abbe_device *device, const abbe_plan_params *params, struct work *work)
{
    copy_params(params, work);
    work->memory = (double)device->memory;
    size_t components = 0;
    for (size_t i = 0; i < params->filter_count; i++)
        components += (size_t)params->filters[i]->components;
    work->filters = core_alloc_zero(components, sizeof *work->filters);
    work->results = core_alloc_zero(params->filter_count, sizeof *work->results);
    if (!work->filters || !work->results)
        return core_fail_memory(device);
    /* Devices have integers as fractions of their largest value. Where integers stand for themselves, the
     * quotient of both largest values is part of every filter. */
    double gain = params->scale == ABBE_SCALE_VALUE
                      ? core_type_white(params->source_type) / core_type_white(params->result_type)
                      : 1;
    for (size_t i = 0; i < params->filter_count; i++) {
        int error = lower_filter(params->filters[i], gain, work);
        if (error)
            return core_fail_memory(device);
    }
    return ABBE_OK;
}

int plan_work_copy(const struct work *work, struct work *copy)
{
    *copy = *work;
    copy->filter_count = copy->result_count = 0;
    copy->filters = core_alloc_zero((size_t)work->filter_count, sizeof *work->filters);
    copy->results = core_alloc_zero((size_t)work->result_count, sizeof *work->results);
    if (!copy->filters || !copy->results)
        return ABBE_ERR_MEMORY;
    for (int i = 0; i < work->filter_count; i++) {
        if (response_copy(&work->filters[i].response, &copy->filters[i].response))
            return ABBE_ERR_MEMORY;
        copy->filters[i].real = work->filters[i].real;
        copy->filters[i].even = work->filters[i].even;
        copy->filters[i].constant_gain = work->filters[i].constant_gain;
        copy->filter_count++;
    }
    for (; copy->result_count < work->result_count; copy->result_count++)
        copy->results[copy->result_count] = work->results[copy->result_count];
    return ABBE_OK;
}

void plan_work_free(struct work *work)
{
    for (int i = 0; i < work->filter_count; i++) {
        response_free(&work->filters[i].response);
        kernel_free(&work->filters[i].dense);
        kernel_free(&work->filters[i].factors);
    }
    core_free(work->filters);
    core_free(work->results);
    *work = (struct work){ 0 };
}
