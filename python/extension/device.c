/* Device: opens a device, closes it when the last plan that uses it is gone. */
#include "device.h"

static PyObject *device_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "name", "threads", NULL };
    const char *name = "auto";
    abbe_device_params params = { .size = sizeof params };
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|si:Device", names, &name, &params.threads))
        return NULL;
    abbe_device *handle = NULL;
    int error;
    Py_BEGIN_ALLOW_THREADS error = abbe_device_open(name, &params, &handle);
    Py_END_ALLOW_THREADS if (error) return errors_raise(PyType_GetModuleState(type), error);
    struct device *self = (struct device *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        abbe_device_close(&handle);
    else
        self->handle = handle;
    return (PyObject *)self;
}

static void device_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    abbe_device_close(&((struct device *)object)->handle);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *device_kind(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(abbe_device_name(((struct device *)object)->handle));
}

static PyObject *device_detail(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(abbe_device_detail(((struct device *)object)->handle));
}

static PyGetSetDef getters[] = {
    { "kind", device_kind, NULL, "\"cpu\", \"cuda\", \"vulkan\" or \"gl\".", NULL },
    { "detail", device_detail, NULL, "A readable description, such as \"avx512, 8 threads\".", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "Device(name='auto', threads=0): a device of the library." },
    { Py_tp_new, device_new },
    { Py_tp_dealloc, device_free },
    { Py_tp_getset, getters },
    { 0, NULL },
};

static PyType_Spec spec = {
    .name = "abbe._abbe.Device",
    .basicsize = sizeof(struct device),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int device_add(PyObject *module, struct module_state *state)
{
    state->device_type = module_add_type(module, &spec);
    return state->device_type ? 0 : -1;
}
