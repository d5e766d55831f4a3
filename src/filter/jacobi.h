/* Small dense linear algebra for the factoring of kernels: orthogonal bases and singular values. */
#ifndef ABBE_FILTER_JACOBI_H
#define ABBE_FILTER_JACOBI_H

#include <stddef.h>

/* Replaces `count` vectors of `length` by orthonormal ones (or zeros where they depend on earlier ones) and
 * writes the upper triangle R, count × count row by row, such that vector_j = Σ_i q_i · R[i][j]. */
void jacobi_orthonormalize(double *vectors, size_t count, size_t length, double *R);

/* One-sided Jacobi (Hestenes 1958): rotates the columns of a matrix against each other until they are
 * orthogonal; their norms are then its singular values. `columns` holds `count` columns of `length`, `turns`
 * (count columns of count) receives the same rotations, and may be NULL. Sorted by falling norm. */
void jacobi_rotate(double *columns, size_t count, size_t length, double *turns);

double jacobi_norm(const double *vector, size_t length);

#endif
