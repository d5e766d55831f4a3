/* Floats and doubles as integers, as C's conversion makes them: towards 0, then reduced to the bits of the type. */
#include "arrays.h"

#include <stdint.h>
#include <string.h>

/* Numbers that are converted together, and then looked through together. */
enum { BLOCK = 128 };

/* Positions of numbers that are too close to a whole number to tell which integer is right. */
struct undecided {
    int64_t *positions;
    size_t count, most;
    bool wanted, too_many;
};

/* One conversion. */
struct conversion {
    double margin; /* numbers this close to a whole number are that number */
    size_t count;  /* of numbers */
    size_t width;  /* bytes of an integer: 1, 2, 4 or 8 */
    void *integers;
    struct undecided undecided;
};

static void note_position(struct undecided *undecided, size_t position)
{
    undecided->too_many = undecided->count == undecided->most;
    if (!undecided->too_many)
        undecided->positions[undecided->count++] = (int64_t)position;
}

#define NAME(x) x##_floats
#define NUMBER float
#define WHOLE int32_t
#define BITS uint32_t
#define SHIFT 0x1.8p23
#define LIMIT 0x1p22
#include "truncate_tmpl.h"

#define NAME(x) x##_doubles
#define NUMBER double
#define WHOLE int64_t
#define BITS uint64_t
#define SHIFT 0x1.8p52
#define LIMIT 0x1p51
#include "truncate_tmpl.h"

/* Whether a buffer lies where its items may be accessed. */
static bool is_aligned(const Py_buffer *buffer)
{
    return (uintptr_t)buffer->buf % (size_t)buffer->itemsize == 0;
}

/* Describes the numbers and the integers of two buffers. False with an exception where they do not fit together. */
static bool describe(const Py_buffer *numbers, const Py_buffer *integers, struct conversion *conversion)
{
    const char *format = numbers->format ? numbers->format : "B";
    const bool known = !strcmp(format, "f") || !strcmp(format, "d");
    const Py_ssize_t width = integers->itemsize;
    const bool fits = known && (width == 1 || width == 2 || width == 4 || width == 8) &&
                      integers->len % width == 0 && numbers->len / numbers->itemsize == integers->len / width;
    if (!fits || !is_aligned(numbers) || !is_aligned(integers)) {
        PyErr_SetString(PyExc_ValueError, "floats or doubles, and as many integers, are needed");
        return false;
    }
    conversion->count = (size_t)(numbers->len / numbers->itemsize);
    conversion->width = (size_t)width;
    conversion->integers = integers->buf;
    return true;
}

/* The result of truncate(): None, or the undecided positions. */
static PyObject *list_undecided(const struct undecided *undecided)
{
    if (!undecided->wanted || undecided->too_many)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize((const char *)undecided->positions,
                                     (Py_ssize_t)(undecided->count * sizeof *undecided->positions));
}

static PyObject *convert(const Py_buffer *numbers, struct conversion *conversion)
{
    struct undecided *undecided = &conversion->undecided;
    if (undecided->wanted) {
        undecided->positions = PyMem_Malloc((undecided->most + 1) * sizeof *undecided->positions);
        if (undecided->positions == NULL)
            return PyErr_NoMemory();
    }
    bool fits;
    PyThreadState *thread = PyEval_SaveThread();
    if (numbers->itemsize == sizeof(float))
        fits = convert_floats(numbers->buf, conversion);
    else
        fits = convert_doubles(numbers->buf, conversion);
    PyEval_RestoreThread(thread);
    PyObject *result = NULL;
    if (fits)
        result = list_undecided(undecided);
    else
        PyErr_SetString(PyExc_OverflowError, "a number is not finite, or exceeds the integers");
    PyMem_Free(undecided->positions);
    return result;
}

static PyObject *truncate_numbers(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *from, *to;
    Py_ssize_t most;
    struct conversion conversion = { 0 };
    Py_buffer numbers, integers;
    if (!PyArg_ParseTuple(args, "OOdn:truncate", &from, &to, &conversion.margin, &most))
        return NULL;
    if (PyObject_GetBuffer(from, &numbers, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
        return NULL;
    if (PyObject_GetBuffer(to, &integers, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE)) {
        PyBuffer_Release(&numbers);
        return NULL;
    }
    PyObject *result = NULL;
    if (describe(&numbers, &integers, &conversion)) {
        conversion.undecided.wanted = most >= 0;
        if (most >= 0)
            conversion.undecided.most = (size_t)most < conversion.count ? (size_t)most : conversion.count;
        result = convert(&numbers, &conversion);
    }
    PyBuffer_Release(&integers);
    PyBuffer_Release(&numbers);
    return result;
}

static PyMethodDef functions[] = {
    { "truncate", truncate_numbers, METH_VARARGS,
      "(numbers, integers, margin, most) → bytes of int64, the positions of numbers no farther than `margin` "
      "from a whole number; None where these are more than `most`, or where that is below 0" },
    { NULL, NULL, 0, NULL },
};

int truncate_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
