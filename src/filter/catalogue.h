/* The catalogue of named filters: what abbe_filter_catalogue publishes and abbe_filter_parse reads, and the
 * builders behind the names. */
#ifndef ABBE_FILTER_CATALOGUE_H
#define ABBE_FILTER_CATALOGUE_H

#include "filter/filter.h"

enum { KEYS_MAX = 5 };

/* The order of the catalogue. */
enum {
    FILTER_IDENTITY,
    FILTER_BOX,
    FILTER_GAUSSIAN,
    FILTER_DERIVATIVE,
    FILTER_DISK,
    FILTER_MOTION,
    FILTER_SHARPEN,
    FILTER_UNSHARP,
    FILTER_LAPLACIAN,
    FILTER_LOG,
    FILTER_DOG,
    FILTER_SOBEL,
    FILTER_PREWITT,
    FILTER_SCHARR,
    FILTER_EMBOSS,
    FILTER_GABOR,
    FILTER_SEPARABLE,
    FILTER_KERNEL,
    FILTER_LOWPASS,
    FILTER_HIGHPASS,
    FILTER_BANDPASS,
    FILTER_BANDREJECT,
    FILTER_NOTCH,
    FILTER_STREAK,
    FILTER_POWER,
    FILTER_MASK,
    FILTERS
};

/* The arguments of a builder, in the order of the keys. */
struct arguments {
    /* NUMBER and INTEGER: the number; FREQUENCY: cycles per pixel; CHOICE: the index of the word. NaN for a
     * key that follows another one and is not given. */
    double value[KEYS_MAX];
    abbe_matrix matrix[KEYS_MAX]; /* LIST: one row; FILE: the contents */
    bool scaled;                  /* the contents of the file were divided by a scale that it states */
};

/* Fills a cleared filter. ABBE_OK, ABBE_ERR_SIZE, ABBE_ERR_MEMORY, or ABBE_ERR_RANGE when the rule of the
 * entry is broken; records no message and holds no memory on failure. */
int catalogue_build(size_t filter, const struct arguments *arguments, struct abbe_filter *out);

#endif
