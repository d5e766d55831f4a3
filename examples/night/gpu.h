/* As much of Vulkan as a program needs before it can draw: a GPU, a queue, memory. */
#ifndef EXAMPLES_NIGHT_GPU_H
#define EXAMPLES_NIGHT_GPU_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

struct gpu {
    VkInstance instance;
    VkPhysicalDevice adapter;
    VkPhysicalDeviceFeatures features; /* that the device has */
    VkDevice device;
    VkQueue queue;
    uint32_t family; /* draws and computes */
    VkCommandPool pool;
};

/* Says on standard error what failed; the program can only give up then. */
bool gpu_ok(VkResult result, const char *what);

/* Opens the best GPU, or a software driver where there is no other. gpu_close must follow in any case. */
bool gpu_open(struct gpu *gpu);
void gpu_close(struct gpu *gpu);

struct gpu_image {
    VkImage image;
    VkImageView view;
    VkDeviceMemory memory;
    VkFormat format;
};

bool gpu_image_create(const struct gpu *gpu, VkFormat format, uint32_t width, uint32_t height,
                      VkImageUsageFlags usage, struct gpu_image *image);
void gpu_image_destroy(const struct gpu *gpu, struct gpu_image *image);

/* Memory that the host can read. */
struct gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes;
};

bool gpu_buffer_create(const struct gpu *gpu, VkDeviceSize size, struct gpu_buffer *buffer);
void gpu_buffer_destroy(const struct gpu *gpu, struct gpu_buffer *buffer);

/* Commands that are run once: recorded in between, then waited for. */
bool gpu_begin(const struct gpu *gpu, VkCommandBuffer *commands);
bool gpu_finish(const struct gpu *gpu, VkCommandBuffer commands);

#endif
