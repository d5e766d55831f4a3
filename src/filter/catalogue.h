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
    const char *key; /* NULL ends the list */
    enum parameter_kind kind;
    double default_value, low, high; /* the default and the range; FREQUENCY: fractions of Nyquist */
    const char *const *words;        /* WORD: the choices, ended by NULL; the value is the index */
    bool required;
};

/* The arguments of a builder: values in the order of the parameters, FREQUENCY in cycles per pixel. */
struct arguments {
    double value[KEYS_MAX];
    const abbe_matrix *matrix; /* the contents of the file */
};

struct definition {
    const abbe_filter_entry *entry;
    struct parameter parameters[KEYS_MAX + 1];
    /* Fills a cleared filter. ABBE_OK, ABBE_ERR_SIZE, ABBE_ERR_MEMORY, or ABBE_ERR_RANGE when `rule` is
     * broken; records no message and holds no memory on failure. */
    int (*build)(const struct arguments *arguments, struct abbe_filter *filter);
    const char *rule; /* the condition between the values as a message, or NULL */
};

/* Returns definition i of the catalogue, or NULL when i is past the last. */
const struct definition *catalogue_definition(size_t i);

#endif
