/* The machine and the build that figures belong to. */
#ifndef ABBE_BENCH_MACHINE_H
#define ABBE_BENCH_MACHINE_H

struct machine {
    char cpu[96];
    char instructions[32]; /* the widest vectors the processor has */
    char device[64];       /* what Abbe's device uses of it, "avx2" for instance */
    int processors;        /* that this process may use */
    char compiler[64];
    const char *flags;
    double load; /* of the last minute before the run; below 0: not known */
};

struct machine machine_describe(const char *device);

#endif
