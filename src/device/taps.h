/* Kernels in space for GPUs: the components of a result lie in one box around their centres, as floats. */
#ifndef ABBE_DEVICE_TAPS_H
#define ABBE_DEVICE_TAPS_H

#include "device/device.h"

/* The taps of one result. DIRECT: [component][height][width]; SEPARABLE: rows as [term][width] and behind
 * them columns as [term][height]. */
struct tap_box {
    int width, height, centre_x, centre_y;
    int terms, first_terms; /* SEPARABLE: terms of all components, and of the first */
    size_t first;           /* index of the first tap */
};

/* Fills in the box of every result, one behind the other, and returns the number of floats. */
size_t taps_place(const struct work *work, struct tap_box *boxes);

/* Writes the taps of all boxes into as many floats, which are 0 before. */
void taps_write(const struct work *work, const struct tap_box *boxes, float *taps);

/* Bound of the floats of result r, before the kernels of a work are factored. */
double taps_bound(const struct work *work, int r);

/* Separable terms of result r. */
int taps_terms(const struct work *work, int r);

#endif
