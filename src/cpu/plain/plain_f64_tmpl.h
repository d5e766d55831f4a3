/* Template: the plain engines in double, for the instruction set that this file is compiled for. Each file
 * that includes it defines TABLE. */
#define REAL double
#define FFT fft_f64
#define TRANSFORM(x) fft_f64_##x
#define NAME(x) x##_f64

#include "cpu/plain/plain_tmpl.h"
