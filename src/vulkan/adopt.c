/* abbe_vulkan_adopt: a device on the application's VkDevice. */
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "vulkan/vk.h"

#include <abbe/vulkan.h>

static int check_params(const abbe_vulkan_params *params)
{
    const char *missing = !params->get_instance_proc_addr ? "get_instance_proc_addr"
                          : !params->instance             ? "instance"
                          : !params->physical_device      ? "physical_device"
                          : !params->device               ? "device"
                          : !params->queue                ? "queue"
                                                          : NULL;
    if (missing)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_vulkan_adopt: params->%s is NULL", missing);
    if (!params->lock_queue != !params->unlock_queue)
        return core_fail(NULL, ABBE_ERR_INVALID,
                         "abbe_vulkan_adopt: set both lock_queue and unlock_queue, or neither");
    return ABBE_OK;
}

static int adopt_device(struct vk *vk, const abbe_vulkan_params *params, const abbe_device_params *options)
{
    vk->adopted = true;
    device_set_options(&vk->head, options);
    vk->stores_images = params->features && params->features->shaderStorageImageWriteWithoutFormat;
    vk->lock_queue = params->lock_queue;
    vk->unlock_queue = params->unlock_queue;
    vk->queue_user = params->user;
    vk->f.GetInstanceProcAddr = params->get_instance_proc_addr;
    vk->instance = params->instance;
    int error = vk_load_instance(vk);
    if (!error)
        error = vk_adopt_adapter(vk, params->physical_device, params->queue_family);
    if (error)
        return error;
    vk->device = params->device;
    vk->queue = params->queue;
    error = vk_load_device(vk);
    VkResult result = error ? VK_SUCCESS : vk_device_prepare(vk);
    vk_fill_head(vk, options);
    return result ? vk_fail(NULL, result, "preparing the GPU") : error;
}

int abbe_vulkan_adopt(const abbe_vulkan_params *params, abbe_device **device)
{
    if (!params || !device)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_vulkan_adopt: %s is NULL",
                         params ? "device" : "params");
    static const struct core_params about = { "abbe_vulkan_adopt: params", VULKAN_PARAMS_0_2,
                                              sizeof(abbe_vulkan_params) };
    abbe_vulkan_params known;
    abbe_device_params options;
    int error = core_read_params(NULL, &about, params, &known);
    if (!error)
        error = check_params(&known);
    if (!error)
        error = device_read_params(known.options, &options);
    if (error)
        return error;
    struct vk *vk = vk_create();
    if (!vk)
        return core_fail_memory(NULL);
    error = adopt_device(vk, &known, &options);
    if (error) {
        vk_close(&vk->head);
        return error;
    }
    *device = &vk->head;
    return ABBE_OK;
}
