/* The Vulkan device: opening, closing, and the table of its functions. */
#define _GNU_SOURCE
#include "core/error.h"
#include "core/lock.h"
#include "core/memory.h"
#include "core/pool.h"
#include "device/gpu_units.h"
#include "vulkan/run.h"
#include "vulkan/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static VkResult create_vulkan_device(struct vk *vk)
{
    const float priorities[2] = { 1, 1 };
    const VkDeviceQueueCreateInfo queues[] = { { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                 .queueFamilyIndex = vk->family,
                                                 .queueCount = 1,
                                                 .pQueuePriorities = priorities },
                                               { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                 .queueFamilyIndex = vk->copy_family,
                                                 .queueCount = vk->copy_count,
                                                 .pQueuePriorities = priorities } };
    const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = vk->copy_count ? 2 : 1,
                                      .pQueueCreateInfos = queues };
    VkDevice device;
    VkResult result = vk->f.CreateDevice(vk->adapter, &info, NULL, &device);
    vk->device = result ? VK_NULL_HANDLE : device;
    return result;
}

static VkResult create_layouts(struct vk *vk)
{
    VkDescriptorSetLayoutBinding bindings[ABVK_BUFFERS + 2];
    for (uint32_t i = 0; i < ABVK_BUFFERS + 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){ .binding = i,
                                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                      .descriptorCount = 1,
                                                      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT };
    bindings[ABVK_BUFFERS].binding = ABVK_SOURCE_IMAGE;
    bindings[ABVK_BUFFERS].descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    bindings[ABVK_BUFFERS + 1].binding = ABVK_RESULT_IMAGE;
    bindings[ABVK_BUFFERS + 1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = ABVK_BUFFERS + 2,
        .pBindings = bindings
    };
    VkResult result = vk->f.CreateDescriptorSetLayout(vk->device, &set, NULL, &vk->set_layout);
    const VkPushConstantRange push = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct vk_push) };
    const VkPipelineLayoutCreateInfo pipeline = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                  .setLayoutCount = 1,
                                                  .pSetLayouts = &vk->set_layout,
                                                  .pushConstantRangeCount = 1,
                                                  .pPushConstantRanges = &push };
    return result ? result : vk->f.CreatePipelineLayout(vk->device, &pipeline, NULL, &vk->pipeline_layout);
}

/* Whether the host sees all of the device's memory, so that no copies are needed. */
static bool is_unified(const struct vk *vk)
{
    enum {
        BOTH = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT
    };
    VkPhysicalDeviceType type = vk->properties.deviceType;
    bool shares = type == VK_PHYSICAL_DEVICE_TYPE_CPU || type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount && shares; i++)
        if ((vk->memory.memoryTypes[i].propertyFlags & BOTH) == BOTH)
            return true;
    return false;
}

/* Most elements of a thread. 16 elements are 64 registers, which a discrete GPU has. Other GPUs,
 * which were not measured, get half as many, and so do software drivers, whose compilers take
 * seconds for shaders with 16. */
static int choose_elements(const struct vk *vk)
{
    const char *value = secure_getenv("ABBE_VULKAN_ELEMENTS");
    int asked = value ? atoi(value) : 0;
    if (asked == 4 || asked == 8 || asked == 16)
        return asked;
    return vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? 16 : 8;
}

/* Bytes that plans may use: three quarters of the largest heap of the device, half if the host shares it. */
static size_t usable_memory(const struct vk *vk)
{
    return (size_t)(vk_local_memory(&vk->memory) / 4 * (vk->unified ? 2 : 3));
}

void vk_fill_head(struct vk *vk, const abbe_device_params *params)
{
    struct abbe_device *head = &vk->head;
    head->table = &vk_device_table;
    head->generation = core_generation();
    head->processors = pool_processors();
    head->threads = params->threads ? params->threads : head->processors;
    vk->unified = is_unified(vk);
    vk->elements = choose_elements(vk);
    const char *gather = secure_getenv("ABBE_VULKAN_GATHER");
    vk->gathers = !gather || strcmp(gather, "0");
    head->memory = usable_memory(vk);
    snprintf(head->section, sizeof head->section, "vulkan:%x_%x", vk->properties.vendorID,
             vk->properties.deviceID);
    vk_price(vk, head->prices);
    snprintf(head->detail, sizeof head->detail, "%.*s, %.*s", (int)sizeof head->detail / 2 - 2,
             vk->properties.deviceName, (int)sizeof head->detail / 2 - 2, vk->driver);
}

VkResult vk_device_prepare(struct vk *vk)
{
    VkResult result = create_layouts(vk);
    return result ? result : vk_cache_open(vk);
}

int vk_device_open(struct vk *vk)
{
    VkResult result = create_vulkan_device(vk);
    if (result)
        return vk_fail(NULL, result, "opening the GPU");
    int error = vk_load_device(vk);
    if (error)
        return error;
    vk->f.GetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
    for (uint32_t i = 0; i < vk->copy_count; i++)
        vk->f.GetDeviceQueue(vk->device, vk->copy_family, i, &vk->copy_queues[i]);
    result = vk_device_prepare(vk);
    return result ? vk_fail(NULL, result, "preparing the GPU") : ABBE_OK;
}

void vk_device_close(struct vk *vk)
{
    if (!vk->device)
        return;
    if (vk->f.WaitForFences) { /* the last function of the list: all were found */
        vk_pipelines_destroy(vk);
        vk->f.DestroyPipelineCache(vk->device, vk->cache, NULL);
        vk->f.DestroyPipelineLayout(vk->device, vk->pipeline_layout, NULL);
        vk->f.DestroyDescriptorSetLayout(vk->device, vk->set_layout, NULL);
    }
    if (!vk->adopted && vk->f.DestroyDevice)
        vk->f.DestroyDevice(vk->device, NULL);
    vk->cache = VK_NULL_HANDLE;
    vk->pipeline_layout = VK_NULL_HANDLE;
    vk->set_layout = VK_NULL_HANDLE;
    vk->device = VK_NULL_HANDLE;
}

void vk_close(abbe_device *device)
{
    struct vk *vk = (struct vk *)device;
    vk_cache_save(vk);
    vk_device_close(vk);
    vk_unload(vk);
    pthread_rwlock_destroy(&vk->device_lock);
    pthread_mutex_destroy(&vk->lock);
    core_free(vk);
}

struct vk *vk_create(void)
{
    struct vk *vk = core_alloc_zero(1, sizeof *vk);
    if (!vk)
        return NULL;
    pthread_mutex_init(&vk->lock, NULL);
    pthread_rwlock_init(&vk->device_lock, NULL);
    atomic_init(&vk->messages, 0);
    atomic_init(&vk->lost, false);
    return vk;
}

static int vk_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    struct vk *vk = vk_create();
    if (!vk)
        return core_fail_memory(NULL);
    device_set_options(&vk->head, params);
    int error = vk_load(vk);
    if (!error)
        error = vk_choose_adapter(vk, argument);
    if (!error)
        error = vk_device_open(vk);
    if (error) {
        vk_close(&vk->head);
        return error;
    }
    vk_fill_head(vk, params);
    *device = &vk->head;
    return ABBE_OK;
}

/* An upper bound of the rounds of all loops that one thread of a convolution in space makes. */
static double bound_rounds(const struct work *work)
{
    double width = 1.0 + work->left + work->right, height = 1.0 + work->above + work->below;
    double pieces = ceil(height / ABVK_PIECE) + 2, rounds = 0;
    for (int r = 0; r < work->result_count; r++) {
        int components = work->results[r].components, terms = 0;
        for (int i = 0; i < components; i++)
            terms += work->filters[work->results[r].first + i].factors.terms;
        if (work->method == ABBE_METHOD_DIRECT)
            rounds = fmax(rounds, components * width * pieces);
        else if (work->method == ABBE_METHOD_SEPARABLE)
            rounds = fmax(rounds, fmax(width * (1 + 4.0 / ABVK_STRIP), terms * pieces));
    }
    return rounds;
}

/* Mesa's llvmpipe ends the loops of a shader after 65,535 rounds in all and reports nothing; other drivers may take
 * so long a dispatch for a hang. */
static const char *vk_refusal(const abbe_device *device, const struct work *work)
{
    enum { ROUNDS_MAX = 65535 };
    struct vk_geometry geometry;
    if (bound_rounds(work) > ROUNDS_MAX)
        return "the kernel has more taps than one dispatch can loop over";
    return vk_geometry_plan((const struct vk *)device, work, &geometry);
}

static struct footprint vk_footprint(const abbe_device *device, const struct work *work)
{
    const struct vk *vk = (const struct vk *)device;
    struct vk_geometry g;
    if (vk_geometry_plan(vk, work, &g))
        return (struct footprint){ INFINITY, INFINITY };
    return (struct footprint){ .run = vk_geometry_run(vk, &g), .plan = g.filters + g.tables + g.maps };
}

static bool vk_checks_finite(const struct engine *engine, const abbe_image *source)
{
    (void)engine;
    (void)source;
    return false;
}

const struct device_table vk_device_table = {
    .name = "vulkan",
    .summary = ABVK_SUMMARY,
    .open = vk_open,
    .close = vk_close,
    .list = vk_list,
    .refusal = vk_refusal,
    .has_even = vk_has_even,
    .footprint = vk_footprint,
    .charge_count = GPU_CHARGES,
    .charge_names = gpu_charge_names,
    .spectrum_charge = GPU_SPECTRUM,
    .count_units = vk_count_units,
    .create = vk_engine_create,
    .destroy = vk_engine_destroy,
    .checks_finite = vk_checks_finite,
    .run = vk_run,
    .submit = vk_run_submit,
    .wait = vk_run_wait,
};
