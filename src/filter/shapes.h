/* Kernels in space by name: each function makes the taps of one entry of the catalogue.
 *
 * All return ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY, record no sentence and leave *out alone on failure.
 * Parameters are within the catalogue's ranges. Even kernels are so to the last bit. */
#ifndef ABBE_FILTER_SHAPES_H
#define ABBE_FILTER_SHAPES_H

#include "filter/kernel.h"

/* stencils.c: three by three and smaller. */
int shape_identity(struct kernel *out);
int shape_sharpen(double amount, struct kernel *out);
int shape_laplacian(bool diagonals, struct kernel *out);
int shape_gradient(double side, double middle, bool along_x, struct kernel *out);
int shape_emboss(double angle, struct kernel *out);

/* gaussians.c: made of Gaussians, always separable. */
int shape_gaussian(double sigma, double truncate, struct kernel *out);
int shape_unsharp(double sigma, double amount, struct kernel *out);
int shape_dog(double sigma, double ratio, struct kernel *out);
int shape_log(double sigma, struct kernel *out);
int shape_gabor(double period, double angle, double sigma, struct kernel *out);

/* areas.c: taps are the areas of pixels that a figure covers. */
int shape_box(int radius, struct kernel *out);
int shape_disk(double radius, struct kernel *out);
int shape_motion(double length, double angle, struct kernel *out);

/* taps.c: given taps, copied; and dense taps divided by their sum, or false when that is nearly zero. */
int shape_from_taps(const double *taps, int width, int height, struct kernel *out);
bool shape_normalize(struct kernel *kernel);

#endif
