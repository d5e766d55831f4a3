/* Transform lengths: factors, prices, and the cheapest length that is long enough. */
#ifndef ABBE_FFT_SIZE_H
#define ABBE_FFT_SIZE_H

enum { FFT_FACTORS_MAX = 32 };

/* Splits n ≥ 1 into radices 2, 3, 4, 5, 7, 8, rising, in the order the forward transform applies them.
 * Returns their number (0 for n = 1), or −1 when another prime divides n, which then needs Bluestein's
 * algorithm. */
int fft_factor(int n, int radices[FFT_FACTORS_MAX]);

/* Real additions and multiplications of one complex transform of length n ≥ 1, Bluestein's included;
 * infinite when Bluestein's padded length exceeds an int. */
double fft_flops(int n);

/* The padded length of Bluestein's algorithm for n ≥ 1: 0 for lengths that do not need it, infinite when it
 * exceeds an int. */
double fft_padded_size(int n);

/* The cheapest product of 2, 3, 5 and 7 from need to 2 · need − 1, the shortest of equally cheap ones; need ≥
 * 1. −1 above 2144153025, the longest such product that fits an int. */
int fft_cheapest(int need, double (*price)(const void *context, int length), const void *context);

/* The same with fft_flops as the price. */
int fft_good_size(int need);

#endif
