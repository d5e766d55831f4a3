/* The module itself: its state, its exceptions and its initialisation. */
#include "extension.h"

struct module_state *module_state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

struct module_state *module_state_of_object(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

PyObject *module_add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type == NULL)
        return NULL;
    if (PyModule_AddType(module, (PyTypeObject *)type)) {
        Py_DECREF(type);
        return NULL;
    }
    return type;
}

static int add_exceptions(PyObject *module, struct module_state *state)
{
    state->unsupported = PyErr_NewExceptionWithDoc(
        "abbe.Unsupported", "The device, the method or this build cannot do what was asked for.",
        PyExc_ValueError, NULL);
    state->device_error = PyErr_NewExceptionWithDoc("abbe.DeviceError", "A device or its driver failed.",
                                                    PyExc_RuntimeError, NULL);
    if (state->unsupported == NULL || state->device_error == NULL)
        return -1;
    return PyModule_AddObjectRef(module, "Unsupported", state->unsupported) ||
                   PyModule_AddObjectRef(module, "DeviceError", state->device_error)
               ? -1
               : 0;
}

static int execute_module(PyObject *module)
{
    struct module_state *state = module_state_of(module);
    if (add_exceptions(module, state) || device_add(module, state) || filter_add(module, state) ||
        plan_add(module, state) || spectrum_add(module) || truncate_add(module) || catalogue_add(module))
        return -1;
    return PyModule_AddStringConstant(module, "version", abbe_version());
}

static int traverse_module(PyObject *module, visitproc visit, void *arg)
{
    const struct module_state *state = module_state_of(module);
    Py_VISIT(state->unsupported);
    Py_VISIT(state->device_error);
    Py_VISIT(state->device_type);
    Py_VISIT(state->filter_type);
    Py_VISIT(state->plan_type);
    return 0;
}

static int clear_module(PyObject *module)
{
    struct module_state *state = module_state_of(module);
    Py_CLEAR(state->unsupported);
    Py_CLEAR(state->device_error);
    Py_CLEAR(state->device_type);
    Py_CLEAR(state->filter_type);
    Py_CLEAR(state->plan_type);
    return 0;
}

static void free_module(void *module)
{
    clear_module(module);
}

static PyModuleDef_Slot slots[] = {
    { Py_mod_exec, execute_module },
#ifdef Py_mod_gil
    { Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
    { 0, NULL },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "abbe._abbe",
    .m_doc = "The C library libabbe for the package abbe, whose other modules are its interface.",
    .m_size = sizeof(struct module_state),
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__abbe(void);

/* What import calls. */
PyMODINIT_FUNC PyInit__abbe(void)
{
    return PyModuleDef_Init(&definition);
}
