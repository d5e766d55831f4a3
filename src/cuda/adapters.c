/* The GPUs of the machine: the choice of the best one or of the one that is named, and their list. */
#include "core/error.h"
#include "core/text.h"
#include "cuda/cuda.h"
#include "device/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The oldest GPUs that the kernels are compiled for, and the shared memory that all of these have. */
enum { CAPABILITY_MIN = 75, SHARED_MIN = 48 << 10 };

/* Reads what a GPU can do. Returns a cuda_result. */
static int read_limits(const struct cuda *cuda, int device, struct cuda_limits *limits)
{
    int major = 0, minor = 0, integrated = 0;
    const struct {
        int attribute, *value;
    } wanted[] = {
        { CUDA_CAPABILITY_MAJOR, &major },
        { CUDA_CAPABILITY_MINOR, &minor },
        { CUDA_MULTIPROCESSORS, &limits->multiprocessors },
        { CUDA_THREADS_PER_BLOCK, &limits->threads },
        { CUDA_THREADS_PER_MULTIPROCESSOR, &limits->resident_threads },
        { CUDA_SHARED_PER_BLOCK_OPTIN, &limits->shared },
        { CUDA_SHARED_PER_MULTIPROCESSOR, &limits->resident_shared },
        { CUDA_L2_BYTES, &limits->l2 },
        { CUDA_INTEGRATED, &integrated },
    };
    int result = CUDA_OK;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !result; i++)
        result = cuda->f.device_attribute(wanted[i].value, wanted[i].attribute, device);
    if (!result)
        result = cuda->f.device_memory(&limits->memory, device);
    limits->capability = 10 * major + minor;
    limits->integrated = integrated != 0;
    return result;
}

/* Makes a GPU the current one and reads its name and limits. */
static int set_adapter(struct cuda *cuda, int ordinal)
{
    int device = 0, result = cuda->f.device_get(&device, ordinal);
    cuda->ordinal = ordinal;
    memset(&cuda->limits, 0, sizeof cuda->limits);
    if (!result)
        result = cuda->f.device_name(cuda->model, CUDA_NAME_BYTES, device);
    cuda->model[CUDA_NAME_BYTES - 1] = '\0';
    return result ? result : read_limits(cuda, device, &cuda->limits);
}

/* Returns NULL, or what the GPU lacks and what to use instead. */
static const char *missing_feature(const struct cuda *cuda)
{
    const struct cuda_limits *limits = &cuda->limits;
    if (limits->capability < CAPABILITY_MIN)
        return "compute capability 7.5; other devices are vulkan, gl and cpu";
    if (limits->shared < SHARED_MIN || limits->threads < 1024)
        return "48 KiB of shared memory and 1024 threads in a block";
    return NULL;
}

static int choose_by_number(struct cuda *cuda, int count, const char *argument)
{
    unsigned long number = strtoul(argument, NULL, 10);
    if (number >= (unsigned long)count)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda:%s': there %s %d GPU%s, counted from 0",
                         text_show(argument, strlen(argument)).text, count == 1 ? "is" : "are", count,
                         count == 1 ? "" : "s");
    int result = set_adapter(cuda, (int)number);
    return result ? cuda_fail_opening(cuda, result, "asking a GPU") : ABBE_OK;
}

/* The first GPU with all that is needed; with a `name`, the first of that name, whatever it lacks. The driver
 * puts the fastest GPU first. */
static int choose_first(struct cuda *cuda, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        int result = set_adapter(cuda, i);
        if (result)
            return cuda_fail_opening(cuda, result, "asking a GPU");
        if (name && text_contains(cuda->model, name))
            return ABBE_OK;
        const char *missing = missing_feature(cuda);
        if (!name && !missing)
            return ABBE_OK;
        if (!name)
            device_log(&cuda->head, ABBE_LOG_WARNING, "cuda: %s is passed over: it lacks %s", cuda->model,
                       missing);
    }
    if (name)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda:%s': no GPU has that name",
                         text_show(name, strlen(name)).text);
    return core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda': no GPU%s",
                     count ? " here has what is needed" : "");
}

static int check_features(const struct cuda *cuda)
{
    const char *lacking = missing_feature(cuda);
    return lacking ? core_fail(NULL, ABBE_ERR_DEVICE, "device 'cuda': %s lacks %s", cuda->model, lacking)
                   : ABBE_OK;
}

int cuda_choose_adapter(struct cuda *cuda, const char *argument)
{
    int count = 0, result = cuda->f.device_count(&count);
    if (result)
        return cuda_fail_opening(cuda, result, "listing the GPUs");
    bool number = argument && *argument && argument[strspn(argument, "0123456789")] == '\0';
    int error = number ? choose_by_number(cuda, count, argument)
                       : choose_first(cuda, count, argument && *argument ? argument : NULL);
    return error ? error : check_features(cuda);
}

int cuda_adopt_adapter(struct cuda *cuda, int ordinal)
{
    int result = set_adapter(cuda, ordinal);
    return result ? cuda_fail_opening(cuda, result, "asking the context's GPU") : check_features(cuda);
}

/* ---- The list of adapters ----------------------------------------------------------------------------- */

static void list_adapter(struct cuda *cuda, int number, bool compiles, struct adapter_list *list)
{
    char name[24], problem[160] = "", version[32];
    if (set_adapter(cuda, number))
        return;
    const char *lacking = missing_feature(cuda);
    if (!lacking && !compiles)
        lacking =
            "NVRTC 11.7 or later, of no later major version than the driver's; install the CUDA toolkit, "
            "or its package cuda-nvrtc";
    if (lacking)
        snprintf(problem, sizeof problem, "it lacks %s", lacking);
    snprintf(name, sizeof name, "cuda:%d", number);
    snprintf(version, sizeof version, "%d.%d", cuda->driver_version / 1000, cuda->driver_version % 1000 / 10);
    device_list_add(list, &(abbe_adapter){ .name = name,
                                           .kind = cuda->limits.integrated ? ABBE_ADAPTER_INTEGRATED
                                                                           : ABBE_ADAPTER_DISCRETE,
                                           .model = cuda->model,
                                           .memory = cuda->limits.memory,
                                           .driver = "CUDA",
                                           .driver_version = version,
                                           .problem = problem });
}

int cuda_list(struct adapter_list *list)
{
    int count = 0;
    struct cuda *cuda = cuda_create();
    if (!cuda)
        return core_fail_memory(NULL);
    bool listed = !cuda_load(cuda) && !cuda->f.device_count(&count),
         compiles = listed && !cuda_load_nvrtc(cuda);
    for (int i = 0; listed && i < count; i++)
        list_adapter(cuda, i, compiles, list);
    cuda_close(&cuda->head);
    return ABBE_OK;
}
