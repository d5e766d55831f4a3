/* How often each display value occurs. */
#ifndef ABBE_SCENE_VIEWER_HISTOGRAM_H
#define ABBE_SCENE_VIEWER_HISTOGRAM_H

#include "curve.h"

#include <stddef.h>

enum { BINS = 128 };

struct histogram {
    int channels;          /* 1 or 3; 0: not computed */
    float shares[3][BINS]; /* of the pixels, in each channel; they add up to 1 */
};

void histogram_count(struct histogram *histogram, enum samples samples, const float *values, size_t pixels,
                     int channels);

/* The height that a plot needs: the largest share, except in the first and the last bin, where values beyond
 * the display are counted. */
float histogram_peak(const struct histogram *histogram);

#endif
