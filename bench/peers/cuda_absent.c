/* Replaces the contenders on CUDA in a build without that device. */
#include "peer.h"

#include <stdio.h>

const struct peer peer_cuda_abbe = { .name = "Abbe", .absent = "ABBE_CUDA", .gpu = true, .own = true };
const struct peer peer_cuda_copy = { .name = "copy", .absent = "ABBE_CUDA", .gpu = true, .floor = true };

bool cuda_check(const char *device, char *problem, size_t size)
{
    (void)device;
    snprintf(problem, size, "this build has no CUDA device; build again with ABBE_CUDA");
    return false;
}
