/* Roots of unity, correct to the last bit. */
#ifndef ABBE_FFT_TWIDDLE_H
#define ABBE_FFT_TWIDDLE_H

/* value = { re, im } of W_n^k = e^(−j2πk/n), 0 ≤ k < n < 2^59. W_n^(n−k) is the exact conjugate of W_n^k. */
void fft_twiddle(long long k, long long n, double value[2]);

/* All of W_n^k, k < n, bit for bit as fft_twiddle: { re, im } at 2k. The caller frees them with core_free.
 * NULL without memory. */
double *fft_roots(int n);

#endif
