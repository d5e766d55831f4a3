/* Evaluates Bézier patches and their derivatives on a grid. Compiled without fused multiply-adds, which would
 * round the two directions along a common edge differently. */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>

/* ---- One point ----------------------------------------------------------------------------------------- */

static struct vec3 add_vectors(struct vec3 a, struct vec3 b)
{
    return (struct vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static struct vec3 scaled(double s, struct vec3 a)
{
    return (struct vec3){ s * a.x, s * a.y, s * a.z };
}

static struct vec3 cross(struct vec3 a, struct vec3 b)
{
    return (struct vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double length(struct vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/* The Bernstein polynomials of degree 3 and their derivatives at t = step /
 * steps. 1 − t is computed as a quotient, not as a difference, so that the values
 * at a step from one end are those at that step from the other end, reversed. */
struct basis {
    double b[4], d[4];
};

static struct basis basis_at(int step, int steps)
{
    double t = (double)step / steps, s = (double)(steps - step) / steps;
    return (struct basis){ .b = { s * s * s, 3 * (s * s * t), 3 * (t * t * s), t * t * t },
                           .d = { -3 * (s * s), 3 * (s * s - 2 * (s * t)), 3 * (2 * (s * t) - t * t),
                                  3 * (t * t) } };
}

/* Adds the outer terms first, so that the sum does not depend on the direction. */
static struct vec3 mix(const double weights[4], const struct vec3 p[4])
{
    return add_vectors(add_vectors(scaled(weights[0], p[0]), scaled(weights[3], p[3])),
                       add_vectors(scaled(weights[1], p[1]), scaled(weights[2], p[2])));
}

static struct vec3 mix_all(const double rows[4], const double columns[4], const struct patch *patch)
{
    struct vec3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = mix(columns, patch->p[i]);
    return mix(rows, p);
}

/* Where an edge along v degenerates to a point, ∂P/∂v is zero. Near it, ∂P/∂v
 * is the distance from the edge times ∂²P/∂u∂v, which therefore has its
 * direction; at the end of u the sign is reversed. The same holds for u. */
static struct vec3 normal_of(const struct surface *surface, struct vec3 twist, bool u_ends, bool v_ends)
{
    const double nothing = 1e-9; /* derivatives are about 1 */
    struct vec3 u = surface->along_u, v = surface->along_v;
    if (length(v) < nothing)
        v = scaled(u_ends ? -1 : 1, twist);
    else if (length(u) < nothing)
        u = scaled(v_ends ? -1 : 1, twist);
    struct vec3 normal = cross(v, u);
    return scaled(1 / length(normal), normal);
}

struct surface patch_at(const struct patch *patch, int u_step, int v_step, int steps)
{
    struct basis u = basis_at(u_step, steps), v = basis_at(v_step, steps);
    struct surface surface = { .point = mix_all(u.b, v.b, patch),
                               .along_u = mix_all(u.d, v.b, patch),
                               .along_v = mix_all(u.b, v.d, patch) };
    surface.normal = normal_of(&surface, mix_all(u.d, v.d, patch), u_step == steps, v_step == steps);
    return surface;
}

/* ---- The mesh ------------------------------------------------------------------------------------------ */

static struct vertex vertex_of(const struct surface *surface)
{
    /* Adding 0 turns −0 into 0, so that equal vertices have equal bytes. */
    return (struct vertex){
        .position = { (float)surface->point.x + 0.0f, (float)surface->point.y + 0.0f,
                      (float)surface->point.z + 0.0f },
        .normal = { (float)surface->normal.x + 0.0f, (float)surface->normal.y + 0.0f,
                    (float)surface->normal.z + 0.0f },
    };
}

static struct vertex *add_vertices(struct vertex *to, const struct patch *patch, int steps)
{
    for (int i = 0; i <= steps; i++)
        for (int j = 0; j <= steps; j++) {
            struct surface surface = patch_at(patch, i, j, steps);
            *to++ = vertex_of(&surface);
        }
    return to;
}

/* u runs down the rows, and ∂P/∂v × ∂P/∂u points outwards: counter-clockwise is along v, then along u. */
static uint16_t *add_indices(uint16_t *to, int first, int steps)
{
    for (int i = 0; i < steps; i++)
        for (int j = 0; j < steps; j++) {
            int a = first + i * (steps + 1) + j, b = a + 1, c = a + steps + 1, d = c + 1;
            const int corners[] = { a, b, d, a, d, c };
            for (int k = 0; k < 6; k++)
                *to++ = (uint16_t)corners[k];
        }
    return to;
}

bool mesh_create(int steps, struct mesh *mesh)
{
    int per_patch = (steps + 1) * (steps + 1);
    struct patch patches[TEAPOT_PATCHES];
    *mesh = (struct mesh){ .vertex_count = TEAPOT_PATCHES * per_patch,
                           .index_count = TEAPOT_PATCHES * steps * steps * 6 };
    mesh->vertices = malloc((size_t)mesh->vertex_count * sizeof *mesh->vertices);
    mesh->indices = malloc((size_t)mesh->index_count * sizeof *mesh->indices);
    if (!mesh->vertices || !mesh->indices) {
        mesh_free(mesh);
        return false;
    }
    teapot_patches(patches);
    struct vertex *vertex = mesh->vertices;
    uint16_t *index = mesh->indices;
    for (int i = 0; i < TEAPOT_PATCHES; i++) {
        vertex = add_vertices(vertex, &patches[i], steps);
        index = add_indices(index, i * per_patch, steps);
    }
    return true;
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (struct mesh){ 0 };
}
