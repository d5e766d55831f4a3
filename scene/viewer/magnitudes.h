/* The magnitudes of a picture's spectrum, at any magnification. */
#ifndef ABBE_SCENE_VIEWER_MAGNITUDES_H
#define ABBE_SCENE_VIEWER_MAGNITUDES_H

#include "mask.h"
#include "pyramid.h"

#include <abbe/abbe.h>

struct bytes {
    int width, height;
    uint8_t *values;
};

/* Centred and logarithmic: the five decades below the strongest wave map to black … white. */
struct magnitudes {
    int plane_width, plane_height;   /* bins of the picture's transform */
    struct bytes levels[LEVELS_MAX]; /* the first may be coarser than the plane */
    int count;
};

/* Computes, on a device of the CPU, the spectrum of the luminance of floats; 1 or 3 channels. Returns an abbe_error. */
int magnitudes_compute(struct magnitudes *spectrum, abbe_device *cpu, int width, int height, int channels,
                       const float *values);

/* Computes, quickly, the spectrum of the middle of a large picture, which is similar but coarser. */
int magnitudes_estimate(struct magnitudes *spectrum, abbe_device *cpu, int width, int height, int channels,
                        const float *values);
void magnitudes_free(struct magnitudes *spectrum);

/* Renders part of the plane, as pyramid_render does. A pixel shows the strongest of the frequencies that it
 * covers, so that peaks stay visible. Removed frequencies are red; `mask` has the excerpt's size. */
void magnitudes_render(const struct magnitudes *spectrum, const struct excerpt *excerpt,
                       const struct mask *mask, bool keep, uint8_t *rgba);

#endif
