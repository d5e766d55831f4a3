/* The emulated NVRTC and the modules that it makes. A cubin is a text: the kernel, and the constants that it
 * was compiled for. */
#include "state.h"

#include "kernels.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE_CONSTANT(name) int ABCU_##name;
ABCU_CONSTANTS(DEFINE_CONSTANT)

static const struct {
    const char *name;
    int *variable;
} constants[] = {
#define CONSTANT_ROW(name) { "ABCU_" #name, &ABCU_##name },
    ABCU_CONSTANTS(CONSTANT_ROW)
};
_Static_assert((int)ABCU_CONSTANT_COUNT <= (int)CONSTANTS_MAX, "more constants than the emulator keeps");

static const struct {
    const char *name;
    emulated_kernel kernel;
} kernels[] = {
#define KERNEL_ROW(name) { "abcu_" #name, abcu_##name },
    ABCU_KERNELS(KERNEL_ROW)
};
enum { KERNELS = sizeof kernels / sizeof *kernels, IMAGE_BYTES = 4096 };

static unsigned add_up(const char *text)
{
    unsigned sum = 2166136261;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 16777619;
    return sum;
}

/* ---- NVRTC --------------------------------------------------------------------------------------------- */

struct nvrtc_program_object {
    char kernel[64], image[IMAGE_BYTES], log[256];
    bool compiled;
};

int nvrtcVersion(int *major, int *minor)
{
    ENTER(COMPILES | ASKS);
    *major = (int)emulator_setting("NVRTC") / 10;
    *minor = (int)emulator_setting("NVRTC") % 10;
    return NVRTC_OK;
}

static const int architectures[] = { 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121 };
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

int nvrtcGetNumSupportedArchs(int *count)
{
    ENTER(COMPILES | ASKS);
    *count = ARCHITECTURES;
    return NVRTC_OK;
}

int nvrtcGetSupportedArchs(int *archs)
{
    ENTER(COMPILES | ASKS);
    memcpy(archs, architectures, sizeof architectures);
    return NVRTC_OK;
}

/* The program "rows.cu" has the kernel abcu_rows. */
int nvrtcCreateProgram(nvrtc_program *program, const char *source, const char *name, int header_count,
                       const char *const *headers, const char *const *header_names)
{
    ENTER(COMPILES);
    (void)headers, (void)header_names;
    if (header_count || !strstr(source, "__global__") || !strstr(name, ".cu"))
        emulator_refuse("%s is no program with a kernel", name);
    *program = calloc(1, sizeof **program);
    if (!*program)
        return NVRTC_OUT_OF_MEMORY;
    snprintf((*program)->kernel, sizeof(*program)->kernel, "abcu_%.*s", (int)strcspn(name, "."), name);
    counts.programs++;
    return NVRTC_OK;
}

int nvrtcDestroyProgram(nvrtc_program *program)
{
    ENTER(RELEASES);
    counts.programs--;
    free(*program);
    *program = NULL;
    return NVRTC_OK;
}

/* Options: --gpu-architecture=sm_90 or compute_90, -DABCU_NAME=VALUE, and others that mean nothing here. */
int nvrtcCompileProgram(nvrtc_program program, int option_count, const char *const *options)
{
    ENTER(COMPILES);
    char architecture[32] = "", name[64];
    int value, used = 0;
    char *text = program->image;
    for (int i = 0; i < option_count; i++)
        sscanf(options[i], "--gpu-architecture=%31s", architecture);
    used = snprintf(text, IMAGE_BYTES, "emulated %s %s", architecture, program->kernel);
    for (int i = 0; i < option_count; i++)
        if (sscanf(options[i], "-D%63[A-Z0-9_]=%d", name, &value) == 2)
            used += snprintf(text + used, (size_t)(IMAGE_BYTES - used), " %s=%d", name, value);
    snprintf(text + used, (size_t)(IMAGE_BYTES - used), " sum=%u", add_up(text));
    counts.compiled++;
    program->compiled = true;
    return NVRTC_OK;
}

static int find_image(nvrtc_program program, const char *prefix, size_t *bytes, char *copy)
{
    const char *architecture = program->image + strlen("emulated ");
    if (!program->compiled || strncmp(architecture, prefix, strlen(prefix)) != 0)
        emulator_refuse("a program that was not compiled, or for another kind of result");
    if (bytes)
        *bytes = strlen(program->image) + 1;
    if (copy)
        strcpy(copy, program->image);
    return NVRTC_OK;
}

int nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes)
{
    ENTER(COMPILES | ASKS);
    return find_image(program, "sm_", bytes, NULL);
}

int nvrtcGetCUBIN(nvrtc_program program, char *cubin)
{
    ENTER(COMPILES | ASKS);
    return find_image(program, "sm_", NULL, cubin);
}

int nvrtcGetPTXSize(nvrtc_program program, size_t *bytes)
{
    ENTER(COMPILES | ASKS);
    return find_image(program, "compute_", bytes, NULL);
}

int nvrtcGetPTX(nvrtc_program program, char *ptx)
{
    ENTER(COMPILES | ASKS);
    return find_image(program, "compute_", NULL, ptx);
}

int nvrtcGetProgramLogSize(nvrtc_program program, size_t *bytes)
{
    ENTER(COMPILES | ASKS);
    *bytes = strlen(program->log) + 1;
    return NVRTC_OK;
}

int nvrtcGetProgramLog(nvrtc_program program, char *log)
{
    ENTER(COMPILES | ASKS);
    strcpy(log, program->log);
    return NVRTC_OK;
}

/* ---- Modules ------------------------------------------------------------------------------------------- */

struct cuda_module_object {
    char kernel[64];
    struct cuda_function_object function;
    cuda_context context;
    cuda_module next;
};
static cuda_module modules;

static void unload(cuda_module *link)
{
    cuda_module module = *link;
    *link = module->next;
    free(module);
    counts.modules--;
}

void module_forget(cuda_context context)
{
    for (cuda_module *link = &modules; *link;)
        if ((*link)->context == context)
            unload(link);
        else
            link = &(*link)->next;
}

static void read_constant(const char *name, int value, int *values)
{
    for (int i = 0; i < ABCU_CONSTANT_COUNT; i++)
        if (!strcmp(constants[i].name, name)) {
            values[i] = value;
            return;
        }
    emulator_refuse("a kernel is compiled for %s, which is no constant of interface.h", name);
}

/* Whether a GPU of this capability runs code for `architecture`, "sm_86" or "compute_75". */
static bool suits_device(const char *architecture)
{
    int capability = (int)emulator_setting("CAPABILITY"), number = 0;
    if (sscanf(architecture, "compute_%d", &number) == 1)
        return number <= capability;
    return sscanf(architecture, "sm_%d", &number) == 1 && number / 10 == capability / 10 &&
           number <= capability;
}

int cuModuleLoadData(cuda_module *module, const void *image)
{
    ENTER(NEEDS_CONTEXT);
    const char *text = image, *sum = strstr(text, " sum=");
    char architecture[32], copy[IMAGE_BYTES], name[64];
    int read = 0, value;
    snprintf(copy, sizeof copy, "%.*s", sum ? (int)(sum - text) : 0, text);
    if (!sum || add_up(copy) != (unsigned)strtoul(sum + 5, NULL, 10))
        emulator_refuse("a spoiled image reached the driver, which may crash");
    *module = calloc(1, sizeof **module);
    if (!*module)
        return CUDA_OUT_OF_MEMORY;
    sscanf(copy, "emulated %31s %63s%n", architecture, (*module)->kernel, &read);
    if (!suits_device(architecture)) {
        free(*module);
        return CUDA_NO_BINARY;
    }
    for (int i = 0; i < ABCU_CONSTANT_COUNT; i++)
        (*module)->function.constants[i] = INT_MIN;
    for (const char *next = copy + read; sscanf(next, " %63[A-Z0-9_]=%d%n", name, &value, &read) == 2;
         next += read)
        read_constant(name, value, (*module)->function.constants);
    (*module)->function.shared_max = 48 << 10;
    (*module)->context = emulator_context();
    (*module)->next = modules;
    modules = *module;
    counts.modules++;
    return CUDA_OK;
}

int cuModuleUnload(cuda_module module)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    cuda_module *link = &modules;
    stream_finish_all();
    while (*link && *link != module)
        link = &(*link)->next;
    if (!*link)
        emulator_refuse("a module is unloaded that is not loaded");
    unload(link);
    return emulator_context()->lost;
}

int cuModuleGetFunction(cuda_function *function, cuda_module module, const char *name)
{
    ENTER(NEEDS_CONTEXT);
    for (int i = 0; i < KERNELS; i++)
        if (!strcmp(kernels[i].name, name) && !strcmp(module->kernel, name)) {
            module->function.kernel = kernels[i].kernel;
            *function = &module->function;
            return CUDA_OK;
        }
    return CUDA_NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, cuda_function function)
{
    ENTER(NEEDS_CONTEXT);
    switch ((enum cuda_function_attribute)attribute) {
    case CUDA_FUNCTION_THREADS: *value = GRID_THREADS_MAX; return CUDA_OK;
    case CUDA_FUNCTION_LOCAL: *value = 0; return CUDA_OK;
    case CUDA_FUNCTION_REGISTERS: *value = 64; return CUDA_OK;
    case CUDA_FUNCTION_SHARED_MAX: *value = function->shared_max; return CUDA_OK;
    }
    return CUDA_INVALID_VALUE;
}

int cuFuncSetAttribute(cuda_function function, int attribute, int value)
{
    ENTER(NEEDS_CONTEXT);
    if (attribute != CUDA_FUNCTION_SHARED_MAX || value > emulator_setting("SHARED"))
        return CUDA_INVALID_VALUE;
    function->shared_max = value;
    return CUDA_OK;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cuda_function function, int threads,
                                                size_t shared)
{
    ENTER(NEEDS_CONTEXT);
    int by_threads = 2048 / threads,
        by_shared = (int)((size_t)(emulator_setting("SHARED") + 1024) / (shared + 1024));
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    return (int)shared > function->shared_max ? CUDA_INVALID_VALUE : CUDA_OK;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static bool is_launchable(const struct action *action)
{
    const unsigned *threads = action->threads, *blocks = action->blocks;
    return threads[0] && threads[1] && threads[2] &&
           threads[0] * threads[1] * threads[2] <= GRID_THREADS_MAX && threads[2] <= 64 && blocks[0] &&
           blocks[1] && blocks[2] && blocks[0] <= INT_MAX && blocks[1] <= 65535 && blocks[2] <= 65535 &&
           (int)action->shared <= action->function.shared_max;
}

int cuLaunchKernel(cuda_function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,
                   cuda_stream stream, void **parameters, void **extra)
{
    ENTER(NEEDS_CONTEXT);
    struct action action = { .kind = ACTION_LAUNCH,
                             .function = *function,
                             .blocks = { blocks_x, blocks_y, blocks_z },
                             .threads = { threads_x, threads_y, threads_z },
                             .shared = shared };
    if (extra || !is_launchable(&action))
        return CUDA_INVALID_VALUE;
    memcpy(&action.parameters, parameters[0], sizeof action.parameters);
    counts.launches++;
    return stream_append(stream, &action);
}

void module_run(const struct action *action)
{
    for (int i = 0; i < ABCU_CONSTANT_COUNT; i++)
        *constants[i].variable = action->function.constants[i];
    emulated_run(action->function.kernel, &action->parameters, action->blocks, action->threads,
                 action->shared);
}
