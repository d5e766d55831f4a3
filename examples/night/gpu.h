/* The part of Vulkan that a program needs before it can draw: a GPU, a queue, memory. */
#ifndef EXAMPLES_NIGHT_GPU_H
#define EXAMPLES_NIGHT_GPU_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

struct gpu {
    VkInstance instance;
    VkPhysicalDevice adapter;
    VkPhysicalDeviceFeatures features; /* enabled on the device */
    VkDevice device;
    VkQueue queue;
    uint32_t family; /* draws and computes */
    VkCommandPool pool;
};

/* Prints a message on standard error if `result` is a failure, after which the program can only give up. */
bool gpu_ok(VkResult result, const char *what);

/* Opens the best GPU, or a software driver if there is no GPU. gpu_close must
 * follow, even after a failure. */
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

/* A buffer that the host can read. */
struct gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes;
};

bool gpu_buffer_create(const struct gpu *gpu, VkDeviceSize size, struct gpu_buffer *buffer);
void gpu_buffer_destroy(const struct gpu *gpu, struct gpu_buffer *buffer);

/* Begins commands that are executed once; gpu_finish submits them and waits. */
bool gpu_begin(const struct gpu *gpu, VkCommandBuffer *commands);
bool gpu_finish(const struct gpu *gpu, VkCommandBuffer commands);

#endif
