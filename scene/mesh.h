/* Patches cut into triangles, with the exact normals of the surface. */
#ifndef ABBE_SCENE_MESH_H
#define ABBE_SCENE_MESH_H

#include "teapot.h"

#include <stdbool.h>
#include <stdint.h>

/* What there is to know about one point of a patch. */
struct surface {
    struct vec3 point;
    struct vec3 along_u, along_v; /* ∂P/∂u and ∂P/∂v; either is 0 where an edge has shrunk to a point */
    struct vec3 normal; /* unit, outwards; the limit from within where an edge has shrunk to a point */
};

/* The patch at u = u_step / steps, v = v_step / steps. A common edge gives two neighbours the same points, bit by bit,
 * whichever way each of them walks along it. */
struct surface patch_at(const struct patch *patch, int u_step, int v_step, int steps);

struct vertex {
    float position[3], normal[3];
};

/* Vertices are patch by patch, row by row: (steps + 1)² for each patch. Triangles are counter-clockwise as seen from
 * outside. */
struct mesh {
    int vertex_count, index_count;
    struct vertex *vertices;
    uint16_t *indices;
};

enum { MESH_STEPS_MAX = 44 }; /* more would not be counted in 16 bits */

/* The teapot with `steps` × `steps` squares per patch, 1 to MESH_STEPS_MAX. False when memory is short. */
bool mesh_create(int steps, struct mesh *mesh);
void mesh_free(struct mesh *mesh);

#endif
