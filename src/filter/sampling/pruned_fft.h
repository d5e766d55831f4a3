/* Spectra of lines that are short beside the grid, several side by side, in double precision.
 *
 * Of `length` samples on a cyclic axis only `support` in a row are not zero. With length = parts · m, m ≥ support,
 *
 *     F(parts · g + b) = Σ_j (x(j) · W_length^(jb)) · W_m^(jg),
 *
 * one transform of m points for each b: no operation meets a zero that it could have known (pruning, Markel 1971), and m
 * rows stay in the first cache where `length` would not. */
#ifndef ABBE_FILTER_SAMPLING_PRUNED_FFT_H
#define ABBE_FILTER_SAMPLING_PRUNED_FFT_H

#include "core/level.h"

#include <stddef.h>

/* Lines side by side, at most: vectors that a first cache has room for. */
enum { PRUNED_FFT_LANES = 8 };

/* Samples of a spectrum are some nanoseconds each: another thread is worth waking for this many times as many of them as
 * core_workers has in mind. */
enum { PRUNED_FFT_LIGHT = 32 };

/* `lanes` lines in rows of [re ×lanes | im ×lanes] on a cyclic axis. Row i of the samples holds coordinate first + i,
 * i < support ≤ length. */
struct pruned_fft_axis {
    int length, first, support, lanes;
    enum core_level level; /* of the transform's kernels */
};

struct pruned_fft;

/* ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no message. */
int pruned_fft_create(const struct pruned_fft_axis *axis, struct pruned_fft **lines);
void pruned_fft_destroy(struct pruned_fft **lines);

/* Doubles of scratch. */
size_t pruned_fft_scratch(const struct pruned_fft *lines);

/* Bytes, at most, that a transform of these takes, and each thread's scratch. */
double pruned_fft_bytes(int length, int lanes, int threads);

/* `support` rows of samples to `length` rows of spectrum, in natural order. Threads may share `lines`, each with scratch of
 * its own. */
void pruned_fft_transform(const struct pruned_fft *lines, const double *samples, double *spectrum,
                          double *scratch);

#endif
