/* Small dense linear algebra for the factoring of kernels: orthogonal bases and singular values. */
#ifndef ABBE_FILTER_LINALG_H
#define ABBE_FILTER_LINALG_H

#include <stddef.h>

/* Replaces `count` vectors of `length` by orthonormal ones (or zeros where they depend on earlier ones) and
 * writes the upper triangle R, count × count row by row, such that vector_j = Σ_i q_i · R[i][j]. */
void linalg_orthonormalize(double *vectors, size_t count, size_t length, double *R);

/* One-sided Jacobi (Hestenes 1958): rotates the columns of a matrix against each other until they are
 * orthogonal; their norms are then its singular values. `columns` holds `count` columns of `length`, `turns`
 * (count columns of count) receives the same rotations, and may be NULL. Sorted by falling norm. */
void linalg_jacobi(double *columns, size_t count, size_t length, double *turns);

double linalg_norm(const double *vector, size_t length);

#endif
