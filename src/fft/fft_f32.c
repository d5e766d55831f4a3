/* One-dimensional transforms in float. */
#define REAL float
#define FFT fft_f32
#define NAME(x) fft_f32_##x

#include "fft/fft_tmpl.h"

int fft_f32_create_at(enum core_level level, int length, struct fft_f32 **fft)
{
    (void)level;
    return fft_f32_create(length, fft);
}
