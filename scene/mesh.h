/* Patches divided into triangles, with exact normals of the surface. */
#ifndef ABBE_SCENE_MESH_H
#define ABBE_SCENE_MESH_H

#include "teapot.h"

#include <stdbool.h>
#include <stdint.h>

/* One point of a patch. */
struct surface {
    struct vec3 point;
    struct vec3 along_u, along_v; /* ∂P/∂u and ∂P/∂v; either is 0 where an edge degenerates to a point */
    struct vec3 normal; /* unit, outwards; where an edge degenerates to a point, the limit from inside */
};

/* Evaluates the patch at u = u_step / steps, v = v_step / steps. Two neighbours get bitwise equal points on
 * their common edge, in whichever direction each of them runs along it. */
struct surface patch_at(const struct patch *patch, int u_step, int v_step, int steps);

struct vertex {
    float position[3], normal[3];
};

/* Vertices are stored patch by patch, row by row: (steps + 1)² per
 * patch. Triangles are counter-clockwise seen from outside. */
struct mesh {
    int vertex_count, index_count;
    struct vertex *vertices;
    uint16_t *indices;
};

enum { MESH_STEPS_MAX = 44 }; /* the largest number whose vertices have 16-bit indices */

/* Creates the teapot with `steps` × `steps` squares per patch,
 * 1 to MESH_STEPS_MAX. Returns false if memory runs out. */
bool mesh_create(int steps, struct mesh *mesh);
void mesh_free(struct mesh *mesh);

#endif
