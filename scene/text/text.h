/* A dot-matrix font of ASCII: each letter is five dots wide and eight high, descenders included. */
#ifndef ABBE_SCENE_TEXT_H
#define ABBE_SCENE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TEXT_ADVANCE = 6, TEXT_HEIGHT = 8 };

/* Tells whether the dot at (x, y) of a line of text is set. Dots outside the line are not. */
bool text_dot(const char *text, int x, int y);

/* Draws a line with dots of scale × scale pixels, its first dot at (left, top), clipped to the picture. */
void text_draw(uint8_t *rgb, int width, int height, int left, int top, int scale, const uint8_t colour[3],
               const char *text);

#endif
