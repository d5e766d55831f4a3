/* The transform grid: the length of each axis, and where the picture or a tile lies in it. */
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

/* fft_cheapest answers up to this length: the largest picture with the largest kernel around it. */
enum { LENGTH_MAX = ABBE_SIDE_MAX + 2 * ABBE_KERNEL_SIDE_MAX };

long long grid_period(abbe_border border, int pixels)
{
    switch (border) {
    case ABBE_BORDER_WRAP: return pixels;
    case ABBE_BORDER_REFLECT: return 2LL * pixels;
    case ABBE_BORDER_MIRROR: return pixels == 1 ? 1 : 2LL * pixels - 2;
    case ABBE_BORDER_CLAMP:
    case ABBE_BORDER_ZERO:
    case ABBE_BORDER_CONSTANT: break;
    }
    return 0;
}

/* Context of price_length: an axis whose length is not chosen yet, and its prices. */
struct length_search {
    struct axis axis;
    const struct axis_pricer *pricer;
};

static double price_length(const void *context, int length)
{
    const struct length_search *search = context;
    struct axis axis = search->axis;
    axis.length = length;
    return plan_price_axis(search->pricer, &axis);
}

/* Sets the cheapest length of at least `need` samples. */
static void set_cheapest_length(struct axis *axis, int need, const struct axis_pricer *pricer)
{
    struct length_search search = { *axis, pricer };
    axis->length = fft_cheapest(need, price_length, &search);
}

/* ---- The whole picture in one transform --------------------------------------------------------------- */

static double price_common_length(const void *context, int length)
{
    enum { MULTIPLE = 16 };
    (void)context;
    return length % MULTIPLE ? INFINITY : fft_flops(length);
}

/* Sets a length of at least `need` samples that depends on nothing else, and that all vectors take. Transfer
 * functions give slightly different results on different grids; so, no result depends on prices, which differ
 * between devices and instruction sets. */
static void set_common_length(struct axis *axis, int need)
{
    axis->length = fft_cheapest(need, price_common_length, NULL);
}

/* Two grids are exact. One period of a periodic border serves any filter, even one larger than the picture. A
 * window that contains the border `before` and `after` the picture serves any finite kernel (Podlozhnyuk
 * 2007); cyclic convolution then corrupts only samples that are not part of the result. The cheaper grid is
 * used. */
bool grid_whole(abbe_border border, int pixels, const struct reach *reach, const struct axis_pricer *pricer,
                struct axis *axis)
{
    long long period = grid_period(border, pixels);
    long long need = (long long)pixels + reach->before + reach->after;
    bool periodic_possible = period > 0 && period <= LENGTH_MAX && isfinite(fft_flops((int)period));
    bool window_possible = need <= LENGTH_MAX && !(reach->transfers && period > 0);
    struct axis periodic = { pixels, (int)(periodic_possible ? period : 0), 0, pixels };
    struct axis window = { pixels, 0, reach->before, pixels };
    if (window_possible && reach->transfers)
        set_common_length(&window, (int)need);
    else if (window_possible)
        set_cheapest_length(&window, (int)need, pricer);
    bool use_period = periodic_possible;
    if (periodic_possible && window_possible)
        use_period = plan_price_axis(pricer, &periodic) <= plan_price_axis(pricer, &window);
    *axis = use_period ? periodic : window;
    return periodic_possible || window_possible;
}

/* ---- Tiles: lengths that are tried along each axis ---------------------------------------------------- */

/* Lengths are products of few factors with a unit that grows with them: 8 · 1 … 8 · 64, then 64 · 9 … 64 ·
 * 64, and so on. */
enum { UNIT = 8, MULTIPLES = 64, TILE_LEAST = 16, TILE_MOST = 1 << 18, LENGTHS_MAX = 160 };

struct tile_axes {
    int count;
    struct axis axes[LENGTHS_MAX];
};

bool grid_tile(int pixels, int length, const struct reach *reach, struct axis *axis)
{
    long long step = (long long)length - reach->before - reach->after;
    if (step < 1)
        return false;
    *axis = (struct axis){ pixels, length, reach->before, step < pixels ? (int)step : pixels };
    return true;
}

/* The axis of tiles that yield at least `wanted` pixels by the cheapest transform. */
static bool set_cheapest_tile(int pixels, int wanted, const struct reach *reach,
                              const struct axis_pricer *pricer, struct axis *axis)
{
    int step = wanted < pixels ? wanted : pixels;
    long long need = (long long)step + reach->before + reach->after;
    if (step < 1 || need > LENGTH_MAX)
        return false;
    struct axis tile = { step, 0, reach->before, step };
    set_cheapest_length(&tile, (int)need, pricer);
    /* A transform longer than needed yields more pixels for the same price. */
    return grid_tile(pixels, tile.length, reach, axis);
}

static void add_tile_lengths(int pixels, const struct reach *reach, struct tile_axes *tiles)
{
    int radices[FFT_FACTORS_MAX], first = 1;
    for (int unit = UNIT; unit * first <= TILE_MOST; unit *= UNIT, first = MULTIPLES / UNIT + 1)
        for (int multiple = first; multiple <= MULTIPLES; multiple++) {
            struct axis axis;
            int length = unit * multiple;
            if (length < TILE_LEAST || length > TILE_MOST || fft_factor(multiple, radices) < 0)
                continue;
            if (tiles->count < LENGTHS_MAX && grid_tile(pixels, length, reach, &axis) && axis.step < pixels)
                tiles->axes[tiles->count++] = axis;
        }
}

/* Lists the wanted tile only; or, where `wanted` is 0, many lengths, the last of which makes one tile of all
 * pixels. */
static void list_tiles(int pixels, int wanted, const struct reach *reach, const struct axis_pricer *pricer,
                       struct tile_axes *tiles)
{
    struct axis axis;
    tiles->count = 0;
    if (!wanted)
        add_tile_lengths(pixels, reach, tiles);
    if (tiles->count == LENGTHS_MAX)
        tiles->count--;
    if (set_cheapest_tile(pixels, wanted ? wanted : pixels, reach, pricer, &axis))
        tiles->axes[tiles->count++] = axis;
}

/* The length of a tile depends only a little on the other axis. This is the other axis while the first is
 * priced. */
static struct axis assumed_axis(int pixels, const struct reach *reach)
{
    struct axis axis;
    const struct axis_pricer by_flops = { 0 };
    return set_cheapest_tile(pixels, pixels, reach, &by_flops, &axis) ? axis : (struct axis){ 1, 1, 0, 1 };
}

/* ---- Tiles: the search over both axes ----------------------------------------------------------------- */

/* The cheapest tile found so far. */
struct tile_search {
    const struct abbe_plan *plan;
    struct axis x, y;
    double rank;
};

static bool try_tile(struct tile_search *best, const struct axis *x, const struct axis *y)
{
    double rank = plan_rank(best->plan, ABBE_METHOD_TILES, x, y);
    if (!(rank < best->rank) || !plan_fits(best->plan, ABBE_METHOD_TILES, x, y))
        return false;
    struct axis new_x = *x, new_y = *y; /* copies: x or y may point into *best */
    *best = (struct tile_search){ best->plan, new_x, new_y, rank };
    return true;
}

/* Changes one axis after the other until neither becomes cheaper. */
static void descend_tiles(struct tile_search *best, const struct tile_axes *x, const struct tile_axes *y)
{
    bool better = best->rank < INFINITY;
    for (int round = 0; better && round < 4; round++) {
        better = false;
        for (int i = 0; i < x->count; i++)
            better |= try_tile(best, &x->axes[i], &best->y);
        for (int i = 0; i < y->count; i++)
            better |= try_tile(best, &best->x, &y->axes[i]);
    }
}

static const struct axis *nearest_tile(const struct tile_axes *tiles, int length)
{
    const struct axis *best = tiles->axes;
    for (int i = 1; i < tiles->count; i++)
        if (abs(tiles->axes[i].length - length) < abs(best->length - length))
            best = &tiles->axes[i];
    return best;
}

/* Descends from square tiles of every size, because a single descent may end in a local minimum. */
static void search_tiles(struct tile_search *best, const struct tile_axes *x, const struct tile_axes *y)
{
    const struct axis *last = NULL;
    for (int length = 2 * TILE_LEAST; length <= TILE_MOST; length *= 2) {
        const struct axis *width = nearest_tile(x, length), *height = nearest_tile(y, length);
        struct tile_search search = { .plan = best->plan, .rank = INFINITY };
        if (width == last && height == &y->axes[y->count - 1])
            continue;
        last = width;
        try_tile(&search, width, height);
        descend_tiles(&search, x, y);
        if (search.rank < best->rank)
            *best = search;
    }
}

int grid_tiles(const struct abbe_plan *plan, struct axis *x, struct axis *y, const char **reason)
{
    const struct work *work = &plan->work;
    const struct reach across = { work->left, work->right, false };
    const struct reach down = { work->above, work->below, false };
    int tile_width = plan->params.tile_width, tile_height = plan->params.tile_height;
    int width = tile_width && tile_width < work->width ? tile_width : work->width;
    int height = tile_height && tile_height < work->height ? tile_height : work->height;
    struct axis assumed_x = assumed_axis(width, &across), assumed_y = assumed_axis(height, &down);
    const struct axis_pricer for_x = { plan, ABBE_METHOD_TILES, NULL, &assumed_y };
    const struct axis_pricer for_y = { plan, ABBE_METHOD_TILES, &assumed_x, NULL };
    struct tile_axes tiles_x, tiles_y;
    struct tile_search best = { plan, { 0 }, { 0 }, INFINITY };
    list_tiles(work->width, tile_width, &across, &for_x, &tiles_x);
    list_tiles(work->height, tile_height, &down, &for_y, &tiles_y);
    *reason = "no transform is long enough";
    if (!tiles_x.count || !tiles_y.count)
        return ABBE_ERR_SIZE;
    *reason = "needs more memory than the device has";
    search_tiles(&best, &tiles_x, &tiles_y);
    if (!(best.rank < INFINITY))
        return ABBE_ERR_MEMORY;
    *x = best.x;
    *y = best.y;
    return ABBE_OK;
}
