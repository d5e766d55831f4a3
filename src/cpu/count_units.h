/* Counting the units of a work: what space and the Fourier plane share. docs/prices.md has the formulas. */
#ifndef ABBE_CPU_COUNT_UNITS_H
#define ABBE_CPU_COUNT_UNITS_H

#include "cpu/charges.h"

struct count {
    const struct work *work;
    enum core_level level;
    int threads;
    double *units;       /* of each charge, so far */
    double samples;      /* of the picture */
    double across, down; /* pixels that kernels reach beyond it, both sides together */
};

/* The share of `bytes` of data in repeated use that does not fit in the caches. */
double cpu_uncached_share(double bytes);

/* Bytes of the source and of all results. */
double cpu_picture_bytes(const struct count *count);

/* Counts samples that are loaded and stored; `mixed` where no vector kernel takes them directly. */
void cpu_count_samples(const struct count *count, double loads, double stores, bool mixed);

/* Counts the pass over the source that checks for non-finite samples, if the plan asks for it. */
void cpu_count_check(const struct count *count);

/* Scales everything counted so far to `share`, the share of the busiest thread, and counts `forks` wake-ups
 * of the other threads. */
void cpu_count_threads(const struct count *count, double share, double forks);

/* count_units_space.c: convolution in space by vector kernels, and by the plain loops. */
void cpu_count_space(const struct count *count);
void cpu_count_plain_space(const struct count *count);

#endif
