/* The spectrum H(u, v) of a response on a transform grid, several columns at a time, in double precision.
 *
 * The kernel is placed cyclically with its centre at (0, 0) (Podlozhnyuk 2007, figure 1), folded when it is
 * larger than the grid, and transformed without scaling: H(0, 0) is the sum of the taps. A sampler holds row
 * spectra up to width / 2, one for each separable term or for each row of a dense kernel (at most the rows of
 * the grid), and a column spectrum for each separable term. That is little memory compared with the grid,
 * except for dense kernels nearly as tall as the grid, which take half of it in doubles. */
#ifndef ABBE_FILTER_SAMPLING_SAMPLER_H
#define ABBE_FILTER_SAMPLING_SAMPLER_H

#include "core/level.h"
#include "filter/filter.h"

/* The grid on which a response is sampled, and the means to sample it. */
struct spectrum_grid {
    int width, height;
    bool correlate; /* conjugates the transfer functions */
    int threads;    /* the most to use; their number does not change the result */
    enum core_level level;
    bool rounded; /* values are rounded to floats: errors of 3e-8 of the largest are allowed */
};

struct sampler;

/* `response` must outlive the sampler. ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no message. */
int sampler_create(const struct response *response, const struct spectrum_grid *grid,
                   struct sampler **sampler);
void sampler_destroy(struct sampler **sampler);

/* Whether sampler_batch of a response cannot fail, needs no scratch and may be called by any thread: no function of a
 * caller, no dense kernel, no gain that may exceed the range of a float. */
bool sampler_is_light(const struct response *response);

/* Whether no gain can exceed the range of a float, as the response was when the sampler was created. */
bool sampler_is_bounded(const struct sampler *sampler);

/* The number of doubles in a row of a batch, and the number of columns of a batch: the same number when H is
 * real (response_is_real), half of it when H is complex. A narrow grid has small batches. */
enum { SAMPLER_ROW_MAX = 16 };
int sampler_row(const struct sampler *sampler);
int sampler_columns(const struct sampler *sampler);

/* Whether batches must start at multiples of sampler_columns; others may start anywhere. */
bool sampler_is_aligned(const struct sampler *sampler);

/* The number of rows of a batch: height / 2 + 1 where H is even along each axis (response_is_even) and
 * H(u, −v) = H(u, v), the height of the grid otherwise. */
int sampler_rows(const struct sampler *sampler);

/* The number of doubles of a batch, and of scratch that sampler_batch needs. */
size_t sampler_batch_doubles(const struct sampler *sampler);
size_t sampler_scratch(const struct sampler *sampler);

/* Writes H(u, v), H(u + 1, v), … for v = 0 … sampler_rows() − 1, as far as u ≤ width / 2; the others are
 * H(−u, −v) = H*(u, v). Row v of the batch is [H ×columns], or [re ×columns | im ×columns] where H is not
 * real; columns beyond width / 2 are undefined. Frequencies are in natural order, and the columns of u = 0
 * and width / 2 obey that equation exactly. Returns ABBE_OK, or ABBE_ERR_NONFINITE for a gain beyond the
 * range of a float. Threads may share a sampler, each with separate scratch, unless one of the transfer
 * functions is a caller's function. */
int sampler_batch(const struct sampler *sampler, int u, double *batch, double *scratch);

/* An upper bound on the bytes of a sampler of a response and of its batches on `threads` threads. */
double sampler_bytes(const struct response *response, bool real, int width, int height, int threads);

/* The same without its batches. */
double sampler_kept_bytes(const struct response *response, int width, int height);

/* units.c: predicts the time of computing the columns u ≤ width / 2. The unit is the time in which one
 * number of a spectrum is written. */
double sampler_units(const struct response *response, int width, int height);

/* The same of a single number. */
double sampler_units_each(const struct response *response);

#endif
