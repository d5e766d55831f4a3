/* Spectra of pictures, and the peaks in them. */
#include "arrays.h"

#include <string.h>

/* Transforms pictures of one channel to packed spectra of the same shape, or back. */
static PyObject *transform(PyObject *module, PyObject *args, bool inverse)
{
    PyObject *from, *to;
    if (!PyArg_ParseTuple(args, "OO", &from, &to))
        return NULL;
    struct pictures source, result;
    if (arrays_open(from, false, false, &source))
        return NULL;
    if (arrays_open(to, true, false, &result)) {
        arrays_close(&source);
        return NULL;
    }
    int error = ABBE_OK;
    if (source.count != result.count)
        PyErr_Format(PyExc_ValueError, "%zu pictures and %zu spectra", source.count, result.count);
    Py_BEGIN_ALLOW_THREADS for (size_t i = 0; source.count == result.count && i < source.count && !error; i++)
        error = inverse ? abbe_spectrum_inverse(NULL, &source.views[i], &result.views[i])
                        : abbe_spectrum_forward(NULL, &source.views[i], &result.views[i]);
    Py_END_ALLOW_THREADS const bool wrong = source.count != result.count;
    arrays_close(&source);
    arrays_close(&result);
    if (wrong)
        return NULL;
    if (error)
        return errors_raise(module_state_of(module), error);
    Py_RETURN_NONE;
}

static PyObject *spectrum_forward(PyObject *module, PyObject *args)
{
    return transform(module, args, false);
}

static PyObject *spectrum_inverse(PyObject *module, PyObject *args)
{
    return transform(module, args, true);
}

/* Converts between complex and packed spectra: contiguous buffers of `count` planes. */
static PyObject *repack(PyObject *module, PyObject *args, bool unpack)
{
    int width, height;
    Py_ssize_t count;
    Py_buffer from = { 0 }, to = { 0 };
    if (!PyArg_ParseTuple(args, "iiny*w*", &width, &height, &count, &from, &to))
        return NULL;
    int error = ABBE_OK;
    size_t plane = 0, need = 0;
    const bool fits = width > 0 && height > 0 && count >= 0 &&
                      !__builtin_mul_overflow((size_t)width, (size_t)height, &plane) &&
                      !__builtin_mul_overflow(plane, (size_t)count * 2 * sizeof(float), &need) &&
                      (size_t)(unpack ? to.len : from.len) == need &&
                      (size_t)(unpack ? from.len : to.len) == need / 2;
    if (fits) {
        const float *source = from.buf;
        float *result = to.buf;
        Py_BEGIN_ALLOW_THREADS for (Py_ssize_t i = 0; i < count && !error; i++)
        {
            error = unpack ? abbe_spectrum_unpack(width, height, source, result)
                           : abbe_spectrum_pack(width, height, source, result);
            source += unpack ? plane : 2 * plane;
            result += unpack ? 2 * plane : plane;
        }
        Py_END_ALLOW_THREADS
    } else {
        PyErr_SetString(PyExc_ValueError, "the buffers do not have the size of the spectra");
    }
    PyBuffer_Release(&from);
    PyBuffer_Release(&to);
    if (!fits)
        return NULL;
    if (error)
        return errors_raise(module_state_of(module), error);
    Py_RETURN_NONE;
}

static PyObject *spectrum_pack(PyObject *module, PyObject *args)
{
    return repack(module, args, false);
}

static PyObject *spectrum_unpack(PyObject *module, PyObject *args)
{
    return repack(module, args, true);
}

static PyObject *list_peaks(const abbe_peak *const *peaks, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = Py_BuildValue("(dddddin)", peaks[i]->x, peaks[i]->y, peaks[i]->amplitude,
                                       peaks[i]->prominence, peaks[i]->radius, peaks[i]->harmonic,
                                       (Py_ssize_t)peaks[i]->fundamental);
        if (item == NULL || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *find_peaks(PyObject *module, PyObject *args)
{
    PyObject *array;
    int channels;
    abbe_peak_params params = { .size = sizeof params };
    if (!PyArg_ParseTuple(args, "Opid:find_peaks", &array, &channels, &params.most, &params.prominence))
        return NULL;
    struct pictures picture;
    if (arrays_open(array, false, channels, &picture))
        return NULL;
    if (picture.count != 1) {
        PyErr_Format(PyExc_ValueError, "peaks of one picture are found, not of %zu", picture.count);
        arrays_close(&picture);
        return NULL;
    }
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    int error;
    Py_BEGIN_ALLOW_THREADS error = abbe_peaks_find(NULL, picture.views, &params, &peaks, &count);
    Py_END_ALLOW_THREADS arrays_close(&picture);
    if (error)
        return errors_raise(module_state_of(module), error);
    PyObject *list = list_peaks(peaks, count);
    abbe_peaks_free(&peaks);
    return list;
}

static PyMethodDef functions[] = {
    { "spectrum_forward", spectrum_forward, METH_VARARGS, "(pictures, packed)" },
    { "spectrum_inverse", spectrum_inverse, METH_VARARGS, "(packed, pictures)" },
    { "spectrum_pack", spectrum_pack, METH_VARARGS, "(width, height, count, spectra, packed)" },
    { "spectrum_unpack", spectrum_unpack, METH_VARARGS, "(width, height, count, packed, spectra)" },
    { "find_peaks", find_peaks, METH_VARARGS, "(picture, channels, most, prominence) → a list" },
    { NULL, NULL, 0, NULL },
};

int spectrum_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
