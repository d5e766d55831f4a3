/* Template: rows of any length, LANES of them side by side: lane l of every vector belongs to row l, and the
 * rows are transformed as columns are. Included by rows_tmpl.h after transpose_tmpl.h.
 *
 *   LANES rows in L1, L2 ─transpose─▶ block ─column kernel─▶ block ─transpose─▶ grid, in natural order
 *
 * Two real rows that share a transform are untangled in between (Moreland & Angel 2003, eq. 8): with Z = F +
 * i·G, z = Z(u) and y = Z(M − u),
 *     2 F(u) = z + y*,   2 G(u) = −i (z − y*). */

/* The row of a block with a frequency of `table`. */
INLINE size_t block_row(const int *table, int i)
{
    return 2 * LANES * (size_t)table[i];
}

/* The row of a block that sample x of a row goes to. */
INLINE size_t sample_row(const struct fused_column *transform, int x, bool folded)
{
    int place = !folded ? x : x % 2 ? transform->length - 1 - x / 2 : x / 2;
    return block_row(transform->offset, place);
}

/* Transposes part of the samples from x on of LANES strands into the same part of a block; `buffers`: of strands whose
 * samples have been treated. */
INLINE void lay_square(const struct fused_column *transform, const struct fused_strand *strands, bool buffers,
                       int part, int x, bool folded, float *block, INTS *nonfinite)
{
    VECTOR square[LANES];
    UNROLL
    for (int l = 0; l < LANES; l++)
        square[l] = buffers ? load(strands[l].part[part] + 2 * (size_t)x)
                            : load_strand(&strands[l], part, (size_t)x / LANES, nonfinite);
    transpose(square);
    if (x + LANES <= transform->length) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            store(block + sample_row(transform, x + i, folded), square[i]);
        return;
    }
    for (int i = 0; x + i < transform->length; i++)
        store(block + sample_row(transform, x + i, folded), square[i]);
}

/* Transposes LANES strands into a block; in folded order for even transforms. Returns whether all samples of a picture
 * were finite. */
INLINE bool lay_strands(const struct fused_column *transform, const struct fused_strand *strands, bool folded,
                        float *block)
{
    INTS nonfinite = { 0 };
    bool buffers = strands[0].step == 2 * LANES;
    for (int x = 0; x < transform->length; x += LANES)
        for (int part = 0; part < 2; part++)
            if (buffers)
                lay_square(transform, strands, true, part, x, folded, block + part * LANES, &nonfinite);
            else
                lay_square(transform, strands, false, part, x, folded, block + part * LANES, &nonfinite);
    return is_all_zero(nonfinite);
}

/* The samples from x on of the rows of a block; those behind the last one have no meaning. */
INLINE void take_square(const struct fused_column *transform, const float *block, int x, bool folded,
                        VECTOR *square)
{
    if (x + LANES <= transform->length) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            square[i] = load(block + sample_row(transform, x + i, folded));
    } else {
        for (int i = 0; i < LANES; i++)
            square[i] = load(block + sample_row(transform, x + i < transform->length ? x + i : x, folded));
    }
    transpose(square);
}

/* Transposes a block back to strands: as many real and imaginary parts as `counts` says. */
INLINE void take_strands(const struct fused_column *transform, const float *block, bool folded,
                         const struct fused_strand *strands, const int *counts)
{
    for (int x = 0; x < transform->length; x += LANES)
        for (int part = 0; part < 2; part++) {
            VECTOR square[LANES];
            take_square(transform, block + part * LANES, x, folded, square);
            if (counts[part] == LANES) {
                UNROLL
                for (int l = 0; l < LANES; l++)
                    store_strand(&strands[l], part, (size_t)x / LANES, square[l]);
                continue;
            }
            for (int l = 0; l < counts[part]; l++)
                store_strand(&strands[l], part, (size_t)x / LANES, square[l]);
        }
}

/* Column u of the grid. */
INLINE float *beside_column(const struct fused_grid *grid, int u)
{
    return grid->data + (size_t)(u / grid->lanes) * grid->block_floats + u % grid->lanes;
}

/* How two vectors are combined. */
enum combination { FIRST, SUM, DIFFERENCE };

/* One part, real or imaginary, of LANES rows of a block or of the grid: the numbers at a, or at a and b combined. */
struct beside_part {
    enum combination how;
    const float *a, *b; /* FIRST: b is not read */
};

/* Sends LANES frequencies, which combine the rows `at_a` and `at_b` of a block, to the first `count` rows of the
 * grid. */
INLINE void block_to_grid(const struct beside_part *part, const int *at_a, const int *at_b, float *column,
                          const size_t *to, int count)
{
    VECTOR square[LANES];
    UNROLL
    for (int i = 0; i < LANES; i++) {
        VECTOR a = load(part->a + block_row(at_a, i));
        VECTOR b = part->how == FIRST ? a : load(part->b + block_row(at_b, i));
        square[i] = part->how == SUM ? a + b : part->how == DIFFERENCE ? a - b : a;
    }
    transpose(square);
    if (count == LANES) {
        UNROLL
        for (int l = 0; l < LANES; l++)
            store(column + to[l], square[l]);
        return;
    }
    for (int l = 0; l < count; l++)
        store(column + to[l], square[l]);
}

/* Takes LANES frequencies, which combine the rows `from_a` and `from_b` of the grid, to `count` rows of a block. */
INLINE void grid_to_block(const struct beside_part *part, const size_t *from_a, const size_t *from_b,
                          float *block, const int *at, int count)
{
    VECTOR square[LANES];
    UNROLL
    for (int l = 0; l < LANES; l++) {
        VECTOR a = load(part->a + from_a[l]), b = part->how == FIRST ? a : load(part->b + from_b[l]);
        square[l] = part->how == SUM ? a + b : part->how == DIFFERENCE ? a - b : a;
    }
    transpose(square);
    if (count >= LANES) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            store(block + block_row(at, i), square[i]);
        return;
    }
    for (int i = 0; i < count; i++)
        store(block + block_row(at, i), square[i]);
}

/* ---- Pair planes: without change ---------------------------------------------------------------------- */

INLINE void pairs_to_grid(const struct fused_beside *beside, const float *block,
                          const struct fused_grid *grid, const size_t *to, int count)
{
    for (int u = 0; u < beside->columns[0]; u += LANES) {
        float *column = beside_column(grid, u);
        const struct beside_part re = { FIRST, block, NULL }, im = { FIRST, block + LANES, NULL };
        block_to_grid(&re, beside->near + u, NULL, column, to, count);
        block_to_grid(&im, beside->near + u, NULL, column + grid->lanes, to, count);
    }
}

INLINE void pairs_from_grid(const struct fused_beside *beside, const struct fused_grid *grid,
                            const size_t *from, float *block)
{
    int length = beside->transform.length;
    for (int u = 0; u < length; u += LANES) {
        const float *column = beside_column(grid, u);
        const struct beside_part re = { FIRST, column, NULL }, im = { FIRST, column + grid->lanes, NULL };
        grid_to_block(&re, from, NULL, block, beside->near + u, length - u);
        grid_to_block(&im, from, NULL, block + LANES, beside->near + u, length - u);
    }
}

static bool pairs_forward(const struct fused_beside *beside, const struct fused_strand *strands,
                          const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    bool finite = lay_strands(&beside->transform, strands, false, block);
    beside->kernels->forward(&beside->transform, block, block + beside->block_floats);
    pairs_to_grid(beside, block, grid, to, count);
    return finite;
}

static void pairs_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                          const size_t *from, const struct fused_strand *strands, int count, float *block)
{
    pairs_from_grid(beside, grid, from, block);
    beside->kernels->inverse(&beside->transform, block, block + beside->block_floats);
    take_strands(&beside->transform, block, false, strands, (const int[]){ count, count });
}

/* ---- Single planes: two rows of the picture are a strand ------------------------------------------------- */

/* The rows that share a transform: those in real parts, and those in imaginary parts, of which the last may be the same
 * as the real one. */
static void part_rows(const size_t *rows, int count, size_t *real, size_t *imaginary)
{
    for (int l = 0; 2 * l < count; l++) {
        real[l] = rows[2 * l];
        imaginary[l] = 2 * l + 1 < count ? rows[2 * l + 1] : rows[2 * l];
    }
}

static bool singles_forward(const struct fused_beside *beside, const struct fused_strand *strands,
                            const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    const float *re = block, *im = block + LANES;
    int distance = grid->lanes, both = (count + 1) / 2;
    size_t real[LANES], imaginary[LANES];
    part_rows(to, count, real, imaginary);
    bool finite = lay_strands(&beside->transform, strands, false, block);
    beside->kernels->forward(&beside->transform, block, block + beside->block_floats);
    for (int u = 0; u < beside->columns[1]; u += LANES) {
        const int *near = beside->near + u, *far = beside->far + u;
        float *column = beside_column(grid, u);
        const struct beside_part f_re = { SUM, re, re }, f_im = { DIFFERENCE, im, im };
        const struct beside_part g_re = { SUM, im, im }, g_im = { DIFFERENCE, re, re };
        /* Without a second row, `imaginary` is `real`, which is written last. */
        block_to_grid(&g_re, near, far, column, imaginary, both);
        block_to_grid(&g_im, far, near, column + distance, imaginary, both);
        block_to_grid(&f_re, near, far, column, real, both);
        block_to_grid(&f_im, near, far, column + distance, real, both);
    }
    return finite;
}

static void singles_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                            const size_t *from, const struct fused_strand *strands, int count, float *block)
{
    int kept = beside->transform.length / 2 + 1;
    size_t real[LANES], imaginary[LANES];
    part_rows(from, 2 * LANES, real, imaginary);
    for (int u = 0; u < kept; u += LANES) {
        const int *near = beside->near + u, *far = beside->far + u;
        const float *re = beside_column(grid, u), *im = re + grid->lanes;
        const struct beside_part far_re = { SUM, re, im }, near_re = { DIFFERENCE, re, im };
        const struct beside_part far_im = { DIFFERENCE, re, im }, near_im = { SUM, re, im };
        grid_to_block(&far_re, real, imaginary, block, far, kept - u);
        grid_to_block(&near_re, real, imaginary, block, near, kept - u);
        grid_to_block(&far_im, imaginary, real, block + LANES, far, kept - u);
        grid_to_block(&near_im, imaginary, real, block + LANES, near, kept - u);
    }
    beside->kernels->inverse(&beside->transform, block, block + beside->block_floats);
    take_strands(&beside->transform, block, false, strands, (const int[]){ (count + 1) / 2, count / 2 });
}
