/* Stands for VkFFT in a build without it. */
#include "peer.h"

const struct peer peer_vkfft = { .name = "VkFFT", .absent = "libvkfft-dev", .gpu = true };
