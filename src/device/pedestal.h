/* The pedestal: a number per channel that Fourier methods subtract from every sample before they transform,
 * and whose filtered value they add to every result.
 *
 * A transform in float has an error in proportion to the root mean square of its samples. Where these are
 * large and differ little, the error is as large as their differences; without the pedestal it is in
 * proportion to the differences alone. A filter is linear and gives a constant P the value P · H(0), so that
 * any number is exact in theory, and a number near the mean is best. */
#ifndef ABBE_DEVICE_PEDESTAL_H
#define ABBE_DEVICE_PEDESTAL_H

#include "device/device.h"

struct pedestal {
    bool used;
    double level[ABBE_CHANNELS_MAX];
    float rounded[ABBE_CHANNELS_MAX]; /* the same; equal to `level` where the source has a native type */
    float outside[ABBE_CHANNELS_MAX]; /* the outside pixel, less the level */
};

/* Decides whether a run uses a pedestal: the arithmetic must be in float, the results floats or those of
 * transfer functions, and pixels filtered as they are. Takes the level of each channel from a few samples of
 * the source: their median, so that a single outlier does not matter, and a constant picture has exactly its
 * value. */
void pedestal_find(const struct work *work, const abbe_image *source, struct pedestal *pedestal);

/* The same for a device whose host subtracts and adds while it copies floats. Such a device reads outside
 * pixels, replaces nonfinite samples and converts U8, U16 and F16 itself, so that plans which need these have
 * no pedestal. */
void pedestal_find_on_host(const struct work *work, const abbe_image *source, struct pedestal *pedestal);

/* What is added to each channel of result r: the filtered level, 0 without a pedestal. */
void pedestal_filter(const struct work *work, const struct pedestal *pedestal, int r, double *add);

#endif
