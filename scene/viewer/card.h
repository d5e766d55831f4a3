/* Source and result of the viewer's work as textures of the window's context. */
#ifndef ABBE_SCENE_VIEWER_CARD_H
#define ABBE_SCENE_VIEWER_CARD_H

#include "work.h"

/* Makes the pictures, unless they are there. False where the driver has no memory for them. */
bool card_create(struct work *work);
void card_destroy(struct work *work);

/* The source in memory, to the card. Grey is red, green and blue. */
void card_write(const struct work *work);

/* Draws the source; filters it, by abbe_gl_filter; and waits, so that times are those of the work. */
bool card_draw(const struct work *work, struct scene *scene, const struct scene_params *params,
               char reason[SCENE_REASON]);
int card_filter(const struct work *work);

/* A picture, to memory. */
bool card_read(const struct work *work, const struct scene_picture *picture, float *values,
               char reason[SCENE_REASON]);

#endif
