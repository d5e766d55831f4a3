/* The window's contents: panes with pictures, and lines of text over them. */
#ifndef ABBE_SCENE_VIEWER_SCREEN_H
#define ABBE_SCENE_VIEWER_SCREEN_H

#include "../gl.h"
#include "layout.h"

#include <stdint.h>

enum { TEXT_COLUMNS = 160, TEXT_ROWS = 64, TEXT_PITCH = 11 }; /* cells at most; dots from line to line */

struct screen {
    struct scene_gl gl;
    int picture_width, picture_height, channels;
    GLuint pane_program, text_program, vertices;
    GLuint pictures[PANES], mask, glyphs, letters;
    GLuint copies[PANES], copy_framebuffers[PANES]; /* of pictures on the card; 0 until there was one */
    GLuint shown[PANES];                            /* one or the other */
    uint8_t text[TEXT_ROWS][TEXT_COLUMNS];
    int dot;          /* pixels of a dot of text */
    float brightness; /* of panes */
};

bool screen_create(scene_get_function get, int width, int height, int channels, struct screen *screen,
                   char reason[SCENE_REASON]);
void screen_destroy(struct screen *screen);

/* New pixels: floats of the pictures' channels, or bytes for magnitudes and the mask. */
void screen_picture(struct screen *screen, enum pane pane, const float *values);

/* The same from a framebuffer of the pictures' size, whose rows are from the bottom. */
void screen_copy(struct screen *screen, enum pane pane, unsigned framebuffer);
void screen_magnitudes(struct screen *screen, const uint8_t *values);
void screen_mask(struct screen *screen, const uint8_t *gains);

/* Text of the next drawing, from cell (column, row) on; what does not fit is left out. */
void screen_clear_text(struct screen *screen);
void screen_write(struct screen *screen, int column, int row, const char *text);
int screen_rows(const struct screen *screen, int height);

/* Draws panes and text. `is_light` pictures go through the tone curve. */
void screen_draw(struct screen *screen, int width, int height, const struct area areas[PANES], bool is_light);

#endif
