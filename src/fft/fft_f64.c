/* One-dimensional transforms in double. */
#define REAL double
#define FFT fft_f64
#define NAME(x) fft_f64_##x

#include "fft/fft_tmpl.h"

int fft_f64_create_at(enum core_level level, int length, struct fft_f64 **fft)
{
    int error = fft_f64_create(length, fft);
    if (error || !fft_levels[level].lanes)
        return error;
    struct fft_f64 *steps = (*fft)->padded ? (*fft)->padded : *fft;
    steps->level = &fft_levels[level];
    return ABBE_OK;
}
