/* The gains of transfer functions on a transform grid, multiplied into batches of columns.
 *
 * A product of low-passes is separable, or a function of a sum of squares: with a table for each axis it
 * takes a few operations per sample, and no call. A gaussian notch is 1 except near its points, and only
 * the rows and columns there are touched. Many butterworth notches are interpolated far from their points
 * (notches.h). Interpolated samples take one interpolation along x for each of their rows, and one along y
 * for each sample. Other functions are called for each sample. */
#ifndef ABBE_FILTER_SAMPLING_GAINS_H
#define ABBE_FILTER_SAMPLING_GAINS_H

#include "core/level.h"
#include "filter/filter.h"

/* The grid, of which the rows v = 0 … rows − 1 are sampled. */
struct gain_grid {
    int width, height, rows;
    size_t columns; /* of a batch */
    bool conjugate;
    bool rounded; /* H is stored in floats: errors of 3e-8 are allowed */
    enum core_level level;
};

/* Columns u … u + count − 1 of a grid. Row v of `batch` has `columns` numbers, of which `count` matter, or
 * `columns` real parts and as many imaginary parts. `start` is NULL, or the number that the whole batch is
 * to hold before gains are multiplied. */
struct gain_batch {
    double *batch;
    int u, count;
    size_t columns;
    bool real;
    const double *start;
};

struct gains;

/* `response` must outlive the gains. ABBE_OK or ABBE_ERR_MEMORY; records no message. */
int gains_create(const struct response *response, const struct gain_grid *grid, struct gains **gains);
void gains_destroy(struct gains **gains);

/* Multiplies a batch by all gains. Threads may share `gains`, unless one of the functions is a caller's. */
void gains_multiply(const struct gains *gains, const struct gain_batch *batch);

/* Whether u of a batch must be a multiple of the columns (notches.h). */
bool gains_are_aligned(const struct gains *gains);

/* An upper bound on the bytes of the gains of a response on `rows` rows. */
double gains_bytes(const struct response *response, int width, int rows);

/* The frequency of index k in cycles per sample, −½ ≤ f < ½. */
static inline double bin_frequency(int k, int length)
{
    return (double)(k <= (length - 1) / 2 ? k : k - length) / length;
}

#endif
