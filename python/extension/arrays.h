/* Buffers of Python objects as views of pixels and as matrices. */
#ifndef ABBE_EXTENSION_ARRAYS_H
#define ABBE_EXTENSION_ARRAYS_H

#include "extension.h"

/* The pictures of one array. */
struct pictures {
    Py_buffer buffer;
    size_t count;
    abbe_image *views; /* `count` views; &single for one */
    abbe_image single;
};

/* Describes the pictures of an array whose last axes are rows and columns, or rows, columns and channels, and
 * whose other axes count pictures. Returns 0, or −1 with an exception. */
int arrays_open(PyObject *array, bool writable, bool channels, struct pictures *pictures);

/* Releases what arrays_open took; accepts a struct of zeros. */
void arrays_close(struct pictures *pictures);

/* Fills `matrix` from an array of doubles of one or two axes whose numbers follow each other; one axis is one
 * row. The buffer must be released. With `complex` the array has pairs of doubles. */
int arrays_matrix(PyObject *array, bool complex, Py_buffer *buffer, abbe_matrix *matrix);

#endif
