/* What the engines of the device gl do to filter a picture, counted: fragments from what they draw, instructions
 * from their shaders. */
#ifndef ABBE_BENCH_COUNTS_H
#define ABBE_BENCH_COUNTS_H

#include <stdbool.h>

/* One program file of one engine, over all of its variants. */
struct count_row {
    const char *engine;
    char program[40]; /* "moreland_fft.frag" */
    int variants;
    int arithmetic[2], lookups[2]; /* instructions of a fragment: the least and the most of the variants */
    double fragments;
    double operations, fetched, written; /* instructions, look-ups and texels, of all fragments */
};

enum { COUNT_ROWS_MAX = 32, COUNT_SIDE = 1024 };

struct count_list {
    int count;
    char problem[160]; /* why nothing was counted; "" otherwise */
    struct count_row rows[COUNT_ROWS_MAX];
};

/* Filters a picture of COUNT_SIDE² once by each engine and counts. Where OpenGL or the compilers of shaders are
 * missing, the list is empty and has the problem. */
void papers_count(const char *device, struct count_list *counts);

/* Instructions of a fragment shader of OpenGL ES 3.0, compiled and optimised for SPIR-V. */
struct instructions {
    int arithmetic, lookups, outputs;
};

/* Returns NULL, or why they cannot be counted. */
const char *instructions_count(const char *text, struct instructions *instructions);

#endif
