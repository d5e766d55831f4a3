/* Even and odd lines of taps: what keeps symmetric kernels symmetric to the last bit. */
#ifndef ABBE_FILTER_PARITY_H
#define ABBE_FILTER_PARITY_H

/* Bits: a line of zeros is both. Taps outside the line count as zero. */
enum parity { PARITY_NONE = 0, PARITY_EVEN = 1, PARITY_ODD = 2, PARITY_BOTH = 3 };

/* Whether line[centre + d] = ±line[centre − d] for all d, exactly. */
enum parity parity_of(const double *line, int length, int centre);

/* The parity of the convolution of two lines, and of their outer product under point reflection. */
enum parity parity_product(enum parity a, enum parity b);

/* Makes the right half of a line the image of the left one, so that rounding cannot break the parity that
 * mathematics gives it. Nothing for PARITY_NONE. */
void parity_enforce(double *line, int length, int centre, enum parity parity);

#endif
