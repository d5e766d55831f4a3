/* One-dimensional transforms in double. */
#define REAL double
#define FFT fft_f64
#define NAME(x) fft_f64_##x
#define WIDER fft_level_best()

#include "fft/fft_tmpl.h"
