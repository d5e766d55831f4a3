/* The emulated driver: devices, contexts, failures, and how every function is entered. */
#include "state.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES_MAX = 4, STACK_MAX = 16, NOT_INITIALIZED = 3, NVRTC_INTERNAL = 11 };

struct emulator_counts counts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t initialised;
static struct cuda_context_object contexts[DEVICES_MAX];
static _Thread_local cuda_context stack[STACK_MAX];
static _Thread_local int depth;

void emulator_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("cuda emulator: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* ---- Settings ------------------------------------------------------------------------------------------ */

static struct setting {
    const char *name;
    long long value;
    bool known;
} settings[] = {
    { "SEED", 1, false },       { "DEVICES", 1, false },     { "CAPABILITY", 90, false },
    { "PROCESSORS", 3, false }, { "SHARED", 232448, false }, { "MEMORY", 8LL << 30, false },
    { "DRIVER", 13000, false }, { "NVRTC", 130, false },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static struct setting *find_setting(const char *name)
{
    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    emulator_refuse("there is no setting %s", name);
}

long long emulator_setting(const char *name)
{
    struct setting *setting = find_setting(name);
    char variable[64];
    snprintf(variable, sizeof variable, "ABBE_EMULATOR_%s", name);
    const char *text = setting->known ? NULL : getenv(variable);
    if (text)
        setting->value = atoll(text);
    setting->known = true;
    return setting->value;
}

static void change_setting(const char *name, long long value)
{
    struct setting *setting = find_setting(name);
    setting->value = value;
    setting->known = true;
}

/* ---- Failures ------------------------------------------------------------------------------------------ */

static long calls_left = -1; /* until the failure */
static int failure;
static bool fails_for_good;

static void fail_at(long n, int result, bool for_good)
{
    calls_left = n;
    failure = result;
    fails_for_good = for_good;
    for (int i = 0; i < DEVICES_MAX; i++)
        contexts[i].lost = CUDA_OK;
}

static bool failed(void)
{
    return calls_left < 0;
}

__attribute__((constructor)) static void read_failure(void)
{
    long n;
    int result;
    const char *text = getenv("ABBE_EMULATOR_FAIL");
    if (text && sscanf(text, "%ld:%d", &n, &result) == 2)
        fail_at(n, result, false);
}

static bool is_loss(int result)
{
#define COMPARE(number, words) \
    if (result == number)      \
        return true;
    CUDA_LOSSES(COMPARE)
    return false;
}

/* The failure of this call. */
static int count_call(int needs)
{
    bool compiles = needs & COMPILES;
    if ((compiles && is_loss(failure)) || (needs & ASKS && failure == CUDA_OUT_OF_MEMORY))
        return NVRTC_OK;
    counts.calls++;
    bool now = calls_left == 0 || (calls_left < 0 && fails_for_good);
    if (calls_left >= 0)
        calls_left--;
    if (now && compiles)
        return failure == CUDA_OUT_OF_MEMORY ? NVRTC_OUT_OF_MEMORY : NVRTC_INTERNAL;
    return now ? failure : CUDA_OK;
}

/* ---- Entering ------------------------------------------------------------------------------------------ */

int emulator_enter(int needs)
{
    pthread_mutex_lock(&lock);
    if (initialised && initialised != getpid())
        return NOT_INITIALIZED; /* as the driver does in the child of a fork */
    int result = needs & RELEASES ? CUDA_OK : count_call(needs);
    if (result && is_loss(result) && emulator_context())
        emulator_context()->lost = result;
    if (result || !(needs & NEEDS_CONTEXT))
        return result;
    cuda_context context = emulator_context();
    if (!context || !context->retained)
        return CUDA_INVALID_CONTEXT;
    return needs & RELEASES ? CUDA_OK : context->lost;
}

void emulator_leave(const int *entered)
{
    (void)entered;
    pthread_mutex_unlock(&lock);
}

cuda_context emulator_context(void)
{
    return depth ? stack[depth - 1] : NULL;
}

/* ---- Devices ------------------------------------------------------------------------------------------- */

int cuInit(unsigned flags)
{
    ENTER(NEEDS_NOTHING);
    initialised = getpid();
    emulated_seed((unsigned long)emulator_setting("SEED"));
    return flags ? CUDA_INVALID_VALUE : emulator_setting("DEVICES") ? CUDA_OK : CUDA_NO_DEVICE;
}

int cuDriverGetVersion(int *version)
{
    ENTER(NEEDS_NOTHING);
    *version = (int)emulator_setting("DRIVER");
    return CUDA_OK;
}

int cuGetErrorName(int result, const char **name)
{
    *name = result == CUDA_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_EMULATED";
    return CUDA_OK;
}

int cuDeviceGetCount(int *count)
{
    ENTER(NEEDS_NOTHING);
    *count = (int)emulator_setting("DEVICES");
    return initialised ? CUDA_OK : NOT_INITIALIZED;
}

static bool is_device(int device)
{
    return device >= 0 && device < emulator_setting("DEVICES") && device < DEVICES_MAX;
}

int cuDeviceGet(int *device, int ordinal)
{
    ENTER(NEEDS_NOTHING);
    *device = ordinal;
    return is_device(ordinal) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
    ENTER(NEEDS_NOTHING);
    snprintf(name, (size_t)bytes, "Emulated GPU");
    return is_device(device) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    ENTER(NEEDS_NOTHING);
    *bytes = (size_t)emulator_setting("MEMORY");
    return is_device(device) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

static int find_attribute(int attribute)
{
    int shared = (int)emulator_setting("SHARED");
    switch ((enum cuda_device_attribute)attribute) {
    case CUDA_THREADS_PER_BLOCK: return GRID_THREADS_MAX;
    case CUDA_SHARED_PER_BLOCK: return 48 << 10;
    case CUDA_CLOCK_KHZ: return 1000000;
    case CUDA_MULTIPROCESSORS: return (int)emulator_setting("PROCESSORS");
    case CUDA_INTEGRATED: return 0;
    case CUDA_MEMORY_CLOCK_KHZ: return 2619000;
    case CUDA_MEMORY_BUS_BITS: return 6144;
    case CUDA_L2_BYTES: return 50 << 20;
    case CUDA_THREADS_PER_MULTIPROCESSOR: return 2048;
    case CUDA_CAPABILITY_MAJOR: return (int)emulator_setting("CAPABILITY") / 10;
    case CUDA_CAPABILITY_MINOR: return (int)emulator_setting("CAPABILITY") % 10;
    case CUDA_SHARED_PER_MULTIPROCESSOR: return shared + 1024;
    case CUDA_SHARED_PER_BLOCK_OPTIN: return shared;
    }
    return -1;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    ENTER(NEEDS_NOTHING);
    *value = find_attribute(attribute);
    return is_device(device) && *value >= 0 ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* ---- Contexts ------------------------------------------------------------------------------------------ */

int cuDevicePrimaryCtxRetain(cuda_context *context, int device)
{
    ENTER(NEEDS_NOTHING);
    if (!is_device(device))
        return CUDA_INVALID_DEVICE;
    *context = &contexts[device];
    if (!contexts[device].retained++)
        contexts[device].device = device;
    counts.contexts++;
    return CUDA_OK;
}

/* The last release destroys everything in the context. It stays lost, as the driver's documentation says. */
int cuDevicePrimaryCtxRelease_v2(int device)
{
    ENTER(RELEASES);
    if (!is_device(device) || !contexts[device].retained)
        emulator_refuse("a context is released more often than it was retained");
    counts.contexts--;
    if (--contexts[device].retained)
        return CUDA_OK;
    stream_forget(&contexts[device]);
    memory_forget(&contexts[device]);
    module_forget(&contexts[device]);
    return CUDA_OK;
}

int cuCtxGetCurrent(cuda_context *context)
{
    ENTER(NEEDS_NOTHING);
    *context = emulator_context();
    return CUDA_OK;
}

int cuCtxPushCurrent_v2(cuda_context context)
{
    ENTER(NEEDS_NOTHING);
    if (!context || depth == STACK_MAX)
        return CUDA_INVALID_CONTEXT;
    stack[depth++] = context;
    return CUDA_OK;
}

int cuCtxPopCurrent_v2(cuda_context *context)
{
    ENTER(RELEASES);
    if (!depth)
        return CUDA_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return CUDA_OK;
}

int cuCtxGetDevice(int *device)
{
    ENTER(NEEDS_CONTEXT);
    *device = emulator_context()->device;
    return CUDA_OK;
}

/* ---- What tests ask for -------------------------------------------------------------------------------- */

static struct emulator_counts get_counts(void)
{
    pthread_mutex_lock(&lock);
    struct emulator_counts now = counts;
    pthread_mutex_unlock(&lock);
    return now;
}

static const char *first_difference(struct emulator_counts before, struct emulator_counts after)
{
#define COMPARE_COUNT(what)        \
    if (before.what != after.what) \
        return #what;
    COMPARE_COUNT(contexts)
    COMPARE_COUNT(modules)
    COMPARE_COUNT(allocations)
    COMPARE_COUNT(pinned)
    COMPARE_COUNT(streams)
    COMPARE_COUNT(events)
    COMPARE_COUNT(graphs)
    COMPARE_COUNT(programs)
    return NULL;
}

const struct emulator emulator = {
    .fail_at = fail_at,
    .failed = failed,
    .room = memory_set_room,
    .set = change_setting,
    .counts = get_counts,
    .first_difference = first_difference,
};
