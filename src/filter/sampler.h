/* The spectrum H(u, v) of a response on a transform grid, column by column, in double precision.
 *
 * The kernel is laid cyclically with its centre at (0, 0) (Podlozhnyuk 2007, figure 1), folded when it is
 * larger than the grid, and transformed without scaling: H(0, 0) is the sum of the taps. It holds the row
 * spectra up to width / 2, one for each separable term or each row of a dense kernel (of the grid, when that
 * is lower), and a column spectrum for each separable term: little beside the grid, except for dense kernels
 * nearly as tall, which take half of it in doubles. */
#ifndef ABBE_FILTER_SAMPLER_H
#define ABBE_FILTER_SAMPLER_H

#include "filter/filter.h"

struct sampler;

/* `response` must outlive the sampler. `conjugate_transfers` for correlation.
 * ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no sentence. */
int sampler_create(const struct response *response, int width, int height, bool conjugate_transfers,
                   struct sampler **sampler);
void sampler_destroy(struct sampler **sampler);

/* Doubles of scratch that the following need. */
size_t sampler_scratch(const struct sampler *sampler);

/* Writes H(u, v) for one u and all v = 0 … height − 1 as interleaved { re, im }. Frequencies are in natural
 * order; H(−u, −v) = H*(u, v) exactly. Returns ABBE_OK, or ABBE_ERR_NONFINITE for a gain that no float holds.
 * Threads may share a sampler, each with scratch of its own, unless a caller's function is among the transfer
 * functions. */
int sampler_column(const struct sampler *sampler, int u, double *column, double *scratch);

/* Columns u and u + 1, one behind the other, for u < width / 2: both by one transform where they are real. */
int sampler_pair(const struct sampler *sampler, int u, double *columns, double *scratch);

#endif
