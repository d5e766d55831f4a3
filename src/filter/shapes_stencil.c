/* Kernels of given taps, and kernels of at most 3 × 3: identity, sharpening, differences, relief. */
#include "filter/angle.h"
#include "filter/shapes.h"

#include <abbe/abbe.h>

#include <assert.h>
#include <math.h>
#include <string.h>

int shape_from_taps(const double *taps, int width, int height, struct kernel *out)
{
    int error = kernel_create_dense(width, height, out);
    if (!error)
        memcpy(out->taps, taps, (size_t)width * (size_t)height * sizeof *taps);
    return error;
}

int shape_from_factors(const double *row, int width, const double *column, int height, struct kernel *out)
{
    int error = kernel_create_separable(width, height, 1, out);
    if (error)
        return error;
    memcpy(out->rows, row, (size_t)width * sizeof *row);
    memcpy(out->columns, column, (size_t)height * sizeof *column);
    return ABBE_OK;
}

/* Σ value and Σ |value|. */
static void sum_values(const double *values, size_t count, double *sum, double *magnitude)
{
    *sum = *magnitude = 0.0;
    for (size_t i = 0; i < count; i++) {
        *sum += values[i];
        *magnitude += fabs(values[i]);
    }
}

/* A sum of at most 10⁻⁶ of Σ |tap| is nearly zero: such kernels are meant to sum to zero. */
static bool is_nearly_zero(double sum, double magnitude)
{
    return !(fabs(sum) > 1e-6 * magnitude);
}

bool shape_normalize(struct kernel *kernel)
{
    assert(kernel->terms <= 1);
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    size_t count = kernel->terms ? width : width * height;
    double *taps = kernel->terms ? kernel->rows : kernel->taps, sum, magnitude;
    sum_values(taps, count, &sum, &magnitude);
    if (is_nearly_zero(sum, magnitude))
        return false;
    if (kernel->terms) {
        double column_sum, column_magnitude;
        sum_values(kernel->columns, height, &column_sum, &column_magnitude);
        if (is_nearly_zero(column_sum, column_magnitude))
            return false;
        for (size_t i = 0; i < height; i++)
            kernel->columns[i] /= fabs(column_sum);
    }
    for (size_t i = 0; i < count; i++)
        taps[i] /= fabs(sum);
    return true;
}

int shape_identity(struct kernel *out)
{
    int error = kernel_create_separable(1, 1, 1, out);
    if (!error)
        out->rows[0] = out->columns[0] = 1.0;
    return error;
}

/* Makes 3 × 3 taps: `centre`, `side` at the four direct neighbours, `corner` at the four diagonal ones. */
static int create_cross(double centre, double side, double corner, struct kernel *out)
{
    int error = kernel_create_dense(3, 3, out);
    for (int i = 0; !error && i < 9; i++)
        out->taps[i] = i == 4 ? centre : i % 2 ? side : corner;
    return error;
}

/* δ − amount · laplacian. */
int shape_sharpen(double amount, struct kernel *out)
{
    return create_cross(1.0 + 4.0 * amount, -amount, 0.0, out);
}

int shape_laplacian(bool diagonals, struct kernel *out)
{
    return diagonals ? create_cross(-8.0, 1.0, 1.0, out) : create_cross(-4.0, 1.0, 0.0, out);
}

/* A central difference along one axis, smoothed by [side middle side] along the other. Convolution reverses
 * the taps, so [1 0 −1] is positive where brightness increases to the right or downwards. */
int shape_gradient(double side, double middle, bool along_x, struct kernel *out)
{
    int error = kernel_create_separable(3, 3, 1, out);
    if (error)
        return error;
    double *difference = along_x ? out->rows : out->columns;
    double *smooth = along_x ? out->columns : out->rows;
    difference[0] = 1.0;
    difference[2] = -1.0;
    smooth[0] = smooth[2] = side;
    smooth[1] = middle;
    return ABBE_OK;
}

/* Relief is the correlation with δ(d) − √2 · d·n, where n points at the light. Convolution reverses the taps,
 * so they are δ(d) + √2 · d·n. √2 n(θ) = n(θ − 45°) + n(θ + 45°), which is exact at multiples of 45°. */
int shape_emboss(double angle, struct kernel *out)
{
    double ax, ay, bx, by;
    angle_vector(angle - 45.0, &ax, &ay);
    angle_vector(angle + 45.0, &bx, &by);
    int error = kernel_create_dense(3, 3, out);
    for (int i = 0; !error && i < 9; i++)
        out->taps[i] = (i == 4) + (i % 3 - 1) * (ax + bx) + (i / 3 - 1) * (ay + by);
    return error;
}
