/* The work that calibration times: every method, on small and large pictures. */
#ifndef ABBE_BENCH_PROBES_H
#define ABBE_BENCH_PROBES_H

#include <abbe/abbe.h>

enum probe_kernel {
    PROBE_GAUSSIAN, /* separable, border reflect */
    PROBE_RANDOM,   /* not separable, border reflect */
    PROBE_LOWPASS   /* a transfer function, border wrap: the grid has the size of the picture */
};

struct probe {
    abbe_method method;
    abbe_type type;
    int channels;
    int side; /* of the picture, which is square */
    enum probe_kernel kernel;
    int kernel_side;
    int transform; /* length of the tiles' transforms; 0: the planner's choice */
    int threads;
    bool linear_light;
};

/* Side of the largest picture of any probe. */
enum { PROBE_SIDE_MAX = 2048 };

/* Returns all probes in an array that the caller frees; NULL if memory runs out. Probes on two threads are
 * included only if there are two processors. */
struct probe *probes_create(int processors, int *count);

#endif
