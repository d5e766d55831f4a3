/* The functions of CUDA's driver and of NVRTC that the device calls, with the types and numbers that they
 * take.
 *
 * Declared here, so that no header of CUDA is needed to build, and found at run time, so that none of its
 * libraries is needed to run. The numbers are those of the driver's binary interface, which never change. */
#ifndef ABBE_CUDA_DRIVER_H
#define ABBE_CUDA_DRIVER_H

#include <stddef.h>

typedef struct cuda_context_object *cuda_context;
typedef struct cuda_module_object *cuda_module;
typedef struct cuda_function_object *cuda_function;
typedef struct cuda_stream_object *cuda_stream;
typedef struct cuda_event_object *cuda_event;
typedef struct nvrtc_program_object *nvrtc_program;
typedef unsigned long long cuda_pointer; /* an address on the device */

/* What the driver's functions return. */
enum cuda_result {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NOT_INITIALIZED = 3,
    CUDA_DEINITIALIZED = 4,
    CUDA_STUB_LIBRARY = 34,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_IMAGE = 200,
    CUDA_INVALID_CONTEXT = 201,
    CUDA_NO_BINARY = 209,
    CUDA_INVALID_PTX = 218,
    CUDA_UNSUPPORTED_PTX = 222,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_OUT_OF_RESOURCES = 701,
    CUDA_NOT_PERMITTED = 800,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_UNKNOWN = 999
};

/* Results from which a context does not recover: everything in it is lost. */
#define CUDA_LOSSES(DO)                          \
    DO(214, "uncorrectable error of the memory") \
    DO(220, "uncorrectable error of NVLink")     \
    DO(226, "contained error of the memory")     \
    DO(700, "illegal address")                   \
    DO(702, "launch timed out")                  \
    DO(709, "context is destroyed")              \
    DO(710, "assertion")                         \
    DO(714, "error of the stack")                \
    DO(715, "illegal instruction")               \
    DO(716, "misaligned address")                \
    DO(717, "invalid address space")             \
    DO(718, "invalid program counter")           \
    DO(719, "launch failed")

enum cuda_device_attribute {
    CUDA_THREADS_PER_BLOCK = 1,
    CUDA_SHARED_PER_BLOCK = 8,
    CUDA_CLOCK_KHZ = 13,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_INTEGRATED = 18,
    CUDA_MEMORY_CLOCK_KHZ = 36,
    CUDA_MEMORY_BUS_BITS = 37,
    CUDA_L2_BYTES = 38,
    CUDA_THREADS_PER_MULTIPROCESSOR = 39,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_SHARED_PER_MULTIPROCESSOR = 81,
    CUDA_SHARED_PER_BLOCK_OPTIN = 97
};

enum cuda_function_attribute {
    CUDA_FUNCTION_THREADS = 0, /* most threads of a block */
    CUDA_FUNCTION_LOCAL = 3,   /* bytes of local memory of a thread */
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_FUNCTION_SHARED_MAX = 8 /* most bytes of shared memory that a launch may ask for; may be set */
};

enum {
    CUDA_STREAM_NON_BLOCKING = 1, /* does not wait for the stream 0 */
    CUDA_EVENT_BLOCKING = 1,      /* who waits for it sleeps */
    CUDA_EVENT_NO_TIMING = 2,
    CUDA_HOST_PORTABLE = 1, /* pinned for all contexts */
    CUDA_CAPTURING = 1      /* what stream_is_capturing finds while a stream is captured */
};

/* DO(field of struct cuda_driver, symbol of the library, parameters): all return an enum cuda_result. */
#define CUDA_DRIVER_FUNCTIONS(DO)                                                                            \
    DO(init, cuInit, (unsigned flags))                                                                       \
    DO(driver_version, cuDriverGetVersion, (int *version))                                                   \
    DO(error_name, cuGetErrorName, (int result, const char **name))                                          \
    DO(device_count, cuDeviceGetCount, (int *count))                                                         \
    DO(device_get, cuDeviceGet, (int *device, int ordinal))                                                  \
    DO(device_name, cuDeviceGetName, (char *name, int bytes, int device))                                    \
    DO(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))                      \
    DO(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, int device))                                     \
    DO(context_retain, cuDevicePrimaryCtxRetain, (cuda_context * context, int device))                       \
    DO(context_release, cuDevicePrimaryCtxRelease_v2, (int device))                                          \
    DO(context_current, cuCtxGetCurrent, (cuda_context * context))                                           \
    DO(context_push, cuCtxPushCurrent_v2, (cuda_context context))                                            \
    DO(context_pop, cuCtxPopCurrent_v2, (cuda_context * context))                                            \
    DO(context_device, cuCtxGetDevice, (int *device))                                                        \
    DO(memory_alloc, cuMemAlloc_v2, (cuda_pointer * pointer, size_t bytes))                                  \
    DO(memory_free, cuMemFree_v2, (cuda_pointer pointer))                                                    \
    DO(host_alloc, cuMemHostAlloc, (void **host, size_t bytes, unsigned flags))                              \
    DO(host_free, cuMemFreeHost, (void *host))                                                               \
    DO(upload_async, cuMemcpyHtoDAsync_v2,                                                                   \
       (cuda_pointer to, const void *from, size_t bytes, cuda_stream stream))                                \
    DO(download_async, cuMemcpyDtoHAsync_v2,                                                                 \
       (void *to, cuda_pointer from, size_t bytes, cuda_stream stream))                                      \
    DO(module_load, cuModuleLoadData, (cuda_module * module, const void *image))                             \
    DO(module_unload, cuModuleUnload, (cuda_module module))                                                  \
    DO(module_function, cuModuleGetFunction,                                                                 \
       (cuda_function * function, cuda_module module, const char *name))                                     \
    DO(function_attribute, cuFuncGetAttribute, (int *value, int attribute, cuda_function function))          \
    DO(function_set, cuFuncSetAttribute, (cuda_function function, int attribute, int value))                 \
    DO(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                               \
       (int *blocks, cuda_function function, int threads, size_t shared))                                    \
    DO(launch, cuLaunchKernel,                                                                               \
       (cuda_function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x, \
        unsigned threads_y, unsigned threads_z, unsigned shared, cuda_stream stream, void **parameters,      \
        void **extra))                                                                                       \
    DO(stream_create, cuStreamCreate, (cuda_stream * stream, unsigned flags))                                \
    DO(stream_destroy, cuStreamDestroy_v2, (cuda_stream stream))                                             \
    DO(stream_synchronize, cuStreamSynchronize, (cuda_stream stream))                                        \
    DO(stream_wait, cuStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags))               \
    DO(stream_is_capturing, cuStreamIsCapturing, (cuda_stream stream, int *status))                          \
    DO(event_create, cuEventCreate, (cuda_event * event, unsigned flags))                                    \
    DO(event_destroy, cuEventDestroy_v2, (cuda_event event))                                                 \
    DO(event_record, cuEventRecord, (cuda_event event, cuda_stream stream))                                  \
    DO(event_synchronize, cuEventSynchronize, (cuda_event event))                                            \
    DO(event_query, cuEventQuery, (cuda_event event))                                                        \
    DO(event_elapsed, cuEventElapsedTime, (float *milliseconds, cuda_event start, cuda_event end))

/* The same for NVRTC; 0 is success. */
enum { NVRTC_OK = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_INVALID_OPTION = 5, NVRTC_COMPILATION = 6 };

#define CUDA_NVRTC_FUNCTIONS(DO)                                                                            \
    DO(version, nvrtcVersion, (int *major, int *minor))                                                     \
    DO(arch_count, nvrtcGetNumSupportedArchs, (int *count))                                                 \
    DO(archs, nvrtcGetSupportedArchs, (int *archs))                                                         \
    DO(create, nvrtcCreateProgram,                                                                          \
       (nvrtc_program * program, const char *source, const char *name, int header_count,                    \
        const char *const *headers, const char *const *header_names))                                       \
    DO(destroy, nvrtcDestroyProgram, (nvrtc_program * program))                                             \
    DO(compile, nvrtcCompileProgram, (nvrtc_program program, int option_count, const char *const *options)) \
    DO(cubin_size, nvrtcGetCUBINSize, (nvrtc_program program, size_t * bytes))                              \
    DO(cubin, nvrtcGetCUBIN, (nvrtc_program program, char *cubin))                                          \
    DO(ptx_size, nvrtcGetPTXSize, (nvrtc_program program, size_t * bytes))                                  \
    DO(ptx, nvrtcGetPTX, (nvrtc_program program, char *ptx))                                                \
    DO(log_size, nvrtcGetProgramLogSize, (nvrtc_program program, size_t * bytes))                           \
    DO(log, nvrtcGetProgramLog, (nvrtc_program program, char *log))

#define CUDA_FIELD(field, symbol, parameters) int(*field) parameters;
struct cuda_driver {
    CUDA_DRIVER_FUNCTIONS(CUDA_FIELD)
};

struct cuda_nvrtc {
    CUDA_NVRTC_FUNCTIONS(CUDA_FIELD)
};
#undef CUDA_FIELD

#endif
