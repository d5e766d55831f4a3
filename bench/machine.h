/* The machine and the build that the figures belong to. */
#ifndef ABBE_BENCH_MACHINE_H
#define ABBE_BENCH_MACHINE_H

#include <stddef.h>

struct machine {
    char cpu[96];
    char instructions[32]; /* the widest vectors of the processor */
    char device[64];       /* what Abbe's device runs on: "avx2", or the name of the GPU's driver */
    int processors;        /* available to this process */
    char compiler[64];
    const char *flags;
    double load; /* load average of the last minute; negative: unknown */
};

/* What a device of Abbe runs on, without details; "" if it cannot be opened. */
void machine_describe_device(const char *name, char *text, size_t size);

struct machine machine_describe(const char *device);

#endif
