/* One-dimensional transforms: how a length is divided among the threads of a workgroup. */
#ifndef ABBE_VULKAN_TRANSFORM_H
#define ABBE_VULKAN_TRANSFORM_H

#include "vulkan/vk.h"

struct vk_transform {
    int length;    /* samples */
    int points;    /* points of one transform: length / parts, or more for Bluestein's algorithm */
    int parts;     /* transforms that one of `length` samples is made of; 1 unless it is long */
    int threads;   /* threads of one transform */
    int registers; /* elements that a thread holds */
    int stages, radices[ABVK_STAGES_MAX]; /* odd radices, then rising powers of two */
    bool even;                            /* its table has the twiddles of even transforms */
};

/* Plans the transform of a length. Returns false when the device cannot compute it. */
bool vk_transform_plan(const struct vk *vk, int length, struct vk_transform *transform);

/* Steps that each sample of a transform passes through, for prices: 1 is a step of radix 8. −1 when the
 * device cannot compute it. */
double vk_transform_steps(const struct vk *vk, int length);

/* Table of a transform: twiddles, then for Bluestein's algorithm the chirp and its spectrum, or for long
 * transforms the roots of unity of the whole length, then the twiddles of even transforms. The first function counts its complex numbers; the
 * second fills them in as pairs of floats. Errors: MEMORY, without a message. */
size_t vk_transform_pairs(const struct vk_transform *transform);
int vk_transform_fill(const struct vk_transform *transform, float *pairs);

/* The transforms of one workgroup. */
struct vk_workgroup {
    int lanes;         /* transforms */
    int channels;      /* scalars of an element */
    bool side_by_side; /* lanes are neighbours in shared memory; otherwise they lie one behind the other */
    bool reversed;     /* the forward transform takes the radices from the last to the first */
};

/* Sets the specialisation constants that describe a transform. */
void vk_transform_constants(const struct vk *vk, const struct vk_transform *transform,
                            const struct vk_workgroup *workgroup, struct vk_constants *constants);

/* The largest power of two, at most `wanted`, of lanes that fit a workgroup. */
int vk_transform_lanes(const struct vk *vk, const struct vk_transform *transform, int wanted);

/* Whether a workgroup has threads and shared memory, gaps included, for `lanes`
 * lanes one behind the other. */
bool vk_transform_fits(const struct vk *vk, const struct vk_transform *transform, int lanes);

#endif
