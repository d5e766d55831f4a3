/* The spectrum H(u, v) of a response on a transform grid, column by column, in double precision.
 *
 * The kernel is laid cyclically with its centre at (0, 0) (Podlozhnyuk 2007, figure 1), folded when it is
 * larger than the grid, and transformed without scaling: H(0, 0) is the sum of the taps. Memory is a few rows
 * of the grid, never the whole of it. */
#ifndef ABBE_FILTER_SAMPLER_H
#define ABBE_FILTER_SAMPLER_H

#include "filter/filter.h"

struct sampler;

/* `response` must outlive the sampler. `conjugate_transfers` for correlation.
 * ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no sentence. */
int sampler_create(const struct response *response, int width, int height, bool conjugate_transfers,
                   struct sampler **sampler);
void sampler_destroy(struct sampler **sampler);

/* Doubles of scratch that sampler_column needs. */
size_t sampler_scratch(const struct sampler *sampler);

/* Writes H(u, v) for one u and all v = 0 … height − 1 as interleaved { re, im }. Frequencies are in natural
 * order; H(−u, −v) = H*(u, v) exactly. Returns ABBE_OK, or ABBE_ERR_NONFINITE for a gain that is not finite.
 * Threads may share a sampler, each with scratch of its own, unless a caller's function is among the transfer
 * functions. */
int sampler_column(const struct sampler *sampler, int u, double *column, double *scratch);

#endif
