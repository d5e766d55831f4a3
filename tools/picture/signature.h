/* Formats of pictures that can be read, recognised by their first bytes. Only files that use libvips include
 * this. */
#ifndef ABBE_PICTURE_SIGNATURE_H
#define ABBE_PICTURE_SIGNATURE_H

#include <stdbool.h>
#include <vips/vips.h>

/* First bytes of a file that signature_find needs; fewer if the file is shorter. */
enum { SIGNATURE_BYTES = 1024 };

/* What a loader reads from. */
enum supply {
    FROM_SOURCE,
    FROM_NAME,  /* a file's name: pipes are not possible */
    FROM_BYTES, /* the whole file in memory */
    OURS,       /* a source, by a function of ours */
};

/* One way in which files of a format begin. Either `bytes` stand at `offset`, or `matches` says so. */
struct signature {
    const char *title;  /* of the format, for messages */
    const char *loader; /* libvips's operation, the only one that is called */
    enum supply supply;
    int offset, length;
    const char *bytes;
    bool (*matches)(const unsigned char *start, size_t size);
    VipsImage *(*load)(VipsSource *source); /* for OURS */
};

/* The signature with which a file begins; NULL for unknown formats. Nothing of libvips is called. */
const struct signature *signature_find(const unsigned char *start, size_t size);

/* Whether the installed libvips has the loader, and whether it marks it as unsafe for untrusted files. */
bool signature_is_available(const struct signature *signature);
bool signature_is_untrusted(const struct signature *signature);

/* Whether the pages of a file can be read as one image, below each other. */
bool signature_has_pages(const struct signature *signature);

/* Whether one of several pages can be chosen. */
bool signature_has_page(const struct signature *signature);

/* Calls the loader, which reads the header of a picture. `path` is the name of the file, `page` a page from 0 on, or
 * −1 for all of them. NULL on failure, with libvips's error. */
VipsImage *signature_load(const struct signature *signature, VipsSource *source, const char *path, int page);

#endif
