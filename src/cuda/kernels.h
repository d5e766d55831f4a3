/* Kernels: sources, compiled by NVRTC for constants and for the GPU's architecture. */
#ifndef ABBE_CUDA_KERNELS_H
#define ABBE_CUDA_KERNELS_H

#include "cuda/launches.h"

/* A kernel compiled for a pass; the device keeps it until it closes. */
struct cuda_kernel {
    struct cuda_kernel *next;
    struct cuda_pass pass;
    cuda_module module;
    cuda_function function;
    int resident; /* blocks that the GPU has room for at a time */
};

/* ---- sources.c: embedded by the build ---- */

extern const char *const cuda_source_texts[ABCU_KERNEL_COUNT];
extern const char *const cuda_source_names[ABCU_KERNEL_COUNT];   /* "rows.cu" */
extern const char *const cuda_function_names[ABCU_KERNEL_COUNT]; /* "abcu_rows" */

/* ---- kernels.c; the context is current ---- */

/* Writes the kernel of a pass, compiled once, or NULL if the pass is not used. Errors: DEVICE, MEMORY. */
int cuda_kernel_get(struct cuda *cuda, const struct cuda_pass *pass, const struct cuda_kernel **kernel);

/* Whether the kernel of a pass would have to be compiled: it is neither loaded nor kept in a file. */
bool cuda_kernel_is_new(struct cuda *cuda, const struct cuda_pass *pass);

void cuda_kernels_destroy(struct cuda *cuda);

/* ---- compile.c ---- */

/* The code of a kernel for the GPU, from the cache, unless `fresh`, or from NVRTC. The caller frees it with core_free. Errors:
 * DEVICE, MEMORY. */
int cuda_compile(struct cuda *cuda, const struct cuda_pass *pass, bool fresh, char **code);

/* Whether the cache has the code. */
bool cuda_is_compiled(const struct cuda *cuda, const struct cuda_pass *pass);

/* ---- cache.c: code kept from one process to the next ---- */

/* What code depends on: two sums of the source, the options, the driver, NVRTC and the library. */
struct cuda_key {
    uint64_t sums[2];
};

/* Returns code that was kept for this key, and NULL if there is none. The caller frees it with core_free. */
char *cuda_cache_read(const struct cuda *cuda, const struct cuda_key *key);

/* Keeps code. Failures are only logged: nothing depends on it. */
void cuda_cache_write(const struct cuda *cuda, const struct cuda_key *key, const char *code, size_t bytes);

#endif
