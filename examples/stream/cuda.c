/* CUDA's driver and NVRTC, found at run time. */
#include "cuda.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool fail(const char *what, int result)
{
    fprintf(stderr, "stream: %s failed with %d\n", what, result);
    return false;
}

/* Calls a function of a library, by its name. All parameters of the functions below are integers and pointers
 * in their own types, which CALL casts the symbol to. */
static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        fprintf(stderr, "stream: %s is missing\n", name);
    return symbol;
}

/* The result of a call: CALL(library, function, (types), (arguments)); −1 where the function is missing. */
#define CALL(library, name, types, arguments) \
    (find(library, #name) ? ((int(*) types)(uintptr_t)dlsym(library, #name))arguments : -1)

static bool open_context(struct cuda *cuda)
{
    cuda->driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!cuda->driver) {
        fprintf(stderr, "stream: %s\n", dlerror());
        return false;
    }
    int result = CALL(cuda->driver, cuInit, (unsigned), (0));
    if (!result)
        result = CALL(cuda->driver, cuDeviceGet, (int *, int), (&cuda->gpu, 0));
    if (!result)
        result = CALL(cuda->driver, cuDevicePrimaryCtxRetain, (void **, int), (&cuda->context, cuda->gpu));
    if (!result)
        result = CALL(cuda->driver, cuCtxSetCurrent, (void *), (cuda->context));
    if (!result)
        result = CALL(cuda->driver, cuStreamCreate, (void **, unsigned), (&cuda->stream, 1));
    return !result || fail("opening the GPU", result);
}

/* Compiles the kernel to PTX, which the driver compiles further. NULL on failure. */
static char *compile(struct cuda *cuda, const char *source)
{
    static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" };
    const char *options[] = { "--gpu-architecture=compute_75" };
    void *program = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !cuda->nvrtc; i++)
        cuda->nvrtc = dlopen(names[i], RTLD_NOW);
    if (!cuda->nvrtc) {
        fprintf(stderr, "stream: %s\n", dlerror());
        return NULL;
    }
    int result = CALL(cuda->nvrtc, nvrtcCreateProgram,
                      (void **, const char *, const char *, int, const char *const *, const char *const *),
                      (&program, source, "draw.cu", 0, NULL, NULL));
    if (!result)
        result = CALL(cuda->nvrtc, nvrtcCompileProgram, (void *, int, const char *const *),
                      (program, 1, options));
    if (!result)
        result = CALL(cuda->nvrtc, nvrtcGetPTXSize, (void *, size_t *), (program, &bytes));
    char *ptx = result ? NULL : malloc(bytes);
    if (ptx)
        result = CALL(cuda->nvrtc, nvrtcGetPTX, (void *, char *), (program, ptx));
    if (program)
        CALL(cuda->nvrtc, nvrtcDestroyProgram, (void **), (&program));
    if (result)
        fail("compiling the kernel", result);
    return ptx;
}

bool cuda_open(struct cuda *cuda, const char *source, const char *name)
{
    if (!open_context(cuda))
        return false;
    char *ptx = compile(cuda, source);
    if (!ptx)
        return false;
    int result = CALL(cuda->driver, cuModuleLoadData, (void **, const void *), (&cuda->module, ptx));
    if (!result)
        result = CALL(cuda->driver, cuModuleGetFunction, (void **, void *, const char *),
                      (&cuda->kernel, cuda->module, name));
    free(ptx);
    return !result || fail("loading the kernel", result);
}

void cuda_close(struct cuda *cuda)
{
    if (cuda->executable)
        CALL(cuda->driver, cuGraphExecDestroy, (void *), (cuda->executable));
    if (cuda->graph)
        CALL(cuda->driver, cuGraphDestroy, (void *), (cuda->graph));
    if (cuda->stream)
        CALL(cuda->driver, cuStreamDestroy_v2, (void *), (cuda->stream));
    if (cuda->context)
        CALL(cuda->driver, cuDevicePrimaryCtxRelease_v2, (int), (cuda->gpu));
}

bool cuda_allocate(struct cuda *cuda, size_t bytes, unsigned long long *address)
{
    int result = CALL(cuda->driver, cuMemAlloc_v2, (unsigned long long *, size_t), (address, bytes));
    return !result || fail("allocating memory", result);
}

bool cuda_download(struct cuda *cuda, void *bytes, unsigned long long address, size_t count)
{
    int result = CALL(cuda->driver, cuMemcpyDtoH_v2, (void *, unsigned long long, size_t),
                      (bytes, address, count));
    return !result || fail("downloading a picture", result);
}

bool cuda_launch(struct cuda *cuda, unsigned blocks, unsigned threads, void **parameters)
{
    int result = CALL(
        cuda->driver, cuLaunchKernel,
        (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
         void **),
        (cuda->kernel, blocks, blocks, 1, threads, threads, 1, 0, cuda->stream, parameters, NULL));
    return !result || fail("launching the kernel", result);
}

bool cuda_begin_graph(struct cuda *cuda)
{
    int result = CALL(cuda->driver, cuStreamBeginCapture_v2, (void *, int), (cuda->stream, 0));
    return !result || fail("capturing the stream", result);
}

bool cuda_run_graph(struct cuda *cuda)
{
    int result = CALL(cuda->driver, cuStreamEndCapture, (void *, void **), (cuda->stream, &cuda->graph));
    if (!result)
        result = CALL(cuda->driver, cuGraphInstantiateWithFlags, (void **, void *, unsigned long long),
                      (&cuda->executable, cuda->graph, 0));
    if (!result)
        result = CALL(cuda->driver, cuGraphLaunch, (void *, void *), (cuda->executable, cuda->stream));
    if (!result)
        result = CALL(cuda->driver, cuStreamSynchronize, (void *), (cuda->stream));
    return !result || fail("running the graph", result);
}
