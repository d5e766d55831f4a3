/* Pictures in files, read and written by libvips, which the rest of the command does not see. */
#ifndef ABBE_PICTURE_H
#define ABBE_PICTURE_H

#include <abbe/abbe.h>

/* A picture in memory. It is upright: the orientation tag of its file has been applied. */
struct picture {
    abbe_image view; /* U8, U16 or F32, interleaved, rows without gaps, owned */
    bool has_alpha;  /* the last channel is alpha */
    void *origin;    /* libvips's image with metadata and profile; NULL for a picture that was not read */
    int orientation; /* EXIF 1 … 8 as it was in the file */
    int pages;       /* pages of the file, of which this is the first; 1 for a picture that was not read */
};

/* Starts and ends libvips. Its warnings are not printed; messages after which GLib ends the process are.
 * `threads` 0 leaves their number to libvips. */
bool picture_begin(const char *program, int threads);
void picture_end(void);

/* Name and version of libvips; works before picture_begin. */
const char *picture_library(void);

/* Creates a picture with undefined pixels. `like`, unless NULL, provides metadata, profile and orientation.
 * Prints an error when memory is short. */
bool picture_create(int width, int height, int channels, abbe_type type, const struct picture *like,
                    struct picture *picture);
void picture_free(struct picture *picture);

/* The image description of a picture that was read, or NULL. */
const char *picture_description(const struct picture *picture);

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct reading {
    long long max_pixels; /* larger pictures are refused */
    bool allow_untrusted; /* read formats whose decoders libvips marks as unsafe for untrusted files */
};
enum { MAX_PIXELS = 1000000000 };

/* Reads a file, or standard input for "-". The declared size is checked before any pixel is decoded. Reports
 * progress as "reading" between the fractions `from` and `to` of the command. Prints errors. */
bool picture_read(const char *path, const struct reading *reading, double from, double to,
                  struct picture *picture);

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* An output name such as "photos/out.jpg[Q=95]", parsed once. The extension chooses the format, options of
 * the format may follow in brackets, and "-" is standard output: a PNG, or a TIFF for floats. */
struct destination {
    const char *name;            /* for messages: the path, or "standard output" */
    char *path;                  /* NULL for standard output */
    char *options;               /* the text in brackets; NULL without brackets */
    const struct format *format; /* NULL for standard output and for an unknown extension */
};

/* Parses a name. Fails, and prints an error, only when memory is short; destination_check finds other
 * mistakes. Call destination_free in every case. */
bool destination_parse(const char *text, struct destination *destination);
void destination_free(struct destination *destination);

/* Checks, before any work is done, that a picture can be written: the extension, the options and the file
 * (target_check), or that standard output is not a terminal. Prints an error and returns false otherwise. */
bool destination_check(const struct destination *destination);

/* The type in which a result of type `wanted` is stored: the same, or the nearest that the format of a
 * checked destination holds (JPEG: U8; PNG: U8, U16; TIFF: all). */
abbe_type destination_type(const struct destination *destination, abbe_type wanted);

/* Whether floats are written as TIFF. */
bool destination_is_tiff(const struct destination *destination);

/* The options at the end of a name, from the opening bracket on; NULL without options. */
const char *destination_find_options(const char *text);

/* Writes a picture to a checked destination. The file appears whole or not at all. `description` becomes the
 * image description, which only TIFF keeps: NULL keeps that of the picture, "" removes it. Reports progress
 * as "writing" between the fractions `from` and `to` of the command. Prints errors. */
bool picture_write(const struct picture *picture, const struct destination *destination,
                   const char *description, double from, double to);

#endif
