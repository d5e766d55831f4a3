/* A work as it is counted: what the tallies of space and of the Fourier plane share. */
#ifndef ABBE_CPU_TALLY_H
#define ABBE_CPU_TALLY_H

#include "cpu/charges.h"

struct count {
    const struct work *work;
    int level, threads;
    double *units;
    double samples;      /* of the picture */
    double across, down; /* pixels that kernels reach beyond it, on both sides together */
};

/* The part of so many bytes, used over and over, that no cache holds. */
double cpu_lost(double bytes);

/* Bytes of the source and of all results. */
double cpu_picture_bytes(const struct count *count);

/* Samples that are loaded and stored; `mixed` when no vector kernel takes them as they are. */
void cpu_count_samples(const struct count *count, double loads, double stores, bool mixed);

/* A pass over the source beforehand, in search of what is not finite, if the plan wants one. */
void cpu_count_look(const struct count *count);

/* `share` of everything counted so far is what the busiest thread has to do, woken so many times. */
void cpu_count_threads(const struct count *count, double share, double forks);

/* tally_space.c: by vector kernels, and by plain loops. */
void cpu_tally_space(const struct count *count);
void cpu_tally_plain_space(const struct count *count);

#endif
