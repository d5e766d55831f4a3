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

void fused_cross_block(const struct fused_window *window, int p, int number, int filter, float *scratch)
{
    const struct fused *fused = window->head.engine->fused;
    const struct fused_layout *layout = &fused->layout;
    const struct fused_column_kernels *kernels = layout->kernels->columns;
    bool split = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    const float *h = split ? fused->odd[filter].single : fused->odd[filter].pair;
    size_t gains = (size_t)layout->columns.length * (size_t)kernels->lanes * (split ? 2 : 1);
    int from = split ? number : fused_even_opposite(layout, number);
    float *out = window->odd[p] + (size_t)number * layout->block_floats;
    kernels->cross(&layout->columns, window->grid[p] + (size_t)from * layout->block_floats,
                   h + (size_t)from * gains, split, out);
    if (number < (split ? 1 : 2) * layout->kernels->rows->lanes)
        cross_first_lane(window, p, number, h);
    kernels->even_apply(&layout->columns, out, fused->ones, split, out, scratch);
}
