/* The contents of the window: panes with pictures, and lines of text over them. */
#ifndef ABBE_SCENE_VIEWER_SCREEN_H
#define ABBE_SCENE_VIEWER_SCREEN_H

#include "../gl.h"
#include "layout.h"

#include <stdint.h>

/* Maximal number of text cells, and dots from line to line. */
enum { TEXT_COLUMNS = 160, TEXT_ROWS = 64, TEXT_PITCH = 11 };

struct screen {
    struct scene_gl gl;
    int picture_width, picture_height, channels;
    GLuint pane_program, text_program, vertices;
    GLuint pictures[PANES], mask, glyphs, letters;
    GLuint copies[PANES], copy_framebuffers[PANES]; /* copies of textures; 0 until the first screen_copy */
    GLuint shown[PANES];                            /* the texture on screen: of `pictures` or of `copies` */
    uint8_t text[TEXT_ROWS][TEXT_COLUMNS];
    int dot;          /* side of a dot of text, in pixels */
    float brightness; /* of panes */
};

bool screen_create(scene_get_function get, int width, int height, int channels, struct screen *screen,
                   char reason[SCENE_REASON]);
void screen_destroy(struct screen *screen);

/* Set the pixels of a pane: floats with the pictures' channels, or bytes for magnitudes and the mask. */
void screen_picture(struct screen *screen, enum pane pane, const float *values);

/* Sets them from a framebuffer of the pictures' size, rows from the bottom. */
void screen_copy(struct screen *screen, enum pane pane, unsigned framebuffer);
void screen_magnitudes(struct screen *screen, const uint8_t *values);
void screen_mask(struct screen *screen, const uint8_t *gains);

/* Write text, which the next screen_draw shows, from cell
 * (column, row) on. Text beyond the last cell is dropped. */
void screen_clear_text(struct screen *screen);
void screen_write(struct screen *screen, int column, int row, const char *text);
int screen_rows(const struct screen *screen, int height);

/* Draws panes and text. If is_light, pictures are linear light and the tone curve is applied. */
void screen_draw(struct screen *screen, int width, int height, const struct area areas[PANES], bool is_light);

#endif
