/* The kernels of the catalogue: each function makes the taps of one filter.
 *
 * All functions return ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY, record no message and leave *out unchanged
 * on failure. Parameters are within the catalogue's ranges. Even kernels are even to the last bit. */
#ifndef ABBE_FILTER_SHAPES_H
#define ABBE_FILTER_SHAPES_H

#include "filter/kernel.h"

/* ---- shapes_stencil.c: given taps, and kernels of at most 3 × 3 ---- */

/* Copies `taps`, height rows of width. */
int shape_from_taps(const double *taps, int width, int height, struct kernel *out);

/* Makes the taps row[i] · column[j]. */
int shape_from_factors(const double *row, int width, const double *column, int height, struct kernel *out);

/* Divides dense taps, or those of one separable term, by their sum. Returns false, and changes nothing, when
 * the sum is nearly zero. */
bool shape_normalize(struct kernel *kernel);

int shape_identity(struct kernel *out);
int shape_sharpen(double amount, struct kernel *out);
int shape_laplacian(bool diagonals, struct kernel *out);
int shape_gradient(double side, double middle, bool along_x, struct kernel *out);
int shape_emboss(double angle, struct kernel *out);

/* ---- shapes_gaussian.c: kernels made of Gaussians, always separable ---- */

/* A standard deviation of 0 leaves its axis unchanged. */
int shape_gaussian(double sigma_x, double sigma_y, double truncate, struct kernel *out);

/* ∂^(order_x + order_y) G / ∂x^order_x ∂y^order_y, with orders 0 to 3. */
int shape_derivative(double sigma, double truncate, int order_x, int order_y, struct kernel *out);

/* Whether a Gaussian has taps beside its centre, without which it has no derivative. */
bool shape_derives(double sigma, double truncate);

int shape_unsharp(double sigma, double amount, struct kernel *out);
int shape_dog(double sigma, double ratio, struct kernel *out);
int shape_log(double sigma, struct kernel *out);
int shape_gabor(double period, double angle, double sigma, struct kernel *out);

/* ---- shapes_area.c: each tap is the area of its pixel that a figure covers ---- */

/* Of an even width or height the additional pixel is read at the left or above, as in SciPy and OpenCV. */
int shape_box(int width, int height, struct kernel *out);
int shape_disk(double radius, struct kernel *out);
int shape_motion(double length, double angle, struct kernel *out);

#endif
