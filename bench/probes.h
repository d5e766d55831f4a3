/* The works that calibration times: every method, on pictures small and large. */
#ifndef ABBE_BENCH_PROBES_H
#define ABBE_BENCH_PROBES_H

#include <abbe/abbe.h>

enum probe_kernel {
    PROBE_GAUSSIAN, /* separable, border reflect */
    PROBE_RANDOM,   /* not separable, border reflect */
    PROBE_LOWPASS   /* a transfer function, border wrap: the transform is as long as the picture */
};

struct probe {
    abbe_method method;
    abbe_type type;
    int channels;
    int side; /* of the picture, a square */
    enum probe_kernel kernel;
    int kernel_side;
    int transform; /* of tiles; 0: the planner's choice */
    int threads;
    bool linear_light;
};

/* Side of the largest picture. */
enum { PROBE_SIDE_MAX = 2048 };

/* All of them; the array is the caller's to free, NULL without memory. Those of two threads only where there are
 * two processors. */
struct probe *probes_create(int processors, int *count);

#endif
