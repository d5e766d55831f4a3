/* A device on a program's own VkDevice. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

#include <abbe/vulkan.h>

static int check(const abbe_vulkan_params *params, abbe_device *const *device)
{
    if (!params || !device)
        return core_fail(NULL, ABBE_ERR_INVALID, "vulkan: no %s given",
                         params ? "place for the device" : "parameters");
    const char *missing = !params->get_instance_proc_addr ? "get_instance_proc_addr"
                          : !params->instance             ? "instance"
                          : !params->physical_device      ? "physical_device"
                          : !params->device               ? "device"
                          : !params->queue                ? "queue"
                                                          : NULL;
    if (missing)
        return core_fail(NULL, ABBE_ERR_INVALID, "vulkan: no %s given", missing);
    if (!params->lock_queue != !params->unlock_queue)
        return core_fail(NULL, ABBE_ERR_INVALID, "vulkan: lock_queue and unlock_queue go together");
    return device_check_params(&(abbe_device_params){ .threads = params->threads });
}

static int adopt(struct vk *vk, const abbe_vulkan_params *params)
{
    vk->adopted = true;
    vk->storable = params->features && params->features->shaderStorageImageWriteWithoutFormat;
    vk->lock_queue = params->lock_queue;
    vk->unlock_queue = params->unlock_queue;
    vk->queue_user = params->user;
    vk->f.GetInstanceProcAddr = params->get_instance_proc_addr;
    vk->instance = params->instance;
    int error = vk_load_instance(vk);
    if (!error)
        error = vk_take_adapter(vk, params->physical_device, params->queue_family);
    if (error)
        return error;
    vk->device = params->device;
    vk->queue = params->queue;
    error = vk_load_device(vk);
    VkResult result = error ? VK_SUCCESS : vk_device_prepare(vk);
    vk_fill_head(vk, &(abbe_device_params){ .threads = params->threads });
    return result ? vk_fail(NULL, result, "preparing the GPU") : error;
}

int abbe_vulkan_adopt(const abbe_vulkan_params *params, abbe_device **device)
{
    int error = check(params, device);
    if (error)
        return error;
    struct vk *vk = vk_create();
    if (!vk)
        return core_fail_memory(NULL);
    error = adopt(vk, params);
    if (error) {
        vk_close(&vk->head);
        return error;
    }
    *device = &vk->head;
    return ABBE_OK;
}
