/* The driver of CUDA and NVRTC, found at run time: neither linking nor loading Abbe needs them. */
#define _GNU_SOURCE
#include "core/error.h"
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <string.h>

/* What a result that ends the context stands for; NULL for other results. */
static const char *name_loss(int result)
{
    switch (result) {
#define LOSS(number, name) \
    case number: return name;
        CUDA_LOSSES(LOSS)
#undef LOSS
    default: return NULL;
    }
}

/* A message with the driver's name of a result, of a device or under NULL. */
static int fail_with_name(const struct cuda *cuda, const struct cuda *about, int result, const char *what)
{
    const char *name = NULL;
    if (!cuda->f.error_name(result, &name) && name)
        return core_fail(about, ABBE_ERR_DEVICE, "cuda: %s failed with %s", what, name);
    return core_fail(about, ABBE_ERR_DEVICE, "cuda: %s failed with %d", what, result);
}

int cuda_fail_opening(const struct cuda *cuda, int result, const char *what)
{
    if (result == CUDA_OUT_OF_MEMORY)
        return core_fail(NULL, ABBE_ERR_MEMORY, "cuda: %s: out of device memory", what);
    return fail_with_name(cuda, NULL, result, what);
}

int cuda_fail(struct cuda *cuda, int result, const char *what)
{
    const char *loss = name_loss(result);
    if (result == CUDA_OUT_OF_MEMORY)
        return core_fail(cuda, DEVICE_ERR_FULL, "cuda: %s: out of device memory", what);
    if (loss) {
        atomic_store(&cuda->lost, true);
        return core_fail(cuda, ABBE_ERR_DEVICE, "cuda: %s: the context was lost (%s)%s", what, loss,
                         cuda->adopted ? "; the application that owns it must make another"
                                       : "; CUDA cannot be used again in this process");
    }
    return fail_with_name(cuda, cuda, result, what);
}

/* The libraries stay loaded until the process ends: the driver keeps threads and handlers of its own. */
static void *open_library(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Finds a function; false where the library lacks it. */
static bool find_function(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

int cuda_load(struct cuda *cuda)
{
    cuda->library = open_library("libcuda.so.1");
    if (!cuda->library)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'cuda': libcuda.so.1 was not found; install NVIDIA's driver");
#define FIND(field, symbol, parameters)                         \
    if (!find_function(cuda->library, #symbol, &cuda->f.field)) \
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda': the driver lacks " #symbol "; it is too old");
    CUDA_DRIVER_FUNCTIONS(FIND)
#undef FIND
    int result = cuda->f.init(0);
    if (result ==
        CUDA_NOT_INITIALIZED) /* though it was asked to: the driver knows that it was started by a parent */
        return core_fail(
            NULL, ABBE_ERR_DEVICE,
            "device 'cuda': the driver was started before fork() and cannot be used in the child");
    if (result == CUDA_NO_DEVICE)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda': the driver finds no GPU");
    if (!result)
        result = cuda->f.driver_version(&cuda->driver_version);
    return result ? cuda_fail_opening(cuda, result, "starting the driver") : ABBE_OK;
}

/* ---- NVRTC --------------------------------------------------------------------------------------------- */

/* The first NVRTC that knows __grid_constant__: 10 · major + minor. */
enum { NVRTC_MIN = 117 };

/* Whether the driver runs what NVRTC compiles, and NVRTC compiles the kernels. */
static bool is_fitting(const struct cuda *cuda)
{
    return cuda->nvrtc_version >= NVRTC_MIN && cuda->nvrtc_version / 10 <= cuda->driver_version / 1000;
}

static int read_nvrtc_version(struct cuda *cuda)
{
    int major = 0, minor = 0;
    if (!find_function(cuda->nvrtc_library, "nvrtcVersion", &cuda->nvrtc.version) ||
        cuda->nvrtc.version(&major, &minor))
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda': NVRTC does not tell its version");
    cuda->nvrtc_version = 10 * major + minor;
    return ABBE_OK;
}

/* Opens the first NVRTC that fits the driver. */
static int open_nvrtc(struct cuda *cuda)
{
    static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "libnvrtc.so" };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cuda->nvrtc_library = open_library(names[i]);
        if (!cuda->nvrtc_library)
            continue;
        int error = read_nvrtc_version(cuda);
        if (error || is_fitting(cuda))
            return error;
        dlclose(cuda->nvrtc_library);
        cuda->nvrtc_library = NULL;
        found = true;
    }
    if (found)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'cuda': no NVRTC fits the driver (11.7 or later, and not of a later major "
                         "version than the driver's)");
    return core_fail(NULL, ABBE_ERR_DEVICE,
                     "device 'cuda': NVRTC, which compiles kernels, was not found (libnvrtc.so.13, .12 or "
                     ".11.2); install the CUDA toolkit, or its package cuda-nvrtc");
}

int cuda_load_nvrtc(struct cuda *cuda)
{
    int error = open_nvrtc(cuda);
    if (error)
        return error;
#define FIND(field, symbol, parameters)                                   \
    if (!find_function(cuda->nvrtc_library, #symbol, &cuda->nvrtc.field)) \
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda': NVRTC lacks " #symbol "; it is too old");
    CUDA_NVRTC_FUNCTIONS(FIND)
#undef FIND
    return ABBE_OK;
}

void cuda_unload(struct cuda *cuda)
{
    if (cuda->nvrtc_library)
        dlclose(cuda->nvrtc_library);
    if (cuda->library)
        dlclose(cuda->library);
}
