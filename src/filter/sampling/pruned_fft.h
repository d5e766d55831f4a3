/* Pruned FFT: spectra of lines with few samples on a long axis, several lines side by side, in double
 * precision.
 *
 * Of `length` samples on a cyclic axis only `support` consecutive ones are not zero. With length = parts · m,
 * m ≥ support,
 *
 *     F(parts · g + b) = Σ_j (x(j) · W_length^(jb)) · W_m^(jg),
 *
 * which is one transform of m points for each b. Operations on known zeros are omitted (pruning, Markel
 * 1971), and m rows fit the first-level cache where `length` rows would not. */
#ifndef ABBE_FILTER_SAMPLING_PRUNED_FFT_H
#define ABBE_FILTER_SAMPLING_PRUNED_FFT_H

#include "core/level.h"

#include <stddef.h>

/* The most lines side by side, limited by the first-level cache. */
enum { PRUNED_FFT_LANES = 8 };

/* A sample of a spectrum takes a few nanoseconds, less than the samples that core_workers counts. The number
 * of samples is divided by this factor before core_workers decides on the number of threads. */
enum { PRUNED_FFT_LIGHT = 32 };

/* The axis and the lines on it: `lanes` lines in rows of [re ×lanes | im ×lanes]. Row i of the samples holds
 * coordinate first + i, i < support ≤ length. */
struct pruned_fft_axis {
    int length, first, support, lanes;
    enum core_level level; /* of the FFT's kernels */
};

struct pruned_fft;

/* ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no message. */
int pruned_fft_create(const struct pruned_fft_axis *axis, struct pruned_fft **fft);
void pruned_fft_destroy(struct pruned_fft **fft);

/* The number of doubles of scratch that pruned_fft_transform needs. */
size_t pruned_fft_scratch(const struct pruned_fft *fft);

/* An upper bound on the bytes of a pruned FFT and of the scratch of `threads` threads. */
double pruned_fft_bytes(int length, int lanes, int threads);

/* Transforms `support` rows of samples to `length` rows of spectrum in natural order. Threads may share
 * `fft`, each with separate scratch. */
void pruned_fft_transform(const struct pruned_fft *fft, const double *samples, double *spectrum,
                          double *scratch);

#endif
