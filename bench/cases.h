/* The cases of the benchmark: each names a picture, a filter and how it is run. */
#ifndef ABBE_BENCH_CASES_H
#define ABBE_BENCH_CASES_H

#include <abbe/abbe.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_kernel {
    KERNEL_DISK,     /* symmetric, so H is real; not separable */
    KERNEL_GAUSSIAN, /* separable */
    KERNEL_BOX,      /* equal taps, the averaging filter */
    KERNEL_RANDOM,   /* not symmetric, of full rank: no shortcut applies */

    /* Transfer functions, which have no taps; results are not compared with the convolution formula. */
    KERNEL_LOWPASS,
    KERNEL_BANDPASS,
    KERNEL_NOTCHES,      /* gaussian */
    KERNEL_BUTTERWORTHS, /* notches of the shape butterworth */
    KERNEL_MASK          /* painted at random */
};

/* The kind of a case decides which contenders take part, and which clock times them. */
enum bench_kind {
    KIND_CPU,
    KIND_GPU,  /* pictures that stay in the memory of a GPU, timed by its clock, through Vulkan */
    KIND_CUDA, /* the same through CUDA, with Vulkan beside it */
    KIND_GL    /* the engines of the device gl, and the same work on the CPU */
};

enum { CASE_NAME = 40 };

/* What runs beside Abbe in cases where no peer takes part: Abbe on planes, or in double precision. */
enum bench_variant { VARIANT_NONE, VARIANT_PLANES, VARIANT_DOUBLE };

struct bench_case {
    char name[CASE_NAME];
    const char *group;
    int width, height, channels;
    abbe_type type; /* source and result */
    abbe_border border;
    abbe_method method;
    enum bench_kernel kernel;
    int side;          /* of the kernel, odd, or of the mask; the number of notches */
    double sigma;      /* of a Gaussian */
    bool every_method; /* a cell of the planner's grid: all methods are compared */
    enum bench_kind kind;
    bool plans; /* times the creation of a plan; no peer takes part */
    enum bench_variant variant;
    bool own_size; /* transforms have the size of the picture, which no padded one replaces */
    bool frames;   /* KIND_GL: draws the scene before each run */
    int bank;      /* filters of the plan; 0 means 1 */
    bool papers;   /* of the group papers: FFTW measures plans instead of searching for patient ones */
    abbe_precision precision;
};

struct bench_group {
    const char *name;
    const char *title;
};

/* Whether a GPU's clock times cases of the kind. */
static inline bool kind_is_gpu(enum bench_kind kind)
{
    return kind == KIND_GPU || kind == KIND_CUDA;
}

/* The groups in the order of reports; the last name is NULL. */
extern const struct bench_group bench_groups[];

/* Returns all cases in an array that the caller frees; NULL if memory runs out. */
struct bench_case *cases_create(size_t *count);

/* Tells whether `word` selects the case: its name, its group, a pattern with * and ?, or one of the sets
 * "quick" (a few cases of each kind, under a minute) and "all". */
bool case_matches(const struct bench_case *which, const char *word);

/* The name, group or set most similar to a word that matches no case; NULL if none is similar. */
const char *case_nearest(const struct bench_case *cases, size_t count, const char *word);

#ifdef __cplusplus
}
#endif

#endif
