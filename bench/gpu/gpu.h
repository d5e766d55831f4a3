/* A Vulkan GPU as the benchmark uses one: pictures in its memory, one command buffer, its own clock. */
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
    uint32_t family;     /* that computes */
    uint32_t stamp_bits; /* of its timestamps that count */
    VkCommandPool pool;
    VkCommandBuffer job, errand; /* what is timed, and copies from and to the host */
    VkQueryPool stamps;
    VkFence fence;
    char problem[GPU_PROBLEM]; /* why the last function that failed did */
};

/* Opens a GPU by the name that Abbe's device has: "vulkan", "vulkan:1", "vulkan:lavapipe". A software driver is taken
 * only by its name or number, or with ABBE_VULKAN_SOFTWARE=1. gpu_close must follow in any case. */
bool gpu_open(struct gpu *gpu, const char *device);
void gpu_close(struct gpu *gpu);

/* Chooses gpu->adapter; the first half of opening. */
bool gpu_choose(struct gpu *gpu, const char *device);

/* Records what failed, and returns false unless `result` is none. */
bool gpu_ok(struct gpu *gpu, VkResult result, const char *what);

/* ---- Memory ------------------------------------------------------------------------------------------- */

struct gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
};

/* A storage buffer in the GPU's memory. */
bool gpu_buffer_create(struct gpu *gpu, size_t size, struct gpu_buffer *buffer);
void gpu_buffer_destroy(struct gpu *gpu, struct gpu_buffer *buffer);

bool gpu_upload(struct gpu *gpu, const struct gpu_buffer *buffer, const void *bytes);
bool gpu_download(struct gpu *gpu, const struct gpu_buffer *buffer, void *bytes);

/* ---- Jobs --------------------------------------------------------------------------------------------- */

/* Work that is recorded many times over. `record` writes it once; barriers stand around it. */
struct gpu_job {
    struct gpu *gpu;
    bool (*record)(void *user, VkCommandBuffer commands, int repeat);
    void *user;
    int repeats; /* in the command buffer; 0: it has not been recorded yet */
    bool warm;
};

/* The job has changed, and is to be recorded anew. */
void gpu_job_forget(struct gpu_job *job);

/* Does the job at least once and waits. */
bool gpu_job_run(struct gpu_job *job);

/* Seconds of one job by the GPU's clock: the mean of as many as fill a millisecond, 64 at most. The first call keeps
 * the GPU busy first until its clocks have risen. */
bool gpu_job_time(struct gpu_job *job, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
