/* Steps, twiddles and places of the fused engine. */
#include "core/memory.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"
#include "fft/twiddle.h"

#include <math.h>

/* Appends `times` steps of a radix. FUSED_STEPS are enough for any int: no step is smaller than 3 but one. */
static int append(int radix, int times, int *radices, int count)
{
    while (times-- > 0 && count < FUSED_STEPS)
        radices[count++] = radix;
    return count;
}

static int divide_out(int *n, int prime)
{
    int power = 0;
    for (; *n % prime == 0; *n /= prime)
        power++;
    return power;
}

/* Radices of the steps of length n, or −1 when it has other factors than 2, 3, 5 and 7. Small ones come first, where
 * rows of a butterfly lie far apart. Powers of two are eights; what is left is a 2 or a 4 in front or, one eight
 * broken up, a 16 at the end: only there, without twiddles, do its 16 rows stay in the registers. */
static int factor(int n, int radices[FUSED_STEPS])
{
    int twos = __builtin_ctz((unsigned)n);
    n >>= twos;
    int threes = divide_out(&n, 3), fives = divide_out(&n, 5), sevens = divide_out(&n, 7);
    bool sixteen = twos % 3 == 1 && twos > 1;
    int left = sixteen ? 0 : twos % 3, count = 0;
    count = append(2, left == 1, radices, count);
    count = append(3, threes, radices, count);
    count = append(4, left == 2, radices, count);
    count = append(5, fives, radices, count);
    count = append(7, sevens, radices, count);
    count = append(8, (twos - left) / 3 - sixteen, radices, count);
    count = append(16, sixteen, radices, count);
    return n == 1 ? count : -1;
}

/* Steps by `count` radices, each of which divides the blocks that the one before has left, from `length` down. */
static void set_steps(int length, int count, const int *radices, struct fused_step *steps)
{
    int m = length;
    for (int i = 0; i < count; i++) {
        m /= radices[i];
        steps[i] = (struct fused_step){ .radix = radices[i], .m = m };
    }
}

/* Where each step's blocks lie, in rows. A stride of a power of two would send all rows of a butterfly to the same
 * few places of a cache. Returns the rows that a block takes. */
static long long set_offsets(int lanes, int count, const struct fused_step *steps, int *offset)
{
    enum { PAGE = 4096 };
    long long extent = 1, row_bytes = 2 * lanes * (int)sizeof(float);
    if (offset)
        offset[0] = 0;
    for (int i = count - 1; i >= 0; i--) {
        long long stride = extent;
        if (stride * row_bytes % PAGE == 0)
            stride++;
        for (int k = steps[i].radix - 1; offset && k >= 0; k--)
            for (int j = 0; j < steps[i].m; j++)
                offset[k * steps[i].m + j] = (int)(k * stride) + offset[j];
        extent = steps[i].radix * stride;
    }
    return extent;
}

/* The steps of a column; false when its length has other factors. */
struct chain {
    int count;
    struct fused_step steps[FUSED_STEPS];
};

static bool make_chain(int height, struct chain *chain)
{
    int radices[FUSED_STEPS];
    chain->count = factor(height, radices);
    set_steps(height, chain->count, radices, chain->steps);
    return chain->count >= 0;
}

static size_t block_floats(const struct fused_kernels *kernels, const struct chain *chain)
{
    int lanes = kernels->columns->lanes;
    return 2 * (size_t)lanes * (size_t)(set_offsets(lanes, chain->count, chain->steps, NULL) | 1);
}

size_t fused_block_floats(const struct fused_kernels *kernels, int height)
{
    struct chain chain;
    make_chain(height, &chain);
    return block_floats(kernels, &chain);
}

/* ---- Places ------------------------------------------------------------------------------------------- */

/* Residues that stand in the grid's lanes: all, or for a lone plane those that are not opposite to another. */
static int kept_residues(int residues, enum fused_kind kind)
{
    return kind == FUSED_PAIR ? residues : (residues + 1) / 2;
}

/* Groups of residues, as many as fill the blocks. */
static int count_groups(const struct fused_kernels *kernels, int width, enum fused_kind kind)
{
    int lanes = kernels->columns->lanes, abreast = lanes / kernels->rows->lanes;
    return ((kept_residues(width / kernels->rows->lanes, kind) - 1) / lanes + 1) * abreast;
}

int fused_blocks(const struct fused_kernels *kernels, int width, enum fused_kind kind)
{
    int abreast = kernels->columns->lanes / kernels->rows->lanes;
    return count_groups(kernels, width, kind) / abreast * kernels->rows->lanes + (kind == FUSED_LONE);
}

double fused_all_blocks(const struct fused_kernels *kernels, int width, int channels)
{
    return (double)(channels / 2) * fused_blocks(kernels, width, FUSED_PAIR) +
           (double)(channels % 2) * fused_blocks(kernels, width, FUSED_LONE);
}

/* Whether a grid is too large for the second cache. */
static bool is_far(const struct fused_kernels *kernels, int width, const struct chain *down, int channels)
{
    double floats = fused_all_blocks(kernels, width, channels) * (double)block_floats(kernels, down);
    return floats * sizeof(float) > FUSED_NEAR_BYTES;
}

static double block_cost(const struct fused_kernels *kernels, bool far)
{
    return far ? kernels->far_cost : kernels->near_cost;
}

static double cost_of(const struct fused_kernels *kernels, int width, const struct chain *down, int channels)
{
    return fused_all_blocks(kernels, width, channels) *
           block_cost(kernels, is_far(kernels, width, down, channels));
}

double fused_relative_cost(const struct fused_kernels *kernels, int level, int width, int height,
                           int channels)
{
    struct chain down;
    make_chain(height, &down);
    bool far = is_far(kernels, width, &down, channels);
    double least = INFINITY;
    for (int i = 0; i < LEVEL_KERNELS && cpu_levels[level].fused[i]; i++) {
        const struct fused_kernels *other = cpu_levels[level].fused[i];
        least = fmin(least, block_cost(other, far) / other->columns->lanes);
    }
    return block_cost(kernels, far) / kernels->columns->lanes / least;
}

/* Asked for every grid that a plan could have: what the kernels share is found once. Lanes are powers of two, so rows of
 * any kernels have the factors of the width. */
const struct fused_kernels *fused_choose(int level, int width, int height, int channels)
{
    const struct fused_kernels *best = NULL;
    struct chain down;
    double least = INFINITY;
    int radices[FUSED_STEPS];
    if (height < 2 || !make_chain(height, &down) || factor(width, radices) < 0)
        return NULL;
    for (; level >= 0; level--)
        for (int i = 0; i < LEVEL_KERNELS; i++) {
            const struct fused_kernels *kernels = cpu_levels[level].fused[i];
            bool takes = kernels && width % kernels->rows->lanes == 0;
            double cost = takes ? cost_of(kernels, width, &down, channels) : INFINITY;
            if (cost < least) {
                least = cost;
                best = kernels;
            }
        }
    return best;
}

/* order[k · m + p] = k + r · (order of m)[p], from the last step to the first. */
static void fill_order(int count, const struct fused_step *steps, int *order)
{
    order[0] = 0;
    for (int i = count - 1; i >= 0; i--)
        for (int k = steps[i].radix - 1; k >= 0; k--)
            for (int p = 0; p < steps[i].m / steps[count - 1].m; p++)
                order[k * (steps[i].m / steps[count - 1].m) + p] = k + steps[i].radix * order[p];
}

/* Where frequency k of residue c stands in the grid: block · lanes + lane. */
static int grid_column(const struct fused_kernels *kernels, int c, int k)
{
    int lanes = kernels->columns->lanes;
    return (c / lanes * kernels->rows->lanes + k) * lanes + c % lanes;
}

/* Fills near, far and column of one kind. `at` is the vector of a row that holds residue c. */
static void place_residues(const struct fused_layout *layout, enum fused_kind kind, const int *at)
{
    const struct fused_row *row = &layout->rows[kind];
    int lanes = layout->kernels->rows->lanes, residues = row->residues, kept = kept_residues(residues, kind);
    int *column = layout->column[kind];
    for (int u = 0; u < row->length; u++)
        column[u] = -1;
    for (int c = 0; c < row->groups * lanes; c++) {
        row->near[c] = c < kept ? at[c] : residues;
        if (kind == FUSED_LONE)
            row->far[c] = c > 0 && c < kept ? at[residues - c] : residues;
        for (int k = 0; k < lanes && c < kept; k++)
            column[c + residues * k] = grid_column(layout->kernels, c, k);
    }
    if (kind == FUSED_PAIR)
        return;
    /* Lane 0 of the first group: half of residue 0, half of residues / 2; M / 2 in the block behind. */
    for (int k = lanes / 2; k < lanes; k++) {
        column[residues * k] = -1;
        if (residues % 2 == 0)
            column[residues / 2 + residues * (k - lanes / 2)] = grid_column(layout->kernels, 0, k);
    }
    column[row->length / 2] = grid_column(layout->kernels, row->groups * lanes, 0);
    if (residues % 2 == 0)
        row->far[0] = at[residues / 2];
}

/* ---- Twiddles ----------------------------------------------------------------------------------------- */

/* Sets where the twiddles of each step begin, and returns the floats of all. */
static size_t place_twiddles(int count, struct fused_step *steps)
{
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        steps[i].twiddles = total;
        total += 2 * (size_t)steps[i].m * (size_t)(steps[i].radix - 1);
    }
    return total;
}

/* The twiddles of `count` steps of a transform of `length`, `lanes` neighbouring j side by side. */
static float *create_twiddles(int length, int lanes, int count, struct fused_step *steps)
{
    float *twiddles = core_alloc(place_twiddles(count, steps), sizeof *twiddles), *next = twiddles;
    double *roots = fft_roots(length);
    for (int i = 0; i < count && twiddles && roots; i++) {
        size_t n = (size_t)steps[i].m * (size_t)steps[i].radix, apart = (size_t)length / n;
        for (int j = 0; j < steps[i].m; j += lanes)
            for (int k = 1; k < steps[i].radix; k++, next += 2 * lanes)
                for (int l = 0; l < lanes; l++) {
                    const double *w = roots + 2 * ((size_t)(j + l) * (size_t)k % n * apart);
                    next[l] = (float)w[0];
                    next[lanes + l] = (float)w[1];
                }
    }
    if (!roots) {
        core_free(twiddles);
        twiddles = NULL;
    }
    core_free(roots);
    return twiddles;
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static int create_rows(int width, struct fused_layout *layout)
{
    int lanes = layout->kernels->rows->lanes, radices[FUSED_STEPS];
    struct fused_row row = { .length = width, .residues = width / lanes };
    row.step_count = factor(row.residues, radices);
    set_steps(width, row.step_count, radices, row.steps);
    row.twiddles = create_twiddles(width, lanes, row.step_count, row.steps);
    int *order = core_alloc((size_t)row.residues, sizeof *order);
    int *at = core_alloc((size_t)row.residues, sizeof *at);
    bool complete = row.twiddles && order && at;
    if (order && at) {
        order[0] = 0;
        if (row.step_count)
            fill_order(row.step_count, row.steps, order);
        for (int position = 0; position < row.residues; position++)
            at[order[position]] = position;
    }
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        row.lone = kind == FUSED_LONE;
        row.groups = count_groups(layout->kernels, width, kind);
        row.near = core_alloc((size_t)row.groups * lanes, sizeof(int));
        row.far = core_alloc((size_t)row.groups * lanes, sizeof(int));
        layout->column[kind] = core_alloc((size_t)width, sizeof(int));
        layout->blocks[kind] = fused_blocks(layout->kernels, width, kind);
        layout->rows[kind] = row;
        complete = complete && row.near && row.far && layout->column[kind];
        if (complete)
            place_residues(layout, kind, at);
    }
    core_free(order);
    core_free(at);
    return complete ? ABBE_OK : ABBE_ERR_MEMORY;
}

static int create_columns(int height, struct fused_layout *layout)
{
    struct fused_column *columns = &layout->columns;
    int radices[FUSED_STEPS];
    columns->length = height;
    columns->step_count = factor(height, radices);
    set_steps(height, columns->step_count, radices, columns->steps);
    columns->twiddles = create_twiddles(height, 1, columns->step_count - 1, columns->steps);
    columns->offset = core_alloc((size_t)height, sizeof(int));
    layout->order = core_alloc((size_t)height, sizeof(int));
    layout->block_floats = fused_block_floats(layout->kernels, height);
    if (!columns->twiddles || !columns->offset || !layout->order)
        return ABBE_ERR_MEMORY;
    set_offsets(layout->kernels->columns->lanes, columns->step_count, columns->steps, columns->offset);
    fill_order(columns->step_count, columns->steps, layout->order);
    return ABBE_OK;
}

int fused_layout_create(const struct fused_kernels *kernels, int width, int height,
                        struct fused_layout *layout)
{
    layout->kernels = kernels;
    int error = create_rows(width, layout);
    return error ? error : create_columns(height, layout);
}

void fused_layout_free(struct fused_layout *layout)
{
    core_free(layout->rows[0].twiddles);
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        core_free(layout->rows[kind].near);
        core_free(layout->rows[kind].far);
        core_free(layout->column[kind]);
    }
    core_free(layout->columns.twiddles);
    core_free(layout->columns.offset);
    core_free(layout->order);
}
