/* Images of the formats that are read without libvips: rows of known size at known places of a file. */
#ifndef ABBE_PICTURE_ROWS_H
#define ABBE_PICTURE_ROWS_H

#include <stdbool.h>
#include <vips/vips.h>

/* Where the rows are, and how one is decoded. A format's own struct begins with it. */
struct rows {
    int width, height, channels;
    VipsBandFormat samples;
    VipsInterpretation colours;
    guint64 first;    /* offset of the first row in the file */
    guint64 size;     /* bytes of a row in the file */
    bool from_bottom; /* the first row in the file is the lowest of the picture */
    void (*decode)(const struct rows *rows, const unsigned char *from, void *to);
};

/* Makes an image that reads its rows from the source as they are needed, with a copy of `size` bytes of the
 * struct. The source must be seekable. Fails, with libvips's error, when the file has less than the header
 * declares. */
VipsImage *rows_image(VipsSource *source, const struct rows *rows, size_t size);

/* Reads exactly that many bytes; false without an error message where the file ends before. */
bool rows_read(VipsSource *source, guint64 offset, void *bytes, size_t count);

/* Writes the rows of an image to a target, the lowest first. The function fills the `size` bytes of a row, which
 * are zeros before the first call. False with libvips's error. */
typedef void (*rows_encode)(const VipsImage *image, const void *from, unsigned char *to);
bool rows_write(VipsImage *image, VipsTarget *target, size_t size, rows_encode encode);

#endif
