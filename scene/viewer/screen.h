/* The contents of the window: panes with pictures, and ink over them. */
#ifndef ABBE_SCENE_VIEWER_SCREEN_H
#define ABBE_SCENE_VIEWER_SCREEN_H

#include "../gl.h"
#include "ink.h"
#include "layout.h"
#include "zoom.h"

/* What is drawn into a pane: either bytes of its size, or a texture of a picture, by its place. */
struct pane_picture {
    GLuint texture, framebuffer; /* framebuffer: of a copy of a texture */
    int width, height;
    bool is_copy;
};

struct screen {
    struct scene_gl gl;
    GLuint pane_program, ink_program, vertices, ink_vertices, ink_buffer, glyphs;
    struct pane_picture panes[PANES], before; /* `before`: the source in the pane of the result */
    float brightness;                         /* of panes */
};

bool screen_create(scene_get_function get, struct screen *screen, char reason[SCENE_REASON]);
void screen_destroy(struct screen *screen);

/* Set the pixels of a pane, from width × height × 4 bytes; a fourth byte of 0 leaves the ground visible. */
void screen_bytes(struct screen *screen, struct pane_picture *pane, int width, int height,
                  const uint8_t *rgba);

/* Set them to a copy of a framebuffer with linear light or display values, rows from the bottom. */
void screen_copy(struct screen *screen, struct pane_picture *pane, int width, int height,
                 unsigned framebuffer);

/* Start a frame, draw a pane, and draw the ink. `shown` is the part of the window that the pane covers, and
 * `place` where a copy lies. `is_light`: a copy is linear light, to which the tone curve is applied. */
void screen_begin(struct screen *screen, int width, int height);
void screen_pane(struct screen *screen, int width, int height, const struct pane_picture *pane,
                 const struct area *area, const struct area *shown, const struct place *place, bool is_light);
void screen_ink(struct screen *screen, int width, int height, const struct ink *ink);

#endif
