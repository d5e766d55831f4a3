/* The impulse response h of transfer functions on a grid of n × n samples, as sums of |h|. */
#ifndef ABBE_FILTER_IMPULSE_H
#define ABBE_FILTER_IMPULSE_H

#include "filter/filter.h"

/* Σ|h| · n² over the grid, its columns, its rows, and its rings max(|x|, |y|) = r. */
struct impulse_sums {
    int n;
    double total;
    double *columns, *rows; /* n each */
    double *rings;          /* n / 2 + 1 */
};

/* Measures the transfer functions of a response, without its kernel, for an even n. Release sums->columns with core_free.
 * ABBE_OK, ABBE_ERR_MEMORY, or ABBE_ERR_NONFINITE for a gain beyond the range of a float. */
int impulse_measure(const struct response *response, int n, struct impulse_sums *sums);

#endif
