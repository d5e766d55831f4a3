/* Kernels of given taps, and kernels of at most 3 × 3: identity, sharpening, differences, relief. */
#include "filter/angle.h"
#include "filter/shapes.h"

#include <abbe/abbe.h>

#include <math.h>
#include <string.h>

int shape_from_taps(const double *taps, int width, int height, struct kernel *out)
{
    int error = kernel_create_dense(width, height, out);
    if (!error)
        memcpy(out->taps, taps, (size_t)width * (size_t)height * sizeof *taps);
    return error;
}

/* A sum of at most 10⁻⁶ of Σ |tap| is nearly zero: such kernels are meant to sum to zero. */
bool shape_normalize(struct kernel *kernel)
{
    size_t count = (size_t)kernel->width * (size_t)kernel->height;
    double sum = 0.0, magnitude = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += kernel->taps[i];
        magnitude += fabs(kernel->taps[i]);
    }
    if (!(fabs(sum) > 1e-6 * magnitude))
        return false;
    for (size_t i = 0; i < count; i++)
        kernel->taps[i] /= sum;
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
