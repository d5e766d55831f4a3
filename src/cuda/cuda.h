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

struct cuda {
    struct abbe_device head;
    bool adopted;                  /* the context and the stream belong to the application */
    void *library, *nvrtc_library; /* NVRTC is opened by the first kernel that must be compiled */
    bool tried_nvrtc;
    struct cuda_driver f;
    struct cuda_nvrtc nvrtc;
    int nvrtc_version;  /* 10 · major + minor */
    int driver_version; /* 1000 · major + 10 · minor, of CUDA */
    int ordinal;        /* of the GPU */
    char model[96];
    struct cuda_limits limits;
    cuda_context context; /* the GPU's primary context, or the application's */
    bool retained;        /* the primary context is retained */
    cuda_stream stream;   /* the application's, for runs on an adopted device; otherwise NULL */
    pthread_mutex_t lock; /* guards `kernels` and NVRTC */
    struct cuda_kernel *kernels;
    atomic_bool lost; /* the context met an error that it does not survive */
};

extern const struct device_table cuda_device_table;

#endif
