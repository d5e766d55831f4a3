/* Opens a GPU. The Vulkan loader is opened at run time, so
 * that the benchmark starts on machines without Vulkan. */
#include "gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool gpu_ok(struct gpu *gpu, VkResult result, const char *what)
{
    if (result)
        snprintf(gpu->problem, sizeof gpu->problem, "%s failed with %d", what, (int)result);
    return !result;
}

static bool report_missing(struct gpu *gpu, const char *what)
{
    snprintf(gpu->problem, sizeof gpu->problem, "Vulkan lacks %s", what);
    return false;
}

static bool open_vulkan(struct gpu *gpu)
{
    gpu->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = gpu->library ? dlsym(gpu->library, "vkGetInstanceProcAddr") : NULL;
    memcpy(&gpu->f.GetInstanceProcAddr, &symbol, sizeof symbol);
    if (!symbol)
        snprintf(gpu->problem, sizeof gpu->problem, "no Vulkan loader (Debian: libvulkan1)");
    return symbol;
}

static bool open_instance(struct gpu *gpu)
{
    const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                            .pApplicationName = "abbe-bench",
                                            .apiVersion = VK_API_VERSION_1_1 };
    const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &application };
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gpu->f.GetInstanceProcAddr(NULL, "vkCreateInstance");
    if (!create)
        return report_missing(gpu, "vkCreateInstance");
    VkResult result = create(&info, NULL, &gpu->instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        snprintf(gpu->problem, sizeof gpu->problem, "no Vulkan driver is installed");
    else
        gpu_ok(gpu, result, "opening Vulkan");
#define FIND(name)                                                                                       \
    if (!result && !(gpu->f.name = (PFN_vk##name)gpu->f.GetInstanceProcAddr(gpu->instance, "vk" #name))) \
        return report_missing(gpu, "vk" #name);
    GPU_INSTANCE_FUNCTIONS(FIND)
#undef FIND
    return !result;
}

static bool open_gpu_device(struct gpu *gpu)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueFamilyIndex = gpu->family,
                                            .queueCount = 1,
                                            .pQueuePriorities = &priority };
    const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue };
    if (!gpu_ok(gpu, gpu->f.CreateDevice(gpu->adapter, &info, NULL, &gpu->device), "opening the GPU"))
        return false;
#define FIND(name)                                                                 \
    gpu->f.name = (PFN_vk##name)gpu->f.GetDeviceProcAddr(gpu->device, "vk" #name); \
    if (!gpu->f.name)                                                              \
        return report_missing(gpu, "vk" #name);
    GPU_DEVICE_FUNCTIONS(FIND)
#undef FIND
    gpu->f.GetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    return true;
}

static bool create_objects(struct gpu *gpu)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = gpu->family };
    const VkQueryPoolCreateInfo stamps = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                           .queryCount = 2 };
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    if (!gpu_ok(gpu, gpu->f.CreateCommandPool(gpu->device, &pool, NULL, &gpu->pool),
                "creating a command pool") ||
        !gpu_ok(gpu, gpu->f.CreateQueryPool(gpu->device, &stamps, NULL, &gpu->stamps),
                "creating a query pool") ||
        !gpu_ok(gpu, gpu->f.CreateFence(gpu->device, &fence, NULL, &gpu->fence), "creating a fence"))
        return false;
    VkCommandBuffer buffers[2];
    const VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = gpu->pool,
                                               .commandBufferCount = 2 };
    if (!gpu_ok(gpu, gpu->f.AllocateCommandBuffers(gpu->device, &info, buffers),
                "allocating command buffers"))
        return false;
    gpu->task_commands = buffers[0];
    gpu->copy_commands = buffers[1];
    return true;
}

bool gpu_open(struct gpu *gpu, const char *device)
{
    *gpu = (struct gpu){ 0 };
    return open_vulkan(gpu) && open_instance(gpu) && gpu_choose(gpu, device) && open_gpu_device(gpu) &&
           create_objects(gpu);
}

static void close_gpu_device(struct gpu *gpu)
{
    gpu->f.DestroyFence(gpu->device, gpu->fence, NULL);
    gpu->f.DestroyQueryPool(gpu->device, gpu->stamps, NULL);
    gpu->f.DestroyCommandPool(gpu->device, gpu->pool, NULL);
    gpu->f.DestroyDevice(gpu->device, NULL);
}

void gpu_close(struct gpu *gpu)
{
    if (gpu->device && gpu->f.WaitForFences) /* the last function to be loaded: all are there */
        close_gpu_device(gpu);
    if (gpu->instance && gpu->f.DestroyInstance)
        gpu->f.DestroyInstance(gpu->instance, NULL);
    if (gpu->library)
        dlclose(gpu->library);
    gpu->device = NULL;
    gpu->instance = NULL;
    gpu->library = NULL;
}
