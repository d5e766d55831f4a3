/* One-dimensional transforms in float. */
#define REAL float
#define FFT fft_f32
#define NAME(x) fft_f32_##x

#include "fft/fft_tmpl.h"
