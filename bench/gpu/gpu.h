/* A Vulkan GPU: pictures in its memory, command buffers, and its clock. */
#ifndef ABBE_BENCH_GPU_H
#define ABBE_BENCH_GPU_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPU_INSTANCE_FUNCTIONS(DO)        \
    DO(CreateDevice)                      \
    DO(DestroyInstance)                   \
    DO(EnumeratePhysicalDevices)          \
    DO(GetDeviceProcAddr)                 \
    DO(GetPhysicalDeviceMemoryProperties) \
    DO(GetPhysicalDeviceProperties)       \
    DO(GetPhysicalDeviceProperties2)      \
    DO(GetPhysicalDeviceQueueFamilyProperties)

#define GPU_DEVICE_FUNCTIONS(DO)    \
    DO(AllocateCommandBuffers)      \
    DO(AllocateDescriptorSets)      \
    DO(AllocateMemory)              \
    DO(BeginCommandBuffer)          \
    DO(BindBufferMemory)            \
    DO(CmdBindDescriptorSets)       \
    DO(CmdBindPipeline)             \
    DO(CmdCopyBuffer)               \
    DO(CmdDispatch)                 \
    DO(CmdPipelineBarrier)          \
    DO(CmdResetQueryPool)           \
    DO(CmdWriteTimestamp)           \
    DO(CreateBuffer)                \
    DO(CreateCommandPool)           \
    DO(CreateComputePipelines)      \
    DO(CreateDescriptorPool)        \
    DO(CreateDescriptorSetLayout)   \
    DO(CreateFence)                 \
    DO(CreatePipelineLayout)        \
    DO(CreateQueryPool)             \
    DO(CreateShaderModule)          \
    DO(DestroyBuffer)               \
    DO(DestroyCommandPool)          \
    DO(DestroyDescriptorPool)       \
    DO(DestroyDescriptorSetLayout)  \
    DO(DestroyDevice)               \
    DO(DestroyFence)                \
    DO(DestroyPipeline)             \
    DO(DestroyPipelineLayout)       \
    DO(DestroyQueryPool)            \
    DO(DestroyShaderModule)         \
    DO(EndCommandBuffer)            \
    DO(FreeMemory)                  \
    DO(GetBufferMemoryRequirements) \
    DO(GetDeviceQueue)              \
    DO(GetQueryPoolResults)         \
    DO(MapMemory)                   \
    DO(QueueSubmit)                 \
    DO(ResetFences)                 \
    DO(UpdateDescriptorSets)        \
    DO(WaitForFences)

#define GPU_FIELD(name) PFN_vk##name name;
struct gpu_functions {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    GPU_INSTANCE_FUNCTIONS(GPU_FIELD)
    GPU_DEVICE_FUNCTIONS(GPU_FIELD)
};
#undef GPU_FIELD

enum { GPU_PROBLEM = 160 };

struct gpu {
    void *library;
    struct gpu_functions f;
    VkInstance instance;
    VkPhysicalDevice adapter;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue;
    uint32_t family;     /* queue family with compute and timestamps */
    uint32_t stamp_bits; /* valid bits of its timestamps */
    VkCommandPool pool;
    VkCommandBuffer task_commands; /* the task that is timed */
    VkCommandBuffer copy_commands; /* uploads and downloads */
    VkQueryPool stamps;
    VkFence fence;
    char problem[GPU_PROBLEM]; /* the cause of the last failure */
};

/* Opens a GPU by the name of Abbe's device: "vulkan", "vulkan:1",
 * "vulkan:lavapipe". A software driver is used only if it is named or numbered,
 * or with ABBE_VULKAN_SOFTWARE=1. Call gpu_close even after a failure. */
bool gpu_open(struct gpu *gpu, const char *device);
void gpu_close(struct gpu *gpu);

/* Chooses gpu->adapter and its queue family; part of gpu_open. */
bool gpu_choose(struct gpu *gpu, const char *device);

/* Returns whether `result` is VK_SUCCESS; else stores the problem, which names `what` failed. */
bool gpu_ok(struct gpu *gpu, VkResult result, const char *what);

/* ---- Memory ------------------------------------------------------------------------------------------- */

struct gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
};

/* Creates a storage buffer in the GPU's memory. */
bool gpu_buffer_create(struct gpu *gpu, size_t size, struct gpu_buffer *buffer);
void gpu_buffer_destroy(struct gpu *gpu, struct gpu_buffer *buffer);

bool gpu_upload(struct gpu *gpu, const struct gpu_buffer *buffer, const void *bytes);
bool gpu_download(struct gpu *gpu, const struct gpu_buffer *buffer, void *bytes);

/* ---- Tasks --------------------------------------------------------------------------------------------- */

/* Commands that are timed. `record` writes them once;
 * gpu_task_time records them many times, with barriers between. */
struct gpu_task {
    struct gpu *gpu;
    bool (*record)(void *user, VkCommandBuffer commands, int repeat);
    void *user;
    int repeats; /* repetitions in the command buffer; 0: not recorded yet */
    bool warm;
};

/* Must be called after the commands changed: they are recorded again before the next use. */
void gpu_task_reset(struct gpu_task *task);

/* Executes the task at least once and waits for it. */
bool gpu_task_run(struct gpu_task *task);

/* Seconds of one execution by the GPU's clock: the mean of enough repetitions to fill a millisecond, 64 at
 * most. The first call keeps the GPU busy until its clock frequencies have risen. */
bool gpu_task_time(struct gpu_task *task, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
