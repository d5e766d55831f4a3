/* Functions that the files behind picture.h share. Only these files use libvips. */
#ifndef ABBE_VIPS_PICTURE_H
#define ABBE_VIPS_PICTURE_H

#include "picture.h"
#include "signature.h"

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

/* Like picture_create, with memory for several pages. */
bool picture_create_pages(int width, int height, int channels, abbe_type type, const struct picture *like,
                          int pages, struct picture *picture);

/* ---- turn.c -------------------------------------------------------------------------------------------- */

/* An upright picture in memory, addressed as its file stores it: pixel (x, y) of the file lies at
 * first + x·step_x + y·step_y. Further pages lie below each other in the image of libvips, and behind each other,
 * each upright, in memory. */
struct turned {
    int width, height; /* of a page in the file */
    ptrdiff_t page;    /* bytes of a page in memory */
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

/* Metadata that files of a format keep. */
enum {
    KEEPS_EXIF = 1,
    KEEPS_XMP = 2,
    KEEPS_IPTC = 4,
    KEEPS_PROFILE = 8,
    KEEPS_DELAYS = 16,
    KEEPS_MOST = KEEPS_EXIF | KEEPS_XMP | KEEPS_PROFILE,
    KEEPS_ALL = KEEPS_MOST | KEEPS_IPTC,
};

/* A file format for results. */
struct format {
    const char *extensions; /* without dots, separated by spaces; messages show the first */
    const char *title;
    const char *saver; /* libvips's operation; NULL for formats with `write` */
    abbe_type narrowest, widest;
    int colours; /* most channels without alpha; CMYK becomes RGB where there are three */
    enum turn turn;
    const char *defaults; /* options that apply unless the name of the output sets them; may be NULL */
    unsigned keeps;
    bool has_pages; /* files may have several */
    /* Adds metadata that the saver does not write to the complete file; false with errno. May be NULL. */
    bool (*finish)(const char *name, VipsImage *image, int descriptor);
    bool (*write)(VipsImage *image,
                  VipsTarget *target); /* of formats that are written without libvips's saver */
};

/* The format in which samples of that type are written. */
const struct format *destination_format(const struct destination *destination, abbe_type type);

/* How the pixels of a TIFF are stored: values of its tags, 0 where they are missing. */
struct tiff_storage {
    int compression;
    int tile_width, tile_height; /* 0 for strips */
};

/* Notes how the pixels of a TIFF are stored in the metadata of its image. A TIFF written from it is stored alike if
 * that loses nothing. */
void destination_note_storage(VipsImage *image, const struct tiff_storage *storage);

/* Creates the saver of a destination for pixels of that type and size in bytes, with the defaults of the
 * format, what `origin` has noted of its storage (NULL: nothing) and the options of the name. *saver is NULL for formats with `write`. The caller unrefs it. Prints
 * errors. */
bool destination_create_saver(const struct destination *destination, abbe_type type, size_t bytes,
                              VipsImage *origin, VipsOperation **saver);

/* Whether the saver takes rows one after the other, without holding the picture; otherwise writes why into `reason`. */
bool destination_takes_rows(const struct destination *destination, abbe_type type, char *reason, size_t size);

/* The height of the tiles of the TIFF that an image was read from; 0 for others. */
int destination_tile_height(VipsImage *origin);

/* Lets the saver of a TIFF make no smaller copies of the picture, unless the options of its name ask for them. True where
 * these would have been made because the source has them. */
bool destination_drop_pyramid(const struct destination *destination, VipsImage *origin, VipsOperation *saver);

/* ---- metadata.c ---------------------------------------------------------------------------------------- */

struct exif;

/* Gives an image that was read from a TIFF its EXIF data, as libvips does for other formats. */
void metadata_attach(const char *name, VipsImage *image, const struct exif *exif);

/* Prints one warning that names what files of that format do not keep of the image's metadata, if anything. */
void metadata_say_lost(const char *name, const struct format *format, VipsImage *image);

bool metadata_finish_tiff(const char *name, VipsImage *image, int descriptor);
bool metadata_finish_jxl(const char *name, VipsImage *image, int descriptor);
bool metadata_finish_jp2(const char *name, VipsImage *image, int descriptor);

/* ---- resources.c --------------------------------------------------------------------------------------- */

/* After reading: gives an image IPTC and Photoshop's resources as fields apart. Before writing: joins
 * them, for a JPEG into its block, for a TIFF into the list of resources. Where a JPEG cannot hold all, IPTC alone
 * is kept; `name` is that of the file, for a warning where it is too long itself. */
void resources_divide(VipsImage *image);
void resources_join(const char *name, VipsImage *image, bool is_jpeg);

/* ---- parts.c ------------------------------------------------------------------------------------------- */

/* Removes from XMP thumbnails, and what announces a gain map or other parts of the file that are not read, with
 * a warning. */
void parts_drop(const char *name, VipsImage *image);

/* ---- open.c -------------------------------------------------------------------------------------------- */

/* The name of an input in messages. */
const char *open_name(const char *path, const struct reading *reading);

/* Refuses folders, devices and empty files. *file is a source of a regular file, and NULL for pipes and sockets. False
 * after printing an error. */
bool open_entry(const char *name, int descriptor, VipsSource **file);

/* Opens a file, or standard input for "-" (the picture of reading->sequence that was found last, or the only one),
 * and finds its signature. Every source is seekable. Formats whose loader is unsafe are refused unless
 * reading->allow_untrusted is set. NULL after printing an error. */
VipsSource *open_source(const char *path, const struct reading *reading, const struct signature **signature);

/* ---- read.c -------------------------------------------------------------------------------------------- */

/* Keeps UCHAR, USHORT and FLOAT; converts other formats to FLOAT. Takes the image, and returns NULL after a failure. */
VipsImage *read_convert_samples(VipsImage *image);

/* Says why the pixels of a picture could not be read. */
void read_say_failed(const struct inflow *inflow);

/* ---- write.c ------------------------------------------------------------------------------------------- */

/* Callbacks that libvips writes through, so that the result does not depend on how a saver treats errors, and
 * the reason of a failure is known. When a write fails, libvips 8.14's saver for JPEG 2000 repeats it
 * forever; so errors are not reported to savers. The first error is kept and the image is killed, which
 * makes every saver stop. */
struct outlet {
    int descriptor;
    VipsImage *image;
    int error; /* errno; 0: none */
};

/* How a picture is saved. */
struct saving {
    const char *name; /* of the file, for messages */
    const struct format *format;
    VipsImage *image;     /* with metadata */
    VipsOperation *saver; /* NULL for formats with `write` */
    bool strips;          /* metadata are not wanted */
    struct outlet outlet;
};

/* Prepares to save a picture, whose view need not have pixels: `provide`, with `context`, is called for them. Both must
 * outlive the saving. Prints errors; call saving_end in every case. */
bool saving_begin(const struct picture *picture, const struct destination *destination,
                  const char *description, VipsGenerateFn provide, void *context, struct saving *saving);

/* Writes the file, apart from metadata that the saver does not know, to a descriptor that can seek. Any thread may call
 * it. Prints nothing. */
bool saving_run(struct saving *saving, int descriptor);

/* Adds the metadata. Prints errors, also those of saving_run, which returned `saved`. */
bool saving_finish(struct saving *saving, bool saved);
void saving_end(struct saving *saving);

/* ---- sequence.c ---------------------------------------------------------------------------------------- */

/* A source of the picture that sequence_next found; valid until the next call of that. For the last picture, call
 * it once: its bytes go with the source. */
VipsSource *sequence_source(struct sequence *sequence);

/* A source of the only picture of a pipe or of standard input. Pipes are read whole into memory, because decoders seek,
 * keep what they read without a limit, or take a short read for the end. NULL after printing an error. */
VipsSource *sequence_only(const char *title, int descriptor);

/* ---- inspect.c, inspect_boxes.c, inspect_jpeg.c, inspect_png.c ----------------------------------------- */

bool inspect_is_png(VipsSource *source);
bool inspect_is_tiff(VipsSource *source);

/* Whether the chunks of a PNG declare plausible sizes, and what is compressed beside the pixels inflates to 16
 * MB at most. The source must be seekable. Prints errors. */
bool inspect_png(const char *name, VipsSource *source);

/* Whether a TIFF begins with a picture, not with a thumbnail, and the values of its tags do not overlap. *pages are
 * those that it announces, whether they can be read or not; *storage is that of the first one. The source must be
 * seekable. Prints errors. */
bool inspect_tiff(const char *name, VipsSource *source, int *pages, struct tiff_storage *storage);

/* Whether a GIF does not end inside a block. *is_sound tells whether it ends as it should. The source must be
 * seekable. Prints errors. */
bool inspect_gif(const char *name, VipsSource *source, bool *is_sound);

/* Whether the metadata of a HEIF or AVIF file is not compressed. The source must be seekable. Prints errors. */
bool inspect_heif(const char *name, VipsSource *source);

/* Finds out whether a JPEG XL or JPEG 2000 file has boxes of metadata, which libvips 8.14 does not read. The
 * source must be seekable. False if it cannot be read again. */
bool inspect_boxes(VipsSource *source, bool *has_metadata);

/* Whether the pixels of a JPEG end where its data does. True for kinds of JPEG that the decoder checks itself, and
 * for those that it refuses. The source must be seekable, and is left anywhere. */
bool inspect_jpeg_data(VipsSource *source);

#endif
