/* Calls of a Vulkan device, of which one can be made to fail. */
#ifndef ABBE_TESTS_SHIMS_H
#define ABBE_TESTS_SHIMS_H

#include "vulkan/vk.h"

/* Stands between the device and all its calls that return a VkResult. One device at a time. */
void shims_put(abbe_device *device);

/* Call n from now on (0 is the next) answers `failure` instead of being made. */
void shims_fail(long n, VkResult failure);

/* And every call behind it. */
void shims_fail_for_good(long n, VkResult failure);

/* And call m behind the opening of a device in the place of a lost one. */
void shims_fail_each(long n, long m, VkResult failure);

/* Memory is given in pieces of at most so many bytes; not on a device that replaces a lost one. */
void shims_room(VkDeviceSize bytes);

/* Whether it has come to that. */
bool shims_failed(void);

/* The library's code for a failure. */
int shims_code(VkResult failure);

#endif
