/* Pictures in files: read and written by libvips, which the rest of the command does not see. */
#ifndef ABBE_TOOL_PICTURE_H
#define ABBE_TOOL_PICTURE_H

#include <abbe/abbe.h>

/* A picture in memory, upright (its orientation tag has been obeyed), with all that came with it. */
struct picture {
    abbe_image view; /* U8, U16 or F32, interleaved, packed rows, owned */
    bool has_alpha;  /* the last channel */
    void *origin;    /* the reader's image: metadata, profile, orientation; NULL for made pictures */
    int orientation; /* EXIF 1 … 8 as it was in the file */
    int pages;       /* of the file, of which this is the first; 1 for made pictures */
};

/* How pictures are read. */
struct reading {
    long long max_pixels;
    bool allow_untrusted; /* formats that libvips calls unfit for untrusted files */
};
enum { MAX_PIXELS = 1000000000 };

/* Starts and ends libvips. Its warnings go nowhere, for what matters comes back as errors; messages after which GLib
 * ends the process are said. */
bool picture_begin(const char *program, int threads);
void picture_end(void);

/* Name and version of the library that reads and writes, which need not have been started. */
const char *picture_library(void);

/* Reads a file, or standard input for "-". The declared size is checked before any pixel is decoded. Reports
 * progress as "reading" from `from` to `to`. Says what is wrong and returns false. */
bool picture_read(const char *path, const struct reading *reading, double from, double to,
                  struct picture *picture);

/* A picture of that shape with undefined pixels; `like` (may be NULL) lends metadata, profile, orientation. */
bool picture_create(int width, int height, int channels, abbe_type type, const struct picture *like,
                    struct picture *picture);
void picture_free(struct picture *picture);

/* The type in which a result of `wanted` type can be stored under that name ("-" too): the wanted one, or the
 * widest the format takes (JPEG: U8; PNG: U16; TIFF: F32). 0 after saying that the extension is unknown. */
abbe_type picture_storable(const char *path, abbe_type wanted);

/* The brackets with options at the end of such a name, "[Q=95]", or NULL. Only a person may choose options: a
 * name made from that of a file has "[]" appended where this finds brackets in it, which says that there are none. */
const char *picture_options(const char *name);

/* Whether a picture can be written under that name, before any work is done: its extension, the options in its
 * brackets, and target_check on the file; "-" when standard output is no terminal. Says what is wrong. */
bool picture_writable(const char *path);

/* Writes a picture; the extension chooses the format, "-" is standard output as PNG (TIFF for F32). Options of
 * the format may follow in brackets: "out.jpg[Q=95]". `description` becomes the image description;
 * NULL keeps that of the picture, "" leaves it out. The description is kept by TIFF alone.
 * The target appears whole or not at all. Reports progress as "writing". Says what is wrong. */
bool picture_write(const struct picture *picture, const char *path, const char *description, double from,
                   double to);

/* The image description of a picture that was read, or NULL. */
const char *picture_description(const struct picture *picture);

#endif
