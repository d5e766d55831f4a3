/* A test picture: every frequency and direction, smooth shading, hard edges, hairlines, letters. */
#ifndef EXAMPLES_TEST_PICTURE_H
#define EXAMPLES_TEST_PICTURE_H

#include <stdint.h>

enum { TEST_PICTURE_WIDTH = 960, TEST_PICTURE_HEIGHT = 640 };

/* Draws the picture as rows of { red, green, blue }; the bytes are always the same. */
void test_picture_draw(uint8_t *rgb);

#endif
