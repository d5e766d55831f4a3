/* Tables of transforms for GPUs: complex numbers as pairs of floats, computed in double precision. */
#ifndef ABBE_FFT_PAIRS_H
#define ABBE_FFT_PAIRS_H

/* The roots of unity e^(−2πik/points), k = 0 … points − 1. Errors: MEMORY, without a message. */
int fft_pairs_roots(int points, float *pairs);

/* ½ e^(−jπu / 2 · length), u = 0 … length − 1: the twiddles of even transforms. */
void fft_pairs_quarter_roots(int length, float *pairs);

/* Bluestein's algorithm: the chirp e^(−iπn²/length), n = 0 … length − 1, and behind it the spectrum of the
 * conjugate chirp, continued cyclically to `points` points and divided by their number. Errors: MEMORY,
 * without a message. */
int fft_pairs_chirp(int length, int points, float *pairs);

#endif
