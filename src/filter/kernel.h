/* A finite kernel of taps in double precision, dense or as a sum of separable terms. */
#ifndef ABBE_FILTER_KERNEL_H
#define ABBE_FILTER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/* out(x, y) = Σ tap(i, j) · in(x − (i − centre_x), y − (j − centre_y)).
 * Large Gaussians and boxes never exist densely: they keep their factors. */
struct kernel {
    int width, height;
    int centre_x, centre_y;
    int terms;       /* the number of separable terms; 0 for a dense kernel */
    double *taps;    /* dense: height rows of width */
    double *rows;    /* separable: `terms` rows of width */
    double *columns; /* separable: `terms` rows of height; tap(i, j) = Σ_r rows[r][i] · columns[r][j] */
};

/* Kernels have at most ABBE_KERNEL_SIDE_MAX taps per side, and dense ones at most KERNEL_AREA_MAX in all. */
enum { KERNEL_AREA_MAX = 1 << 26 };

/* Functions that make a kernel return ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY, record no message, and leave
 * *out unchanged on failure. */

int kernel_create_dense(int width, int height, struct kernel *out);                /* taps are zero */
int kernel_create_separable(int width, int height, int terms, struct kernel *out); /* factors are zero */
void kernel_free(struct kernel *kernel);
int kernel_copy(const struct kernel *kernel, struct kernel *out);

/* Multiplies every tap by a number. */
void kernel_scale(struct kernel *kernel, double factor);

/* Makes a ∗ b, the kernel of a filter a followed by a filter b (kernel_convolve.c). The result is separable
 * when both are and their terms are few. */
int kernel_convolve(const struct kernel *a, const struct kernel *b, struct kernel *out);

/* The shape of a kernel that is not made yet; 0 terms: dense. */
struct kernel_shape {
    int width, height, terms;
};

/* The shape of kernel_convolve's result for a kernel of that shape followed by `next`: ABBE_OK, or
 * ABBE_ERR_SIZE. */
int kernel_convolve_shape(struct kernel_shape *shape, const struct kernel *next);

/* Makes a copy in which taps farther than reach_x or reach_y from the centre are added to the tap at that
 * distance. For a picture of reach_x × reach_y pixels whose border repeats one sample outward (clamp, zero,
 * constant), the copy gives exactly the same result. */
int kernel_fold(const struct kernel *kernel, int reach_x, int reach_y, struct kernel *out);

/* The same for a picture that its border repeats with these periods: taps whose distances differ by a period are
 * added up. Each side keeps at most one period and one tap. */
int kernel_fold_periodic(const struct kernel *kernel, long long period_x, long long period_y,
                         struct kernel *out);

/* Makes the point reflection of the kernel through its centre. Convolution with the result is correlation
 * with the original. */
int kernel_flip(const struct kernel *kernel, struct kernel *out);

/* Makes the same kernel as dense taps. */
int kernel_expand(const struct kernel *kernel, struct kernel *out);

/* Makes the same kernel as a sum of at most `terms_max` separable terms (kernel_factor.c): exactly where
 * kernel_factor_exactly can, else by singular value decomposition. The residual is at most `tolerance` times
 * the Frobenius norm; ABBE_ERR_UNSUPPORTED when that needs more terms. A kernel that has at most `terms_max`
 * terms already is copied, unless its terms cancel each other: Σ ‖row‖ · ‖column‖ of the result is at most
 * max(1.5, √terms) times the norm. */
int kernel_factor(const struct kernel *kernel, int terms_max, double tolerance, struct kernel *out);

/* Writes separable terms of floats whose sum is the height × width residual to the last bit (kernel_exact.c),
 * by crosses through the largest taps. Rows are whole numbers without common divisor. Returns whether at most
 * `capacity` terms suffice. Overwrites the residual. */
bool kernel_factor_exactly(double *residual, size_t width, size_t height, size_t capacity, double *rows,
                           double *columns, size_t *count);

double kernel_tap(const struct kernel *kernel, int x, int y);

/* Whether tap(centre + d) = tap(centre − d) for all d, to the last bit. The spectrum is then real. */
bool kernel_is_symmetric(const struct kernel *kernel);

/* Whether tap(centre + d) is the same for d = (±x, ±y), to the last bit. Of a separable kernel every term must
 * be so. The spectrum is then real, and even along each axis. */
bool kernel_is_even(const struct kernel *kernel);

/* Writes Σ tap(k) · e^(−j2π f·k) with k counted from the centre, as { re, im }. */
void kernel_gain(const struct kernel *kernel, double fx, double fy, double gain[2]);

/* Returns an upper bound on the magnitude of the taps; infinite or NaN when the kernel holds such a
 * number. */
double kernel_bound(const struct kernel *kernel);

/* Returns the number of taps that are not zero; width · height for a separable kernel. */
long long kernel_count(const struct kernel *kernel);

/* The parity of a line of taps keeps symmetric kernels symmetric to the last bit. Taps outside the line count
 * as zero. A line of zeros has both bits. */
enum parity { PARITY_NONE = 0, PARITY_EVEN = 1, PARITY_ODD = 2, PARITY_BOTH = 3 };

/* Returns whether line[centre + d] = ±line[centre − d] for all d, exactly. */
enum parity parity_of(const double *line, int length, int centre);

/* Returns the parity of the convolution of two lines, and of their outer product under point reflection. */
enum parity parity_product(enum parity a, enum parity b);

/* Makes the right half of a line the image of the left half, so that rounding cannot break the parity the
 * line has mathematically. Does nothing for PARITY_NONE. */
void parity_enforce(double *line, int length, int centre, enum parity parity);

#endif
