/* The catalogue of named filters: keys, ranges, defaults and builders. */
#ifndef ABBE_FILTER_CATALOGUE_H
#define ABBE_FILTER_CATALOGUE_H

#include "filter/filter.h"

enum { KEYS_MAX = 5 };

enum parameter_kind {
    PARAMETER_NUMBER,
    PARAMETER_INTEGER,
    PARAMETER_FREQUENCY, /* written as a fraction of Nyquist, "0.1cpp" or "24px" */
    PARAMETER_WORD,
    PARAMETER_FILE
};

struct parameter {
    const char *key; /* NULL behind the last one */
    enum parameter_kind kind;
    double standard, low, high; /* FREQUENCY: fractions of Nyquist */
    const char *const *words;   /* WORD: the choices, NULL behind the last; the value is the index */
    bool required;
};

/* What a builder is given: values in the order of the parameters, FREQUENCY in cycles per pixel. */
struct arguments {
    double value[KEYS_MAX];
    const abbe_matrix *matrix; /* of a file */
};

struct definition {
    const abbe_filter_entry *entry;
    struct parameter parameters[KEYS_MAX + 1];
    /* Fills a cleared filter. ABBE_OK, ABBE_ERR_SIZE, ABBE_ERR_MEMORY, or ABBE_ERR_RANGE when `rule` is
     * broken; records no sentence and leaves nothing behind on failure. */
    int (*build)(const struct arguments *arguments, struct abbe_filter *filter);
    const char *rule; /* what must hold between the values, or NULL */
};

/* Definition i of the catalogue, NULL behind the last. */
const struct definition *catalogue_definition(size_t i);

#endif
