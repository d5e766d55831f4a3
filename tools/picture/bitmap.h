/* BMP and PFM files, which libvips 8.14 reads only through ImageMagick, or upside down. */
#ifndef ABBE_PICTURE_BITMAP_H
#define ABBE_PICTURE_BITMAP_H

#include <stdbool.h>
#include <vips/vips.h>

/* Reads the header; the image reads its pixels later. NULL with libvips's error. */
VipsImage *bmp_load(VipsSource *source);
VipsImage *pfm_load(VipsSource *source);

/* Writes an image of bytes, or of floats, with 1 to 4 channels. False with libvips's error. */
bool bmp_save(VipsImage *image, VipsTarget *target);
bool pfm_save(VipsImage *image, VipsTarget *target);

#endif
