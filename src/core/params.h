/* Parameter structs of the application, which may be older or newer than the library. */
#ifndef ABBE_CORE_PARAMS_H
#define ABBE_CORE_PARAMS_H

#include <stddef.h>

/* sizeof a struct that ends with the field `last`. */
#define CORE_SIZE_TO(type, last) \
    ((offsetof(type, last) + sizeof((type *)0)->last + _Alignof(type) - 1) / _Alignof(type) * _Alignof(type))

/* The sizes of version 0.2, for which 0 stands. A field that a later version adds comes after these, and has
 * the alignment of its struct, so that it does not lie in what was padding. */
#define DEVICE_PARAMS_0_2 CORE_SIZE_TO(abbe_device_params, log_user)
#define PLAN_PARAMS_0_2 CORE_SIZE_TO(abbe_plan_params, result_height)
#define KERNEL_PARAMS_0_2 CORE_SIZE_TO(abbe_kernel_params, centre)
#define SEPARABLE_PARAMS_0_2 CORE_SIZE_TO(abbe_separable_params, centre)
#define STREAM_PARAMS_0_2 CORE_SIZE_TO(abbe_stream_params, memory)
#define PEAK_PARAMS_0_2 CORE_SIZE_TO(abbe_peak_params, prominence)
#define WATCH_0_2 CORE_SIZE_TO(abbe_watch, user)
#define VULKAN_PARAMS_0_2 CORE_SIZE_TO(abbe_vulkan_params, user)
#define CUDA_PARAMS_0_2 CORE_SIZE_TO(abbe_cuda_params, options)
#define GL_PARAMS_0_2 CORE_SIZE_TO(abbe_gl_params, alone)

/* A parameter struct: what the application gave, and what the library knows of it. */
struct core_params {
    const char *name; /* for messages: "abbe_plan_create: params" */
    size_t first;     /* bytes of the struct as of version 0.2 */
    size_t known;     /* bytes of the struct in this version */
};

/* Copies a struct of the application, which begins with its size, to `known`, a struct of this version.
 * Fields that the application does not have are 0. Errors, recorded for `device`: INVALID (a size below that
 * of version 0.2, or absurd), UNSUPPORTED (fields of a later version that are not 0). */
int core_read_params(const void *device, const struct core_params *about, const void *given, void *known);

#endif
