/* The cases of the benchmark, by name: what is filtered, by what, and how. */
#ifndef ABBE_BENCH_CASES_H
#define ABBE_BENCH_CASES_H

#include <abbe/abbe.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_kernel {
    KERNEL_DISK,     /* symmetric, so H is real; not separable */
    KERNEL_GAUSSIAN, /* separable */
    KERNEL_RANDOM    /* no symmetry, full rank: no road is shorter than it looks */
};

/* What a case is about, which decides who takes part, and by which clock. */
enum bench_kind {
    KIND_CPU,
    KIND_GPU, /* pictures that stay in the memory of a GPU, by its own clock */
    KIND_GL   /* the engines of the device gl, and who else could do their work */
};

enum { CASE_NAME = 40 };

struct bench_case {
    char name[CASE_NAME];
    const char *group;
    int width, height, channels;
    abbe_type type; /* of source and result */
    abbe_border border;
    abbe_method method;
    enum bench_kernel kernel;
    int side;          /* of the kernel, odd */
    double sigma;      /* of a Gaussian */
    bool every_method; /* a cell of the planner's grid: the methods run against each other */
    enum bench_kind kind;
    bool plans;  /* making the plan is timed; nobody else makes any like it */
    bool frames; /* of OpenGL: the scene is drawn anew for every filtering */
    int bank;    /* on a GPU: filters of one plan, 0 is 1 */
    abbe_precision precision;
};

struct bench_group {
    const char *name;
    const char *title;
};

/* The groups, in the order of the table; ends with a NULL name. */
extern const struct bench_group bench_groups[];

/* The cases of the group "gpu", and of the groups "gl" and "frames". */
extern const struct bench_case gpu_cases[], gl_cases[];
extern const size_t gpu_case_count, gl_case_count;

/* All cases. The array is the caller's to free; NULL without memory. */
struct bench_case *cases_create(size_t *count);

/* Whether `word` asks for the case: its name, its group, a pattern with * and ?, or one of the sets
 * "quick" (some of each kind, under a minute) and "all". */
bool case_is_meant(const struct bench_case *which, const char *word);

/* The name, group or set that a word that asks for nothing was probably meant to be; NULL when none is
 * near. */
const char *case_nearest(const struct bench_case *cases, size_t count, const char *word);

#ifdef __cplusplus
}
#endif

#endif
