/* Template: the steps of transforms in double with vectors of VECTOR_BYTES. LEVEL(x) is x_avx2 or
 * x_avx512. */
#define REAL double
#define FFT fft_f64

#include "fft/levels.h"

#include <string.h>

#include "fft/butterflies_tmpl.h"
#include "fft/struct_tmpl.h"

#include "fft/stages_tmpl.h"

void LEVEL(fft_f64_forward)(const void *fft, void *x, size_t lanes)
{
    mixed_radix_forward(fft, x, lanes);
}

void LEVEL(fft_f64_inverse)(const void *fft, void *x, size_t lanes)
{
    mixed_radix_inverse(fft, x, lanes);
}
