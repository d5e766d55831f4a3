/* Many butterworth notches at once: far from their points, their product is smooth and interpolated.
 *
 * A butterworth notch falls off slowly, so that each of many matters at every frequency. Rows are divided
 * into patches of NOTCH_ROWS × the columns of a batch. The factors whose points lie far from a patch are
 * multiplied at NOTCH_U × NOTCH_V Chebyshev nodes of the patch only, and their product is interpolated;
 * the others are computed at every frequency.
 *
 * The error. Let a factor be 1 − q, q = 1 / (1 + (d/r)^(2n)), at a distance of at least D from every point
 * of the patch. Continued to complex frequencies that differ by at most ρ = (D − r)/2 along one axis, d² =
 * (a + jb)(a − jb) has a magnitude of at least (D − ρ)², so that |q| ≤ M = w / (1 − w) with w = (2r / (D +
 * r))^(2n). Interpolation at k Chebyshev nodes on an interval of half-length h errs by at most 2 (h/2)^k ·
 * max|q⁽ᵏ⁾|/k! ≤ 2 M (h / 2ρ)^k, by Cauchy's estimate. A patch is far where the sum of this along v, and 3
 * times this along u (the Lebesgue constant of eight nodes is below 3), is at most NOTCHES_ERROR / (the
 * number of factors). The errors of factors add up, times at most Π (1 + M). */
#ifndef ABBE_FILTER_SAMPLING_NOTCHES_H
#define ABBE_FILTER_SAMPLING_NOTCHES_H

#include "filter/sampling/gain_kernels.h"

/* The error of the product of all factors. H is stored in floats, which round by 6·10⁻⁸. */
#define NOTCHES_ERROR 3e-8

/* One factor with its table along y, as struct factor_tables has it. */
struct notch {
    const struct factor *factor;
    const double *y;
};

/* The frequencies: `columns` are those of a batch. */
struct notch_grid {
    int width, height, rows;
    size_t columns;
};

struct notches;

/* Batches must have at least this many columns. */
enum { NOTCH_COLUMNS_MIN = 8 };

/* Prepares `count` factors, complements of butterworths of small whole order; takes ownership of `notch`,
 * also on failure. ABBE_OK or ABBE_ERR_MEMORY. */
int notches_create(const struct notch_grid *grid, struct notch *notch, int count, struct notches **notches);
void notches_destroy(struct notches **notches);
double notches_bytes(int count, int width, int rows);

/* Multiplies all rows of a batch by all factors; u, its first column, is a multiple of the columns. */
void notches_multiply(const struct notches *notches, const struct gain_kernels *kernels, int u,
                      const struct gain_rows *rows);

#endif
