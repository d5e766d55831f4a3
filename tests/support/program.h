/* A program that has opened Vulkan for itself, on a software driver and under the validation layer: what
 * abbe/vulkan.h is made for. All functions end the test when a step fails. */
#ifndef ABBE_TESTS_PROGRAM_H
#define ABBE_TESTS_PROGRAM_H

#include "support/reference.h"

#include <abbe/vulkan.h>

struct program {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice gpu;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceLimits limits;
    VkPhysicalDeviceFeatures features; /* of the device */
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
};

/* False when there is no software driver. Any word of the validation layer goes to standard error as
 * "vulkan validation: …". */
bool program_open(struct program *program);
void program_close(struct program *program);

/* What abbe_vulkan_adopt wants to know. */
abbe_vulkan_params program_params(const struct program *program);

/* ---- Pictures ---- */

/* A picture with its memory; a buffer is mapped. */
struct held {
    abbe_vulkan_picture picture;
    int channels;
    abbe_type type;
    VkImage image;
    VkDeviceMemory memory;
    unsigned char *bytes;
    VkDeviceSize size;
};

/* An image for sampling and storing in GENERAL layout; a buffer with that offset and `padding` bytes after each row. */
struct held program_image(const struct program *program, int width, int height, VkFormat format);
struct held program_buffer(const struct program *program, int width, int height, int channels, abbe_type type,
                           VkDeviceSize offset, int padding);
void program_free(const struct program *program, struct held *held);

/* Stores a picture as the type has it; what is stored. Both wait for the queue. */
void program_write(const struct program *program, struct held *held, const struct picture *picture);
struct picture program_read(const struct program *program, const struct held *held);

/* ---- Commands ---- */

VkCommandBuffer program_begin(const struct program *program);

/* Whatever was written before is there for shaders after, or for copies. */
void program_barrier(VkCommandBuffer commands);

/* Ends and submits commands; waits for all that was submitted. */
void program_submit(const struct program *program, VkCommandBuffer commands);
void program_submit_again(const struct program *program, VkCommandBuffer commands);
void program_wait(const struct program *program);

#endif
