/* The buffer protocol, read once: format characters, shapes and strides. */
#include "arrays.h"

#include <limits.h>
#include <string.h>

/* The sample type of a format of the struct module; 0 where the library has none. */
static abbe_type type_of_format(const char *format, Py_ssize_t size)
{
    if (format == NULL)
        format = "B";
    if (*format == '@' || *format == '=' || *format == (PY_LITTLE_ENDIAN ? '<' : '>'))
        format++;
    if (*format == '\0' || format[1] != '\0')
        return 0;
    switch (*format) {
    case 'B': return ABBE_U8;
    case 'H': return ABBE_U16;
    case 'h': return ABBE_I16;
    case 'I':
    case 'L': return size == 4 ? ABBE_U32 : 0;
    case 'i':
    case 'l': return size == 4 ? ABBE_I32 : 0;
    case 'e': return ABBE_F16;
    case 'f': return ABBE_F32;
    case 'd': return ABBE_F64;
    default: return 0;
    }
}

/* Reads the last `axes` axes of the buffer into `view`. */
static int describe(const Py_buffer *buffer, int axes, abbe_image *view)
{
    int sizes[3] = { 0, 0, 1 };
    ptrdiff_t strides[3] = { 0, 0, 0 };
    for (int i = 0; i < axes; i++) {
        int axis = buffer->ndim - axes + i;
        if (buffer->shape[axis] < 1 || buffer->shape[axis] > INT_MAX) {
            PyErr_Format(PyExc_ValueError, "the array has %zd positions along axis %d; 1 to %d are possible",
                         buffer->shape[axis], axis, ABBE_SIDE_MAX);
            return -1;
        }
        sizes[i] = (int)buffer->shape[axis];
        /* The step of an axis of one position is never taken and may be any number, so that 0, "packed", is
         * right. An axis of several positions without step is a broadcast, which the library has not. */
        if (sizes[i] > 1) {
            strides[i] = buffer->strides[axis];
            if (strides[i] == 0) {
                PyErr_Format(PyExc_ValueError, "axis %d of the array is a broadcast; copy the array", axis);
                return -1;
            }
        }
    }
    view->data = buffer->buf;
    view->height = sizes[0];
    view->width = sizes[1];
    view->channels = sizes[2];
    view->stride = strides[0];
    view->pixel_stride = strides[1];
    view->channel_stride = strides[2];
    view->type = type_of_format(buffer->format, buffer->itemsize);
    if (view->type == 0) {
        PyErr_Format(PyExc_TypeError, "samples of the format '%s' cannot be filtered",
                     buffer->format ? buffer->format : "B");
        return -1;
    }
    return 0;
}

/* Fills one view per picture: the leading axes count like digits, the last one fastest. */
static int list_views(struct pictures *pictures, int leading)
{
    const Py_buffer *buffer = &pictures->buffer;
    size_t count = 1;
    for (int axis = 0; axis < leading; axis++)
        if (__builtin_mul_overflow(count, (size_t)buffer->shape[axis], &count))
            count = SIZE_MAX;
    pictures->count = count;
    pictures->views = &pictures->single;
    if (count <= 1)
        return 0;
    if (count > SIZE_MAX / sizeof(abbe_image)) {
        PyErr_NoMemory();
        return -1;
    }
    pictures->views = PyMem_Malloc(count * sizeof(abbe_image));
    if (pictures->views == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t offset = 0;
        size_t rest = i;
        for (int axis = leading; axis-- > 0;) {
            size_t size = (size_t)buffer->shape[axis];
            offset += (ptrdiff_t)(rest % size) * buffer->strides[axis];
            rest /= size;
        }
        pictures->views[i] = pictures->single;
        pictures->views[i].data = (char *)buffer->buf + offset;
    }
    return 0;
}

int arrays_open(PyObject *array, bool writable, bool channels, struct pictures *pictures)
{
    const int axes = channels ? 3 : 2;
    memset(pictures, 0, sizeof *pictures);
    if (PyObject_GetBuffer(array, &pictures->buffer,
                           PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)))
        return -1;
    if (pictures->buffer.ndim < axes) {
        PyErr_Format(PyExc_ValueError, "the array has %d axes; at least %d are needed", pictures->buffer.ndim,
                     axes);
    } else if (describe(&pictures->buffer, axes, &pictures->single) == 0 &&
               list_views(pictures, pictures->buffer.ndim - axes) == 0) {
        return 0;
    }
    arrays_close(pictures);
    return -1;
}

void arrays_close(struct pictures *pictures)
{
    if (pictures->views != &pictures->single)
        PyMem_Free(pictures->views);
    PyBuffer_Release(&pictures->buffer);
    memset(pictures, 0, sizeof *pictures);
}

int arrays_matrix(PyObject *array, bool complex, Py_buffer *buffer, abbe_matrix *matrix)
{
    if (PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
        return -1;
    const char *format = buffer->format ? buffer->format : "B";
    const Py_ssize_t rows = buffer->ndim == 2 ? buffer->shape[0] : 1;
    const Py_ssize_t columns = buffer->ndim >= 1 ? buffer->shape[buffer->ndim - 1] : 0;
    if (strcmp(format, complex ? "Zd" : "d") != 0)
        PyErr_Format(PyExc_TypeError, "numbers of the format '%s'; %s are needed", format,
                     complex ? "complex doubles" : "doubles");
    else if (buffer->ndim < 1 || buffer->ndim > 2)
        PyErr_Format(PyExc_ValueError, "%d axes; 1 or 2 are needed", buffer->ndim);
    else if (rows > INT_MAX || columns > INT_MAX)
        PyErr_Format(PyExc_ValueError, "%zd × %zd numbers are too many", columns, rows);
    else {
        *matrix = (abbe_matrix){ .width = (int)columns, .height = (int)rows, .values = buffer->buf };
        return 0;
    }
    PyBuffer_Release(buffer);
    return -1;
}
