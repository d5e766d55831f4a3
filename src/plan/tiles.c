/* Which tiles are cheapest: lengths of many kinds along each axis, tried in turn. */
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

/* Lengths are few factors times a unit that grows with them: 8 · 1 … 8 · 64, then 64 · 9 … 64 · 64, and so on. */
enum { UNIT = 8, MULTIPLES = 64, LENGTH_LEAST = 16, LENGTH_MOST = 1 << 18, LENGTHS_MAX = 160 };

/* What is tried along one axis. */
struct tries {
    int count;
    struct axis axes[LENGTHS_MAX];
};

static void add_lengths(int pixels, const struct reach *reach, struct tries *tries)
{
    int radices[FFT_FACTORS_MAX], first = 1;
    for (int unit = UNIT; unit * first <= LENGTH_MOST; unit *= UNIT, first = MULTIPLES / UNIT + 1)
        for (int multiple = first; multiple <= MULTIPLES; multiple++) {
            struct axis axis;
            int length = unit * multiple;
            if (length < LENGTH_LEAST || length > LENGTH_MOST || fft_factor(multiple, radices) < 0)
                continue;
            if (tries->count < LENGTHS_MAX && grid_tile(pixels, length, reach, &axis) && axis.step < pixels)
                tries->axes[tries->count++] = axis;
        }
}

/* As asked for, or many lengths, the last of which makes one tile of all pixels. */
static void make_tries(int pixels, int wanted, const struct reach *reach, const struct axis_pricer *pricer,
                       struct tries *tries)
{
    struct axis axis;
    tries->count = 0;
    if (!wanted)
        add_lengths(pixels, reach, tries);
    if (tries->count == LENGTHS_MAX)
        tries->count--;
    if (grid_cheapest_tile(pixels, wanted ? wanted : pixels, reach, pricer, &axis))
        tries->axes[tries->count++] = axis;
}

static const struct axis *nearest(const struct tries *tries, int length)
{
    const struct axis *best = tries->axes;
    for (int i = 1; i < tries->count; i++)
        if (abs(tries->axes[i].length - length) < abs(best->length - length))
            best = &tries->axes[i];
    return best;
}

/* The cheapest so far. */
struct offer {
    const struct abbe_plan *plan;
    struct axis x, y;
    double rank;
};

static bool consider(struct offer *best, const struct axis *x, const struct axis *y)
{
    double rank = plan_rank(best->plan, ABBE_METHOD_TILES, x, y);
    if (!(rank < best->rank) || !plan_fits(best->plan, plan_footprint(best->plan, ABBE_METHOD_TILES, x, y)))
        return false;
    struct axis across = *x, down = *y; /* which may be those of the best */
    *best = (struct offer){ best->plan, across, down, rank };
    return true;
}

/* From a pair of axes on, one after the other until neither gets better. */
static void descend(struct offer *best, const struct tries *x, const struct tries *y)
{
    bool better = best->rank < INFINITY;
    for (int round = 0; better && round < 4; round++) {
        better = false;
        for (int i = 0; i < x->count; i++)
            better |= consider(best, &x->axes[i], &best->y);
        for (int i = 0; i < y->count; i++)
            better |= consider(best, &best->x, &y->axes[i]);
    }
}

/* From squares of every size, because the way down from one of them may end in a hollow. */
static void search(struct offer *best, const struct tries *x, const struct tries *y)
{
    const struct axis *last = NULL;
    for (int length = 2 * LENGTH_LEAST; length <= LENGTH_MOST; length *= 2) {
        const struct axis *width = nearest(x, length), *height = nearest(y, length);
        struct offer offer = { .plan = best->plan, .rank = INFINITY };
        if (width == last && height == &y->axes[y->count - 1])
            continue;
        last = width;
        consider(&offer, width, height);
        descend(&offer, x, y);
        if (offer.rank < best->rank)
            *best = offer;
    }
}

/* The length of a tile of a given size depends on the other side a little: it is taken as long as this one. */
static struct axis beside(int pixels, const struct reach *reach)
{
    struct axis axis;
    const struct axis_pricer by_flops = { 0 };
    return grid_cheapest_tile(pixels, pixels, reach, &by_flops, &axis) ? axis : (struct axis){ 1, 1, 0, 1 };
}

int plan_tiles(const struct abbe_plan *plan, const abbe_plan_params *params, struct axis *x, struct axis *y,
               const char **reason)
{
    const struct work *work = &plan->work;
    const struct reach across = { work->left, work->right, false };
    const struct reach down = { work->above, work->below, false };
    int width = params->tile_width ? params->tile_width : work->width;
    int height = params->tile_height ? params->tile_height : work->height;
    struct axis other_x = beside(width < work->width ? width : work->width, &across);
    struct axis other_y = beside(height < work->height ? height : work->height, &down);
    const struct axis_pricer for_x = { plan, ABBE_METHOD_TILES, NULL, &other_y };
    const struct axis_pricer for_y = { plan, ABBE_METHOD_TILES, &other_x, NULL };
    struct tries tries_x, tries_y;
    struct offer best = { plan, { 0 }, { 0 }, INFINITY };
    make_tries(work->width, params->tile_width, &across, &for_x, &tries_x);
    make_tries(work->height, params->tile_height, &down, &for_y, &tries_y);
    *reason = "no transform is long enough";
    if (!tries_x.count || !tries_y.count)
        return ABBE_ERR_SIZE;
    *reason = "needs more memory than the device has";
    search(&best, &tries_x, &tries_y);
    if (!(best.rank < INFINITY))
        return ABBE_ERR_MEMORY;
    *x = best.x;
    *y = best.y;
    return ABBE_OK;
}
