/* The extension abbe._abbe: the C library's objects as Python types, and buffers as views of pixels. It uses the
 * limited API of Python 3.11, so that one build serves every later version, and no header of NumPy. The
 * package's Python files have the interface that users see. */
#ifndef ABBE_EXTENSION_H
#define ABBE_EXTENSION_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <abbe/abbe.h>

/* The state of one import of the module. */
struct module_state {
    PyObject *unsupported;  /* exception abbe.Unsupported */
    PyObject *device_error; /* exception abbe.DeviceError */
    PyObject *device_type, *filter_type, *plan_type;
};

/* Slots of Python's types hold functions as void pointers, which ISO C leaves undefined and POSIX defines. */
#pragma GCC diagnostic ignored "-Wpedantic"

struct module_state *module_state_of(PyObject *module);
/* The state by an object of one of the module's own types. */
struct module_state *module_state_of_object(PyObject *object);

/* Sets the exception that belongs to an error code, with the library's message, unless one is set already.
 * Returns NULL. */
PyObject *errors_raise(const struct module_state *state, int error);

/* Each of these adds its functions or its type to the module. They return 0, or −1 with an exception. */
int device_add(PyObject *module, struct module_state *state);
int filter_add(PyObject *module, struct module_state *state);
int plan_add(PyObject *module, struct module_state *state);
int spectrum_add(PyObject *module);
int truncate_add(PyObject *module);
int catalogue_add(PyObject *module);

/* Makes the type of a specification and adds it to the module. Returns a new reference, or NULL. */
PyObject *module_add_type(PyObject *module, PyType_Spec *spec);

#endif
