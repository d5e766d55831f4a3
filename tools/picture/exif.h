/* EXIF data as a list of tags: read from TIFF directories, and written to them. */
#ifndef ABBE_PICTURE_EXIF_H
#define ABBE_PICTURE_EXIF_H

#include <stdbool.h>
#include <vips/vips.h>

/* Tags of the main directory that tell of the picture, not of its pixels, and all tags of the directories
 * EXIF, GPS and interoperability. Neither orientation nor thumbnail are among them. */
struct exif { /* zeros: none */
    GArray *tags;
    GByteArray *values;
    bool is_cut; /* tags were left out because there were more than EXIF_MAX bytes */
};

/* Most bytes in all: a block of a JPEG holds 64 kB. */
enum { EXIF_MAX = 60000 };

void exif_free(struct exif *exif);

/* Whether there is a tag besides those of the resolution, which every file has. */
bool exif_has_news(const struct exif *exif);

/* Reads a block as JPEG files hold it, with or without "Exif" before it. What is damaged is left out. */
struct exif exif_from_block(const void *block, size_t size);

/* Reads a TIFF file, without its image description. The source must be seekable; it is rewound. */
struct exif exif_from_tiff(VipsSource *source);

/* Makes a block for JPEG files, which begins with "Exif\0\0". */
GByteArray *exif_to_block(const struct exif *exif);

/* Adds the tags that a TIFF file does not have, at its end. Returns false with errno. */
bool exif_into_tiff(const struct exif *exif, int descriptor);

#endif
