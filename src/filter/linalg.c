/* Small dense linear algebra for the factoring of kernels: orthogonal bases and singular values. */
#include "filter/linalg.h"

#include <math.h>
#include <stdbool.h>

enum { SWEEPS_MAX = 60 }; /* convergence is quadratic; ten sweeps are usually enough */

double linalg_dot(const double *a, const double *b, size_t length)
{
    double sum = 0.0;
    for (size_t i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

static void subtract_scaled(double *a, double scale, const double *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        a[i] -= scale * b[i];
}

double linalg_norm(const double *vector, size_t length)
{
    return sqrt(linalg_dot(vector, vector, length));
}

/* Gram–Schmidt, each vector twice: one pass keeps the rounding errors of nearly dependent vectors, two are
 * enough (Kahan & Parlett). */
void linalg_orthonormalize(double *vectors, size_t count, size_t length, double *R)
{
    for (size_t i = 0; i < count * count; i++)
        R[i] = 0.0;
    for (size_t j = 0; j < count; j++) {
        double *vector = vectors + j * length;
        double before = linalg_norm(vector, length);
        for (size_t k = 0; k < 2 * j; k++) {
            const double *earlier = vectors + k % j * length;
            double share = linalg_dot(earlier, vector, length);
            subtract_scaled(vector, share, earlier, length);
            R[k % j * count + j] += share;
        }
        double rest = linalg_norm(vector, length);
        bool dependent = rest <= 1e-15 * before;
        R[j * count + j] = dependent ? 0.0 : rest;
        for (size_t i = 0; i < length; i++)
            vector[i] = dependent ? 0.0 : vector[i] / rest;
    }
}

static void rotate_vectors(double *a, double *b, size_t length, double c, double s)
{
    for (size_t i = 0; i < length; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

static void swap_vectors(double *a, double *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* Makes two columns orthogonal by the smaller root of tan 2θ = 2 a·b / (b·b − a·a). Returns false when they
 * already are. */
static bool rotate_pair(double *a, double *b, size_t length, double *turn_a, double *turn_b, size_t count)
{
    double aa = linalg_dot(a, a, length), bb = linalg_dot(b, b, length), ab = linalg_dot(a, b, length);
    if (!(fabs(ab) > 1e-15 * sqrt(aa) * sqrt(bb)) || !isfinite(ab))
        return false;
    double zeta = (bb - aa) / (2.0 * ab);
    double t = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    double c = 1.0 / sqrt(1.0 + t * t);
    rotate_vectors(a, b, length, c, c * t);
    if (turn_a)
        rotate_vectors(turn_a, turn_b, count, c, c * t);
    return true;
}

/* Sorts columns by falling norm, and `turns` with them. */
static void sort_columns(double *columns, size_t count, size_t length, double *turns)
{
    for (size_t i = 0; i < count; i++) {
        size_t largest = i;
        for (size_t j = i + 1; j < count; j++)
            if (linalg_norm(columns + j * length, length) > linalg_norm(columns + largest * length, length))
                largest = j;
        if (largest == i)
            continue;
        swap_vectors(columns + i * length, columns + largest * length, length);
        if (turns)
            swap_vectors(turns + i * count, turns + largest * count, count);
    }
}

void linalg_jacobi(double *columns, size_t count, size_t length, double *turns)
{
    for (size_t i = 0; turns && i < count * count; i++)
        turns[i] = i % (count + 1) == 0 ? 1.0 : 0.0;
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS_MAX; sweep++) {
        turned = false;
        for (size_t pair = 0; pair < count * count; pair++) {
            size_t i = pair / count, j = pair % count;
            if (i < j)
                turned |= rotate_pair(columns + i * length, columns + j * length, length,
                                      turns ? turns + i * count : NULL, turns ? turns + j * count : NULL,
                                      count);
        }
    }
    sort_columns(columns, count, length, turns);
}
