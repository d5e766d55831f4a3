/* A GPU through CUDA: pictures in its memory, and work that is timed as a graph. The driver is opened at run
 * time and declared here, so that neither its library nor its headers are needed. */
#ifndef ABBE_BENCH_CUDA_H
#define ABBE_BENCH_CUDA_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned long long cu_pointer;

/* DO(name, symbol, parameters): all return 0 or an error. */
#define CU_FUNCTIONS(DO)                                                                              \
    DO(Init, "cuInit", (unsigned flags))                                                              \
    DO(DeviceGet, "cuDeviceGet", (int *device, int ordinal))                                          \
    DO(ContextRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))                       \
    DO(ContextRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                                  \
    DO(ContextPush, "cuCtxPushCurrent_v2", (void *context))                                           \
    DO(ContextPop, "cuCtxPopCurrent_v2", (void **context))                                            \
    DO(Alloc, "cuMemAlloc_v2", (cu_pointer * pointer, size_t bytes))                                  \
    DO(Free, "cuMemFree_v2", (cu_pointer pointer))                                                    \
    DO(Upload, "cuMemcpyHtoDAsync_v2", (cu_pointer to, const void *from, size_t bytes, void *stream)) \
    DO(Download, "cuMemcpyDtoHAsync_v2", (void *to, cu_pointer from, size_t bytes, void *stream))     \
    DO(Copy, "cuMemcpyDtoDAsync_v2", (cu_pointer to, cu_pointer from, size_t bytes, void *stream))    \
    DO(StreamCreate, "cuStreamCreate", (void **stream, unsigned flags))                               \
    DO(StreamDestroy, "cuStreamDestroy_v2", (void *stream))                                           \
    DO(StreamSynchronize, "cuStreamSynchronize", (void *stream))                                      \
    DO(BeginCapture, "cuStreamBeginCapture_v2", (void *stream, int mode))                             \
    DO(EndCapture, "cuStreamEndCapture", (void *stream, void **graph))                                \
    DO(GraphInstantiate, "cuGraphInstantiateWithFlags",                                               \
       (void **executable, void *graph, unsigned long long f))                                        \
    DO(GraphLaunch, "cuGraphLaunch", (void *executable, void *stream))                                \
    DO(GraphDestroy, "cuGraphDestroy", (void *graph))                                                 \
    DO(GraphExecDestroy, "cuGraphExecDestroy", (void *executable))                                    \
    DO(EventCreate, "cuEventCreate", (void **event, unsigned flags))                                  \
    DO(EventDestroy, "cuEventDestroy_v2", (void *event))                                              \
    DO(EventRecord, "cuEventRecord", (void *event, void *stream))                                     \
    DO(EventSynchronize, "cuEventSynchronize", (void *event))                                         \
    DO(EventElapsed, "cuEventElapsedTime", (float *milliseconds, void *start, void *end))

#define CU_FIELD(name, symbol, parameters) int(*name) parameters;
struct cu_functions {
    CU_FUNCTIONS(CU_FIELD)
};
#undef CU_FIELD

enum { CU_PROBLEM = 160 };

struct cu {
    void *library;
    struct cu_functions f;
    int device;
    void *context, *stream, *start, *end;
    void *graph; /* of `repeats` runs */
    int repeats;
    bool warm;
    bool (*run)(void *user); /* puts one run on `stream`; false with `problem` written */
    void *user;
    char problem[CU_PROBLEM]; /* the cause of the last failure */
};

/* Opens the GPU of Abbe's device "cuda" or "cuda:N" and makes its primary context current to this thread.
 * Call cu_close even after a failure. */
bool cu_open(struct cu *cu, const char *device);
void cu_close(struct cu *cu);

/* Returns whether `result` is 0; else stores the problem, which names `what` failed. */
bool cu_ok(struct cu *cu, int result, const char *what);

bool cu_upload(struct cu *cu, cu_pointer to, const void *bytes, size_t count);
bool cu_download(struct cu *cu, void *bytes, cu_pointer from, size_t count);

/* Runs once and waits. */
bool cu_run(struct cu *cu);

/* Seconds of one run by the GPU's clock: the mean of enough runs to fill a millisecond, 64 at most, in one
 * graph. The first call keeps the GPU busy until its clock frequencies have risen. */
bool cu_time(struct cu *cu, double *seconds);

#endif
