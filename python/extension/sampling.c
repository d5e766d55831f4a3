#include "sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A gain that a call asked for. */
struct point {
    struct filter *filter;
    double fx, fy, gain[2];
};

/* What the calls of one sampling_repeat asked for, in order. */
struct sampling {
    struct point *points;
    size_t count, capacity;
    size_t known; /* gains that are computed */
    size_t next;  /* the gain that the present call asks for next */
    bool memory;  /* there was too little */
};

/* The sampling of the call that this thread is in. */
static _Thread_local struct sampling *current;

static bool matches(const struct point *point, const struct filter *filter, double fx, double fy)
{
    return point->filter == filter && point->fx == fx && point->fy == fy;
}

static void note(struct sampling *sampling, struct filter *filter, double fx, double fy)
{
    if (sampling->count == sampling->capacity) {
        const size_t capacity = sampling->capacity ? 2 * sampling->capacity : 4096;
        struct point *points = realloc(sampling->points, capacity * sizeof *points);
        if (points == NULL) {
            sampling->memory = true;
            return;
        }
        sampling->points = points;
        sampling->capacity = capacity;
    }
    sampling->points[sampling->count++] = (struct point){ .filter = filter, .fx = fx, .fy = fy };
}

void sampling_gain(void *user, double fx, double fy, double gain[2])
{
    struct sampling *sampling = current;
    gain[0] = gain[1] = 0;
    if (sampling ==
        NULL) { /* no call of this extension: the library calls from other places than documented */
        gain[0] = NAN;
        return;
    }
    if (sampling->next < sampling->known) {
        const struct point *point = &sampling->points[sampling->next];
        if (matches(point, user, fx, fy)) {
            memcpy(gain, point->gain, sizeof point->gain);
            sampling->next++;
            return;
        }
        sampling->known = sampling->count = sampling->next; /* the call took another way from here on */
    }
    note(sampling, user, fx, fy);
    sampling->next++;
}

/* Calls the function of `filter` with the frequencies of its points among points[begin…end), and stores the
 * gains there. The function takes two buffers of doubles and returns one of complex doubles. */
static int compute_gains(struct sampling *sampling, struct filter *filter, size_t begin)
{
    size_t count = 0;
    for (size_t i = begin; i < sampling->count; i++)
        count += sampling->points[i].filter == filter;
    if (filter->function == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the filter's function is gone");
        return -1;
    }
    PyObject *x = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
    PyObject *y = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
    PyObject *gains = NULL;
    if (x != NULL && y != NULL) {
        double *fx = (double *)PyBytes_AsString(x), *fy = (double *)PyBytes_AsString(y);
        for (size_t i = begin; i < sampling->count; i++) {
            if (sampling->points[i].filter == filter) {
                *fx++ = sampling->points[i].fx;
                *fy++ = sampling->points[i].fy;
            }
        }
        gains = PyObject_CallFunctionObjArgs(filter->function, x, y, NULL);
    }
    Py_XDECREF(x);
    Py_XDECREF(y);
    if (gains == NULL)
        return -1;
    Py_buffer buffer;
    int status = PyObject_GetBuffer(gains, &buffer, PyBUF_C_CONTIGUOUS);
    Py_DECREF(gains);
    if (status)
        return -1;
    if (buffer.len != (Py_ssize_t)(count * 2 * sizeof(double))) {
        PyErr_Format(PyExc_ValueError, "a transfer function returned %zd bytes for %zu gains", buffer.len,
                     count);
        status = -1;
    } else {
        const double *gain = buffer.buf;
        for (size_t i = begin; i < sampling->count; i++) {
            if (sampling->points[i].filter == filter) {
                memcpy(sampling->points[i].gain, gain, 2 * sizeof(double));
                gain += 2;
            }
        }
    }
    PyBuffer_Release(&buffer);
    return status;
}

/* Computes all gains that are noted and not known. */
static int compute_rest(struct sampling *sampling)
{
    const size_t begin = sampling->known;
    for (size_t i = begin; i < sampling->count; i++) {
        struct filter *filter = sampling->points[i].filter;
        bool first = true;
        /* Filters with functions are few, and each has many points: its first one is near the begin, or behind
         * the points of another filter. */
        for (size_t j = begin; j < i && first; j++)
            first = sampling->points[j].filter != filter;
        if (first && compute_gains(sampling, filter, begin))
            return -1;
        if (first)
            continue;
        while (i + 1 < sampling->count && sampling->points[i + 1].filter == filter)
            i++;
    }
    sampling->known = sampling->count;
    return 0;
}

int sampling_repeat(int (*call)(void *context), void (*undo)(void *context), void *context)
{
    struct sampling sampling = { 0 };
    int result;
    for (;;) {
        sampling.next = 0;
        Py_BEGIN_ALLOW_THREADS current = &sampling;
        result = call(context);
        current = NULL;
        Py_END_ALLOW_THREADS
            /* A call that found all it asked for may have asked for less than the one before. */
            if (sampling.next <= sampling.known && !sampling.memory) break;
        if (result == ABBE_OK)
            undo(context);
        result = -1;
        if (sampling.memory)
            PyErr_NoMemory();
        if (sampling.memory || compute_rest(&sampling) || PyErr_CheckSignals())
            break;
    }
    free(sampling.points);
    return result;
}
