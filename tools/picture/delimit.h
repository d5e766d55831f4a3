/* Where a picture ends in a stream of bytes. */
#ifndef ABBE_PICTURE_DELIMIT_H
#define ABBE_PICTURE_DELIMIT_H

#include <stddef.h>

enum { GIF_TRAILER = 0x3B };

/* The bytes that the first picture takes; 0 where the format does not tell, the picture is cut short, or what
 * follows belongs to it (a JPEG with several pictures in it). */
size_t delimit_picture(const unsigned char *bytes, size_t size);

/* Where the blocks of a GIF stop: at its trailer, at a byte that begins no block, or at the end. More than `size` where
 * it ends inside a block. */
size_t delimit_gif_blocks(const unsigned char *bytes, size_t size);

#endif
