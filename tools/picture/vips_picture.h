/* Functions that the files behind picture.h share. Only these files use libvips. */
#ifndef ABBE_VIPS_PICTURE_H
#define ABBE_VIPS_PICTURE_H

#include "picture.h"

#include <vips/vips.h>

/* ---- picture.c ----------------------------------------------------------------------------------------- */

/* The reason of libvips's last failure, without its internal names; clears libvips's list of errors.
 * `fallback` is the text when there is no reason. Valid until the next call. */
const char *picture_reason(const char *fallback);

/* One stage of a command for the progress bar, from one fraction of the command to another. */
struct stage {
    const char *what;
    double from, to;
};

/* Reports the evaluation of `image` as that stage, which must live as long as the image. */
void picture_watch(VipsImage *image, struct stage *stage);

VipsBandFormat picture_band_format(abbe_type type);

/* Channels of a colour in that interpretation without alpha: 1, 3 or 4; 0 when channels are not colours. */
int picture_colours(VipsInterpretation interpretation);

/* ---- turn.c -------------------------------------------------------------------------------------------- */

/* An upright picture in memory, addressed as its file stores it: pixel (x, y) of the file lies at
 * first + x·step_x + y·step_y. */
struct turned {
    int width, height; /* of the file */
    size_t pixel;      /* bytes of a pixel */
    char *first;
    ptrdiff_t step_x, step_y;
};

struct turned turn_picture(const abbe_image *upright, int orientation);

/* Whether that orientation exchanges width and height. */
bool turn_swaps(int orientation);

/* Copies between a picture in memory and a rectangle of its file, whose `rows` lie `stride` bytes apart. */
void turn_in(const struct turned *turned, const VipsRect *area, const char *rows, ptrdiff_t stride);
void turn_out(const struct turned *turned, const VipsRect *area, char *rows, ptrdiff_t stride);

/* ---- destination.c ------------------------------------------------------------------------------------- */

/* What becomes of the orientation in a file format. */
enum turn {
    TURN_LOST,    /* there is no tag that readers apply */
    TURN_IN_EXIF, /* libvips 8.14 writes the tag only inside existing EXIF data */
    TURN_KEPT,
};

/* A file format for results. */
struct format {
    const char *extensions; /* without dots, separated by spaces; messages show the first */
    const char *title;
    const char *saver; /* libvips's operation */
    abbe_type narrowest, widest;
    int colours; /* most channels without alpha; CMYK becomes RGB where there are three */
    enum turn turn;
    const char *defaults; /* options that apply unless the name of the output sets them; may be NULL */
};

/* The format in which samples of that type are written. */
const struct format *destination_format(const struct destination *destination, abbe_type type);

/* Creates the saver of a destination for pixels of that type and size in bytes, with the defaults of the
 * format and the options of the name. NULL after printing an error. The caller unrefs it. */
VipsOperation *destination_create_saver(const struct destination *destination, abbe_type type, size_t bytes);

/* ---- inspect.c ----------------------------------------------------------------------------------------- */

bool inspect_is_png(VipsSource *source);
bool inspect_is_tiff(VipsSource *source);

/* Whether the chunks of a PNG declare plausible sizes. The source must be seekable. Prints errors. */
bool inspect_png(const char *name, VipsSource *source);

/* Whether a TIFF begins with a picture, not with a thumbnail. The source must be seekable. Prints errors. */
bool inspect_tiff(const char *name, VipsSource *source);

#endif
