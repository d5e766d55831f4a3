/* Replaces the contenders on a GPU in a build without Vulkan. */
#include "peer.h"

#include <stdio.h>

const struct peer peer_gpu_abbe = { .name = "Abbe", .absent = "libvulkan-dev", .gpu = true, .own = true };
const struct peer peer_gpu_basic = {
    .name = "Abbe basic", .absent = "libvulkan-dev", .gpu = true, .own = true
};
const struct peer peer_gpu_beside = {
    .name = "Abbe on Vulkan", .absent = "libvulkan-dev", .gpu = true, .own = true
};
const struct peer peer_gpu_copy = { .name = "copy", .absent = "libvulkan-dev", .gpu = true, .floor = true };

bool gpu_check(const char *device, char *problem, size_t size)
{
    (void)device;
    snprintf(problem, size,
             "this build has no Vulkan; install libvulkan-dev and glslang-tools and build again");
    return false;
}
