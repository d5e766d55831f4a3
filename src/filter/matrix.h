/* Matrices of numbers, from which kernels and masks are made. */
#ifndef ABBE_FILTER_MATRIX_H
#define ABBE_FILTER_MATRIX_H

#include <abbe/abbe.h>

/* Returns ABBE_OK when the matrix has values, sides within the limits, and only numbers that are finite as
 * floats. Otherwise records a message that begins with `what` and returns ABBE_ERR_INVALID, ABBE_ERR_SIZE or
 * ABBE_ERR_NONFINITE. */
int matrix_check(const abbe_matrix *matrix, const char *what);

/* The part of matrix_check that needs no values. */
int matrix_check_size(int width, int height, const char *what);

/* ABBE_OK or ABBE_ERR_MEMORY; records no message. */
int matrix_copy(const abbe_matrix *matrix, abbe_matrix *out);

#endif
