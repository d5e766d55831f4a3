/* The outside pixel: what filters read beyond a ZERO or CONSTANT border. */
#ifndef ABBE_DEVICE_OUTSIDE_H
#define ABBE_DEVICE_OUTSIDE_H

#include "device/device.h"

/* Value of its colour channels and of its alpha channel, if the work has one: in linear light and
 * premultiplied where the work's pixels are. */
struct outside_pixel {
    double colour, alpha;
};
struct outside_pixel outside_pixel(const struct work *work);

#endif
