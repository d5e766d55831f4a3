/* Renders strokes: the distance from a frequency to the stroke tells how much of the frequency is painted. */
#include "mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mask_create(int width, int height, struct mask *mask)
{
    *mask = (struct mask){ .width = width, .height = height, .du = 1, .dv = 1 };
    mask->amounts = calloc((size_t)width, (size_t)height);
    mask_centre(mask);
    return mask->amounts != NULL;
}

void mask_free(struct mask *mask)
{
    free(mask->amounts);
    *mask = (struct mask){ 0 };
}

void mask_centre(struct mask *mask)
{
    mask->u0 = -(mask->width / 2);
    mask->v0 = -(mask->height / 2);
    mask->du = mask->dv = 1;
}

uint8_t mask_gain(uint8_t amount, bool keep)
{
    return keep ? amount : (uint8_t)(255 - amount);
}

/* ---- Distances ----------------------------------------------------------------------------------------- */

/* A stroke between two points, and the plane that it lies in. */
struct shape {
    enum tool tool;
    struct point a, b;
    double width, height;
    double outer, fade; /* the distance where paint ends, and the width of the edge before it */
    bool soft;
    double low, high;              /* of a ring, in cycles per pixel */
    double start;                  /* of a wedge, in bins from zero frequency */
    struct point sides[2], middle; /* of a wedge, of length 1 */
    double opening;                /* the cosine of the angle between middle and sides */
};

/* hypot() takes ten times as long, to avoid an overflow that bins are far from. */
static double length_of(double u, double v)
{
    return sqrt(u * u + v * v);
}

static double segment_distance(const struct shape *shape, double u, double v)
{
    double du = shape->b.u - shape->a.u, dv = shape->b.v - shape->a.v, square = du * du + dv * dv;
    double along = square > 0 ? ((u - shape->a.u) * du + (v - shape->a.v) * dv) / square : 0;
    along = fmin(fmax(along, 0), 1);
    return length_of(u - shape->a.u - along * du, v - shape->a.v - along * dv);
}

/* The frequency in cycles per pixel. */
static double frequency_at(const struct shape *shape, double u, double v)
{
    return length_of(u / shape->width, v / shape->height);
}

/* A ring is an ellipse in bins unless the picture is square. The difference of frequencies, divided by its
 * gradient, is the distance. */
static double ring_distance(const struct shape *shape, double u, double v)
{
    double at = frequency_at(shape, u, v), beyond = fmax(fmax(shape->low - at, at - shape->high), 0);
    if (beyond == 0 || at == 0)
        return beyond * fmin(shape->width, shape->height);
    double gradient = length_of(u / (shape->width * shape->width), v / (shape->height * shape->height)) / at;
    return beyond / gradient;
}

/* The distance to a ray that starts `start` from zero frequency. */
static double ray_distance(struct point direction, double start, double u, double v)
{
    double along = u * direction.u + v * direction.v, across = v * direction.u - u * direction.v;
    return along >= start ? fabs(across) : length_of(start - along, across);
}

static double wedge_distance(const struct shape *shape, double u, double v)
{
    double length = length_of(u, v);
    if (u * shape->middle.u + v * shape->middle.v >= shape->opening * length)
        return fmax(shape->start - length, 0);
    return fmin(ray_distance(shape->sides[0], shape->start, u, v),
                ray_distance(shape->sides[1], shape->start, u, v));
}

static struct point direction_of(double angle)
{
    return (struct point){ cos(angle), sin(angle) };
}

/* Computes what distances to rings and wedges need of their two points. */
static void prepare_shape(struct shape *shape)
{
    double at_a = frequency_at(shape, shape->a.u, shape->a.v);
    double at_b = frequency_at(shape, shape->b.u, shape->b.v);
    shape->low = fmin(at_a, at_b);
    shape->high = fmax(at_a, at_b);
    double first = atan2(shape->a.v, shape->a.u), second = atan2(shape->b.v, shape->b.u);
    double half = remainder(second - first, 2 * M_PI) / 2;
    shape->start = fmin(length_of(shape->a.u, shape->a.v), length_of(shape->b.u, shape->b.v));
    shape->sides[0] = direction_of(first);
    shape->sides[1] = direction_of(second);
    shape->middle = direction_of(first + half);
    shape->opening = cos(half);
}

/* How much is painted at a frequency, 0 … 1. */
static double shape_share(const struct shape *shape, double u, double v)
{
    double distance = shape->tool == TOOL_RING    ? ring_distance(shape, u, v)
                      : shape->tool == TOOL_WEDGE ? wedge_distance(shape, u, v)
                                                  : segment_distance(shape, u, v);
    double share = fmin(fmax((shape->outer - distance) / shape->fade, 0), 1);
    return shape->soft ? share * share * (3 - 2 * share) : share;
}

/* ---- Painting ------------------------------------------------------------------------------------------ */

/* A copy of a shape: reflected about zero frequency if `sign` is −1, then moved by (u, v). */
struct placing {
    double sign, u, v;
};

struct range {
    int first, end;
};

/* The elements whose positions first + i · step lie between low and high. */
static struct range range_between(double low, double high, double first, double step, int count)
{
    double from = fmin(fmax(ceil((low - first) / step), 0), count);
    double end = fmin(fmax(floor((high - first) / step) + 1, from), count);
    return (struct range){ (int)from, (int)end };
}

/* The elements along one axis that a shape from a to b can touch. */
static struct range shape_range(const struct shape *shape, double a, double b, double sign, double shift,
                                double first, double step, int count)
{
    if (shape->tool == TOOL_RING || shape->tool == TOOL_WEDGE)
        return (struct range){ 0, count };
    a = sign * a + shift;
    b = sign * b + shift;
    return range_between(fmin(a, b) - shape->outer, fmax(a, b) + shape->outer, first, step, count);
}

static void paint_amount(uint8_t *amount, double share, bool erases)
{
    if (erases)
        share = 1 - share;
    uint8_t painted = (uint8_t)(255 * share + 0.5);
    if (erases ? painted < *amount : painted > *amount)
        *amount = painted;
}

static void paint_copy(struct mask *mask, const struct shape *shape, const struct placing *at, bool erases)
{
    struct range columns = shape_range(shape, shape->a.u, shape->b.u, at->sign, at->u, mask->u0, mask->du,
                                       mask->width);
    struct range rows = shape_range(shape, shape->a.v, shape->b.v, at->sign, at->v, mask->v0, mask->dv,
                                    mask->height);
    /* A copy that is moved by a period of the plane matters on the plane's first row or column only: there
     * the highest frequency stands for both of its signs. */
    if (at->u != 0 && columns.end > 1)
        columns.end = 1;
    if (at->v != 0 && rows.end > 1)
        rows.end = 1;
    for (int y = rows.first; y < rows.end; y++)
        for (int x = columns.first; x < columns.end; x++) {
            double u = at->sign * (mask->u0 + x * mask->du - at->u);
            double v = at->sign * (mask->v0 + y * mask->dv - at->v);
            paint_amount(&mask->amounts[(size_t)y * (size_t)mask->width + (size_t)x],
                         shape_share(shape, u, v), erases);
        }
}

static void paint_shape(struct mask *mask, const struct shape *shape, bool erases)
{
    /* The period of the plane along an axis of even length, if the raster has its first bin; else 0. */
    double across = shape->width, down = shape->height;
    if (mask->u0 * -2 != across || mask->du != 1)
        across = 0;
    if (mask->v0 * -2 != down || mask->dv != 1)
        down = 0;
    /* A ring is its own reflection. */
    for (int sign = shape->tool == TOOL_RING ? 1 : -1; sign <= 1; sign += 2)
        for (int moved = 0; moved < 4; moved++)
            if ((!(moved & 1) || across > 0) && (!(moved & 2) || down > 0))
                paint_copy(mask, shape,
                           &(struct placing){ sign, moved & 1 ? -across : 0, moved & 2 ? -down : 0 }, erases);
}

/* An edge is at least as wide as an element, so that it looks smooth. */
static struct shape shape_of(const struct mask *mask, const struct strokes *strokes,
                             const struct stroke *stroke)
{
    double element = fmax(mask->du, mask->dv), fade = stroke->softness * stroke->radius;
    bool soft = fade > element;
    return (struct shape){ .tool = stroke->tool,
                           .width = strokes->width,
                           .height = strokes->height,
                           .fade = soft ? fade : element,
                           .outer = stroke->radius + (soft ? 0 : element / 2),
                           .soft = soft };
}

void mask_draw_stroke(struct mask *mask, const struct strokes *strokes, size_t index, size_t from)
{
    const struct stroke *stroke = &strokes->list[index];
    const struct point *points = strokes->points + stroke->first;
    if (stroke->deed == DEED_CLEAR)
        memset(mask->amounts, 0, (size_t)mask->width * (size_t)mask->height);
    if (stroke->deed != DEED_STROKE || !stroke->count)
        return;
    struct shape shape = shape_of(mask, strokes, stroke);
    size_t last = stroke->count - 1, first = stroke->tool == TOOL_BRUSH && from > 0 ? from - 1 : 0;
    do {
        shape.a = points[first];
        shape.b = points[first < last ? ++first : last];
        prepare_shape(&shape);
        paint_shape(mask, &shape, stroke->erases);
    } while (first < last);
}

void mask_draw(struct mask *mask, const struct strokes *strokes)
{
    memset(mask->amounts, 0, (size_t)mask->width * (size_t)mask->height);
    for (size_t i = 0; i < strokes->done; i++)
        mask_draw_stroke(mask, strokes, i, 0);
}
