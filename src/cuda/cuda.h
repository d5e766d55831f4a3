/* The CUDA device: its struct, opening and closing, its memory, its kernels. */
#ifndef ABBE_CUDA_CUDA_H
#define ABBE_CUDA_CUDA_H

#include "cuda/driver.h"
#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>

struct cuda_kernel;

/* What a GPU can do. */
struct cuda_limits {
    int capability; /* 10 · major + minor: 75, 80, 86, 90 … */
    int multiprocessors;
    int threads;          /* most threads of a block */
    int resident_threads; /* most threads that a multiprocessor keeps at a time */
    int shared;           /* bytes of shared memory of a block that asks for it (opt-in) */
    int resident_shared;  /* bytes of shared memory of a multiprocessor */
    int l2;               /* bytes of the second-level cache */
    bool integrated;      /* it shares the memory of the host */
    size_t memory;        /* bytes */
};

enum { CUDA_NAME_BYTES = 96 };

struct cuda {
    struct abbe_device head;
    bool adopted; /* the context belongs to the application */
    void *library, *nvrtc_library;
    struct cuda_driver f;
    struct cuda_nvrtc nvrtc;
    int nvrtc_version;  /* 10 · major + minor */
    int driver_version; /* 1000 · major + 10 · minor, of CUDA */
    int ordinal;        /* of the GPU */
    char model[CUDA_NAME_BYTES];
    struct cuda_limits limits;
    cuda_context context; /* the GPU's primary context, or the application's */
    int device;           /* the driver's number of the GPU */
    bool retained;        /* the primary context is retained */
    cuda_stream stream;   /* of uploads outside of runs */
    pthread_mutex_t lock; /* guards `kernels` and NVRTC */
    struct cuda_kernel *kernels;
    atomic_bool lost; /* the context met an error that it does not survive */
};

extern const struct device_table cuda_device_table;

/* ---- loader.c: the libraries ---- */

/* Opens the driver and finds its functions. cuda_unload must follow, even after an error. Errors (message
 * under NULL): DEVICE. */
int cuda_load(struct cuda *cuda);

/* Opens an NVRTC that fits the driver, which cuda_load has opened. Errors (message under NULL): DEVICE. */
int cuda_load_nvrtc(struct cuda *cuda);
void cuda_unload(struct cuda *cuda);

/* Records that `what` failed with `result`, as a message of the device. Notes the loss of the context. Returns
 * the error code that stands for the result. */
int cuda_fail(struct cuda *cuda, int result, const char *what);

/* The same under NULL, for a device that is being opened; cuda_load has found the driver's functions. */
int cuda_fail_opening(const struct cuda *cuda, int result, const char *what);

/* ---- adapters.c: the GPU ---- */

/* Chooses the GPU and fills in its limits. `argument` is a number, part of a name, or NULL for the first of
 * the most able GPUs. Errors (message under NULL): DEVICE. */
int cuda_choose_adapter(struct cuda *cuda, const char *argument);

/* The same for the GPU of an application's context. Errors (message under NULL): DEVICE. */
int cuda_adopt_adapter(struct cuda *cuda, int ordinal);

/* device_table.list */
int cuda_list(struct adapter_list *list);

/* ---- device.c: opening and closing ---- */

/* Returns a zeroed device with its lock; NULL without memory. cuda_close releases it in any state. */
struct cuda *cuda_create(void);
void cuda_close(abbe_device *device);

/* Makes the stream of uploads, and fills in the head: threads, memory, prices, description. Errors (message
 * under NULL): DEVICE, MEMORY. */
int cuda_device_prepare(struct cuda *cuda, const abbe_device_params *params);

/* ---- context.c: the context is current during calls of the device only ---- */

/* Makes the context current. Errors: DEVICE, also where the context was lost; there is nothing to leave
 * then. */
int cuda_enter(struct cuda *cuda);

/* Makes the context current that was so before cuda_enter. */
void cuda_leave(struct cuda *cuda);

/* The same for a context that may be lost, to release what lies in it. False: nothing can be released. */
bool cuda_enter_to_release(struct cuda *cuda);

/* ---- memory.c ---- */

/* Memory of the GPU. */
struct cuda_buffer {
    cuda_pointer address; /* 0: there is none */
    size_t bytes;
};

/* Creates a buffer of at least one byte. cuda_buffer_destroy must follow, even after an error. Returns a
 * cuda_result. */
int cuda_buffer_create(const struct cuda *cuda, double bytes, struct cuda_buffer *buffer);
void cuda_buffer_destroy(const struct cuda *cuda, struct cuda_buffer *buffer);

/* Copies `count` bytes to `offset` of a buffer and waits until kernels see them. Errors: DEVICE, MEMORY. */
int cuda_upload(struct cuda *cuda, const void *bytes, size_t count, const struct cuda_buffer *buffer,
                size_t offset);

/* ---- prices.c ---- */

/* Seconds per unit of each charge: the built-in ones, or those measured for this GPU. */
void cuda_price(const struct cuda *cuda, double *prices);

/* device_table.count_units */
void cuda_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

#endif
