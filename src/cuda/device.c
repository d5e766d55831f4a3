/* The CUDA device: opening, closing, and the table of its functions. */
#include "core/error.h"
#include "core/lock.h"
#include "core/memory.h"
#include "core/pool.h"
#include "cuda/run.h"
#include "cuda/summary.h"
#include "device/gpu_units.h"

#include <math.h>
#include <stdio.h>

/* Bytes that plans may use: three quarters of the GPU's memory, half if the host shares it. */
static size_t usable_memory(const struct cuda *cuda)
{
    return cuda->limits.memory / 4 * (cuda->limits.integrated ? 2 : 3);
}

/* A price section's name: "cuda:nvidia_h200". */
static void name_section(struct abbe_device *head, const char *model)
{
    int length = snprintf(head->section, sizeof head->section, "cuda:");
    for (; *model && length < (int)sizeof head->section - 1; model++) {
        char c = *model;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
        head->section[length++] = (char)(!letter && !digit ? '_' : letter ? c | 0x20 : c);
    }
    head->section[length] = '\0';
}

static void fill_head(struct cuda *cuda, const abbe_device_params *params)
{
    struct abbe_device *head = &cuda->head;
    head->table = &cuda_device_table;
    head->generation = core_generation();
    head->processors = pool_processors();
    head->threads = params->threads ? params->threads : head->processors;
    head->memory = usable_memory(cuda);
    name_section(head, cuda->model);
    cuda_price(cuda, head->prices);
    snprintf(head->detail, sizeof head->detail, "%.80s, CUDA %d.%d, NVRTC %d.%d", cuda->model,
             cuda->driver_version / 1000, cuda->driver_version % 1000 / 10, cuda->nvrtc_version / 10,
             cuda->nvrtc_version % 10);
}

int cuda_device_prepare(struct cuda *cuda, const abbe_device_params *params)
{
    int result = cuda->f.context_push(cuda->context);
    if (!result) {
        result = cuda->f.stream_create(&cuda->stream, CUDA_STREAM_NON_BLOCKING);
        cuda_leave(cuda);
    }
    if (result)
        return cuda_fail_opening(cuda, result, "preparing the GPU");
    fill_head(cuda, params);
    return ABBE_OK;
}

static int retain_context(struct cuda *cuda)
{
    int result = cuda->f.device_get(&cuda->device, cuda->ordinal);
    if (!result)
        result = cuda->f.context_retain(&cuda->context, cuda->device);
    cuda->retained = !result;
    return result ? cuda_fail_opening(cuda, result, "opening the GPU") : ABBE_OK;
}

struct cuda *cuda_create(void)
{
    struct cuda *cuda = core_alloc_zero(1, sizeof *cuda);
    if (!cuda)
        return NULL;
    pthread_mutex_init(&cuda->lock, NULL);
    atomic_init(&cuda->lost, false);
    return cuda;
}

/* Releases what lies in the context, and the context unless it is the application's. */
static void close_context(struct cuda *cuda)
{
    bool entered = cuda_enter_to_release(cuda);
    cuda_kernels_destroy(cuda);
    if (cuda->stream)
        cuda->f.stream_destroy(cuda->stream);
    if (entered)
        cuda_leave(cuda);
    if (cuda->retained)
        cuda->f.context_release(cuda->device);
}

void cuda_close(abbe_device *device)
{
    struct cuda *cuda = (struct cuda *)device;
    close_context(cuda);
    cuda_unload(cuda);
    pthread_mutex_destroy(&cuda->lock);
    core_free(cuda);
}

static int cuda_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    struct cuda *cuda = cuda_create();
    if (!cuda)
        return core_fail_memory(NULL);
    device_set_options(&cuda->head, params);
    int error = cuda_load(cuda);
    if (!error)
        error = cuda_choose_adapter(cuda, argument);
    if (!error)
        error = cuda_load_nvrtc(cuda);
    if (!error)
        error = retain_context(cuda);
    if (!error)
        error = cuda_device_prepare(cuda, params);
    if (error) {
        cuda_close(&cuda->head);
        return error;
    }
    *device = &cuda->head;
    return ABBE_OK;
}

static const char *cuda_refusal(const abbe_device *device, const struct work *work)
{
    struct cuda_geometry geometry;
    return cuda_geometry_plan((const struct cuda *)device, work, &geometry);
}

static struct footprint cuda_footprint(const abbe_device *device, const struct work *work)
{
    const struct cuda *cuda = (const struct cuda *)device;
    struct cuda_geometry g;
    if (cuda_geometry_plan(cuda, work, &g))
        return (struct footprint){ INFINITY, INFINITY };
    return (struct footprint){ .run = cuda_geometry_run(&g) + sizeof(struct cuda_scratch) + CORE_ALIGNMENT,
                               .plan = g.filters + g.tables + g.maps };
}

static bool cuda_checks_finite(const struct engine *engine, const abbe_image *source)
{
    (void)engine;
    (void)source;
    return false;
}

const struct device_table cuda_device_table = {
    .name = "cuda",
    .summary = ABCU_SUMMARY,
    .open = cuda_open,
    .close = cuda_close,
    .list = cuda_list,
    .refusal = cuda_refusal,
    .has_even = cuda_has_even,
    .footprint = cuda_footprint,
    .charge_count = GPU_CHARGES,
    .charge_names = gpu_charge_names,
    .spectrum_charge = GPU_SPECTRUM,
    .count_units = cuda_count_units,
    .preparation = cuda_preparation,
    .create = cuda_engine_create,
    .destroy = cuda_engine_destroy,
    .checks_finite = cuda_checks_finite,
    .run = cuda_run,
    .submit = cuda_run_submit,
    .wait = cuda_run_wait,
};
