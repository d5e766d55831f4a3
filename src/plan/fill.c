/* The pixels of an excerpt: those of the source where it lies inside, and the border around them. */
#include "core/border.h"
#include "core/pixels.h"
#include "core/sample.h"
#include "core/view.h"
#include "plan/plan.h"

#include <math.h>
#include <string.h>

abbe_image plan_part(const abbe_image *view, long long x, long long y, int width, int height)
{
    return (abbe_image){ .data = core_sample(view, (int)x, (int)y, 0),
                         .width = width,
                         .height = height,
                         .channels = view->channels,
                         .stride = core_row_step(view),
                         .type = view->type,
                         .pixel_stride = core_pixel_step(view),
                         .channel_stride = core_channel_step(view) };
}

void plan_convert_row(const struct excerpt *excerpt, const abbe_image *from, int y, const abbe_image *to)
{
    double white = excerpt->caller.scale == ABBE_SCALE_VALUE ? core_type_white(from->type) : 1;
    size_t samples = white != 1 ? (size_t)from->width * (size_t)from->channels : 0;
    float *floats = core_row(to, y);
    double *doubles = core_row(to, y);
    if (to->type == ABBE_F64) {
        core_load_pixels_f64(from, 0, y, from->width, NULL, doubles);
        for (size_t i = 0; i < samples; i++)
            doubles[i] = rint(doubles[i] * white);
        return;
    }
    core_load_pixels(from, 0, y, from->width, NULL, floats);
    for (size_t i = 0; i < samples; i++)
        floats[i] = (float)rint(floats[i] * white);
}

/* Along one axis, the places of `read` that lie in the source: first … end − 1. Place p is coordinate
 * start + p. */
struct places {
    long long start;
    int count, n; /* places; pixels of the source */
    int first, end;
};

static struct places find_places(long long start, int count, int n)
{
    long long first = start < 0 ? -start : 0, end = n - start;
    if (first > count)
        first = count;
    if (end > count)
        end = count;
    if (end < first)
        end = first;
    return (struct places){ start, count, n, (int)first, (int)end };
}

/* Where a place outside the source gets its pixels from. */
enum origin { OUTSIDE_PIXEL, COPY, FETCH };

struct outside_place {
    enum origin origin;
    int place; /* COPY: the place that has the same pixels, which is filled before */
    int index; /* FETCH: the pixel of the source */
};

static struct outside_place find_origin(abbe_border border, const struct places *places, int p)
{
    int index = core_border_index(border, places->start + p, places->n);
    long long place = index - places->start;
    if (index < 0)
        return (struct outside_place){ OUTSIDE_PIXEL, 0, 0 };
    if (place >= places->first && place < places->end)
        return (struct outside_place){ COPY, (int)place, 0 };
    if (p > 0 && core_border_index(border, places->start + p - 1, places->n) == index)
        return (struct outside_place){ COPY, p - 1, 0 };
    return (struct outside_place){ FETCH, 0, index };
}

/* The number of places from p on that can be fetched together: their pixels are neighbours. */
static int count_together(abbe_border border, const struct places *places, int p)
{
    struct outside_place first = find_origin(border, places, p);
    int count = 1;
    while (p + count < places->count && (p >= places->end || p + count < places->first)) {
        struct outside_place next = find_origin(border, places, p + count);
        if (next.origin != FETCH || next.index != first.index + count)
            break;
        count++;
    }
    return count;
}

/* One excerpt while it is filled. */
struct filling {
    const struct excerpt *excerpt;
    struct places x, y;
    fetch_pixels *fetch;
    void *context;
    const abbe_image *to;
};

static void fill_outside(const struct filling *filling, int x, int y, int count)
{
    size_t size = abbe_type_size(filling->to->type);
    char *at = core_sample(filling->to, x, y, 0);
    for (size_t i = 0; i < (size_t)count * (size_t)filling->to->channels; i++)
        memcpy(at + i * size, filling->excerpt->outside, size);
}

/* Fills the columns of one row that lie outside the source, except those that are fetched. */
static void fill_row_ends(const struct filling *filling, int y)
{
    const struct places *x = &filling->x;
    size_t pixel = (size_t)filling->to->channels * abbe_type_size(filling->to->type);
    for (int p = x->first ? 0 : x->end; p < x->count; p = p + 1 == x->first ? x->end : p + 1) {
        struct outside_place from = find_origin(filling->excerpt->caller.border, x, p);
        if (from.origin == OUTSIDE_PIXEL)
            fill_outside(filling, p, y, 1);
        else if (from.origin == COPY)
            memcpy(core_sample(filling->to, p, y, 0), core_sample(filling->to, from.place, y, 0), pixel);
    }
}

/* Fills rows that have pixels of the source: `count` from place p on, which are its rows `row` and the
 * following. */
static int fetch_rows(const struct filling *filling, int p, int row, int count)
{
    const struct places *x = &filling->x;
    abbe_border border = filling->excerpt->caller.border;
    int error = ABBE_OK;
    if (x->first < x->end) {
        abbe_image part = plan_part(filling->to, x->first, p, x->end - x->first, count);
        error = filling->fetch(filling->context, (int)(x->start + x->first), row, &part);
    }
    for (int k = x->first ? 0 : x->end, step; k < x->count && !error;
         k = k + step == x->first ? x->end : k + step) {
        struct outside_place from = find_origin(border, x, k);
        step = 1;
        if (from.origin != FETCH)
            continue;
        step = count_together(border, x, k);
        abbe_image part = plan_part(filling->to, k, p, step, count);
        error = filling->fetch(filling->context, from.index, row, &part);
    }
    for (int i = 0; i < count && !error; i++)
        fill_row_ends(filling, p + i);
    return error;
}

/* Fills the rows outside the source from `first_row` on. */
static int fill_rows_outside(const struct filling *filling, int first_row)
{
    const struct places *y = &filling->y;
    abbe_border border = filling->excerpt->caller.border;
    size_t bytes = core_row_bytes(filling->to);
    int error = ABBE_OK;
    for (int p = first_row, step; p < y->count && !error; p += step) {
        step = 1;
        if (p >= y->first && p < y->end)
            continue;
        struct outside_place from = find_origin(border, y, p);
        if (from.origin == OUTSIDE_PIXEL)
            fill_outside(filling, 0, p, filling->to->width);
        else if (from.origin == COPY)
            memcpy(core_row(filling->to, p), core_row(filling->to, from.place), bytes);
        else
            error = fetch_rows(filling, p, from.index, step = count_together(border, y, p));
    }
    return error;
}

int plan_fill(const struct excerpt *excerpt, const struct rectangle *read, int first_row, fetch_pixels *fetch,
              void *context, const abbe_image *to)
{
    const struct filling filling = { .excerpt = excerpt,
                                     .x = find_places(read->x, read->width, excerpt->caller.width),
                                     .y = find_places(read->y, read->height, excerpt->caller.height),
                                     .fetch = fetch,
                                     .context = context,
                                     .to = to };
    const struct places *y = &filling.y;
    int first = first_row > y->first ? first_row : y->first, error = ABBE_OK;
    if (first < y->end)
        error = fetch_rows(&filling, first, (int)(y->start + first), y->end - first);
    return error ? error : fill_rows_outside(&filling, first_row);
}
