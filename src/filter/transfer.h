/* Transfer functions: gains over the frequency plane. */
#ifndef ABBE_FILTER_TRANSFER_H
#define ABBE_FILTER_TRANSFER_H

#include "filter/filter.h"

/* Frequencies are in cycles per pixel, angles in degrees. */
struct transfer transfer_lowpass(enum falloff falloff, double order, double cutoff);
struct transfer transfer_highpass(enum falloff falloff, double order, double cutoff);
struct transfer transfer_bandpass(enum falloff falloff, double order, double low, double high);
struct transfer transfer_bandreject(enum falloff falloff, double order, double low, double high);
struct transfer transfer_notch(enum falloff falloff, double order, double x, double y, double radius);
struct transfer transfer_streak(double angle, double width);
struct transfer transfer_power(double exponent);

/* Takes ownership of the matrix. */
struct transfer transfer_mask(abbe_matrix mask);

/* ---- Painting on a mask ---- */

bool transfer_is_mask(const struct transfer *transfer);

/* Puts gains at (x, y) of a mask, and at the opposite frequencies; what lies opposite within them becomes the mean. */
void transfer_paint_mask(struct transfer *mask, const abbe_matrix *gains, int x, int y);

/* Copies the gains at (x, y) to a matrix of their size. */
void transfer_copy_mask(const struct transfer *mask, int x, int y, abbe_matrix *gains);

double transfer_mask_constant(const struct transfer *mask); /* the gain of frequency 0 */

/* What columns of a mask reach, with interpolation. */
struct frequency_span transfer_mask_span(const struct transfer *mask, int x, int width);

/* Copies width × height complex gains in the order of a discrete Fourier transform. ABBE_OK or
 * ABBE_ERR_MEMORY. */
int transfer_gains(int width, int height, const double *gains, struct transfer *out);
struct transfer transfer_callback(abbe_transfer callback, void *user);

/* The direction of a streak, and the factor of its angle in radians that gives the gain ½ for 1. */
void transfer_streak_parameters(const struct transfer *transfer, double *along_x, double *along_y,
                                double *scale);

double transfer_exponent(const struct transfer *transfer); /* of a power law */

void transfer_free(struct transfer *transfer);
int transfer_copy(const struct transfer *transfer, struct transfer *out); /* ABBE_OK or ABBE_ERR_MEMORY */

/* Writes the gain that acts at (fx, fy): brings the frequencies into −½ … ½ (½ becomes −½, as on a grid of
 * even size) and takes the Hermitian part ½ (T(f) + T*(−f)). The gain of an even function is real. */
void transfer_gain(const struct transfer *transfer, double fx, double fy, double gain[2]);

/* transfer_gain for frequencies that are already within −½ ≤ f < ½. */
void transfer_gain_within(const struct transfer *transfer, double fx, double fy, double gain[2]);

#endif
