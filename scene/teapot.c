/* The teapot's control points, generated as Newell designed them: outlines rotated about the axis, and tubes
 * whose halves are mirror images.
 *
 * Of the 32 patches, 24 are quarters of a turn (rim, body, bottom, knob, lid) and 8 are halves of the handle
 * and the spout. Neighbours share a row of points, so that a chain of n patches has 3n + 1 rows. */
#include "teapot.h"

#include <assert.h>

/* ---- Parts of rotation --------------------------------------------------------------------------------- */

/* A row with the points (r, 0), (r, −q), (q, −r), (0, −r) at height z. A circle requires q = 0.5523 r; Newell
 * used 0.56 r, and 0.5625 r for the knob. */
struct turn {
    double r, q, z;
};

/* From the inner edge of the rim over rim and belly to the middle of the bottom. */
static const struct turn body[] = {
    { 1.4, 0.784, 2.4 },   { 1.3375, 0.749, 2.53125 }, { 1.4375, 0.805, 2.53125 }, { 1.5, 0.84, 2.4 },
    { 1.75, 0.98, 1.875 }, { 2.0, 1.12, 1.35 },        { 2.0, 1.12, 0.9 },         { 2.0, 1.12, 0.45 },
    { 1.5, 0.84, 0.225 },  { 1.5, 0.84, 0.15 },        { 1.5, 0.84, 0.075 },       { 1.425, 0.798, 0.0 },
    { 0.0, 0.0, 0.0 },
};

/* From the top of the knob to the edge of the lid. */
static const struct turn lid[] = {
    { 0.0, 0.0, 3.15 },   { 0.8, 0.45, 3.15 },  { 0.0, 0.0, 2.85 },  { 0.2, 0.112, 2.7 },
    { 0.4, 0.224, 2.55 }, { 1.3, 0.728, 2.55 }, { 1.3, 0.728, 2.4 },
};

/* ---- The tubes ----------------------------------------------------------------------------------------- */

/* A row with the points (x0, 0, z0), (x0, −w, z0), (x1, −w, z1), (x1, 0, z1). */
struct section {
    double x0, z0, x1, z1, w;
};

static const struct section handle[] = {
    { -1.6, 2.025, -1.5, 2.25, 0.3 }, { -2.3, 2.025, -2.5, 2.25, 0.3 }, { -2.7, 2.025, -3.0, 2.25, 0.3 },
    { -2.7, 1.8, -3.0, 1.8, 0.3 },    { -2.7, 1.575, -3.0, 1.35, 0.3 }, { -2.5, 1.125, -2.65, 0.9375, 0.3 },
    { -2.0, 0.9, -1.9, 0.6, 0.3 },
};

static const struct section spout[] = {
    { 1.7, 1.425, 1.7, 0.6, 0.66 }, { 2.6, 1.425, 3.1, 0.825, 0.66 },     { 2.3, 2.1, 2.4, 2.025, 0.25 },
    { 2.7, 2.4, 3.3, 2.4, 0.25 },   { 2.8, 2.475, 3.525, 2.49375, 0.25 }, { 2.9, 2.475, 3.45, 2.5125, 0.15 },
    { 2.8, 2.4, 3.2, 2.4, 0.15 },
};

/* ---- Patches ------------------------------------------------------------------------------------------- */

/* Exact, so that neighbours keep equal edges. */
static struct vec3 quarter_turn(struct vec3 p)
{
    return (struct vec3){ -p.y, p.x, p.z };
}

static struct patch turned_patch(const struct turn *rows)
{
    struct patch patch;
    for (int i = 0; i < 4; i++) {
        double r = rows[i].r, q = rows[i].q, z = rows[i].z;
        patch.p[i][0] = (struct vec3){ r, 0, z };
        patch.p[i][1] = (struct vec3){ r, -q, z };
        patch.p[i][2] = (struct vec3){ q, -r, z };
        patch.p[i][3] = (struct vec3){ 0, -r, z };
    }
    return patch;
}

/* Adds a chain of patches, all the way around the axis. */
static struct patch *add_turned(struct patch *to, const struct turn *rows, int count)
{
    for (int first = 0; first + 3 < count; first += 3) {
        struct patch patch = turned_patch(rows + first);
        for (int quarter = 0; quarter < 4; quarter++) {
            *to++ = patch;
            for (int i = 0; i < 16; i++)
                patch.p[i / 4][i % 4] = quarter_turn(patch.p[i / 4][i % 4]);
        }
    }
    return to;
}

/* The mirror image. The order of columns is reversed, too, so that the normals still point outwards. */
static struct patch mirrored(const struct patch *patch)
{
    struct patch other;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            struct vec3 p = patch->p[i][3 - j];
            other.p[i][j] = (struct vec3){ p.x, -p.y, p.z };
        }
    return other;
}

static struct patch *add_tube(struct patch *to, const struct section *rows, int count)
{
    for (int first = 0; first + 3 < count; first += 3) {
        struct patch *patch = to++;
        for (int i = 0; i < 4; i++) {
            const struct section *row = &rows[first + i];
            patch->p[i][0] = (struct vec3){ row->x0, 0, row->z0 };
            patch->p[i][1] = (struct vec3){ row->x0, -row->w, row->z0 };
            patch->p[i][2] = (struct vec3){ row->x1, -row->w, row->z1 };
            patch->p[i][3] = (struct vec3){ row->x1, 0, row->z1 };
        }
        *to++ = mirrored(patch);
    }
    return to;
}

#define COUNT(rows) ((int)(sizeof(rows) / sizeof(rows)[0]))

void teapot_patches(struct patch patches[TEAPOT_PATCHES])
{
    struct patch *end = add_turned(patches, body, COUNT(body));
    end = add_turned(end, lid, COUNT(lid));
    end = add_tube(end, handle, COUNT(handle));
    end = add_tube(end, spout, COUNT(spout));
    assert(end == patches + TEAPOT_PATCHES);
    (void)end;
}
