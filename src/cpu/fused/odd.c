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

/* Lane 0 of a block of the first group holds frequencies whose opposite ones are in lane 0 of the same group. */
static void cross_first_lane(const struct fused_window *window, int p, int number, const float *h)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    size_t lanes = (size_t)layout->kernels->columns->lanes, floats = layout->block_floats;
    int row_lanes = layout->kernels->rows->lanes, k = number % row_lanes;
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    struct lane_part part = { .row = 2 * lanes, .gains = single ? 2 * lanes : lanes };
    size_t block_gains = part.gains * (size_t)layout->columns.length;
    for (int i = 0; i < 2; i++) { /* the real and the imaginary numbers of the lane */
        bool middle = single ? i : number >= row_lanes;
        size_t from = (size_t)(opposite_in_lane(k, row_lanes, middle) + (middle && !single ? row_lanes : 0));
        bool has_opposite = middle || k > 0;
        part.in = has_opposite ? window->grid[p] + from * floats + i * lanes : NULL;
        part.h = h + from * block_gains + (single ? i * lanes : 0);
        part.out = window->odd[p] + (size_t)number * floats + i * lanes;
        cross_lane(&layout->columns, &part);
    }
}

/* Rows side by side: column u is in natural order; the upper columns of a single plane are imaginary parts. */
static void cross_beside(const struct fused_window *window, int p, int number, const float *h)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int lanes = layout->kernels->columns->lanes, length = layout->beside.transform.length;
    int low = layout->beside.columns[FUSED_SINGLE];
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    struct lane_part part = { .row = 2 * (size_t)lanes, .gains = (size_t)lanes * (single ? 2 : 1) };
    for (int i = 0; i < 2 * lanes; i++) { /* the numbers of a row */
        int u = number * lanes + i % lanes + (single ? i / lanes * low : 0);
        int from = length - u, column = single ? from % low : from;
        size_t lane = (size_t)(column % lanes), half = (size_t)((single ? from / low : i / lanes) * lanes);
        part.in = part.h = NULL;
        if (u > 0 && u < length) {
            part.in = window->grid[p] + (size_t)(column / lanes) * layout->block_floats + half + lane;
            part.h = h + (size_t)(column / lanes) * part.gains * (size_t)layout->columns.length +
                     (single ? half : 0) + lane;
        }
        part.out = window->odd[p] + (size_t)number * layout->block_floats + i;
        cross_lane(&layout->columns, &part);
    }
}

/* One by one: the opposite frequencies are in one other block, except those of lane 0 of the first group. */
static void cross_groups(const struct fused_window *window, int p, int number, const float *h)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_column_kernels *kernels = layout->kernels->columns;
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    size_t gains = (size_t)layout->columns.length * (size_t)kernels->lanes * (single ? 2 : 1);
    size_t from = (size_t)(single ? number : fused_even_opposite(layout, number));
    kernels->cross(&layout->columns, window->grid[p] + from * layout->block_floats, h + from * gains, single,
                   window->odd[p] + (size_t)number * layout->block_floats);
    if (number < (single ? 1 : 2) * layout->kernels->rows->lanes)
        cross_first_lane(window, p, number, h);
}

void fused_cross_block(const struct fused_window *window, int p, int number, int filter, float *scratch)
{
    const struct fused *fused = window->head.engine->fused;
    const struct fused_layout *layout = &fused->layout;
    const struct spectrum *odd = &fused->odd[filter];
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    (layout->is_beside ? cross_beside : cross_groups)(window, p, number, single ? odd->single : odd->pair);
    layout->kernels->columns->even_inverse(&layout->columns,
                                           window->odd[p] + (size_t)number * layout->block_floats, scratch);
}
