/* Small dense linear algebra for the factoring of kernels: orthogonal bases and singular values. */
#ifndef ABBE_FILTER_LINALG_H
#define ABBE_FILTER_LINALG_H

#include <stddef.h>

double linalg_dot(const double *a, const double *b, size_t length);
double linalg_norm(const double *vector, size_t length);

/* Replaces `count` vectors of `length` by orthonormal ones, or by zeros where they depend on earlier ones.
 * Writes the upper triangle R, count × count row by row, such that vector_j = Σ_i q_i · R[i][j]. */
void linalg_orthonormalize(double *vectors, size_t count, size_t length, double *R);

/* One-sided Jacobi (Hestenes 1958): rotates the columns of a matrix against each other until they are
 * orthogonal; their norms are then its singular values. `columns` holds `count` columns of `length` and is
 * sorted by falling norm. `turns` (count columns of count, may be NULL) receives the product of the
 * rotations. */
void linalg_jacobi(double *columns, size_t count, size_t length, double *turns);

#endif
