/* Filter: what is done to a picture. */
#ifndef ABBE_EXTENSION_FILTER_H
#define ABBE_EXTENSION_FILTER_H

#include "extension.h"

struct filter {
    PyObject_HEAD abbe_filter *handle;
    PyObject *function; /* of a transfer function: f(frequencies along x, along y) → gains */
    PyObject *parts;    /* of a chain: its filters, whose functions plans may call */
};

/* Returns the library's filters of a tuple, in an array for PyMem_Free; NULL with an exception. */
const abbe_filter **filter_list(const struct module_state *state, PyObject *tuple, size_t *count);

#endif
