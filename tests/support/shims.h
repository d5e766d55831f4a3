/* Replaces the functions of a Vulkan device by ones that can be made to fail. */
#ifndef ABBE_TESTS_SHIMS_H
#define ABBE_TESTS_SHIMS_H

#include "vulkan/vk.h"

/* Replaces all functions of the device that return a VkResult. One device at a time. */
void shims_put(abbe_device *device);

/* Call n from now on (0 is the next) is not made and returns `failure`. */
void shims_fail(long n, VkResult failure);

/* The same for call n and every later one. */
void shims_fail_for_good(long n, VkResult failure);

/* The same for call n, and for call m after a device was opened in place of a lost one. */
void shims_fail_each(long n, long m, VkResult failure);

/* Allocations of more than `bytes` bytes fail; not on a device that replaces a lost one. */
void shims_room(VkDeviceSize bytes);

/* Whether call n has been reached. */
bool shims_failed(void);

/* The library's error code for a failure. */
int shims_code(VkResult failure);

#endif
