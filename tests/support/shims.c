/* Replaces the functions of a Vulkan device by ones that can be made to fail. */
#include "support/shims.h"

#include <string.h>

static struct vk_functions real;
static atomic_long until = -1;
static long again = -1;
static bool for_good;
static VkResult answer;

static bool fails(void)
{
    long left = atomic_fetch_sub(&until, 1);
    return left == 0 || (for_good && left < 0);
}

/* DO(name, parameters, arguments) for functions that return a VkResult. */
#define CALLS(DO)                                                                                            \
    DO(CreateBuffer, (VkDevice a, const VkBufferCreateInfo *b, const VkAllocationCallbacks *c, VkBuffer *d), \
       (a, b, c, d))                                                                                         \
    DO(AllocateMemory,                                                                                       \
       (VkDevice a, const VkMemoryAllocateInfo *b, const VkAllocationCallbacks *c, VkDeviceMemory *d),       \
       (a, b, c, d))                                                                                         \
    DO(BindBufferMemory, (VkDevice a, VkBuffer b, VkDeviceMemory c, VkDeviceSize d), (a, b, c, d))           \
    DO(MapMemory,                                                                                            \
       (VkDevice a, VkDeviceMemory b, VkDeviceSize c, VkDeviceSize d, VkMemoryMapFlags e, void **f),         \
       (a, b, c, d, e, f))                                                                                   \
    DO(CreateDescriptorSetLayout,                                                                            \
       (VkDevice a, const VkDescriptorSetLayoutCreateInfo *b, const VkAllocationCallbacks *c,                \
        VkDescriptorSetLayout *d),                                                                           \
       (a, b, c, d))                                                                                         \
    DO(CreatePipelineLayout,                                                                                 \
       (VkDevice a, const VkPipelineLayoutCreateInfo *b, const VkAllocationCallbacks *c,                     \
        VkPipelineLayout *d),                                                                                \
       (a, b, c, d))                                                                                         \
    DO(CreatePipelineCache,                                                                                  \
       (VkDevice a, const VkPipelineCacheCreateInfo *b, const VkAllocationCallbacks *c, VkPipelineCache *d), \
       (a, b, c, d))                                                                                         \
    DO(CreateShaderModule,                                                                                   \
       (VkDevice a, const VkShaderModuleCreateInfo *b, const VkAllocationCallbacks *c, VkShaderModule *d),   \
       (a, b, c, d))                                                                                         \
    DO(CreateComputePipelines,                                                                               \
       (VkDevice a, VkPipelineCache b, uint32_t c, const VkComputePipelineCreateInfo *d,                     \
        const VkAllocationCallbacks *e, VkPipeline *f),                                                      \
       (a, b, c, d, e, f))                                                                                   \
    DO(CreateDescriptorPool,                                                                                 \
       (VkDevice a, const VkDescriptorPoolCreateInfo *b, const VkAllocationCallbacks *c,                     \
        VkDescriptorPool *d),                                                                                \
       (a, b, c, d))                                                                                         \
    DO(AllocateDescriptorSets, (VkDevice a, const VkDescriptorSetAllocateInfo *b, VkDescriptorSet *c),       \
       (a, b, c))                                                                                            \
    DO(CreateCommandPool,                                                                                    \
       (VkDevice a, const VkCommandPoolCreateInfo *b, const VkAllocationCallbacks *c, VkCommandPool *d),     \
       (a, b, c, d))                                                                                         \
    DO(AllocateCommandBuffers, (VkDevice a, const VkCommandBufferAllocateInfo *b, VkCommandBuffer *c),       \
       (a, b, c))                                                                                            \
    DO(CreateSemaphore,                                                                                      \
       (VkDevice a, const VkSemaphoreCreateInfo *b, const VkAllocationCallbacks *c, VkSemaphore *d),         \
       (a, b, c, d))                                                                                         \
    DO(CreateFence, (VkDevice a, const VkFenceCreateInfo *b, const VkAllocationCallbacks *c, VkFence *d),    \
       (a, b, c, d))                                                                                         \
    DO(CreateQueryPool,                                                                                      \
       (VkDevice a, const VkQueryPoolCreateInfo *b, const VkAllocationCallbacks *c, VkQueryPool *d),         \
       (a, b, c, d))                                                                                         \
    DO(ResetCommandPool, (VkDevice a, VkCommandPool b, VkCommandPoolResetFlags c), (a, b, c))                \
    DO(BeginCommandBuffer, (VkCommandBuffer a, const VkCommandBufferBeginInfo *b), (a, b))                   \
    DO(EndCommandBuffer, (VkCommandBuffer a), (a))                                                           \
    DO(ResetFences, (VkDevice a, uint32_t b, const VkFence *c), (a, b, c))                                   \
    DO(QueueSubmit, (VkQueue a, uint32_t b, const VkSubmitInfo *c, VkFence d), (a, b, c, d))                 \
    DO(WaitForFences, (VkDevice a, uint32_t b, const VkFence *c, VkBool32 d, uint64_t e), (a, b, c, d, e))

static VkDeviceSize room = UINT64_MAX;

#define SHIM(call, parameters, arguments)              \
    static VkResult VKAPI_PTR shim_##call parameters   \
    {                                                  \
        return fails() ? answer : real.call arguments; \
    }
CALLS(SHIM)

static VkResult VKAPI_PTR shim_little_memory(VkDevice a, const VkMemoryAllocateInfo *b,
                                             const VkAllocationCallbacks *c, VkDeviceMemory *d)
{
    return b->allocationSize > room ? VK_ERROR_OUT_OF_DEVICE_MEMORY : shim_AllocateMemory(a, b, c, d);
}

/* Functions of a device that replaces a lost one are replaced as well. */
static VkResult VKAPI_PTR shim_CreateDevice(VkPhysicalDevice a, const VkDeviceCreateInfo *b,
                                            const VkAllocationCallbacks *c, VkDevice *d)
{
    if (fails())
        return answer;
    if (again >= 0)
        until = again;
    return real.CreateDevice(a, b, c, d);
}

static PFN_vkVoidFunction VKAPI_PTR shim_GetDeviceProcAddr(VkDevice device, const char *name)
{
    PFN_vkVoidFunction found = real.GetDeviceProcAddr(device, name);
#define FIND(call, parameters, arguments)       \
    if (!strcmp(name, "vk" #call)) {            \
        real.call = (PFN_vk##call)found;        \
        return (PFN_vkVoidFunction)shim_##call; \
    }
    CALLS(FIND)
    return found;
}

void shims_put(abbe_device *device)
{
    struct vk *vk = (struct vk *)device;
    real = vk->f;
#define PUT(call, parameters, arguments) vk->f.call = shim_##call;
    CALLS(PUT)
    vk->f.AllocateMemory = shim_little_memory;
    vk->f.CreateDevice = shim_CreateDevice;
    vk->f.GetDeviceProcAddr = shim_GetDeviceProcAddr;
}

void shims_fail(long n, VkResult failure)
{
    until = n;
    again = -1;
    for_good = false;
    answer = failure;
}

void shims_fail_for_good(long n, VkResult failure)
{
    shims_fail(n, failure);
    for_good = true;
}

void shims_fail_each(long n, long m, VkResult failure)
{
    shims_fail(n, failure);
    again = m;
}

void shims_room(VkDeviceSize bytes)
{
    room = bytes;
}

bool shims_failed(void)
{
    return until < 0;
}

int shims_code(VkResult failure)
{
    bool memory = failure == VK_ERROR_OUT_OF_HOST_MEMORY || failure == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return memory ? ABBE_ERR_MEMORY : ABBE_ERR_DEVICE;
}
