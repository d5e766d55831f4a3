/* The host's clock. */
#ifndef ABBE_BENCH_CLOCK_H
#define ABBE_BENCH_CLOCK_H

#include <time.h>

/* Seconds since an arbitrary moment; they never decrease. */
static inline double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
