/* The functions of Vulkan that the device calls, found at run time. */
#ifndef ABBE_VULKAN_LOADER_H
#define ABBE_VULKAN_LOADER_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#define ABVK_INSTANCE_FUNCTIONS(DO)            \
    DO(DestroyInstance)                        \
    DO(EnumeratePhysicalDevices)               \
    DO(GetPhysicalDeviceProperties2)           \
    DO(GetPhysicalDeviceMemoryProperties)      \
    DO(GetPhysicalDeviceQueueFamilyProperties) \
    DO(GetDeviceProcAddr)                      \
    DO(CreateDevice)

#define ABVK_DEVICE_FUNCTIONS(DO)   \
    DO(DestroyDevice)               \
    DO(GetDeviceQueue)              \
    DO(QueueSubmit)                 \
    DO(QueueWaitIdle)               \
    DO(CreateBuffer)                \
    DO(DestroyBuffer)               \
    DO(GetBufferMemoryRequirements) \
    DO(BindBufferMemory)            \
    DO(AllocateMemory)              \
    DO(FreeMemory)                  \
    DO(MapMemory)                   \
    DO(CreateShaderModule)          \
    DO(DestroyShaderModule)         \
    DO(CreateDescriptorSetLayout)   \
    DO(DestroyDescriptorSetLayout)  \
    DO(CreatePipelineLayout)        \
    DO(DestroyPipelineLayout)       \
    DO(CreateComputePipelines)      \
    DO(DestroyPipeline)             \
    DO(CreatePipelineCache)         \
    DO(DestroyPipelineCache)        \
    DO(GetPipelineCacheData)        \
    DO(CreateDescriptorPool)        \
    DO(DestroyDescriptorPool)       \
    DO(AllocateDescriptorSets)      \
    DO(UpdateDescriptorSets)        \
    DO(CreateCommandPool)           \
    DO(DestroyCommandPool)          \
    DO(ResetCommandPool)            \
    DO(AllocateCommandBuffers)      \
    DO(BeginCommandBuffer)          \
    DO(EndCommandBuffer)            \
    DO(CmdBindPipeline)             \
    DO(CmdBindDescriptorSets)       \
    DO(CmdPushConstants)            \
    DO(CmdDispatch)                 \
    DO(CmdCopyBuffer)               \
    DO(CmdPipelineBarrier)          \
    DO(CmdWriteTimestamp)           \
    DO(CmdResetQueryPool)           \
    DO(CreateQueryPool)             \
    DO(DestroyQueryPool)            \
    DO(GetQueryPoolResults)         \
    DO(CreateSemaphore)             \
    DO(DestroySemaphore)            \
    DO(CreateFence)                 \
    DO(DestroyFence)                \
    DO(ResetFences)                 \
    DO(WaitForFences)

#define ABVK_FUNCTION(name) PFN_vk##name name;
struct vk_functions {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    ABVK_INSTANCE_FUNCTIONS(ABVK_FUNCTION)
    ABVK_DEVICE_FUNCTIONS(ABVK_FUNCTION)
};
#undef ABVK_FUNCTION

struct vk;

/* Opens the Vulkan loader and creates an instance, under the validation layer when ABBE_VULKAN_VALIDATE is
 * set. vk_unload must follow, even after an error. Errors (message under NULL): DEVICE, MEMORY. */
int vk_load(struct vk *vk);
void vk_unload(struct vk *vk);

/* Finds the functions of vk->instance. Errors (message under NULL): DEVICE. */
int vk_load_instance(struct vk *vk);

/* Finds the functions of vk->device. Errors (message under NULL): DEVICE. */
int vk_load_device(struct vk *vk);

/* Records that `what` failed with `result`, as a message of the device or, with a NULL device, under NULL.
 * Notes the loss of the device. Returns the error code that stands for the result. */
int vk_fail(struct vk *vk, VkResult result, const char *what);

#endif
