/* A finite kernel of taps in double precision, dense or as a sum of separable terms. */
#ifndef ABBE_FILTER_KERNEL_H
#define ABBE_FILTER_KERNEL_H

#include <stdbool.h>

/* out(x, y) = Σ tap(i, j) · in(x − (i − centre_x), y − (j − centre_y)).
 * Large Gaussians and boxes never exist densely: they keep their factors. */
struct kernel {
    int width, height;
    int centre_x, centre_y;
    int rank;        /* 0: dense, else the number of separable terms */
    double *taps;    /* dense: height rows of width */
    double *rows;    /* separable: rank rows of width */
    double *columns; /* separable: rank rows of height; tap(i, j) = Σ_r rows[r][i] · columns[r][j] */
};

/* All of these return ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY, record no sentence, and leave *out alone
 * on failure. Sizes are bounded by ABBE_KERNEL_SIDE_MAX, and dense kernels by KERNEL_AREA_MAX taps. */
enum { KERNEL_AREA_MAX = 1 << 26 };

int kernel_create_dense(int width, int height, struct kernel *out);               /* taps are zero */
int kernel_create_separable(int width, int height, int rank, struct kernel *out); /* factors are zero */
void kernel_free(struct kernel *kernel);
int kernel_copy(const struct kernel *kernel, struct kernel *out);

/* a ∗ b, the kernel of one after the other. Separable when both are (and the rank stays small). */
int kernel_convolve(const struct kernel *a, const struct kernel *b, struct kernel *out);

/* The same kernel with every tap farther than reach from the centre moved to that distance. On a picture of reach
 * pixels whose border repeats one sample outward (clamp, zero, constant) it does exactly the same. */
int kernel_fold(const struct kernel *kernel, int reach_x, int reach_y, struct kernel *out);

/* Point reflection through the centre: convolution with it is correlation with the original. */
int kernel_flip(const struct kernel *kernel, struct kernel *out);

/* The same kernel as dense taps. */
int kernel_expand(const struct kernel *kernel, struct kernel *out);

/* The same kernel as at most max_rank separable terms, by SVD, when that is exact to about single precision
 * (a residual of at most 6e-8 of the Frobenius norm); ABBE_ERR_UNSUPPORTED when its rank is higher. A
 * separable kernel of at most max_rank terms is copied, unless they cancel each other: Σ ‖row‖ · ‖column‖ of
 * the result is at most max(1.5, √rank) times the norm. */
int kernel_factor(const struct kernel *kernel, int max_rank, struct kernel *out);

double kernel_tap(const struct kernel *kernel, int x, int y);

/* Whether tap(centre + d) = tap(centre − d) for all d, to the last bit: its spectrum is then real. */
bool kernel_is_symmetric(const struct kernel *kernel);

/* Σ tap(k) · e^(−j2π f·k) with k counted from the centre, as { re, im }. */
void kernel_gain(const struct kernel *kernel, double fx, double fy, double gain[2]);

/* A number no tap exceeds in magnitude; infinite or NaN when the kernel holds such a number. */
double kernel_bound(const struct kernel *kernel);

/* The number of taps that are not zero; width · height of a separable kernel (as it would be expanded). */
long long kernel_count(const struct kernel *kernel);

/* Bits: a line of zeros is both. Taps outside the line count as zero. */
enum parity { PARITY_NONE = 0, PARITY_EVEN = 1, PARITY_ODD = 2, PARITY_BOTH = 3 };

/* Whether line[centre + d] = ±line[centre − d] for all d, exactly. */
enum parity parity_of(const double *line, int length, int centre);

/* The parity of the convolution of two lines, and of their outer product under point reflection. */
enum parity parity_product(enum parity a, enum parity b);

/* Makes the right half of a line the image of the left one, so that rounding cannot break the parity that
 * mathematics gives it. Nothing for PARITY_NONE. */
void parity_enforce(double *line, int length, int centre, enum parity parity);

#endif
