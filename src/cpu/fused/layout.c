/* The layout of the fused engine: steps, twiddles, and the order of data in the grid. */
#include "core/memory.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"
#include "fft/twiddle.h"

#include <math.h>

/* Appends a radix `times` times. FUSED_STEPS are enough for any int: at most one step has a radix below 3. */
static int append_radix(int radix, int times, int *radices, int count)
{
    while (times-- > 0 && count < FUSED_STEPS)
        radices[count++] = radix;
    return count;
}

static int divide_by_prime(int *n, int prime)
{
    int power = 0;
    for (; *n % prime == 0; *n /= prime)
        power++;
    return power;
}

/* Finds the radices of the steps of length n and returns their number, or −1 when n has a prime factor for
 * which no algorithm is long enough. Small radices come first, where the rows of a butterfly lie far apart.
 * Powers of two become eights; a remaining factor of 4 becomes a 4, and a remaining factor of 2 either a 2 or,
 * together with an eight, a 16 as the last step: only there, without twiddles, do its 16 rows stay in
 * registers. Primes above 7 come before them, because they are no part of a last step that stays in
 * registers. */
static int factor_length(int n, int radices[FUSED_STEPS])
{
    int twos = __builtin_ctz((unsigned)n);
    n >>= twos;
    int threes = divide_by_prime(&n, 3), fives = divide_by_prime(&n, 5), sevens = divide_by_prime(&n, 7);
    bool sixteen = twos % 3 == 1 && twos > 1, possible = true;
    int left = sixteen ? 0 : twos % 3, count = 0;
    count = append_radix(2, left == 1, radices, count);
    count = append_radix(3, threes, radices, count);
    count = append_radix(4, left == 2, radices, count);
    count = append_radix(5, fives, radices, count);
    count = append_radix(7, sevens, radices, count);
    for (int prime = 11; n > 1; n /= prime) {
        prime = fused_next_prime(n, prime);
        possible = possible && fused_cyclic_length(prime) >= 0;
        count = append_radix(prime, 1, radices, count);
    }
    count = append_radix(8, (twos - left) / 3 - sixteen, radices, count);
    count = append_radix(16, sixteen, radices, count);
    return possible ? count : -1;
}

/* Sets the steps of `count` radices. Each step divides the blocks that the step before it leaves. */
static void set_steps(int length, int count, const int *radices, struct fused_step *steps)
{
    int m = length;
    for (int i = 0; i < count; i++) {
        m /= radices[i];
        steps[i] = (struct fused_step){ .radix = radices[i], .m = m };
    }
}

/* Sets the position of each row in a block (unless `offset` is NULL) and returns the rows that a block takes,
 * gaps included. With a stride of a power of two, all rows of a butterfly would compete for the same few
 * lines of a cache. */
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

/* The steps of a column. */
struct chain {
    int count;
    struct fused_step steps[FUSED_STEPS];
};

/* False when the length has a prime factor that is too large. */
static bool make_chain(int height, struct chain *chain)
{
    int radices[FUSED_STEPS];
    chain->count = factor_length(height, radices);
    set_steps(height, chain->count, radices, chain->steps);
    return chain->count >= 0;
}

static size_t chain_block_floats(const struct fused_kernels *kernels, const struct chain *chain)
{
    int lanes = kernels->columns->lanes;
    return 2 * (size_t)lanes * (size_t)(set_offsets(lanes, chain->count, chain->steps, NULL) | 1);
}

size_t fused_column_floats(int lanes, int length)
{
    struct chain chain;
    make_chain(length, &chain);
    return 2 * (size_t)lanes * (size_t)set_offsets(lanes, chain.count, chain.steps, NULL);
}

size_t fused_block_floats(const struct fused_kernels *kernels, int height)
{
    struct chain chain;
    make_chain(height, &chain);
    return chain_block_floats(kernels, &chain);
}

/* ---- The grid ----------------------------------------------------------------------------------------- */

/* Residues that are kept in the grid: all, or in a single plane one of each two opposite residues. */
static int kept_residues(int residues, enum fused_kind kind)
{
    return kind == FUSED_PAIR ? residues : (residues + 1) / 2;
}

/* Groups of residues, rounded up to whole blocks. */
static int count_residue_groups(const struct fused_kernels *kernels, int width, enum fused_kind kind)
{
    int lanes = kernels->columns->lanes, abreast = lanes / kernels->rows->lanes;
    return ((kept_residues(width / kernels->rows->lanes, kind) - 1) / lanes + 1) * abreast;
}

bool fused_is_beside(const struct fused_kernels *kernels, int width)
{
    return width % kernels->rows->lanes != 0 || width < kernels->beside_below;
}

/* Columns of the grid with rows side by side: whole blocks. */
static int count_beside_columns(const struct fused_kernels *kernels, int width, enum fused_kind kind)
{
    int kept = kind == FUSED_PAIR ? width : width / 2 + 1, lanes = kernels->columns->lanes;
    return (kept - 1) / lanes * lanes + lanes;
}

int fused_blocks(const struct fused_kernels *kernels, int width, enum fused_kind kind, bool even)
{
    if (fused_is_beside(kernels, width))
        return count_beside_columns(kernels, width, kind) / kernels->columns->lanes;
    int abreast = kernels->columns->lanes / kernels->rows->lanes;
    int groups = count_residue_groups(kernels, width, even ? FUSED_SINGLE : kind);
    int blocks = groups / abreast * kernels->rows->lanes;
    if (even)
        return kind == FUSED_PAIR ? 2 * blocks : blocks;
    return blocks + (kind == FUSED_SINGLE);
}

double fused_all_blocks(const struct fused_kernels *kernels, int width, int channels, bool even)
{
    return (double)(channels / 2) * fused_blocks(kernels, width, FUSED_PAIR, even) +
           (double)(channels % 2) * fused_blocks(kernels, width, FUSED_SINGLE, even);
}

/* Whether a grid does not fit in the second cache. */
static bool is_uncached(const struct fused_kernels *kernels, int width, const struct chain *down,
                        int channels)
{
    double floats = fused_all_blocks(kernels, width, channels, false) *
                    (double)chain_block_floats(kernels, down);
    return floats * sizeof(float) > FUSED_CACHED_BYTES;
}

static double block_cost(const struct fused_kernels *kernels, bool uncached)
{
    return uncached ? kernels->uncached_cost : kernels->cached_cost;
}

/* Rows side by side are transposed twice; short ones stay in the first cache meanwhile. */
static double price_layout(const struct fused_kernels *kernels, int width, const struct chain *down,
                           int channels)
{
    const double SHORT = 1.15, LONG = 1.25;
    double transposed = width < kernels->beside_below ? SHORT : LONG;
    return fused_all_blocks(kernels, width, channels, false) *
           block_cost(kernels, is_uncached(kernels, width, down, channels)) *
           (fused_is_beside(kernels, width) ? transposed : 1);
}

double fused_relative_cost(const struct fused_kernels *kernels, enum core_level level, int width, int height,
                           int channels)
{
    struct chain down;
    make_chain(height, &down);
    bool uncached = is_uncached(kernels, width, &down, channels);
    double least = INFINITY;
    for (int i = 0; i < LEVEL_KERNELS && cpu_levels[level].fused[i]; i++) {
        const struct fused_kernels *other = cpu_levels[level].fused[i];
        least = fmin(least, block_cost(other, uncached) / other->columns->lanes);
    }
    return block_cost(kernels, uncached) / kernels->columns->lanes / least;
}

/* The planner calls this for every grid that it considers, so work that all kernels share is done once. Lanes
 * are powers of two, so the residues of a row have the prime factors of the width. */
const struct fused_kernels *fused_choose(enum core_level level, int width, int height, int channels)
{
    const struct fused_kernels *best = NULL;
    struct chain down;
    double least = INFINITY;
    int radices[FUSED_STEPS];
    if (width < 2 || height < 2 || !make_chain(height, &down) || factor_length(width, radices) < 0)
        return NULL;
    for (int l = (int)level; l >= 0; l--)
        for (int i = 0; i < LEVEL_KERNELS; i++) {
            const struct fused_kernels *kernels = cpu_levels[l].fused[i];
            double cost = kernels ? price_layout(kernels, width, &down, channels) : INFINITY;
            if (cost < least) {
                least = cost;
                best = kernels;
            }
        }
    return best;
}

/* order[k · m + p] = k + r · (order of m)[p], from the last step to the first. */
static void fill_grid_order(int count, const struct fused_step *steps, int *order)
{
    order[0] = 0;
    for (int i = count - 1; i >= 0; i--)
        for (int k = steps[i].radix - 1; k >= 0; k--)
            for (int p = 0; p < steps[i].m / steps[count - 1].m; p++)
                order[k * (steps[i].m / steps[count - 1].m) + p] = k + steps[i].radix * order[p];
}

/* The position of frequency k of residue c in the grid: block · lanes + lane. */
static int column_in_grid(const struct fused_kernels *kernels, int c, int k)
{
    int lanes = kernels->columns->lanes;
    return (c / lanes * kernels->rows->lanes + k) * lanes + c % lanes;
}

/* Fills `vector`, `opposite` and `column` of one kind of plane. at[c] is the vector of a row that holds
 * residue c. */
static void place_residues(const struct fused_layout *layout, enum fused_kind kind, const int *at)
{
    const struct fused_row *row = &layout->rows[kind];
    int lanes = layout->kernels->rows->lanes, residues = row->residues, kept = kept_residues(residues, kind);
    int *column = layout->column[kind];
    for (int u = 0; u < row->length; u++)
        column[u] = -1;
    for (int c = 0; c < row->groups * lanes; c++) {
        row->vector[c] = c < kept ? at[c] : residues;
        if (kind == FUSED_SINGLE)
            row->opposite[c] = c > 0 && c < kept ? at[residues - c] : residues;
        for (int k = 0; k < lanes && c < kept; k++)
            column[c + residues * k] = column_in_grid(layout->kernels, c, k);
    }
    if (kind == FUSED_PAIR)
        return;
    /* Lane 0 of the first group holds half of residue 0 and half of residue residues / 2; frequency M / 2 has
     * its own block behind the others. */
    for (int k = lanes / 2; k < lanes; k++) {
        column[residues * k] = -1;
        if (residues % 2 == 0)
            column[residues / 2 + residues * (k - lanes / 2)] = column_in_grid(layout->kernels, 0, k);
    }
    column[row->length / 2] = column_in_grid(layout->kernels, row->groups * lanes, 0);
    if (residues % 2 == 0)
        row->opposite[0] = at[residues / 2];
}

/* ---- Twiddles ----------------------------------------------------------------------------------------- */

/* Sets the index of each step's first twiddle and returns the number of floats of all twiddles. */
static size_t place_twiddles(int count, struct fused_step *steps)
{
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        steps[i].twiddles = total;
        total += 2 * (size_t)steps[i].m * (size_t)(steps[i].radix - 1);
    }
    return total;
}

/* The twiddles of `count` steps of a transform of `length`, with `lanes` consecutive j side by side. */
static float *create_fused_twiddles(int length, int lanes, int count, struct fused_step *steps)
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

/* ---- Create and free ---------------------------------------------------------------------------------- */

static int create_rows(int width, struct fused_layout *layout)
{
    int lanes = layout->kernels->rows->lanes, radices[FUSED_STEPS];
    struct fused_row row = { .length = width, .residues = width / lanes };
    row.step_count = factor_length(row.residues, radices);
    set_steps(width, row.step_count, radices, row.steps);
    int error = fused_primes_create(layout->kernels->across, false, row.step_count, row.steps);
    row.twiddles = create_fused_twiddles(width, lanes, row.step_count, row.steps);
    int *order = core_alloc((size_t)row.residues, sizeof *order);
    int *at = core_alloc((size_t)row.residues, sizeof *at);
    bool complete = !error && row.twiddles && order && at;
    if (order && at) {
        order[0] = 0;
        if (row.step_count)
            fill_grid_order(row.step_count, row.steps, order);
        for (int position = 0; position < row.residues; position++)
            at[order[position]] = position;
    }
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        row.groups = count_residue_groups(layout->kernels, width, kind);
        row.vector = core_alloc((size_t)row.groups * lanes, sizeof(int));
        row.opposite = core_alloc((size_t)row.groups * lanes, sizeof(int));
        layout->column[kind] = core_alloc((size_t)width, sizeof(int));
        layout->blocks[kind] = fused_blocks(layout->kernels, width, kind, false);
        layout->rows[kind] = row;
        complete = complete && row.vector && row.opposite && layout->column[kind];
        if (complete)
            place_residues(layout, kind, at);
    }
    core_free(order);
    core_free(at);
    return complete ? ABBE_OK : ABBE_ERR_MEMORY;
}

/* Natural order: frequency u in column u. */
static int create_beside(int width, struct fused_layout *layout)
{
    struct fused_beside *beside = &layout->beside;
    const struct fused_kernels *kernels = layout->kernels;
    beside->kernels = kernels->across;
    beside->block_floats = fused_column_floats(kernels->rows->lanes, width);
    int error = fused_column_create(kernels->across, width, false, &beside->transform, &beside->order);
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        beside->columns[kind] = count_beside_columns(kernels, width, kind);
        layout->blocks[kind] = fused_blocks(kernels, width, kind, false);
        layout->column[kind] = core_alloc((size_t)width, sizeof(int));
        for (int u = 0; u < width && layout->column[kind]; u++)
            layout->column[kind][u] = kind == FUSED_PAIR || 2 * u <= width ? u : -1;
    }
    beside->near = core_alloc_zero(2 * (size_t)beside->columns[FUSED_SINGLE], sizeof(int));
    beside->far = core_alloc_zero(2 * (size_t)beside->columns[FUSED_SINGLE], sizeof(int));
    bool complete = layout->column[FUSED_PAIR] && layout->column[FUSED_SINGLE] && beside->near && beside->far;
    for (int p = 0; p < width && complete && !error; p++) {
        int u = beside->order[p];
        beside->near[u] = beside->transform.offset[p];
        beside->far[u ? width - u : 0] = beside->transform.offset[p];
    }
    return complete ? error : ABBE_ERR_MEMORY;
}

int fused_column_create(const struct fused_column_kernels *kernels, int length, bool direct,
                        struct fused_column *columns, int **order)
{
    int radices[FUSED_STEPS];
    columns->length = length;
    columns->step_count = factor_length(length, radices);
    set_steps(length, columns->step_count, radices, columns->steps);
    int error = fused_primes_create(kernels, direct, columns->step_count, columns->steps);
    columns->twiddles = create_fused_twiddles(length, 1, columns->step_count - 1, columns->steps);
    columns->offset = core_alloc((size_t)length, sizeof(int));
    *order = core_alloc((size_t)length, sizeof(int));
    if (error || !columns->twiddles || !columns->offset || !*order)
        return ABBE_ERR_MEMORY;
    set_offsets(kernels->lanes, columns->step_count, columns->steps, columns->offset);
    fill_grid_order(columns->step_count, columns->steps, *order);
    return ABBE_OK;
}

void fused_column_free(struct fused_column *columns)
{
    fused_primes_free(columns->step_count, columns->steps);
    core_free(columns->twiddles);
    core_free(columns->offset);
    core_free(columns->quarter);
    core_free(columns->opposite);
    core_free(columns->reversed);
}

int fused_layout_create(const struct fused_kernels *kernels, int width, int height,
                        struct fused_layout *layout)
{
    layout->kernels = kernels;
    layout->block_floats = fused_block_floats(kernels, height);
    layout->is_beside = fused_is_beside(kernels, width);
    layout->apart = fused_buffer_apart(kernels, width);
    int error = layout->is_beside ? create_beside(width, layout) : create_rows(width, layout);
    return error ? error
                 : fused_column_create(kernels->columns, height, false, &layout->columns, &layout->order);
}

void fused_layout_free(struct fused_layout *layout)
{
    fused_primes_free(layout->rows[0].step_count, layout->rows[0].steps);
    core_free(layout->rows[0].twiddles);
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        core_free(layout->rows[kind].vector);
        core_free(layout->rows[kind].opposite);
        core_free(layout->column[kind]);
    }
    core_free(layout->rows[FUSED_SINGLE].quarter);
    core_free(layout->rows[FUSED_SINGLE].quarter_middle);
    fused_column_free(&layout->beside.transform);
    core_free(layout->beside.order);
    core_free(layout->beside.near);
    core_free(layout->beside.far);
    fused_column_free(&layout->columns);
    core_free(layout->order);
}
