/* Which Python exception an error of the library becomes. */
#include "extension.h"

static PyObject *exception_of(const struct module_state *state, int error)
{
    switch (error) {
    case ABBE_ERR_MEMORY: return PyExc_MemoryError;
    case ABBE_ERR_UNSUPPORTED: return state->unsupported;
    case ABBE_ERR_DEVICE: return state->device_error;
    case ABBE_ERR_FILE: return PyExc_OSError;
    default: return PyExc_ValueError;
    }
}

/* What to do in Python, after the library's message. */
static const char *advice_for(int error)
{
    return error == ABBE_ERR_NONFINITE ? "; nonfinite=\"zero\" takes 0 for such samples" : "";
}

PyObject *errors_raise(const struct module_state *state, int error)
{
    if (PyErr_Occurred()) /* a callback of ours stopped the call */
        return NULL;
    const char *text = abbe_last_error();
    PyErr_Format(exception_of(state, error), "%s%s", *text ? text : abbe_error_name(error),
                 advice_for(error));
    return NULL;
}
