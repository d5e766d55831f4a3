/* Two-dimensional transforms in natural order, for spectra that are read by people or other programs. */
#ifndef ABBE_FFT_NATURAL_H
#define ABBE_FFT_NATURAL_H

#include <stdbool.h>

/* Transforms width × height interleaved complex samples on up to `threads` threads; the result does not
 * depend on their number. `in` and `out` are the same array or do not overlap. Forward scales by 1/(width ·
 * height), inverse does not. Uses the vector kernels of the baseline. ABBE_OK, ABBE_ERR_SIZE or
 * ABBE_ERR_MEMORY; on failure nothing is written. */
int fft_natural_f32(int width, int height, bool inverse, const float *in, float *out, int threads);
int fft_natural_f64(int width, int height, bool inverse, const double *in, double *out, int threads);

#endif
