/* Kernels made of Gaussians: blurs, differences, derivatives, and waves under a Gaussian. */
#include "filter/angle.h"
#include "filter/shapes.h"

#include <abbe/abbe.h>

#include <math.h>

/* SciPy's radius, ⌊truncate · σ + ½⌋, limited to ABBE_KERNEL_SIDE_MAX, which is too large for a kernel. */
static int gaussian_radius(double sigma, double truncate)
{
    double radius = truncate * sigma + 0.5;
    return radius < ABBE_KERNEL_SIDE_MAX ? (int)radius : ABBE_KERNEL_SIDE_MAX;
}

/* Writes g(x) = exp(−x² / 2σ²) for |x| ≤ radius around line[centre], divided by its sum. */
static void write_gaussian(double *line, int centre, int radius, double sigma)
{
    double sum = 0.0;
    for (int x = radius; x >= 0; x--) {
        double g = x ? exp(-0.5 * (x / sigma) * (x / sigma)) : 1.0;
        line[centre + x] = line[centre - x] = g;
        sum += x ? 2.0 * g : g;
    }
    for (int x = -radius; x <= radius; x++)
        line[centre + x] /= sum;
}

static void scale_line(double *line, int length, double factor)
{
    for (int i = 0; i < length; i++)
        line[i] *= factor;
}

int shape_gaussian(double sigma_x, double sigma_y, double truncate, struct kernel *out)
{
    int radius_x = gaussian_radius(sigma_x, truncate), radius_y = gaussian_radius(sigma_y, truncate);
    int error = kernel_create_separable(2 * radius_x + 1, 2 * radius_y + 1, 1, out);
    if (error)
        return error;
    write_gaussian(out->rows, radius_x, radius_x, sigma_x);
    write_gaussian(out->columns, radius_y, radius_y, sigma_y);
    return ABBE_OK;
}

/* (1 + amount) · δ − amount · G. */
int shape_unsharp(double sigma, double amount, struct kernel *out)
{
    int radius = gaussian_radius(sigma, 4.0), side = 2 * radius + 1;
    int error = kernel_create_separable(side, side, 2, out);
    if (error)
        return error;
    out->rows[radius] = 1.0 + amount;
    out->columns[radius] = 1.0;
    write_gaussian(out->rows + side, radius, radius, sigma);
    write_gaussian(out->columns + side, radius, radius, sigma);
    scale_line(out->rows + side, side, -amount);
    return ABBE_OK;
}

/* G(σ) − G(ratio · σ). */
int shape_dog(double sigma, double ratio, struct kernel *out)
{
    int inner = gaussian_radius(sigma, 4.0), outer = gaussian_radius(ratio * sigma, 4.0),
        side = 2 * outer + 1;
    int error = kernel_create_separable(side, side, 2, out);
    if (error)
        return error;
    write_gaussian(out->rows, outer, inner, sigma);
    write_gaussian(out->columns, outer, inner, sigma);
    write_gaussian(out->rows + side, outer, outer, ratio * sigma);
    write_gaussian(out->columns + side, outer, outer, ratio * sigma);
    scale_line(out->rows + side, side, -1.0);
    return ABBE_OK;
}

/* Replaces g by g″ = (x²/σ⁴ − 1/σ²) · g, minus the multiple of g that makes the truncated sum zero. */
static void differentiate_twice(double *line, int radius, double sigma)
{
    double sum = 0.0, variance = sigma * sigma;
    for (int x = -radius; x <= radius; x++)
        sum += ((double)x * x / variance - 1.0) / variance * line[radius + x];
    for (int x = -radius; x <= radius; x++)
        line[radius + x] *= ((double)x * x / variance - 1.0) / variance - sum;
}

/* Replaces g by its derivative of an order of 0 to 3: g′ = −x/σ² · g, g‴ = (3x/σ⁴ − x³/σ⁶) · g. */
static void differentiate(double *line, int radius, double sigma, int order)
{
    double variance = sigma * sigma;
    if (order == 2)
        differentiate_twice(line, radius, sigma);
    for (int x = -radius; x <= radius && order % 2; x++) {
        double slope = -x / variance;
        line[radius + x] *= order == 1 ? slope : slope * ((double)x * x / variance - 3.0) / variance;
    }
}

bool shape_derives(double sigma, double truncate)
{
    return gaussian_radius(sigma, truncate) >= 1;
}

int shape_derivative(double sigma, double truncate, int order_x, int order_y, struct kernel *out)
{
    int error = shape_gaussian(sigma, sigma, truncate, out);
    if (error)
        return error;
    differentiate(out->rows, out->centre_x, sigma, order_x);
    differentiate(out->columns, out->centre_y, sigma, order_y);
    return ABBE_OK;
}

/* ∂²G/∂x² + ∂²G/∂y² = g″ ⊗ g + g ⊗ g″. */
int shape_log(double sigma, struct kernel *out)
{
    int radius = gaussian_radius(sigma, 4.0), side = 2 * radius + 1;
    int error = kernel_create_separable(side, side, 2, out);
    if (error)
        return error;
    for (int term = 0; term < 2; term++) {
        write_gaussian(out->rows + term * side, radius, radius, sigma);
        write_gaussian(out->columns + term * side, radius, radius, sigma);
    }
    differentiate_twice(out->rows, radius, sigma);
    differentiate_twice(out->columns + side, radius, sigma);
    return ABBE_OK;
}

/* Writes g · cos(2π f x), even to the last bit, or g · sin(2π f x), odd to the last bit. Returns the sum. */
static double write_wave(double *line, int radius, double sigma, double frequency, bool odd)
{
    double sum = 0.0;
    write_gaussian(line, radius, radius, sigma);
    for (int x = 0; x <= radius; x++) {
        double phase = 2.0 * M_PI * frequency * x;
        double wave = line[radius + x] * (odd ? sin(phase) : cos(phase));
        line[radius + x] = wave;
        line[radius - x] = odd ? -wave : wave;
        sum += odd ? 0.0 : x ? 2.0 * wave : wave;
    }
    return sum;
}

/* cos(2π (fx·x + fy·y)) = cos cos − sin sin gives the wave as two separable terms; the third term, −mean · g
 * ⊗ g, makes the sum zero. When the wave runs along an axis, one factor of the first term is g itself and the
 * third term is added to the other factor, which leaves one term. */
int shape_gabor(double period, double angle, double sigma, struct kernel *out)
{
    int radius = gaussian_radius(sigma, 4.0), side = 2 * radius + 1;
    double fx, fy;
    angle_vector(angle, &fx, &fy);
    fx /= period;
    fy /= period;
    bool on_axis = fx == 0.0 || fy == 0.0;
    struct kernel made;
    int error = kernel_create_separable(side, side, 3, &made);
    if (error)
        return error;
    double mean = write_wave(made.rows, radius, sigma, fx, false);
    mean *= write_wave(made.columns, radius, sigma, fy, false);
    write_wave(made.rows + side, radius, sigma, fx, true);
    write_wave(made.columns + side, radius, sigma, fy, true);
    scale_line(made.rows + side, side, -1.0);
    double *last_row = made.rows + 2 * side;
    write_gaussian(last_row, radius, radius, sigma);
    write_gaussian(made.columns + 2 * side, radius, radius, sigma);
    double *waving = fx == 0.0 ? made.columns : made.rows;
    for (int i = 0; on_axis && i < side; i++)
        waving[i] -= mean * last_row[i];
    scale_line(last_row, side, -mean);
    made.terms = on_axis ? 1 : 3;
    double gain[2];
    kernel_gain(&made, fx, fy, gain);
    scale_line(made.rows, made.terms * side, 1.0 / gain[0]);
    *out = made;
    return ABBE_OK;
}
