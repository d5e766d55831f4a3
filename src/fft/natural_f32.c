/* Two-dimensional transforms in natural order, in float. */
#define REAL float
#define FFT fft_f32
#define NAME(x) fft_f32_##x
#define NATURAL fft_natural_f32

#include "fft/natural_tmpl.h"
