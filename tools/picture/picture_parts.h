/* What the files behind picture.h share. They alone see libvips. */
#ifndef ABBE_TOOL_PICTURE_PARTS_H
#define ABBE_TOOL_PICTURE_PARTS_H

#include "picture.h"

#include <vips/vips.h>

/* ---- picture.c ------------------------------------------------------------------------------------------ */

/* What libvips says went wrong, as the end of a sentence; its list of errors is emptied. `instead` is the text
 * when it says nothing. Valid until the next call. */
const char *picture_reason(const char *instead);

/* One part of a job, for the progress bar. */
struct stage {
    const char *what;
    double from, to;
};

/* Shows the evaluation of `image` as that stage, which must live as long as the image. */
void picture_watch(VipsImage *image, struct stage *stage);

/* The name in messages: "standard input" or "standard output" for "-". */
const char *picture_input_name(const char *path);
const char *picture_output_name(const char *path);

VipsBandFormat picture_band_format(abbe_type type);

/* ---- picture_turn.c ------------------------------------------------------------------------------------- */

/* An upright picture in memory, seen as its file stores it: pixel (x, y) of the file lies at
 * first + x·step_x + y·step_y. */
struct turned {
    int width, height; /* of the file */
    size_t pixel;      /* bytes of one */
    char *first;
    ptrdiff_t step_x, step_y;
};

struct turned picture_turn(const abbe_image *upright, int orientation);

/* Whether width and height change places under that orientation. */
bool picture_turn_swaps(int orientation);

/* Between a picture in memory and a rectangle of its file, `rows` lying `stride` bytes apart. */
void picture_turn_in(const struct turned *turned, const VipsRect *area, const char *rows, ptrdiff_t stride);
void picture_turn_out(const struct turned *turned, const VipsRect *area, char *rows, ptrdiff_t stride);

/* ---- picture_format.c ----------------------------------------------------------------------------------- */

/* A format for results. */
struct format {
    const char *extensions; /* without dots, separated by spaces; the first stands in messages */
    const char *title;
    const char *saver; /* libvips's operation */
    abbe_type narrowest, widest;
    int colours;     /* most channels, alpha apart; CMYK becomes RGB where there are but three */
    bool keeps_turn; /* has a place for the orientation tag that readers obey */
    const char *defaults[3];
};

/* Where a result goes and how: "photos/out.jpg[Q=95]" taken apart. */
struct destination {
    const struct format *format;
    char *path; /* NULL: standard output */
    char *options;
};

/* Takes a name apart; says what is wrong with it. To be freed by destination_free either way. */
bool destination_parse(const char *path, abbe_type type, struct destination *destination);
void destination_free(struct destination *destination);

/* A saver for that destination with the format's defaults and the options of the name; NULL after saying which
 * option is wrong. `bytes` is the size of the pixels, `type` theirs. */
VipsOperation *destination_saver(const struct destination *destination, abbe_type type, size_t bytes);

/* ---- picture_options.c ---------------------------------------------------------------------------------- */

/* Whether the options of a name (may be NULL) set what the first option of `setting` sets. */
bool saver_mentions(const char *options, const char *setting);

/* Sets "key=value,…"; false, with the reason among libvips's errors, for an option that the saver does not have, that
 * would change what is written or where, or whose value is out of range. */
bool saver_set(VipsOperation *saver, const char *options);

/* ---- picture_png.c -------------------------------------------------------------------------------------- */

bool picture_is_png(VipsSource *source);

/* Whether a PNG, which can be read anywhere, declares parts of a sane size. Says what is wrong. */
bool picture_png_check(const char *name, VipsSource *source);

/* ---- picture_tiff.c ------------------------------------------------------------------------------------- */

/* Whether a source that is a TIFF and can be read here and there begins with a picture rather than with the
 * thumbnail of one. Says what is wrong. */
bool picture_tiff_check(const char *name, VipsSource *source);

/* ---- picture_header.c ----------------------------------------------------------------------------------- */

/* Channels of a colour in that interpretation, alpha apart: 1, 3 or 4; 0 when channels are not colours. */
int picture_colours(VipsInterpretation interpretation);

/* Metadata alone, without pixels; NULL on failure. */
VipsImage *picture_header_copy(VipsImage *image);

/* The orientation that the picture will have in a file of that format: its own, or 1 where the tag would be lost. */
int picture_kept_turn(const struct picture *picture, const struct format *format);

/* An image without pixels yet, headed as the picture should be in a file of that format. NULL on failure. */
VipsImage *picture_header_create(const struct picture *picture, const struct format *format,
                                 const char *description);

#endif
