/* Stands for cuFFT in a build without it. */
#include "peer.h"

const struct peer peer_cufft = { .name = "cuFFT", .absent = "nvidia-cuda-toolkit", .gpu = true };
