/* Renders strokes into a raster over the frequency plane, or a part of it, at any resolution. */
#ifndef ABBE_SCENE_VIEWER_MASK_H
#define ABBE_SCENE_VIEWER_MASK_H

#include "strokes.h"

#include <stdint.h>

/* Element (x, y) tells how much of the frequency (u0 + x · du, v0 + y · dv) is painted, 0 … 255 for 0 … 1. */
struct mask {
    int width, height;
    double u0, v0, du, dv; /* in bins, as in struct point */
    uint8_t *amounts;
};

/* Creates an unpainted raster. Returns false if memory runs out. */
bool mask_create(int width, int height, struct mask *mask);
void mask_free(struct mask *mask);

/* Lets the raster cover the middle of the plane, one element per bin: all of it if the raster has the size of
 * the picture. */
void mask_centre(struct mask *mask);

/* Renders all strokes that are done. Both points of a frequency, (u, v) and (−u, −v), are painted alike. */
void mask_draw(struct mask *mask, const struct strokes *strokes);

/* Renders one stroke more; of a brush only the points from `from` on. */
void mask_draw_stroke(struct mask *mask, const struct strokes *strokes, size_t stroke, size_t from);

/* The gain, 0 … 255, of what is painted by this amount. */
uint8_t mask_gain(uint8_t amount, bool keep);

#endif
