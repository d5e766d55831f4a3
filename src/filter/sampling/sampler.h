/* The spectrum H(u, v) of a response on a transform grid, several columns at a time, in double precision.
 *
 * The kernel is laid cyclically with its centre at (0, 0) (Podlozhnyuk 2007, figure 1), folded when it is
 * larger than the grid, and transformed without scaling: H(0, 0) is the sum of the taps. It holds the row
 * spectra up to width / 2, one for each separable term or each row of a dense kernel (of the grid, when that
 * is lower), and a column spectrum for each separable term: little beside the grid, except for dense kernels
 * nearly as tall, which take half of it in doubles. */
#ifndef ABBE_FILTER_SAMPLING_SAMPLER_H
#define ABBE_FILTER_SAMPLING_SAMPLER_H

#include "core/level.h"
#include "filter/filter.h"

/* The grid on which a response is sampled, and what may sample it. */
struct spectrum_grid {
    int width, height;
    bool correlate; /* transfer functions are conjugated */
    int threads;    /* at most; their number changes no bit */
    enum core_level level;
};

struct sampler;

/* `response` must outlive the sampler. ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no message. */
int sampler_create(const struct response *response, const struct spectrum_grid *grid,
                   struct sampler **sampler);
void sampler_destroy(struct sampler **sampler);

/* Doubles of a batch's row, and its columns: as many where H is real (response_is_real), half as many where it is not.
 * A narrow grid has small batches. */
enum { SAMPLER_ROW_MAX = 16 };
int sampler_row(const struct sampler *sampler);
int sampler_columns(const struct sampler *sampler);

/* Doubles of scratch that sampler_batch needs. */
size_t sampler_scratch(const struct sampler *sampler);

/* Writes H(u, v), H(u + 1, v), … for all v = 0 … height − 1, as far as u ≤ width / 2; the others are
 * H(−u, −v) = H*(u, v). Row v of the batch is [H ×columns], or [re ×columns | im ×columns] where H is not
 * real; what it has beyond width / 2 means nothing. Frequencies are in natural order, and the columns of u = 0 and
 * width / 2 obey that equation exactly. Returns ABBE_OK, or ABBE_ERR_NONFINITE for a gain that no float holds.
 * Threads may share a sampler, each with scratch of its own, unless a caller's function is among the transfer
 * functions. */
int sampler_batch(const struct sampler *sampler, int u, double *batch, double *scratch);

/* Bytes, at most, that the sampler of a response with this kernel takes, and its batches on so many threads. */
double sampler_bytes(const struct kernel *kernel, bool real, int width, int height, int threads);

#endif
