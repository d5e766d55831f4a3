/* Kernels, each compiled once for its constants and kept until the device closes. */
#include "cuda/kernels.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static bool is_pass(const struct cuda_pass *a, const struct cuda_pass *b)
{
    return a->kernel == b->kernel && !memcmp(&a->constants, &b->constants, sizeof a->constants);
}

static struct cuda_kernel *find_kernel(const struct cuda *cuda, const struct cuda_pass *pass)
{
    struct cuda_kernel *one = cuda->kernels;
    while (one && !is_pass(&one->pass, pass))
        one = one->next;
    return one;
}

/* Whether the driver cannot read code, which may have been kept for another one. */
static bool is_refused(int result)
{
    return result == CUDA_INVALID_IMAGE || result == CUDA_NO_BINARY || result == CUDA_INVALID_PTX ||
           result == CUDA_UNSUPPORTED_PTX;
}

/* Loads code and asks what a launch needs to know. Returns a cuda_result. */
static int load_kernel(const struct cuda *cuda, const char *code, struct cuda_kernel *kernel)
{
    const struct cuda_pass *pass = &kernel->pass;
    int blocks = 0, local = 0, result = cuda->f.module_load(&kernel->module, code);
    if (!result)
        result = cuda->f.module_function(&kernel->function, kernel->module,
                                         cuda_function_names[pass->kernel]);
    if (!result)
        result = cuda->f.function_set(kernel->function, CUDA_FUNCTION_SHARED_MAX, (int)pass->shared);
    if (!result)
        result = cuda->f.function_attribute(&local, CUDA_FUNCTION_LOCAL, kernel->function);
    if (!result && local)
        device_log(&cuda->head, ABBE_LOG_INFO, "cuda: %s keeps %d bytes of each thread in local memory",
                   cuda_source_names[pass->kernel], local);
    if (!result)
        result = cuda->f.occupancy(&blocks, kernel->function, (int)pass->threads, pass->shared);
    kernel->resident = (blocks > 0 ? blocks : 1) * cuda->limits.multiprocessors;
    return result;
}

static void destroy_kernel(const struct cuda *cuda, struct cuda_kernel *kernel)
{
    if (kernel->module)
        cuda->f.module_unload(kernel->module);
    core_free(kernel);
}

/* Makes a kernel from its code; `fresh` ignores the cache. A refused module is compiled afresh once, which
 * replaces the file that it came from. */
static int make_kernel(struct cuda *cuda, bool fresh, struct cuda_kernel *kernel)
{
    char *code = NULL;
    int error = cuda_compile(cuda, &kernel->pass, fresh, &code);
    if (error)
        return error;
    int result = load_kernel(cuda, code, kernel);
    core_free(code);
    if (is_refused(result) && !kernel->module && !fresh)
        return make_kernel(cuda, true, kernel);
    return result ? cuda_fail(cuda, result, "loading a kernel") : ABBE_OK;
}

static int add_kernel(struct cuda *cuda, const struct cuda_pass *pass, struct cuda_kernel **added)
{
    struct cuda_kernel *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(cuda);
    made->pass = *pass;
    int error = make_kernel(cuda, false, made);
    if (error) {
        destroy_kernel(cuda, made);
        return error;
    }
    made->next = cuda->kernels;
    *added = cuda->kernels = made;
    return ABBE_OK;
}

int cuda_kernel_get(struct cuda *cuda, const struct cuda_pass *pass, const struct cuda_kernel **kernel)
{
    *kernel = NULL;
    if (!pass->used)
        return ABBE_OK;
    pthread_mutex_lock(&cuda->lock);
    struct cuda_kernel *found = find_kernel(cuda, pass);
    int error = found ? ABBE_OK : add_kernel(cuda, pass, &found);
    pthread_mutex_unlock(&cuda->lock);
    *kernel = found;
    return error;
}

bool cuda_kernel_is_new(struct cuda *cuda, const struct cuda_pass *pass)
{
    pthread_mutex_lock(&cuda->lock);
    bool is_new = pass->used && !find_kernel(cuda, pass) && !cuda_is_compiled(cuda, pass);
    pthread_mutex_unlock(&cuda->lock);
    return is_new;
}

void cuda_kernels_destroy(struct cuda *cuda)
{
    while (cuda->kernels) {
        struct cuda_kernel *gone = cuda->kernels;
        cuda->kernels = gone->next;
        destroy_kernel(cuda, gone);
    }
}
