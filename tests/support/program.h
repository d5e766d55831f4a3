/* An application that has opened Vulkan, on a software driver and under the validation layer, for tests of
 * abbe/vulkan.h. All functions end the test when a step fails. */
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
    VkPhysicalDeviceFeatures features; /* enabled on the device */
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
};

/* Returns false without a software driver. Messages of the validation layer go to standard error as
 * "vulkan validation: …". */
bool program_open(struct program *program);
void program_close(struct program *program);

/* The parameters of abbe_vulkan_adopt. */
abbe_vulkan_params program_params(const struct program *program);

/* ---- Pictures ---- */

/* A picture and its memory. Buffers are mapped. */
struct held {
    abbe_vulkan_picture picture;
    int channels;
    abbe_type type;
    VkImage image;
    VkDeviceMemory memory;
    unsigned char *bytes;
    VkDeviceSize size;
};

/* Creates an image for sampling and storing in GENERAL layout, or a buffer with
 * `padding` bytes after each row. */
struct held program_image(const struct program *program, int width, int height, VkFormat format);
struct held program_buffer(const struct program *program, int width, int height, int channels, abbe_type type,
                           VkDeviceSize offset, int padding);
void program_free(const struct program *program, struct held *held);

/* Write a picture, converted to the type, and read it back. Both wait for the queue. */
void program_write(const struct program *program, struct held *held, const struct picture *picture);
struct picture program_read(const struct program *program, const struct held *held);

/* ---- Commands ---- */

VkCommandBuffer program_begin(const struct program *program);

/* Makes all earlier writes visible to later shaders and copies. */
void program_barrier(VkCommandBuffer commands);

/* program_submit ends and submits commands; program_wait waits for everything submitted. */
void program_submit(const struct program *program, VkCommandBuffer commands);
void program_submit_again(const struct program *program, VkCommandBuffer commands);
void program_wait(const struct program *program);

#endif
