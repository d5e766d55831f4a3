/* Calls of a Vulkan device, of which one can be made to fail. */
#ifndef ABBE_TESTS_SHIMS_H
#define ABBE_TESTS_SHIMS_H

#include "vulkan/vk.h"

/* Stands between the device and all its calls that return a VkResult. One device at a time. */
void shims_put(abbe_device *device);

/* Call n from now on (0 is the next) answers `failure` instead of being made. */
void shims_fail(long n, VkResult failure);

/* Whether it has come to that. */
bool shims_failed(void);

/* The library's code for a failure. */
int shims_code(VkResult failure);

#endif
