/* Transform lengths: factors, prices, and the cheapest length that is long enough. */
#ifndef ABBE_FFT_SIZE_H
#define ABBE_FFT_SIZE_H

enum { FFT_FACTORS_MAX = 32 };

/* Splits n ≥ 1 into radices 2, 3, 4, 5, 7, 8, rising, in the order the forward transform applies them.
 * Returns their number (0 for n = 1), or −1 when another prime divides n, which then takes Bluestein's
 * algorithm. */
int fft_factor(int n, int radices[FFT_FACTORS_MAX]);

/* Real additions and multiplications of one complex transform of length n ≥ 1, Bluestein's included;
 * infinite when Bluestein's padded length is out of reach. */
double fft_flops(int n);

/* The length inside Bluestein's algorithm for n ≥ 1: 0 for lengths that do without, infinite when it is out of reach. */
double fft_padded_size(int n);

/* The product of known radices from need to 2 · need − 1 whose price is the least, the shortest of equals; need ≥ 1.
 * −1 above 2144153025, the longest such product that fits an int. */
int fft_cheapest(int need, double (*price)(const void *context, int length), const void *context);

/* The same by fft_flops. */
int fft_good_size(int need);

#endif
