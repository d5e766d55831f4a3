/* Martin Newell's teapot of 1975: 32 bicubic Bézier patches. */
#ifndef ABBE_SCENE_TEAPOT_H
#define ABBE_SCENE_TEAPOT_H

struct vec3 {
    double x, y, z;
};

/* Control points p[row][column]. A point of the patch is P(u,
 * v) = Σ B_row(u) B_column(v) p, u and v from 0 to 1. */
struct patch {
    struct vec3 p[4][4];
};

enum { TEAPOT_PATCHES = 32 };

/* Computes all patches in Newell's units: the axis of the pot is z, the ground z = 0, the knob's top z =
 * 3.15; the spout points along +x, the handle along −x, and y = 0 is the plane of symmetry. ∂P/∂v × ∂P/∂u
 * points outwards. Neighbours share the control points of their common edge exactly. */
void teapot_patches(struct patch patches[TEAPOT_PATCHES]);

#endif
