/* The builders of the catalogue: from values in the order of the keys to a filter. */
#include "filter/catalogue.h"
#include "filter/matrix.h"
#include "filter/shapes.h"
#include "filter/transfer.h"

#include <float.h>
#include <math.h>

/* Completes a filter that consists of one kernel, and passes on the error of making that kernel. */
static int finish_kernel(int error, struct abbe_filter *filter)
{
    filter->components = error ? 0 : 1;
    return error;
}

/* The value of a key that follows another one. */
static double given_or(double value, double followed)
{
    return isnan(value) ? followed : value;
}

#define FIRST_KERNEL (&filter->component[0].kernel)

static int build_identity(const struct arguments *arguments, struct abbe_filter *filter)
{
    (void)arguments;
    return finish_kernel(shape_identity(FIRST_KERNEL), filter);
}

static int build_box(const struct arguments *arguments, struct abbe_filter *filter)
{
    int side = 2 * (int)arguments->value[0] + 1;
    int width = (int)given_or(arguments->value[1], side), height = (int)given_or(arguments->value[2], side);
    return finish_kernel(shape_box(width, height, FIRST_KERNEL), filter);
}

static int build_gaussian(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    double sigma_x = given_or(value[2], value[0]), sigma_y = given_or(value[3], value[0]);
    return finish_kernel(shape_gaussian(sigma_x, sigma_y, value[1], FIRST_KERNEL), filter);
}

static int build_derivative(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    int order_x = (int)value[1], order_y = (int)value[2];
    if ((order_x || order_y) && !shape_derives(value[0], value[3]))
        return ABBE_ERR_RANGE;
    return finish_kernel(shape_derivative(value[0], value[3], order_x, order_y, FIRST_KERNEL), filter);
}

static int build_disk(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_disk(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_motion(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_motion(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_sharpen(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_sharpen(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_unsharp(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_unsharp(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_laplacian(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_laplacian(arguments->value[0] == 1.0, FIRST_KERNEL), filter);
}

static int build_log(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_log(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_dog(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_dog(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_emboss(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_emboss(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_gabor(const struct arguments *arguments, struct abbe_filter *filter)
{
    double period = arguments->value[0], angle = arguments->value[1], sigma = arguments->value[2];
    if (10.0 * sigma < period)
        return ABBE_ERR_RANGE;
    return finish_kernel(shape_gabor(period, angle, sigma, FIRST_KERNEL), filter);
}

static int build_separable(const struct arguments *arguments, struct abbe_filter *filter)
{
    const abbe_matrix *row = &arguments->matrix[0], *column = &arguments->matrix[1];
    int error = shape_from_factors(row->values, row->width, column->values, column->width, FIRST_KERNEL);
    if (!error && arguments->value[2] == 1.0)
        shape_normalize(FIRST_KERNEL); /* a kernel that sums to zero stays as it is */
    if (!error && !(kernel_bound(FIRST_KERNEL) <= FLT_MAX)) {
        filter_clear(filter);
        return ABBE_ERR_RANGE;
    }
    return finish_kernel(error, filter);
}

static int build_kernel(const struct arguments *arguments, struct abbe_filter *filter)
{
    const abbe_matrix *taps = &arguments->matrix[0];
    int error = shape_from_taps(taps->values, taps->width, taps->height, FIRST_KERNEL);
    if (!error && arguments->value[1] == 1.0 && !arguments->scaled)
        shape_normalize(FIRST_KERNEL); /* a kernel that sums to zero, such as an edge detector, stays */
    return finish_kernel(error, filter);
}

enum { AXIS_BOTH, AXIS_X, AXIS_Y };

static int build_gradient(const struct arguments *arguments, double side, double middle,
                          struct abbe_filter *filter)
{
    int axis = (int)arguments->value[0];
    int error = shape_gradient(side, middle, axis != AXIS_Y, FIRST_KERNEL);
    if (!error && axis == AXIS_BOTH)
        error = shape_gradient(side, middle, false, &filter->component[1].kernel);
    if (error)
        filter_clear(filter);
    else
        filter->components = axis == AXIS_BOTH ? 2 : 1;
    return error;
}

#undef FIRST_KERNEL

static int build_sobel(const struct arguments *arguments, struct abbe_filter *filter)
{
    return build_gradient(arguments, 1.0, 2.0, filter);
}

static int build_prewitt(const struct arguments *arguments, struct abbe_filter *filter)
{
    return build_gradient(arguments, 1.0, 1.0, filter);
}

static int build_scharr(const struct arguments *arguments, struct abbe_filter *filter)
{
    return build_gradient(arguments, 3.0, 10.0, filter);
}

static int build_lowpass(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    return filter_set_transfer(transfer_lowpass((enum falloff)value[1], value[2], value[0]), filter);
}

static int build_highpass(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    return filter_set_transfer(transfer_highpass((enum falloff)value[1], value[2], value[0]), filter);
}

static int build_bandpass(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    if (value[0] >= value[1])
        return ABBE_ERR_RANGE;
    return filter_set_transfer(transfer_bandpass((enum falloff)value[2], value[3], value[0], value[1]),
                               filter);
}

static int build_bandreject(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    if (value[0] >= value[1])
        return ABBE_ERR_RANGE;
    return filter_set_transfer(transfer_bandreject((enum falloff)value[2], value[3], value[0], value[1]),
                               filter);
}

static int build_notch(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    return filter_set_transfer(transfer_notch((enum falloff)value[3], value[4], value[0], value[1], value[2]),
                               filter);
}

static int build_streak(const struct arguments *arguments, struct abbe_filter *filter)
{
    return filter_set_transfer(transfer_streak(arguments->value[0], arguments->value[1]), filter);
}

static int build_power(const struct arguments *arguments, struct abbe_filter *filter)
{
    return filter_set_transfer(transfer_power(arguments->value[0]), filter);
}

static int build_mask(const struct arguments *arguments, struct abbe_filter *filter)
{
    abbe_matrix copy;
    int error = matrix_copy(&arguments->matrix[0], &copy);
    return error ? error : filter_set_transfer(transfer_mask(copy), filter);
}

static int (*const builders[FILTERS])(const struct arguments *arguments, struct abbe_filter *filter) = {
    [FILTER_IDENTITY] = build_identity,
    [FILTER_BOX] = build_box,
    [FILTER_GAUSSIAN] = build_gaussian,
    [FILTER_DERIVATIVE] = build_derivative,
    [FILTER_DISK] = build_disk,
    [FILTER_MOTION] = build_motion,
    [FILTER_SHARPEN] = build_sharpen,
    [FILTER_UNSHARP] = build_unsharp,
    [FILTER_LAPLACIAN] = build_laplacian,
    [FILTER_LOG] = build_log,
    [FILTER_DOG] = build_dog,
    [FILTER_SOBEL] = build_sobel,
    [FILTER_PREWITT] = build_prewitt,
    [FILTER_SCHARR] = build_scharr,
    [FILTER_EMBOSS] = build_emboss,
    [FILTER_GABOR] = build_gabor,
    [FILTER_SEPARABLE] = build_separable,
    [FILTER_KERNEL] = build_kernel,
    [FILTER_LOWPASS] = build_lowpass,
    [FILTER_HIGHPASS] = build_highpass,
    [FILTER_BANDPASS] = build_bandpass,
    [FILTER_BANDREJECT] = build_bandreject,
    [FILTER_NOTCH] = build_notch,
    [FILTER_STREAK] = build_streak,
    [FILTER_POWER] = build_power,
    [FILTER_MASK] = build_mask,
};

int catalogue_build(size_t filter, const struct arguments *arguments, struct abbe_filter *out)
{
    return builders[filter](arguments, out);
}
