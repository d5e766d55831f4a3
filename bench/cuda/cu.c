/* Opens a GPU through CUDA, and times work as a graph. */
#include "cu.h"

#include "../clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As for Vulkan: seconds that a timing lasts at least, and in which clock frequencies rise. */
static const double TIMING_MIN = 1e-3, WARM_UP = 0.15;
enum { REPEATS_MAX = 64, NON_BLOCKING = 1, RELAXED = 2 };

bool cu_ok(struct cu *cu, int result, const char *what)
{
    if (result)
        snprintf(cu->problem, sizeof cu->problem, "%s failed with CUDA's error %d", what, result);
    return !result;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static bool find_functions(struct cu *cu)
{
    const char *missing = NULL;
    cu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cu->library) {
        snprintf(cu->problem, sizeof cu->problem, "libcuda.so.1 was not found; install NVIDIA's driver");
        return false;
    }
#define FIND(name, symbol, parameters)                 \
    {                                                  \
        void *found = dlsym(cu->library, symbol);      \
        memcpy(&cu->f.name, &found, sizeof found);     \
        missing = found || missing ? missing : symbol; \
    }
    CU_FUNCTIONS(FIND)
    if (missing)
        snprintf(cu->problem, sizeof cu->problem, "the driver of CUDA lacks %s", missing);
    return !missing;
}

bool cu_open(struct cu *cu, const char *device)
{
    int ordinal = !strncmp(device, "cuda:", 5) ? atoi(device + 5) : 0;
    *cu = (struct cu){ .library = NULL };
    return find_functions(cu) && cu_ok(cu, cu->f.Init(0), "starting CUDA") &&
           cu_ok(cu, cu->f.DeviceGet(&cu->device, ordinal), "finding the GPU") &&
           cu_ok(cu, cu->f.ContextRetain(&cu->context, cu->device), "opening the GPU") &&
           cu_ok(cu, cu->f.ContextPush(cu->context), "opening the GPU") &&
           cu_ok(cu, cu->f.StreamCreate(&cu->stream, NON_BLOCKING), "creating a stream") &&
           cu_ok(cu, cu->f.EventCreate(&cu->start, 0), "an event of the clock") &&
           cu_ok(cu, cu->f.EventCreate(&cu->end, 0), "an event of the clock");
}

void cu_close(struct cu *cu)
{
    if (cu->graph)
        cu->f.GraphExecDestroy(cu->graph);
    if (cu->start)
        cu->f.EventDestroy(cu->start);
    if (cu->end)
        cu->f.EventDestroy(cu->end);
    if (cu->stream)
        cu->f.StreamDestroy(cu->stream);
    if (cu->context) {
        cu->f.ContextPop(NULL);
        cu->f.ContextRelease(cu->device);
    }
    if (cu->library)
        dlclose(cu->library);
    cu->library = cu->context = cu->stream = cu->start = cu->end = cu->graph = NULL;
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

bool cu_upload(struct cu *cu, cu_pointer to, const void *bytes, size_t count)
{
    return cu_ok(cu, cu->f.Upload(to, bytes, count, cu->stream), "copying to the GPU") &&
           cu_ok(cu, cu->f.StreamSynchronize(cu->stream), "copying to the GPU");
}

bool cu_download(struct cu *cu, void *bytes, cu_pointer from, size_t count)
{
    return cu_ok(cu, cu->f.Download(bytes, from, count, cu->stream), "copying from the GPU") &&
           cu_ok(cu, cu->f.StreamSynchronize(cu->stream), "copying from the GPU");
}

/* ---- Timing -------------------------------------------------------------------------------------------- */

bool cu_run(struct cu *cu)
{
    return cu->run(cu->user) && cu_ok(cu, cu->f.StreamSynchronize(cu->stream), "filtering");
}

/* Makes a graph of `repeats` runs. Launched one by one, small ones would wait for the host. */
static bool capture(struct cu *cu, int repeats)
{
    void *graph = NULL;
    bool fine = cu_ok(cu, cu->f.BeginCapture(cu->stream, RELAXED), "capturing");
    if (!fine)
        return false;
    for (int i = 0; i < repeats && fine; i++)
        fine = cu->run(cu->user);
    int ended = cu->f.EndCapture(cu->stream, &graph);
    fine = fine && cu_ok(cu, ended, "capturing");
    if (cu->graph)
        cu->f.GraphExecDestroy(cu->graph);
    cu->graph = NULL;
    fine = fine && cu_ok(cu, cu->f.GraphInstantiate(&cu->graph, graph, 0), "making a graph");
    if (graph)
        cu->f.GraphDestroy(graph);
    cu->repeats = repeats;
    return fine;
}

static bool launch(struct cu *cu, double *seconds)
{
    float milliseconds = 0;
    bool fine = cu_ok(cu, cu->f.EventRecord(cu->start, cu->stream), "an event of the clock") &&
                cu_ok(cu, cu->f.GraphLaunch(cu->graph, cu->stream), "launching a graph") &&
                cu_ok(cu, cu->f.EventRecord(cu->end, cu->stream), "an event of the clock") &&
                cu_ok(cu, cu->f.EventSynchronize(cu->end), "filtering") &&
                cu_ok(cu, cu->f.EventElapsed(&milliseconds, cu->start, cu->end), "the clock");
    *seconds = 1e-3 * (double)milliseconds / cu->repeats;
    return fine;
}

static bool warm_up(struct cu *cu)
{
    double start = seconds_now(), one = 0;
    if (!capture(cu, 8))
        return false;
    do {
        if (!launch(cu, &one))
            return false;
    } while (seconds_now() - start < WARM_UP);
    double repeats = one > 0 ? TIMING_MIN / one + 1 : REPEATS_MAX;
    cu->warm = true;
    return capture(cu, repeats < REPEATS_MAX ? (int)repeats : REPEATS_MAX) && launch(cu, &one);
}

bool cu_time(struct cu *cu, double *seconds)
{
    return (cu->warm || warm_up(cu)) && launch(cu, seconds);
}
