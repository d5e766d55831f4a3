/* Seconds of a clock that only moves forward. */
#ifndef ABBE_CORE_CLOCK_H
#define ABBE_CORE_CLOCK_H

#include <time.h>

static inline double core_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
