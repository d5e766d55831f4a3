/* The teapot: control points compared with the published ones, the surface with de Casteljau's construction;
 * topology of the triangles. */
#include "mesh.h"
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In double precision, unlike cmocka's. */
static void check_near(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%.17g, not %.17g", got, wanted);
}

static double coordinate(struct vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static double dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vec3 less(struct vec3 a, struct vec3 b)
{
    return (struct vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static double length(struct vec3 a)
{
    return sqrt(dot(a, a));
}

/* ---- Control points ------------------------------------------------------------------------------------ */

static int compare_points(const void *a, const void *b)
{
    const struct vec3 *p = a, *q = b;
    for (int axis = 0; axis < 3; axis++) {
        double one = coordinate(*p, axis), other = coordinate(*q, axis);
        if (one != other)
            return one < other ? -1 : 1;
    }
    return 0;
}

/* The numbers were computed from the published table of 32 patches by an independent program. */
static void control_points_are_newells(void **state)
{
    (void)state;
    struct patch patches[TEAPOT_PATCHES];
    teapot_patches(patches);
    struct vec3 *points = &patches[0].p[0][0];
    const int count = TEAPOT_PATCHES * 16;
    double sums[3] = { 0 }, absolute[3] = { 0 }, squares[3] = { 0 }, product = 0, x2z = 0;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double value = coordinate(points[i], axis);
            sums[axis] += value;
            absolute[axis] += fabs(value);
            squares[axis] += value * value;
        }
        product += fabs(points[i].x * points[i].y * points[i].z);
        x2z += points[i].x * points[i].x * points[i].z;
    }
    const double expected[][3] = { { 18.9, 0, 883.275 },
                                   { 629.26, 312.44, 883.275 },
                                   { 1335.829272, 420.931572, 2062.79015625 } };
    for (int axis = 0; axis < 3; axis++) {
        check_near(sums[axis], expected[0][axis], 1e-9);
        check_near(absolute[axis], expected[1][axis], 1e-9);
        check_near(squares[axis], expected[2][axis], 1e-9);
    }
    check_near(product, 347.501270625, 1e-9);
    check_near(x2z, 2333.13202215, 1e-8);

    qsort(points, (size_t)count, sizeof *points, compare_points);
    int distinct = 1;
    for (int i = 1; i < count; i++)
        distinct += compare_points(&points[i - 1], &points[i]) != 0;
    assert_int_equal(distinct, 290);
}

/* ---- The surface --------------------------------------------------------------------------------------- */

/* De Casteljau's construction by repeated interpolation. The last difference is a third of the derivative. */
static struct vec3 casteljau(const struct vec3 p[4], double t, struct vec3 *derivative)
{
    struct vec3 q[4];
    memcpy(q, p, sizeof q);
    for (int n = 3; n > 0; n--) {
        struct vec3 last = less(q[1], q[0]);
        *derivative = (struct vec3){ 3 * last.x, 3 * last.y, 3 * last.z };
        for (int i = 0; i < n; i++)
            q[i] = (struct vec3){ q[i].x + t * (q[i + 1].x - q[i].x), q[i].y + t * (q[i + 1].y - q[i].y),
                                  q[i].z + t * (q[i + 1].z - q[i].z) };
    }
    return q[0];
}

static struct surface reference(const struct patch *patch, double u, double v)
{
    struct surface surface;
    struct vec3 row[4], column[4], unused;
    for (int i = 0; i < 4; i++) {
        const struct vec3 across[4] = { patch->p[0][i], patch->p[1][i], patch->p[2][i], patch->p[3][i] };
        row[i] = casteljau(patch->p[i], v, &unused);
        column[i] = casteljau(across, u, &unused);
    }
    surface.point = casteljau(row, u, &surface.along_u);
    casteljau(column, v, &surface.along_v);
    return surface;
}

static void points_lie_on_their_patches(void **state)
{
    (void)state;
    struct patch patches[TEAPOT_PATCHES];
    teapot_patches(patches);
    const int steps = 13;
    for (int i = 0; i < TEAPOT_PATCHES * (steps + 1) * (steps + 1); i++) {
        int k = i / ((steps + 1) * (steps + 1)), u = i / (steps + 1) % (steps + 1), v = i % (steps + 1);
        struct surface got = patch_at(&patches[k], u, v, steps);
        struct surface wanted = reference(&patches[k], (double)u / steps, (double)v / steps);
        if (length(less(got.point, wanted.point)) > 1e-14 ||
            length(less(got.along_u, wanted.along_u)) > 5e-14 ||
            length(less(got.along_v, wanted.along_v)) > 5e-14)
            fail_msg("patch %d at %d, %d of %d: (%g, %g, %g), not (%g, %g, %g)", k, u, v, steps, got.point.x,
                     got.point.y, got.point.z, wanted.point.x, wanted.point.y, wanted.point.z);
    }
}

/* At a distance of 1e-4 from the edge the surface is regular, and its normal is near that of the edge. */
static void check_normal(const struct patch *patch, int index, int u, int v, int steps)
{
    struct surface surface = patch_at(patch, u, v, steps);
    struct vec3 n = surface.normal;
    const double within = 1e-4;
    double x = fmin(fmax((double)u / steps, within), 1 - within);
    double y = fmin(fmax((double)v / steps, within), 1 - within);
    struct surface near = reference(patch, x, y);
    struct vec3 a = near.along_v, b = near.along_u;
    struct vec3 outwards = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
    double cosine = dot(n, outwards) / length(outwards);
    if (fabs(length(n) - 1) > 1e-14 || fabs(dot(n, surface.along_u)) > 1e-14 * 10 ||
        fabs(dot(n, surface.along_v)) > 1e-14 * 10 || cosine < 1 - 1e-6)
        fail_msg("patch %d at %d, %d of %d: normal (%.17g, %.17g, %.17g), cosine %.9g, products %g, %g",
                 index, u, v, steps, n.x, n.y, n.z, cosine, dot(n, surface.along_u), dot(n, surface.along_v));
}

static void normals_are_exact_and_outwards(void **state)
{
    (void)state;
    struct patch patches[TEAPOT_PATCHES];
    teapot_patches(patches);
    const int steps = 12;
    for (int i = 0; i < TEAPOT_PATCHES * (steps + 1) * (steps + 1); i++) {
        int k = i / ((steps + 1) * (steps + 1));
        check_normal(&patches[k], k, i / (steps + 1) % (steps + 1), i % (steps + 1), steps);
    }
}

/* The two points to which edges degenerate, approached from all four sides. */
static void poles_are_level(void **state)
{
    (void)state;
    struct patch patches[TEAPOT_PATCHES];
    teapot_patches(patches);
    int tops = 0, bottoms = 0;
    for (int k = 0; k < TEAPOT_PATCHES; k++)
        for (int u = 0; u <= 8; u += 8)
            for (int v = 0; v <= 8; v++) {
                struct surface surface = patch_at(&patches[k], u, v, 8);
                if (surface.point.x != 0 || surface.point.y != 0)
                    continue;
                bool top = surface.point.z > 3;
                tops += top;
                bottoms += !top;
                check_near(surface.point.z, top ? 3.15 : 0, 1e-15);
                assert_true(fabs(surface.normal.x) < 1e-15 && fabs(surface.normal.y) < 1e-15);
                check_near(surface.normal.z, top ? 1 : -1, 0);
            }
    assert_int_equal(tops, 4 * 9);
    assert_int_equal(bottoms, 4 * 9);
}

/* ---- Triangles ----------------------------------------------------------------------------------------- */

static void mesh_is_as_large_as_the_teapot(void **state)
{
    (void)state;
    struct mesh mesh;
    float low[3] = { 9, 9, 9 }, high[3] = { -9, -9, -9 };
    assert_true(mesh_create(40, &mesh));
    for (int i = 0; i < mesh.vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fminf(low[axis], mesh.vertices[i].position[axis]);
            high[axis] = fmaxf(high[axis], mesh.vertices[i].position[axis]);
        }
    mesh_free(&mesh);
    /* The lip of the spout is the only extreme inside a patch; 3.43408 is its maximum over 4,000 points. */
    check_near((double)low[0], -3, 0);
    check_near((double)low[1], -2, 0);
    check_near((double)low[2], 0, 0);
    assert_true(high[0] <= 3.43408f && high[0] > 3.433f);
    check_near((double)high[1], 2, 0);
    check_near((double)high[2], (double)3.15f, 0);
}

static int compare_vertices(const void *a, const void *b)
{
    return memcmp((*(const struct vertex *const *)a)->position, (*(const struct vertex *const *)b)->position,
                  sizeof((struct vertex *)0)->position);
}

/* Numbers the vertices; vertices with bitwise equal positions get the same number. Returns the count of
 * numbers. */
static int number_places(const struct mesh *mesh, int *numbers)
{
    size_t count = (size_t)mesh->vertex_count;
    const struct vertex **sorted = malloc(count * sizeof *sorted);
    assert_non_null(sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &mesh->vertices[i];
    qsort(sorted, count, sizeof *sorted, compare_vertices);
    int places = 0;
    for (size_t i = 0; i < count; i++) {
        places += i == 0 || compare_vertices(&sorted[i - 1], &sorted[i]) != 0;
        numbers[sorted[i] - mesh->vertices] = places - 1;
    }
    free(sorted);
    return places;
}

struct edge {
    int from, to;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *p = a, *q = b;
    return p->from != q->from ? (p->from < q->from ? -1 : 1) : (p->to > q->to) - (p->to < q->to);
}

/* Lists the edges of all triangles that have an area, in the direction of their triangle. */
static int list_edges(const struct mesh *mesh, const int *numbers, struct edge *edges, int *triangles)
{
    int count = 0;
    for (int i = 0; i < mesh->index_count; i += 3) {
        int corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = numbers[mesh->indices[i + k]];
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            continue;
        *triangles += 1;
        for (int k = 0; k < 3; k++)
            edges[count++] = (struct edge){ corner[k], corner[(k + 1) % 3] };
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    return count;
}

/* Every edge belongs to exactly two triangles, with opposite directions, except for the edges of the six
 * holes: rim and lid, which do not touch, and both ends of handle and spout, which lie inside the body. */
static void check_topology(int steps)
{
    struct mesh mesh;
    assert_true(mesh_create(steps, &mesh));
    int *numbers = malloc((size_t)mesh.vertex_count * sizeof *numbers), triangles = 0, open = 0;
    struct edge *edges = malloc((size_t)mesh.index_count * sizeof *edges);
    assert_true(numbers && edges);
    int places = number_places(&mesh, numbers), count = list_edges(&mesh, numbers, edges, &triangles);
    for (int i = 0; i < count; i++) {
        struct edge back = { edges[i].to, edges[i].from };
        if (i && !compare_edges(&edges[i - 1], &edges[i]))
            fail_msg("%d steps: an edge is walked twice in the same sense", steps);
        open += !bsearch(&back, edges, (size_t)count, sizeof *edges, compare_edges);
    }
    assert_int_equal(open, 16 * steps);
    /* Vertices − edges + triangles is 1 for body and lid, which are disks, and 0 for the tubes. Body and
     * handle share one vertex, (−2, 0, 0.9). */
    if (places - (count + open) / 2 + triangles != 2 - 1)
        fail_msg("%d steps: %d places, %d edges, %d triangles", steps, places, (count + open) / 2, triangles);
    free(numbers);
    free(edges);
    mesh_free(&mesh);
}

static void mesh_is_watertight(void **state)
{
    (void)state;
    for (int steps = 2; steps <= MESH_STEPS_MAX; steps += steps < 8 ? 1 : 9)
        check_topology(steps);
}

/* The surface is smooth where two quarters or two halves of a tube meet. */
static void seams_do_not_show(void **state)
{
    (void)state;
    struct patch patches[TEAPOT_PATCHES];
    teapot_patches(patches);
    const int turned = 24;
    for (int k = 0; k < TEAPOT_PATCHES; k++)
        for (int u = 0; u <= 10; u++) {
            int next = k < turned ? k / 4 * 4 + (k + 3) % 4 : k ^ 1;
            struct surface end = patch_at(&patches[k], u, 10, 10);
            struct surface start = patch_at(&patches[next], u, 0, 10);
            if (length(less(end.point, start.point)) > 0 || length(less(end.normal, start.normal)) > 1e-14)
                fail_msg("patches %d and %d, row %d: points %g apart, normals %g", k, next, u,
                         length(less(end.point, start.point)), length(less(end.normal, start.normal)));
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(control_points_are_newells),
    cmocka_unit_test(points_lie_on_their_patches),
    cmocka_unit_test(normals_are_exact_and_outwards),
    cmocka_unit_test(poles_are_level),
    cmocka_unit_test(mesh_is_as_large_as_the_teapot),
    cmocka_unit_test(mesh_is_watertight),
    cmocka_unit_test(seams_do_not_show),
};

TEST_MAIN(tests)
