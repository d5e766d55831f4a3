/* Writes PNG files with the C library alone. */
#ifndef EXAMPLES_PNG_H
#define EXAMPLES_PNG_H

#include <stdint.h>

/* Writes width × height pixels of { red, green, blue }, rows from top to bottom without padding.
 * Returns NULL, or a message; a regular file that could not be completed is removed. */
const char *png_write(const char *path, int width, int height, const uint8_t *rgb);

#endif
