/* CUDA, as much of it as the example needs: one kernel, one stream, one graph. */
#ifndef EXAMPLES_STREAM_CUDA_H
#define EXAMPLES_STREAM_CUDA_H

#include <stdbool.h>
#include <stddef.h>

struct cuda {
    void *driver, *nvrtc; /* libraries */
    int gpu;
    void *context, *stream, *module, *kernel, *graph, *executable;
};

/* Each prints a message on standard error and returns false on failure. */

/* Makes the primary context of the first GPU current, and compiles a kernel. cuda_close must follow, even
 * after a failure. */
bool cuda_open(struct cuda *cuda, const char *source, const char *name);
void cuda_close(struct cuda *cuda);

/* Memory of the GPU; the context releases it. */
bool cuda_allocate(struct cuda *cuda, size_t bytes, unsigned long long *address);
bool cuda_download(struct cuda *cuda, void *bytes, unsigned long long address, size_t count);

/* Launches the kernel on blocks × blocks blocks of threads × threads threads. */
bool cuda_launch(struct cuda *cuda, unsigned blocks, unsigned threads, void **parameters);

/* Between both, what the stream is given becomes a graph; the second runs it and waits for its end. */
bool cuda_begin_graph(struct cuda *cuda);
bool cuda_run_graph(struct cuda *cuda);

#endif
