/* The cases of OpenGL: sizes as in table 3 of Moreland & Angel 2003, and one more. */
#include "cases.h"

/* A disk has a real H, which FFTW's side of the contest counts on. */
#define SIDE(title, side_, frames_)                                                                     \
    {                                                                                                   \
        .name = title "-" #side_, .group = title, .width = side_, .height = side_, .channels = 4,       \
        .type = ABBE_F32, .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_FFT, .kernel = KERNEL_DISK, \
        .side = 11, .kind = KIND_GL, .frames = frames_                                                  \
    }
#define FILTERING(side) SIDE("gl", side, false)
#define FRAMES(side) SIDE("frames", side, true)

const struct bench_case gl_cases[] = {
    FILTERING(128), FILTERING(256), FILTERING(512), FILTERING(1024), FILTERING(2048),
    FRAMES(128),    FRAMES(256),    FRAMES(512),    FRAMES(1024),
};
const size_t gl_case_count = sizeof gl_cases / sizeof gl_cases[0];
