/* A mask over the frequency plane, and a brush that paints on it, symmetrically about zero frequency. */
#ifndef ABBE_SCENE_VIEWER_BRUSH_H
#define ABBE_SCENE_VIEWER_BRUSH_H

#include <stdbool.h>
#include <stdint.h>

/* Gains: 0 … 255 stand for 0 … 1. Zero frequency is at column width / 2 and row height / 2. */
struct mask {
    int width, height;
    uint8_t *gains;
    uint8_t ground; /* the gain of everything unpainted */
};

/* Returns false if memory runs out. */
bool mask_create(int width, int height, struct mask *mask);
void mask_free(struct mask *mask);

/* Sets all gains to `ground`, 0 or 255. */
void mask_clear(struct mask *mask, uint8_t ground);

/* Tells whether every gain is 1, so that the mask has no effect. */
bool mask_is_open(const struct mask *mask);

/* A stroke of a round brush from one point to another, in pixels of the mask. mask_paint also paints its
 * reflection about zero frequency. The edge is one pixel wide. */
struct stroke {
    double x0, y0, x1, y1, radius;
    uint8_t gain;
};
void mask_paint(struct mask *mask, const struct stroke *stroke);

#endif
