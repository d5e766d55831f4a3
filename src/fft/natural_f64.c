/* Two-dimensional transforms in natural order, in double. */
#define REAL double
#define FFT fft_f64
#define NAME(x) fft_f64_##x
#define NATURAL fft_natural_f64

#include "fft/natural_tmpl.h"
