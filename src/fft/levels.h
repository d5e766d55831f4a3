/* The vector kernels of transforms in double, of each instruction-set level. */
#ifndef ABBE_FFT_LEVELS_H
#define ABBE_FFT_LEVELS_H

#include "core/level.h"

#include <stddef.h>

/* The steps of a struct fft_f64, in place. Lanes come in multiples of `lanes`. A transform by Bluestein's
 * algorithm has no steps; its padded transform has them. */
struct fft_level {
    size_t lanes; /* 0: the level uses the kernels of the baseline, which are part of fft_f64.c */
    void (*forward)(const void *fft, void *x, size_t lanes);
    void (*inverse)(const void *fft, void *x, size_t lanes);
};

extern const struct fft_level fft_levels[LEVEL_COUNT];

void fft_f64_forward_avx2(const void *fft, void *x, size_t lanes);
void fft_f64_inverse_avx2(const void *fft, void *x, size_t lanes);
void fft_f64_forward_avx512(const void *fft, void *x, size_t lanes);
void fft_f64_inverse_avx512(const void *fft, void *x, size_t lanes);

#endif
