/* The odd part of even transforms: what filters add that are the same in opposite directions, but not along each axis
 * (docs/maths.md). Their H is E + O, even and odd in each frequency; O needs sines, which are cosines of the reversed
 * frequencies with alternating signs:
 *     sin(π(M − u)(2n + 1) / 2M) = (−1)^n cos(πu(2n + 1) / 2M). */
#include "cpu/fused/fused.h"

/* In lane 0 of the first group: the k whose frequencies are opposite to those of k, of residue 0 or of the middle
 * one. */
static int opposite_in_lane(int k, int lanes, bool middle)
{
    return middle ? lanes - 1 - k : (lanes - k) % lanes;
}

/* One number of lane 0 in every row of a block. */
struct lane_part {
    const float *in, *h; /* of the opposite frequency; `in` is NULL for frequency 0, which has none */
    float *out;
    size_t row, gains; /* from a row to the next one: of blocks, and of h */
};

static void cross_lane(const struct fused_column *columns, const struct lane_part *part)
{
    for (int row = 0; row < columns->length; row++) {
        int from = columns->reversed[row];
        float *to = part->out + part->row * (size_t)columns->offset[row];
        *to = part->in && from >= 0
                  ? -part->h[part->gains * (size_t)from] * part->in[part->row * (size_t)columns->offset[from]]
                  : 0;
    }
}

/* A block of the odd part of a plane that is set by one of the threads. */
struct cross {
    const struct fused_window *window;
    int p, number, filter;
    const struct fused_worker *worker;
};

/* Sets the gains of lane part->in: those of frequency `lane` of block `from`, in numbers of a row of gains. */
static void find_lane_gains(const struct cross *cross, size_t from, size_t lane, struct lane_part *part)
{
    const struct fused *fused = cross->window->head.engine->fused;
    enum fused_kind kind = fused_kind_of(cross->window->head.engine->work, cross->p);
    size_t lanes = (size_t)fused->layout.kernels->columns->lanes * (kind == FUSED_SINGLE ? 2 : 1);
    if (fused->demands) {
        part->h = fused_odd_columns(cross->window, fused->frequency[kind] + from * lanes + lane, 1,
                                    cross->filter, cross->worker);
        part->gains = 1;
    } else {
        part->h = fused_block_gains(cross->window, cross->p, (int)from, cross->filter, true, cross->worker) +
                  lane;
        part->gains = lanes;
    }
}

/* Lane 0 of a block of the first group holds frequencies whose opposite ones are in lane 0 of the same group. */
static void cross_first_lane(const struct cross *cross)
{
    const struct fused_window *window = cross->window;
    int p = cross->p, number = cross->number;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    size_t lanes = (size_t)layout->kernels->columns->lanes, floats = layout->block_floats;
    int row_lanes = layout->kernels->rows->lanes, k = number % row_lanes;
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    struct lane_part part = { .row = 2 * lanes };
    for (int i = 0; i < 2; i++) { /* the real and the imaginary numbers of the lane */
        bool middle = single ? i : number >= row_lanes;
        size_t from = (size_t)(opposite_in_lane(k, row_lanes, middle) + (middle && !single ? row_lanes : 0));
        bool has_opposite = middle || k > 0;
        part.in = has_opposite ? window->grid[p] + from * floats + i * lanes : NULL;
        find_lane_gains(cross, from, single ? (size_t)i * lanes : 0, &part);
        part.out = window->odd[p] + (size_t)number * floats + i * lanes;
        cross_lane(&layout->columns, &part);
    }
}

/* Rows side by side: column u is in natural order; the upper columns of a single plane are imaginary parts. */
static int frequency_beside(const struct fused_layout *layout, const struct cross *cross, bool single, int i)
{
    int lanes = layout->kernels->columns->lanes;
    return cross->number * lanes + i % lanes +
           (single ? i / lanes * layout->beside.columns[FUSED_SINGLE] : 0);
}

/* Gains sampled on demand at the frequencies that are opposite to those of a block. */
static const float *sample_opposite(const struct fused_layout *layout, const struct cross *cross, bool single,
                                    int count)
{
    int opposite[2 * FUSED_LANES_MAX], length = layout->beside.transform.length;
    for (int i = 0; i < count; i++) {
        int u = frequency_beside(layout, cross, single, i);
        opposite[i] = u > 0 && u < length ? length - u : -1;
    }
    return fused_odd_columns(cross->window, opposite, count, cross->filter, cross->worker);
}

static void cross_beside(const struct cross *cross)
{
    const struct fused_window *window = cross->window;
    int p = cross->p, number = cross->number;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int lanes = layout->kernels->columns->lanes, length = layout->beside.transform.length;
    int low = layout->beside.columns[FUSED_SINGLE];
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    struct lane_part part = { .row = 2 * (size_t)lanes };
    int count = lanes * (single ? 2 : 1);
    bool sampled = window->head.engine->fused->demands;
    const float *h = sampled ? sample_opposite(layout, cross, single, count) : NULL;
    for (int i = 0; i < 2 * lanes; i++) { /* the numbers of a row */
        int u = frequency_beside(layout, cross, single, i);
        int from = length - u, column = single ? from % low : from;
        size_t lane = (size_t)(column % lanes), half = (size_t)((single ? from / low : i / lanes) * lanes);
        part.in = part.h = NULL;
        if (u > 0 && u < length) {
            part.in = window->grid[p] + (size_t)(column / lanes) * layout->block_floats + half + lane;
            if (!sampled)
                find_lane_gains(cross, (size_t)(column / lanes), (single ? half : 0) + lane, &part);
        }
        if (sampled) {
            part.h = h + i % count;
            part.gains = (size_t)count;
        }
        part.out = window->odd[p] + (size_t)number * layout->block_floats + i;
        cross_lane(&layout->columns, &part);
    }
}

/* One by one: the opposite frequencies are in one other block, except those of lane 0 of the first group. */
static void cross_groups(const struct cross *cross)
{
    const struct fused_window *window = cross->window;
    int p = cross->p, number = cross->number;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_column_kernels *kernels = layout->kernels->columns;
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    size_t from = (size_t)(single ? number : fused_even_opposite(layout, number));
    const float *h = fused_block_gains(window, p, (int)from, cross->filter, true, cross->worker);
    kernels->cross(&layout->columns, window->grid[p] + from * layout->block_floats, h, single,
                   window->odd[p] + (size_t)number * layout->block_floats);
    if (number < (single ? 1 : 2) * layout->kernels->rows->lanes)
        cross_first_lane(cross);
}

void fused_cross_block(const struct fused_window *window, int p, int number, int filter,
                       const struct fused_worker *worker)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct cross cross = { window, p, number, filter, worker };
    (layout->is_beside ? cross_beside : cross_groups)(&cross);
    layout->kernels->columns->even_inverse(
        &layout->columns, window->odd[p] + (size_t)number * layout->block_floats, worker->scratch);
}
