/* Plan: makes plans and runs them, without the GIL, and stops a run when a signal raises an exception. */
#include "arrays.h"
#include "device.h"
#include "filter.h"
#include "sampling.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

struct plan {
    PyObject_HEAD abbe_plan *handle;
    PyObject *device; /* must outlive the plan */
    size_t filter_count;
};

static struct plan *plan_of(PyObject *object)
{
    return (struct plan *)object;
}

/* ---- Making a plan ---- */

/* The names of the enumerators among the arguments. */
struct names {
    const char *source_type, *result_type, *border, *method, *alpha, *nonfinite, *precision, *scale, *window;
};

static int find_names(const struct names *names, abbe_plan_params *params)
{
    int error = abbe_type_from_name(names->source_type, &params->source_type);
    error = error ? error : abbe_type_from_name(names->result_type, &params->result_type);
    error = error ? error : abbe_border_from_name(names->border, &params->border);
    error = error ? error : abbe_method_from_name(names->method, &params->method);
    error = error ? error : abbe_alpha_from_name(names->alpha, &params->alpha);
    error = error ? error : abbe_nonfinite_from_name(names->nonfinite, &params->nonfinite);
    error = error ? error : abbe_precision_from_name(names->precision, &params->precision);
    error = error ? error : abbe_scale_from_name(names->scale, &params->scale);
    return error ? error : abbe_window_from_name(names->window, &params->window);
}

struct create_call {
    abbe_device *device;
    const abbe_plan_params *params;
    abbe_plan *plan;
};

static int call_create(void *context)
{
    struct create_call *call = context;
    return abbe_plan_create(call->device, call->params, &call->plan);
}

static void undo_create(void *context)
{
    abbe_plan_destroy(&((struct create_call *)context)->plan);
}

static PyObject *plan_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *keys[] = { "device",      "filters",     "width",     "height", "channels",
                            "source_type", "result_type", "border",    "method", "border_value",
                            "tile",        "alpha",       "nonfinite", "offset", "linear_light",
                            "correlate",   "precision",   "scale",     "runs",   "window",
                            "rectangle",   NULL };
    struct module_state *state = PyType_GetModuleState(type);
    PyObject *device, *filters;
    struct names names = { .border = "reflect",
                           .method = "auto",
                           .alpha = "none",
                           .nonfinite = "error",
                           .precision = "full",
                           .scale = "unit",
                           .window = "same" };
    abbe_plan_params params = { .size = sizeof params };
    int linear_light = 0, correlate = 0;
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "O!O!iiiss|ssd(ii)ssdppssis(iiii):Plan", keys, state->device_type, &device,
            &PyTuple_Type, &filters, &params.width, &params.height, &params.channels, &names.source_type,
            &names.result_type, &names.border, &names.method, &params.border_value, &params.tile_width,
            &params.tile_height, &names.alpha, &names.nonfinite, &params.offset, &linear_light, &correlate,
            &names.precision, &names.scale, &params.runs, &names.window, &params.result_x, &params.result_y,
            &params.result_width, &params.result_height))
        return NULL;
    params.linear_light = linear_light;
    params.correlate = correlate;
    int error = find_names(&names, &params);
    if (error)
        return errors_raise(state, error);
    size_t count;
    const abbe_filter **list = filter_list(state, filters, &count);
    if (list == NULL)
        return NULL;
    params.filters = list;
    params.filter_count = count;
    struct create_call call = { .device = ((struct device *)device)->handle, .params = &params };
    error = sampling_repeat(call_create, undo_create, &call);
    PyMem_Free(list);
    if (error)
        return errors_raise(state, error);
    struct plan *self = (struct plan *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL) {
        abbe_plan_destroy(&call.plan);
        return NULL;
    }
    self->handle = call.plan;
    self->device = Py_NewRef(device);
    self->filter_count = count;
    return (PyObject *)self;
}

static void plan_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    abbe_plan_destroy(&plan_of(object)->handle);
    Py_CLEAR(plan_of(object)->device);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- Running it ---- */

/* Runs of less than this many predicted seconds are not watched. */
#define WATCHED_SECONDS 0.05

/* The state of a run that looks for signals. */
struct watched {
    PyThreadState *thread; /* of the caller, while it does not hold the GIL */
    pthread_t caller;
    struct timespec last; /* when it looked */
};

static double seconds_since(const struct timespec *last, struct timespec *now)
{
    clock_gettime(CLOCK_MONOTONIC, now);
    return (double)(now->tv_sec - last->tv_sec) + 1e-9 * (double)(now->tv_nsec - last->tv_nsec);
}

/* progress() of the library: lets Python handle its signals every 20 ms, in the thread that called. */
static int look_for_signals(void *user, double done)
{
    (void)done;
    struct watched *watched = user;
    struct timespec now;
    if (!pthread_equal(watched->caller, pthread_self()) || seconds_since(&watched->last, &now) < 0.02)
        return 0;
    watched->last = now;
    PyEval_RestoreThread(watched->thread);
    int stop = PyErr_CheckSignals();
    watched->thread = PyEval_SaveThread();
    return stop;
}

/* Runs the plan for `count` pictures. `results` has the views of the first picture's results, then those of the
 * second. */
static int run(const struct plan *self, size_t count, const abbe_image *sources, const abbe_image *results)
{
    struct watched watched = { .caller = pthread_self() };
    const abbe_watch watch = { .size = sizeof watch, .progress = look_for_signals, .user = &watched };
    const double seconds = abbe_plan_choice(self->handle)->seconds * (double)count;
    const abbe_watch *chosen = seconds < WATCHED_SECONDS ? NULL : &watch;
    int error;
    watched.thread = PyEval_SaveThread();
    clock_gettime(CLOCK_MONOTONIC, &watched.last);
    if (count == 1)
        error = abbe_run_watched(self->handle, sources, results, chosen);
    else
        error = abbe_run_batch(self->handle, count, sources, results, chosen);
    PyEval_RestoreThread(watched.thread);
    return error;
}

/* Opens the arrays of all results and lists their views in the order of abbe_run_batch. Returns the list for
 * PyMem_Free, or NULL with an exception; the arrays that were opened are counted in `opened`. */
static abbe_image *open_results(PyObject *tuple, bool channels, const struct pictures *source,
                                struct pictures *results, size_t *opened)
{
    const size_t filters = (size_t)PyTuple_Size(tuple);
    for (size_t f = 0; f < filters; f++) {
        if (arrays_open(PyTuple_GetItem(tuple, (Py_ssize_t)f), true, channels, &results[f]))
            return NULL;
        ++*opened;
        if (results[f].count != source->count) {
            PyErr_Format(PyExc_ValueError, "a result has %zu pictures and the source %zu", results[f].count,
                         source->count);
            return NULL;
        }
    }
    size_t bytes;
    abbe_image *views = NULL;
    if (!__builtin_mul_overflow(source->count, filters * sizeof *views, &bytes))
        views = PyMem_Malloc(bytes ? bytes : 1);
    if (views == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < source->count; i++)
        for (size_t f = 0; f < filters; f++)
            views[i * filters + f] = results[f].views[i];
    return views;
}

static PyObject *plan_run(PyObject *object, PyObject *args)
{
    const struct plan *self = plan_of(object);
    PyObject *array, *tuple;
    int channels;
    if (!PyArg_ParseTuple(args, "OO!p:run", &array, &PyTuple_Type, &tuple, &channels))
        return NULL;
    if ((size_t)PyTuple_Size(tuple) != self->filter_count) {
        PyErr_Format(PyExc_ValueError, "%zd results are given for %zu filters", PyTuple_Size(tuple),
                     self->filter_count);
        return NULL;
    }
    struct pictures source;
    if (arrays_open(array, false, channels, &source))
        return NULL;
    struct pictures *results = PyMem_Calloc(self->filter_count, sizeof *results);
    size_t opened = 0;
    abbe_image *views = NULL;
    if (results == NULL)
        PyErr_NoMemory();
    else
        views = open_results(tuple, channels, &source, results, &opened);
    int error = views ? run(self, source.count, source.views, views) : -1;
    PyMem_Free(views);
    while (opened > 0)
        arrays_close(&results[--opened]);
    PyMem_Free(results);
    arrays_close(&source);
    if (views == NULL)
        return NULL;
    if (error)
        return errors_raise(module_state_of_object(object), error);
    Py_RETURN_NONE;
}

/* ---- What a plan tells ---- */

static PyObject *build_candidate(const abbe_candidate *candidate)
{
    return Py_BuildValue("(sNNdnii(ii)isNd)", abbe_method_name(candidate->method),
                         PyBool_FromLong(candidate->possible), PyBool_FromLong(candidate->chosen),
                         candidate->seconds, (Py_ssize_t)candidate->bytes, candidate->fft_width,
                         candidate->fft_height, candidate->tile_width, candidate->tile_height,
                         candidate->passes, candidate->reason ? candidate->reason : "",
                         PyBool_FromLong(candidate->even), candidate->planning);
}

static PyObject *plan_candidates(PyObject *object, PyObject *unused)
{
    (void)unused;
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan_of(object)->handle, &count);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = build_candidate(candidates[i]);
        if (item == NULL || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *plan_result_size(PyObject *object, PyObject *unused)
{
    (void)unused;
    int width, height, x, y;
    int error = abbe_plan_result_size(plan_of(object)->handle, &width, &height, &x, &y);
    if (error)
        return errors_raise(module_state_of_object(object), error);
    return Py_BuildValue("(iiii)", width, height, x, y);
}

static PyObject *plan_memory(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyLong_FromSize_t(abbe_plan_memory(plan_of(object)->handle));
}

/* The device that the plan runs on, in words: kind, detail, and why. */
static PyObject *plan_place(PyObject *object, PyObject *unused)
{
    (void)unused;
    const abbe_device *device = abbe_plan_device(plan_of(object)->handle);
    return Py_BuildValue("(sss)", abbe_device_name(device), abbe_device_detail(device),
                         abbe_plan_reason(plan_of(object)->handle));
}

static PyMethodDef methods[] = {
    { "run", plan_run, METH_VARARGS, "(source, results, channels)" },
    { "candidates", plan_candidates, METH_NOARGS, "() → a list of the methods that were considered" },
    { "result_size", plan_result_size, METH_NOARGS, "() → (width, height, x, y)" },
    { "memory", plan_memory, METH_NOARGS, "() → bytes" },
    { "place", plan_place, METH_NOARGS, "() → (kind, detail, reason)" },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "Plan(device, filters, width, height, channels, source_type, result_type, …)" },
    { Py_tp_new, plan_new },
    { Py_tp_dealloc, plan_free },
    { Py_tp_methods, methods },
    { 0, NULL },
};

static PyType_Spec spec = {
    .name = "abbe._abbe.Plan",
    .basicsize = sizeof(struct plan),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int plan_add(PyObject *module, struct module_state *state)
{
    state->plan_type = module_add_type(module, &spec);
    return state->plan_type ? 0 : -1;
}
