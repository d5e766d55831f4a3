/* Filter: the library's filters, from text, from numbers and from functions. */
#include "filter.h"

#include "arrays.h"
#include "sampling.h"

#include <string.h>

static struct filter *filter_of(PyObject *object)
{
    return (struct filter *)object;
}

/* Makes an object without a library filter. */
static struct filter *make(PyObject *type)
{
    return (struct filter *)((allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc))(
        (PyTypeObject *)type, 0);
}

/* Finishes a constructor: `error` is that of the library's function that made handle. */
static PyObject *finish(const struct module_state *state, struct filter *self, int error)
{
    if (error == ABBE_OK)
        return (PyObject *)self;
    Py_DECREF(self);
    return errors_raise(state, error);
}

const abbe_filter **filter_list(const struct module_state *state, PyObject *tuple, size_t *count)
{
    const Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 1) {
        PyErr_SetString(PyExc_ValueError, "no filter is given");
        return NULL;
    }
    const abbe_filter **list = PyMem_Malloc((size_t)size * sizeof *list);
    if (list == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        if (!PyObject_TypeCheck(item, (PyTypeObject *)state->filter_type)) {
            PyErr_Format(PyExc_TypeError, "filter %zd is no abbe._abbe.Filter", i);
            PyMem_Free(list);
            return NULL;
        }
        list[i] = filter_of(item)->handle;
    }
    *count = (size_t)size;
    return list;
}

/* ---- Text ---- */

/* Reads the text of a matrix, or copies an array of doubles. */
static int store_matrix(PyObject *value, abbe_matrix *matrix)
{
    if (PyBytes_Check(value)) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(value, &text, &length))
            return ABBE_ERR_FILE;
        int error = abbe_matrix_parse(text, (size_t)length, ABBE_MATRIX_AUTO, matrix);
        if (error)
            return error;
        return abbe_matrix_has_scale(text, (size_t)length, ABBE_MATRIX_AUTO) ? ABBE_LOADED_SCALED : ABBE_OK;
    }
    Py_buffer buffer;
    abbe_matrix view;
    if (arrays_matrix(value, false, &buffer, &view))
        return ABBE_ERR_FILE;
    int error = abbe_matrix_create(view.width, view.height, matrix);
    if (error == ABBE_OK)
        memcpy(matrix->values, view.values, (size_t)view.width * (size_t)view.height * sizeof(double));
    PyBuffer_Release(&buffer);
    return error;
}

/* The loader: `user` is a callable that takes the filter and the name, and returns the text or the numbers. */
static int load(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    PyObject *value = PyObject_CallFunction(user, "ss", filter, name);
    if (value == NULL)
        return ABBE_ERR_FILE;
    int error = store_matrix(value, matrix);
    Py_DECREF(value);
    return error;
}

static PyObject *filter_parse(PyObject *module, PyObject *args)
{
    const char *text;
    PyObject *loads = Py_None;
    if (!PyArg_ParseTuple(args, "s|O:parse", &text, &loads))
        return NULL;
    struct module_state *state = module_state_of(module);
    struct filter *self = make(state->filter_type);
    if (self == NULL)
        return NULL;
    const abbe_loader loader = { .load = load, .user = loads };
    return finish(state, self, abbe_filter_parse(text, loads == Py_None ? NULL : &loader, &self->handle));
}

/* ---- Numbers ---- */

static bool read_centre(PyObject *object, int centre[2])
{
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "the centre is a tuple of two numbers, or None");
        return false;
    }
    return PyArg_ParseTuple(object, "ii", &centre[0], &centre[1]);
}

static PyObject *filter_from_kernel(PyObject *module, PyObject *args)
{
    PyObject *taps, *centre_object;
    int centre[2], normalize;
    if (!PyArg_ParseTuple(args, "OOp:from_kernel", &taps, &centre_object, &normalize))
        return NULL;
    if (centre_object != Py_None && !read_centre(centre_object, centre))
        return NULL;
    Py_buffer buffer;
    abbe_matrix matrix;
    if (arrays_matrix(taps, false, &buffer, &matrix))
        return NULL;
    struct module_state *state = module_state_of(module);
    struct filter *self = make(state->filter_type);
    int error = ABBE_ERR_MEMORY;
    if (self != NULL) {
        const abbe_kernel_params params = { .size = sizeof params,
                                            .taps = &matrix,
                                            .normalize = normalize,
                                            .centre = centre_object == Py_None ? NULL : centre };
        error = abbe_filter_from_kernel(&params, &self->handle);
    }
    PyBuffer_Release(&buffer);
    return self ? finish(state, self, error) : NULL;
}

static PyObject *filter_from_separable(PyObject *module, PyObject *args)
{
    PyObject *row, *column, *centre_object;
    int centre[2], normalize;
    if (!PyArg_ParseTuple(args, "OOOp:from_separable", &row, &column, &centre_object, &normalize))
        return NULL;
    if (centre_object != Py_None && !read_centre(centre_object, centre))
        return NULL;
    Py_buffer row_buffer, column_buffer;
    abbe_matrix rows, columns;
    if (arrays_matrix(row, false, &row_buffer, &rows))
        return NULL;
    if (arrays_matrix(column, false, &column_buffer, &columns)) {
        PyBuffer_Release(&row_buffer);
        return NULL;
    }
    struct module_state *state = module_state_of(module);
    struct filter *self = make(state->filter_type);
    int error = ABBE_ERR_MEMORY;
    if (self != NULL) {
        const abbe_separable_params params = { .size = sizeof params,
                                               .row = rows.values,
                                               .column = columns.values,
                                               .width = rows.width,
                                               .height = columns.width,
                                               .normalize = normalize,
                                               .centre = centre_object == Py_None ? NULL : centre };
        error = abbe_filter_from_separable(&params, &self->handle);
    }
    PyBuffer_Release(&row_buffer);
    PyBuffer_Release(&column_buffer);
    return self ? finish(state, self, error) : NULL;
}

/* A mask of doubles, or gains of complex doubles. */
static PyObject *from_plane(PyObject *module, PyObject *array, bool complex)
{
    Py_buffer buffer;
    abbe_matrix matrix;
    if (arrays_matrix(array, complex, &buffer, &matrix))
        return NULL;
    struct module_state *state = module_state_of(module);
    struct filter *self = make(state->filter_type);
    int error = ABBE_ERR_MEMORY;
    if (self != NULL && complex)
        error = abbe_filter_from_gains(matrix.width, matrix.height, matrix.values, &self->handle);
    else if (self != NULL)
        error = abbe_filter_from_mask(&matrix, &self->handle);
    PyBuffer_Release(&buffer);
    return self ? finish(state, self, error) : NULL;
}

static PyObject *filter_from_mask(PyObject *module, PyObject *mask)
{
    return from_plane(module, mask, false);
}

static PyObject *filter_from_gains(PyObject *module, PyObject *gains)
{
    return from_plane(module, gains, true);
}

/* ---- Functions and chains ---- */

static PyObject *filter_from_transfer(PyObject *module, PyObject *function)
{
    struct module_state *state = module_state_of(module);
    if (!PyCallable_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "a transfer function must be callable");
        return NULL;
    }
    struct filter *self = make(state->filter_type);
    if (self == NULL)
        return NULL;
    self->function = Py_NewRef(function);
    return finish(state, self, abbe_filter_from_transfer(sampling_gain, self, &self->handle));
}

static PyObject *filter_chain(PyObject *module, PyObject *parts)
{
    struct module_state *state = module_state_of(module);
    if (!PyTuple_Check(parts)) {
        PyErr_SetString(PyExc_TypeError, "chain: a tuple of filters is needed");
        return NULL;
    }
    size_t count;
    const abbe_filter **list = filter_list(state, parts, &count);
    if (list == NULL)
        return NULL;
    struct filter *self = make(state->filter_type);
    int error = ABBE_ERR_MEMORY;
    if (self != NULL) {
        self->parts = Py_NewRef(parts);
        error = abbe_filter_chain(list, count, &self->handle);
    }
    PyMem_Free(list);
    return self ? finish(state, self, error) : NULL;
}

/* ---- What a filter tells ---- */

static PyObject *filter_describe(PyObject *object, PyObject *unused)
{
    (void)unused;
    const abbe_filter_info *info = abbe_filter_describe(filter_of(object)->handle);
    return Py_BuildValue("(iNiiii)", info->components, PyBool_FromLong(info->in_frequency), info->width,
                         info->height, info->centre_x, info->centre_y);
}

static PyObject *filter_taps(PyObject *object, PyObject *args)
{
    int component = 0;
    if (!PyArg_ParseTuple(args, "|i:taps", &component))
        return NULL;
    abbe_matrix taps;
    int error = abbe_filter_taps(filter_of(object)->handle, component, &taps);
    if (error)
        return errors_raise(module_state_of_object(object), error);
    PyObject *result = Py_BuildValue("(iiy#)", taps.width, taps.height, (char *)taps.values,
                                     (Py_ssize_t)((size_t)taps.width * (size_t)taps.height * sizeof(double)));
    abbe_matrix_free(&taps);
    return result;
}

struct gain_call {
    const abbe_filter *filter;
    int component;
    const double *fx, *fy;
    double *gains;
    Py_ssize_t count;
};

static int call_gain(void *context)
{
    const struct gain_call *call = context;
    for (Py_ssize_t i = 0; i < call->count; i++) {
        int error = abbe_filter_gain(call->filter, call->component, call->fx[i], call->fy[i],
                                     call->gains + 2 * i);
        if (error)
            return error;
    }
    return ABBE_OK;
}

static void undo_nothing(void *context)
{
    (void)context;
}

static PyObject *filter_gain(PyObject *object, PyObject *args)
{
    int component;
    Py_buffer x, y;
    if (!PyArg_ParseTuple(args, "iy*y*:gain", &component, &x, &y))
        return NULL;
    PyObject *result = NULL;
    if (x.len != y.len || x.len % (Py_ssize_t)sizeof(double) != 0)
        PyErr_SetString(PyExc_ValueError, "gain: two buffers of as many doubles are needed");
    else
        result = PyBytes_FromStringAndSize(NULL, 2 * x.len);
    int error = -1;
    if (result != NULL) {
        struct gain_call call = {
            filter_of(object)->handle,         component, x.buf, y.buf, (double *)PyBytes_AsString(result),
            x.len / (Py_ssize_t)sizeof(double)
        };
        error = sampling_repeat(call_gain, undo_nothing, &call);
    }
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    if (result == NULL || error == ABBE_OK)
        return result;
    Py_DECREF(result);
    return errors_raise(module_state_of_object(object), error);
}

struct reach_call {
    const abbe_filter *filter;
    double tolerance;
    int left, right, up, down;
};

static int call_reach(void *context)
{
    struct reach_call *call = context;
    return abbe_filter_reach(call->filter, call->tolerance, &call->left, &call->right, &call->up,
                             &call->down);
}

static PyObject *filter_reach(PyObject *object, PyObject *args)
{
    struct reach_call call = { .filter = filter_of(object)->handle };
    if (!PyArg_ParseTuple(args, "d:reach", &call.tolerance))
        return NULL;
    int error = sampling_repeat(call_reach, undo_nothing, &call);
    if (error)
        return errors_raise(module_state_of_object(object), error);
    return Py_BuildValue("(iiii)", call.left, call.right, call.up, call.down);
}

/* ---- The type ---- */

static int filter_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(filter_of(object)->function);
    Py_VISIT(filter_of(object)->parts);
    return 0;
}

static int filter_clear(PyObject *object)
{
    Py_CLEAR(filter_of(object)->function);
    Py_CLEAR(filter_of(object)->parts);
    return 0;
}

static void filter_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    abbe_filter_destroy(&filter_of(object)->handle);
    filter_clear(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    { "describe", filter_describe, METH_NOARGS,
      "() → (components, in_frequency, width, height, centre_x, centre_y)" },
    { "taps", filter_taps, METH_VARARGS, "(component=0) → (width, height, doubles)" },
    { "gain", filter_gain, METH_VARARGS, "(component, fx, fy) → complex doubles" },
    { "reach", filter_reach, METH_VARARGS, "(tolerance) → (left, right, up, down)" },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "A filter of the library; the functions parse, from_… and chain make it." },
    { Py_tp_dealloc, filter_free },
    { Py_tp_traverse, filter_traverse },
    { Py_tp_clear, filter_clear },
    { Py_tp_methods, methods },
    { 0, NULL },
};

static PyType_Spec spec = {
    .name = "abbe._abbe.Filter",
    .basicsize = sizeof(struct filter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

static PyMethodDef functions[] = {
    { "parse", filter_parse, METH_VARARGS, "(text, load=None) → Filter" },
    { "from_kernel", filter_from_kernel, METH_VARARGS, "(taps, centre, normalize) → Filter" },
    { "from_separable", filter_from_separable, METH_VARARGS, "(row, column, centre, normalize) → Filter" },
    { "from_mask", filter_from_mask, METH_O, "(mask) → Filter" },
    { "from_gains", filter_from_gains, METH_O, "(gains) → Filter" },
    { "from_transfer", filter_from_transfer, METH_O, "(function) → Filter" },
    { "chain", filter_chain, METH_O, "(filters) → Filter" },
    { NULL, NULL, 0, NULL },
};

int filter_add(PyObject *module, struct module_state *state)
{
    state->filter_type = module_add_type(module, &spec);
    return state->filter_type ? PyModule_AddFunctions(module, functions) : -1;
}
