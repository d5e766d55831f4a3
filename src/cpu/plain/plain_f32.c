/* The plain engines in float. */
#define REAL float
#define FFT fft_f32
#define TRANSFORM(x) fft_f32_##x
#define NAME(x) x
#define TABLE plain_f32

#include "cpu/plain/plain_tmpl.h"
