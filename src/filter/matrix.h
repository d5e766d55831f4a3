/* Matrices of numbers as kernels and masks take them. */
#ifndef ABBE_FILTER_MATRIX_H
#define ABBE_FILTER_MATRIX_H

#include <abbe/abbe.h>

/* ABBE_OK when the matrix has values, sides within the limits, and only numbers that are finite as floats;
 * else records a sentence about `what` and returns INVALID, SIZE or NONFINITE. */
int matrix_check(const abbe_matrix *matrix, const char *what);

/* ABBE_OK or ABBE_ERR_MEMORY; records no sentence. */
int matrix_copy(const abbe_matrix *matrix, abbe_matrix *out);

#endif
