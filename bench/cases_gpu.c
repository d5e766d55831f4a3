/* The cases that a GPU runs. */
#include "cases.h"

/* A disk has a real H. */
#define FOURIER(title, side_, channels_, precision_, bank_)                                             \
    {                                                                                                   \
        .name = title, .group = "gpu", .width = side_, .height = side_, .channels = channels_,          \
        .type = ABBE_F32, .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_FFT, .kernel = KERNEL_DISK, \
        .side = 11, .kind = KIND_GPU, .bank = bank_, .precision = precision_                            \
    }
#define FULL(side) FOURIER("gpu-" #side, side, 4, ABBE_PRECISION_FULL, 1)
#define HALF(side) FOURIER("gpu-half-" #side, side, 4, ABBE_PRECISION_HALF, 1)
#define RGB(side) FOURIER("gpu-rgb-" #side, side, 3, ABBE_PRECISION_FULL, 1)
#define GREY(side) FOURIER("gpu-grey-" #side, side, 1, ABBE_PRECISION_FULL, 1)
#define DIRECT(side_)                                                                               \
    {                                                                                               \
        .name = "gpu-direct-" #side_, .group = "gpu", .width = 2048, .height = 2048, .channels = 4, \
        .type = ABBE_F32, .border = ABBE_BORDER_REFLECT, .method = ABBE_METHOD_DIRECT,              \
        .kernel = KERNEL_RANDOM, .side = side_, .kind = KIND_GPU, .bank = 1                         \
    }

const struct bench_case gpu_cases[] = {
    FULL(256),
    FULL(512),
    FULL(1024),
    FULL(2048),
    FULL(4096),
    FULL(8192),
    HALF(256),
    HALF(512),
    HALF(1024),
    HALF(2048),
    HALF(4096),
    HALF(8192),
    RGB(1024),
    RGB(2048),
    RGB(4096),
    GREY(1024),
    GREY(2048),
    GREY(4096),
    FOURIER("gpu-bank-1024", 1024, 4, ABBE_PRECISION_FULL, 8),
    { .name = "gpu-u8-1920x1080",
      .group = "gpu",
      .width = 1920,
      .height = 1080,
      .channels = 4,
      .type = ABBE_U8,
      .border = ABBE_BORDER_REFLECT,
      .method = ABBE_METHOD_AUTO,
      .kernel = KERNEL_RANDOM,
      .side = 201,
      .kind = KIND_GPU,
      .bank = 1 },
    DIRECT(3),
    DIRECT(9),
    DIRECT(15),
};
const size_t gpu_case_count = sizeof gpu_cases / sizeof gpu_cases[0];
