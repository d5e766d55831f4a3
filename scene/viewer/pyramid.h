/* A picture at any magnification: pixels of the screen are weighted averages over the area around them, so that
 * fine patterns become grey and not moire. Smaller copies of large pictures keep that fast. */
#ifndef ABBE_SCENE_VIEWER_PYRAMID_H
#define ABBE_SCENE_VIEWER_PYRAMID_H

#include "curve.h"

#include <stdbool.h>
#include <stdint.h>

enum { LEVELS_MAX = 12, LEVEL_FACTOR = 4 };

struct level {
    int width, height;
    float
        *values; /* averages of the level before, which has LEVEL_FACTOR times as many pixels along an axis */
};

struct pyramid {
    enum samples samples;
    int width, height, channels; /* 1 or 3 */
    const float *base;           /* the picture, which belongs to the caller */
    struct level levels[LEVELS_MAX];
    int count;
};

/* Describes a picture, without smaller copies. */
void pyramid_begin(struct pyramid *pyramid, enum samples samples, int width, int height, int channels,
                   const float *base);

/* Computes the smaller copies anew. Returns false if memory runs out; everything works without them. */
bool pyramid_build(struct pyramid *pyramid);
void pyramid_free(struct pyramid *pyramid);

/* Output pixel (i, j) covers step_x × step_y pixels of the picture, from (x + i · step_x, y + j · step_y) on.
 * Magnified up to fourfold, it is interpolated. */
struct excerpt {
    double x, y, step_x, step_y;
    int width, height;
};

/* Renders display values, RGB and a fourth byte that is 0 outside the picture. Returns false if memory runs
 * out. */
bool pyramid_render(const struct pyramid *pyramid, const struct excerpt *excerpt, uint8_t *rgba);

/* Renders averages, `channels` numbers per pixel. */
bool pyramid_average(const struct pyramid *pyramid, const struct excerpt *excerpt, float *values);

#endif
