/* Exact factoring of a dense kernel: separable terms of short numbers whose products are the taps to the last
 * bit.
 *
 * Kernels of whole numbers, such as Sobel's, have factors of whole numbers. Singular vectors do not: their
 * roundings differ, a difference of equal neighbours leaves a rest, and integers do not stay integers. */
#include "filter/kernel.h"

#include <float.h>
#include <math.h>

/* Numbers of floats: beyond this ratio a row has no common divisor that makes it exact. */
static const double RATIO_MAX = 0x1p24;

static bool is_float(double value)
{
    return fabs(value) <= (double)FLT_MAX && (double)(float)value == value;
}

/* The index of the largest magnitude; the value there is 0 where all are. */
static size_t largest_index(const double *values, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(values[i]) > fabs(values[found]))
            found = i;
    return found;
}

/* The greatest common divisor of the magnitudes of a line that is not all zero (Euclid; fmod is exact); 0
 * where it is below most / RATIO_MAX. */
static double line_divisor(const double *line, size_t count, double most)
{
    double divisor = 0;
    for (size_t i = 0; i < count; i++) {
        double value = fabs(line[i]);
        while (value > 0) {
            double rest = fmod(divisor, value);
            divisor = value;
            value = rest;
        }
        if (divisor > 0 && divisor < most / RATIO_MAX)
            return 0;
    }
    return divisor;
}

/* Writes the cross through (x, y) of the residual as a row without common divisor and a column. Returns
 * whether floats hold both. */
static bool write_exact_cross(const double *residual, size_t width, size_t height, size_t x, size_t y,
                              double *row, double *column)
{
    const double *from = residual + y * width;
    double divisor = line_divisor(from, width, fabs(from[x]));
    if (!(divisor > 0))
        return false;
    for (size_t i = 0; i < width; i++) {
        row[i] = from[i] / divisor;
        if (row[i] != rint(row[i]) || !is_float(row[i]))
            return false;
    }
    for (size_t j = 0; j < height; j++) {
        column[j] = residual[j * width + x] / row[x];
        if (!is_float(column[j]))
            return false;
    }
    return true;
}

/* A product of two floats is an exact double. Returns whether the difference is one, too (Knuth's two-sum). */
static bool subtract_exactly(double *value, double product)
{
    double difference = *value - product, part = difference - *value;
    double error = (*value - (difference - part)) - (product + part);
    *value = difference;
    return error == 0;
}

bool kernel_factor_exactly(double *residual, size_t width, size_t height, size_t capacity, double *rows,
                           double *columns, size_t *count)
{
    for (*count = 0; *count <= capacity; ++*count) {
        size_t pivot = largest_index(residual, width * height);
        if (residual[pivot] == 0)
            return true;
        double *row = rows + *count * width, *column = columns + *count * height;
        if (*count == capacity ||
            !write_exact_cross(residual, width, height, pivot % width, pivot / width, row, column))
            return false;
        for (size_t i = 0; i < width * height; i++)
            if (!subtract_exactly(&residual[i], column[i / width] * row[i % width]))
                return false;
    }
    return false;
}
