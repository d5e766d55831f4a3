/* Summits: bins of a surface that are local maxima and stand out of their surroundings in every direction.
 *
 * The surroundings of a bin are lines through it, on both sides, from outside its own peak to FARTHEST cycles
 * across the picture. In every direction the bin must exceed the median of the line by the factor
 * `prominence`. The median ignores other peaks on the line; asking every direction refuses ridges, which edges
 * of the picture leave along their perpendicular, and which have local maxima too. */
#include "spectrum/summits.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIRECTIONS = 48,
    SURROUNDINGS = DIRECTIONS + 1,
    NEAREST = SURFACE_LOBE + 1,
    FARTHEST = 40,
    RAY_MAX = FARTHEST - NEAREST + 1,
    LINE_MAX = 2 * RAY_MAX,
    LINE_MIN = 8, /* amplitudes of surroundings that are judged */
};

/* Cycles across the picture of the lowest frequency that is looked at. A thin picture has few directions, and
 * needs longer lines. */
enum { CYCLES_MIN = 8, CYCLES_MIN_THIN = 40 };

struct search {
    const struct surface *surface;
    double prominence;
    float floor;   /* amplitudes below it are not looked at */
    double lowest; /* cycles across the picture */
};

/* ---- Surroundings ------------------------------------------------------------------------------------- */

static int signed_bin(int u, int n)
{
    return 2 * u > n ? u - n : u;
}

/* The distance of a bin from frequency 0, in cycles across the picture. */
static double cycles_of(const struct surface *surface, int u, int v)
{
    return hypot(signed_bin(u, surface->width) / surface->stretch_x,
                 signed_bin(v, surface->height) / surface->stretch_y);
}

/* Near frequency 0 amplitudes rise steeply; lines end soon behind it. */
static int farthest_of(double cycles)
{
    return (int)fmin(FARTHEST, fmax(3 * NEAREST, 0.6 * cycles));
}

/* A line away from a bin, and how far it goes. */
struct ray {
    int u, v, farthest;
    double along_x, along_y; /* bins per step */
};

/* Ray 0 leads away from frequency 0, ray DIRECTIONS to it. */
static struct ray ray_from(const struct surface *surface, int u, int v, int direction)
{
    double radial = atan2(signed_bin(v, surface->height) / surface->stretch_y,
                          signed_bin(u, surface->width) / surface->stretch_x);
    double angle = radial + M_PI * direction / DIRECTIONS;
    return (struct ray){ u, v, farthest_of(cycles_of(surface, u, v)), surface->stretch_x * cos(angle),
                         surface->stretch_y * sin(angle) };
}

/* Reads the amplitudes on a ray, and returns their number. Rays end halfway round the surface, which is
 * periodic. */
static int read_ray(const struct surface *surface, const struct ray *ray, float line[RAY_MAX])
{
    int count = 0;
    for (int r = NEAREST; r <= ray->farthest; r++) {
        int du = (int)lround(r * ray->along_x), dv = (int)lround(r * ray->along_y);
        if (2 * abs(du) >= surface->width + (du == 0) || 2 * abs(dv) >= surface->height + (dv == 0))
            break;
        line[count++] = surface_at(surface, ray->u + du, ray->v + dv);
    }
    return count;
}

/* The amplitudes of surroundings number 0 … SURROUNDINGS − 1: number 0 is the ray away from frequency 0, the
 * last one the ray to it, and the others are two opposite rays. Returns their number: 0 where the surface is
 * too small for the direction. */
static int read_surroundings(const struct surface *surface, int u, int v, int number, float line[LINE_MAX])
{
    struct ray ray = ray_from(surface, u, v, number);
    int count = read_ray(surface, &ray, line);
    if (number > 0 && number < DIRECTIONS) {
        ray.along_x = -ray.along_x, ray.along_y = -ray.along_y;
        count += read_ray(surface, &ray, line + count);
    }
    return count < LINE_MIN ? 0 : count;
}

/* Whether more than half of the amplitudes of all surroundings are at most the share 1/prominence of the
 * bin. */
static bool stands_out(const struct search *search, int u, int v)
{
    const struct surface *surface = search->surface;
    float line[LINE_MAX], level = (float)(surface_at(surface, u, v) / search->prominence);
    bool is_judged = false;
    for (int number = 0; number < SURROUNDINGS; number++) {
        int count = read_surroundings(surface, u, v, number, line), above = 0;
        for (int i = 0; i < count; i++)
            above += line[i] > level;
        if (count && 2 * above >= count)
            return false;
        is_judged |= count > 0;
    }
    return is_judged;
}

int summit_compare(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

float summit_background(const struct surface *surface, int u, int v)
{
    float line[LINE_MAX], background = 0;
    for (int number = 0; number < SURROUNDINGS; number++) {
        int count = read_surroundings(surface, u, v, number, line);
        qsort(line, (size_t)count, sizeof *line, summit_compare);
        if (count)
            background = fmaxf(background, line[count / 2]);
    }
    return background;
}

/* ---- Summits ------------------------------------------------------------------------------------------ */

/* Whether no neighbour is larger. Of equal neighbours the first in memory is the maximum. */
static bool is_maximum(const struct surface *surface, int u, int v)
{
    size_t place = surface_place(surface, u, v);
    float here = surface->values[place];
    for (int dv = -1; dv <= 1; dv++)
        for (int du = -1; du <= 1; du++) {
            size_t other = surface_place(surface, u + du, v + dv);
            if (surface->values[other] > here || (surface->values[other] == here && other < place))
                return false;
        }
    return true;
}

static bool keep_summit(struct summits *summits, struct summit summit)
{
    if (summits->count == summits->room) {
        size_t room = summits->room ? 2 * summits->room : 256;
        struct summit *items = core_alloc(room, sizeof *items);
        if (!items)
            return false;
        if (summits->count)
            memcpy(items, summits->items, summits->count * sizeof *items);
        core_free(summits->items);
        summits->items = items;
        summits->room = room;
    }
    summits->items[summits->count++] = summit;
    return true;
}

/* Whether a bin is the one of its conjugate pair that is looked at, and a summit. */
static bool is_summit(const struct search *search, int u, int v)
{
    const struct surface *surface = search->surface;
    size_t place = (size_t)v * (size_t)surface->columns + (size_t)u;
    return surface->values[place] > search->floor && place == surface_place(surface, u, v) &&
           cycles_of(surface, u, v) >= search->lowest && is_maximum(surface, u, v) &&
           stands_out(search, u, v);
}

bool summits_find(const struct surface *surface, double prominence, float floor, struct summits *summits)
{
    bool is_thin = surface->width < SURFACE_THIN * surface->stretch_x ||
                   surface->height < SURFACE_THIN * surface->stretch_y;
    struct search search = { surface, prominence, floor, is_thin ? CYCLES_MIN_THIN : CYCLES_MIN };
    for (int v = 0; v < surface->height; v++)
        for (int u = 0; u < surface->columns; u++)
            if (is_summit(&search, u, v) &&
                !keep_summit(summits, (struct summit){ u, v, surface_at(surface, u, v) }))
                return false;
    return true;
}
