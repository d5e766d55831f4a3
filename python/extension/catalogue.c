/* What the library knows by name: filters with their keys, and devices of this machine. */
#include "extension.h"

/* Appends a new reference, which may be NULL, to a list, which may be NULL. */
static void append(PyObject **list, PyObject *item)
{
    if (*list != NULL && (item == NULL || PyList_Append(*list, item)))
        Py_CLEAR(*list);
    Py_XDECREF(item);
}

static const char *const TYPES[] = { "", "number", "integer", "frequency", "choice", "list", "file" };

static PyObject *build_key(const abbe_filter_key *key)
{
    PyObject *choices = PyList_New(0);
    for (size_t i = 0; i < key->choice_count; i++)
        append(&choices, PyUnicode_FromString(key->choices[i]));
    if (choices == NULL)
        return NULL;
    const size_t type = (size_t)key->type < sizeof TYPES / sizeof *TYPES ? (size_t)key->type : 0;
    return Py_BuildValue("(ssszzddzN)", key->name, key->summary, TYPES[type], key->default_text, key->follows,
                         key->min, key->max, key->unit, choices);
}

static PyObject *list_filters(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    size_t count;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++) {
        PyObject *keys = PyList_New(0);
        for (size_t k = 0; k < entries[i]->key_count; k++)
            append(&keys, build_key(entries[i]->keys[k]));
        if (keys == NULL)
            Py_CLEAR(list);
        if (list == NULL)
            break;
        append(&list, Py_BuildValue("(ssNzN)", entries[i]->name, entries[i]->summary,
                                    PyBool_FromLong(entries[i]->in_frequency), entries[i]->rule, keys));
    }
    return list;
}

static PyObject *list_devices(PyObject *module, PyObject *unused)
{
    (void)unused;
    const abbe_adapter *const *adapters = NULL;
    size_t count = 0;
    int error;
    Py_BEGIN_ALLOW_THREADS error = abbe_device_list(&adapters, &count);
    Py_END_ALLOW_THREADS if (error) return errors_raise(module_state_of(module), error);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++)
        append(&list, Py_BuildValue("(sssKsss)", adapters[i]->name, abbe_adapter_kind_name(adapters[i]->kind),
                                    adapters[i]->model, (unsigned long long)adapters[i]->memory,
                                    adapters[i]->driver, adapters[i]->driver_version, adapters[i]->problem));
    abbe_device_list_free(&adapters);
    return list;
}

static PyMethodDef functions[] = {
    { "list_filters", list_filters, METH_NOARGS, "() → (name, summary, in_frequency, rule, keys) of each" },
    { "list_devices", list_devices, METH_NOARGS,
      "() → (name, kind, model, memory, driver, driver_version, problem) of each" },
    { NULL, NULL, 0, NULL },
};

int catalogue_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
