/* A mask over the frequency plane, and a brush that paints on it, on both sides of the middle at once. */
#ifndef ABBE_SCENE_VIEWER_BRUSH_H
#define ABBE_SCENE_VIEWER_BRUSH_H

#include <stdbool.h>
#include <stdint.h>

/* Gains, 0 to 255 for 0 to 1, zero frequency at column width / 2 and row height / 2. */
struct mask {
    int width, height;
    uint8_t *gains;
    uint8_t ground; /* what everything was before anything was painted */
};

/* False when memory is short. */
bool mask_create(int width, int height, struct mask *mask);
void mask_free(struct mask *mask);

/* Everything becomes that gain, 0 or 255. */
void mask_clear(struct mask *mask, uint8_t ground);

/* Whether it changes nothing: every gain is 1. */
bool mask_is_open(const struct mask *mask);

/* A stroke of a round brush from one place to another, in pixels of the mask, and the stroke opposite to it. The edge
 * is as soft as one pixel. */
struct stroke {
    double x0, y0, x1, y1, radius;
    uint8_t gain;
};
void mask_paint(struct mask *mask, const struct stroke *stroke);

#endif
