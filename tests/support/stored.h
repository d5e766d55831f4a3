/* Stored pictures for tests: every type, odd and negative strides, guarded by unreadable pages.
 *
 * The pixels end (or begin) exactly at an unmapped page, and the bytes between rows hold a pattern, so a
 * library that reads or writes outside its views crashes or fails stored_check. */
#ifndef ABBE_TESTS_STORED_H
#define ABBE_TESTS_STORED_H

#include "support/random.h"
#include "support/reference.h"

struct stored {
    abbe_image view;
    void *mapping;
    size_t mapped, pixels; /* bytes of the mapping with its guards; bytes from the first row to the last */
    unsigned char *first;  /* the lowest byte of the pixels */
};

/* `padding` bytes between rows; `flip` stores the top row last and makes the stride negative; `at_end` puts
 * the last byte before the upper guard, otherwise the first byte after the lower one. */
struct stored stored_create(int width, int height, int channels, abbe_type type, int padding, bool flip,
                            bool at_end);

/* How the samples of a picture lie in memory. */
enum layout {
    LAYOUT_PACKED,        /* channels interleaved, no gaps */
    LAYOUT_PLANES,        /* one channel after the other */
    LAYOUT_PADDED_PLANES, /* the same with 3 bytes after each row */
    LAYOUT_SPARSE,        /* 3 bytes after each pixel */
    LAYOUT_MIRRORED,      /* the first pixel of a row is its last in memory */
    LAYOUT_COLUMNS,       /* planes, each column by column */
    LAYOUTS
};

/* The upper guard follows the last byte. */
struct stored stored_create_laid(int width, int height, int channels, abbe_type type, enum layout layout);
void stored_free(struct stored *stored);

/* Random samples over all of an integer type's range, or from −1 to 1 (0 to 1 when `positive`). */
void stored_randomize(struct stored *stored, struct random *random, bool positive);

/* Decodes the stored samples to the library's unit (integers to 0 … 1) without the library. */
struct picture stored_read(const struct stored *stored);

/* Stores a picture of the same shape: integers rounded and saturated, F16 and F32 rounded to nearest. */
void stored_write(struct stored *stored, const struct picture *picture);

/* The value of a binary16 number, by its definition. */
double half_value(uint16_t half);

/* The largest value of an integer type, 0 for the others. */
double type_levels(abbe_type type);

/* Whether the bytes between samples still hold their pattern. */
bool stored_check(const struct stored *stored);

/* Lets the address sanitizer accept copies of the bytes between samples, until stored_check. */
void stored_open_gaps(const struct stored *stored);

#endif
