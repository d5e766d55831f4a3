/* One-dimensional transforms: how a length is divided among threads, its tables, and the order of frequencies. */
#ifndef ABBE_CUDA_TRANSFORM_H
#define ABBE_CUDA_TRANSFORM_H

#include "../../kernels/cuda/interface.h"
#include "cuda/cuda.h"

/* Constants that a kernel is compiled for: values[ABCU_ID_POINTS] and so on. */
struct abcu_constants {
    int values[ABCU_CONSTANT_COUNT];
};

struct cuda_transform {
    int length;    /* samples */
    int points;    /* of the transform: `length`, or more for Bluestein's algorithm */
    int threads;   /* of one transform */
    int registers; /* complex numbers of one plane that a thread holds */
    int stages, radices[ABCU_STAGES_MAX];
    bool regular; /* every radix divides `registers`, and threads · registers = points */
    int pad;      /* shared memory skips a place after every `pad` places; 0: none */
    bool even;    /* its table has the twiddles of even transforms */
    bool pairs;   /* its table has the places of frequencies: two rows share a plane, or even transforms */
};

/* Plans the transform of a length. Returns false when the device cannot compute it. */
bool cuda_transform_plan(const struct cuda *cuda, int length, struct cuda_transform *transform);

/* Steps that each sample of a transform passes through, for prices: 1 is a step of radix 8. −1 when the device
 * cannot compute it. */
double cuda_transform_steps(const struct cuda *cuda, int length);

/* Frequency that place `place` of a spectrum holds, in the order in which threads store it. */
int cuda_transform_frequency(const struct cuda_transform *transform, int place);

/* Table of a transform, in floats; every part begins at a multiple of four:
 *
 *   w, w², w⁴, w⁸ for each butterfly of the inverse transform's stages but the last,
 *   the same for each block of the forward transform's stages but the first,
 *   Bluestein's algorithm: the chirp of `length` samples, and its spectrum of `points` places;
 *   pairs: the position in shared memory of each frequency, as integers;
 *   even: h = ½ e^(−jπu/2 · length) of each place, the position of frequency −u of each place, h of each frequency.
 *
 * The first function counts the floats; the second fills them in. Errors: MEMORY, without a message. */
size_t cuda_transform_floats(const struct cuda_transform *transform);
int cuda_transform_fill(const struct cuda_transform *transform, float *table);

/* How the threads of a block share transforms. */
struct cuda_sharing {
    int held;  /* planes that a thread holds */
    int side;  /* units side by side */
    int lanes; /* such transforms in a block, one behind the other */
    int min_blocks;
    bool split, slots;
};

/* Sets the constants that describe a transform and how a block shares it. */
void cuda_transform_constants(const struct cuda_transform *transform, const struct cuda_sharing *sharing,
                              struct abcu_constants *constants);

/* Bytes of shared memory of a block. */
int cuda_shared_bytes(const struct abcu_constants *constants);

/* Whether a block of the device has the threads and the shared memory. */
bool cuda_sharing_fits(const struct cuda *cuda, const struct cuda_transform *transform,
                       const struct cuda_sharing *sharing, bool half);

#endif
