/* Template: rows of any length, LANES of them side by side: lane l of every vector belongs to row l, and the
 * rows are transformed as columns are. Included by rows_tmpl.h after transpose_tmpl.h.
 *
 *   LANES rows in L1, L2 ─transpose─▶ block ─column kernel─▶ block ─transpose─▶ grid, in natural order
 *
 * Two real rows that share a transform are untangled in between (Moreland & Angel 2003, eq. 8): with Z = F +
 * i·G, z = Z(u) and y = Z(M − u),
 *     2 F(u) = z + y*,   2 G(u) = −i (z − y*). */

/* Both parts of LANES vectors. They are transposed one after the other: the registers hold one. */
struct beside_square {
    VECTOR re[LANES], im[LANES];
};

INLINE void transpose_square(struct beside_square *x)
{
    transpose(x->re);
    transpose(x->im);
}

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

/* Transposes LANES samples from x on of LANES rows, which begin at `rows`, into the same part of a block. */
INLINE void lay_square(const struct fused_column *transform, const float *rows, size_t apart, int x,
                       bool folded, float *block)
{
    VECTOR square[LANES];
    UNROLL
    for (int l = 0; l < LANES; l++)
        square[l] = load(rows + (size_t)l * apart);
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

/* Transposes LANES rows, `apart` floats from each other, into a block; in folded order for even transforms. */
INLINE void lay_rows(const struct fused_column *transform, const float *rows, size_t apart, bool folded,
                     float *block)
{
    for (int x = 0; x < transform->length; x += LANES)
        for (int part = 0; part < 2 * LANES; part += LANES)
            lay_square(transform, rows + 2 * (size_t)x + part, apart, x, folded, block + part);
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

INLINE void take_rows(const struct fused_column *transform, const float *block, bool folded, float *rows,
                      size_t apart)
{
    for (int x = 0; x < transform->length; x += LANES)
        for (int part = 0; part < 2 * LANES; part += LANES) {
            VECTOR square[LANES];
            take_square(transform, block + part, x, folded, square);
            UNROLL
            for (int l = 0; l < LANES; l++)
                store(rows + (size_t)l * apart + 2 * (size_t)x + part, square[l]);
        }
}

/* Column u of the grid. */
INLINE float *beside_column(const struct fused_grid *grid, int u)
{
    return grid->data + (size_t)(u / grid->lanes) * grid->block_floats + u % grid->lanes;
}

/* Writes LANES frequencies of the first `count` rows to their places in a column of the grid. */
INLINE void square_to_grid(struct beside_square *square, const struct fused_grid *grid, float *column,
                           const size_t *to, int count)
{
    transpose_square(square);
    if (count == LANES) {
        UNROLL
        for (int l = 0; l < LANES; l++)
            store_complex(column + to[l], (size_t)grid->lanes, square->re[l], square->im[l]);
        return;
    }
    for (int l = 0; l < count; l++)
        store_complex(column + to[l], (size_t)grid->lanes, square->re[l], square->im[l]);
}

INLINE void square_from_grid(const struct fused_grid *grid, const float *column, const size_t *from,
                             struct beside_square *square)
{
    UNROLL
    for (int l = 0; l < LANES; l++) {
        square->re[l] = load(column + from[l]);
        square->im[l] = load(column + from[l] + grid->lanes);
    }
    transpose_square(square);
}

static void pairs_forward(const struct fused_beside *beside, const float *rows, size_t apart,
                          const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    lay_rows(&beside->transform, rows, apart, false, block);
    beside->kernels->forward(&beside->transform, block, block + beside->block_floats);
    for (int u = 0; u < beside->columns[0]; u += LANES) {
        struct beside_square square;
        UNROLL
        for (int i = 0; i < LANES; i++) {
            square.re[i] = load(block + block_row(beside->near, u + i));
            square.im[i] = load(block + block_row(beside->near, u + i) + LANES);
        }
        square_to_grid(&square, grid, beside_column(grid, u), to, count);
    }
}

static void pairs_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                          const size_t *from, float *rows, size_t apart, float *block)
{
    for (int u = 0; u < beside->transform.length; u += LANES) {
        struct beside_square square;
        square_from_grid(grid, beside_column(grid, u), from, &square);
        for (int i = 0; i < LANES && u + i < beside->transform.length; i++)
            store_complex(block + block_row(beside->near, u + i), LANES, square.re[i], square.im[i]);
    }
    beside->kernels->inverse(&beside->transform, block, block + beside->block_floats);
    take_rows(&beside->transform, block, false, rows, apart);
}

/* The rows that share a transform: those in real parts, and those in imaginary parts, of which the last may be the same
 * as the real one. */
static void part_rows(const size_t *rows, int count, size_t *real, size_t *imaginary)
{
    for (int l = 0; 2 * l < count; l++) {
        real[l] = rows[2 * l];
        imaginary[l] = 2 * l + 1 < count ? rows[2 * l + 1] : rows[2 * l];
    }
}

static void singles_forward(const struct fused_beside *beside, const float *rows, size_t apart,
                            const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    size_t real[LANES], imaginary[LANES];
    part_rows(to, count, real, imaginary);
    lay_rows(&beside->transform, rows, apart, false, block);
    beside->kernels->forward(&beside->transform, block, block + beside->block_floats);
    for (int u = 0; u < beside->columns[1]; u += LANES) {
        struct beside_square f, g;
        UNROLL
        for (int i = 0; i < LANES; i++) {
            const float *near = block + block_row(beside->near, u + i);
            const float *far = block + block_row(beside->far, u + i);
            VECTOR re = load(near), im = load(near + LANES), far_re = load(far), far_im = load(far + LANES);
            f.re[i] = re + far_re, f.im[i] = im - far_im;
            g.re[i] = im + far_im, g.im[i] = far_re - re;
        }
        /* Without a second row, `imaginary` is `real`, which is written last. */
        square_to_grid(&g, grid, beside_column(grid, u), imaginary, (count + 1) / 2);
        square_to_grid(&f, grid, beside_column(grid, u), real, (count + 1) / 2);
    }
}

static void singles_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                            const size_t *from, float *rows, size_t apart, float *block)
{
    size_t real[LANES], imaginary[LANES];
    part_rows(from, 2 * LANES, real, imaginary);
    for (int u = 0; u <= beside->transform.length / 2; u += LANES) {
        struct beside_square f, g;
        square_from_grid(grid, beside_column(grid, u), real, &f);
        square_from_grid(grid, beside_column(grid, u), imaginary, &g);
        for (int i = 0; i < LANES && u + i <= beside->transform.length / 2; i++) {
            store_complex(block + block_row(beside->far, u + i), LANES, f.re[i] + g.im[i], g.re[i] - f.im[i]);
            store_complex(block + block_row(beside->near, u + i), LANES, f.re[i] - g.im[i],
                          g.re[i] + f.im[i]);
        }
    }
    beside->kernels->inverse(&beside->transform, block, block + beside->block_floats);
    take_rows(&beside->transform, block, false, rows, apart);
}
