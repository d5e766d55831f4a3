/* Template: rows side by side of even transforms, of any length. Included by rows_tmpl.h after rows_beside_tmpl.h.
 *
 * The column kernels make 2 C of folded rows as they do of columns (columns_even_tmpl.h). A complex row is two channels or
 * two rows of one channel, which C keeps apart. In the grid a pair plane has C(u) in column u. A single plane has
 * C(u) and C(u + columns[1]) as real and imaginary parts of column u. */

static void pairs_even_forward(const struct fused_beside *beside, const float *rows, size_t apart,
                               const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    lay_rows(&beside->transform, rows, apart, true, block);
    beside->kernels->even_forward(&beside->transform, block, block + beside->block_floats);
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

static void pairs_even_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                               const size_t *from, float *rows, size_t apart, float *block)
{
    for (int u = 0; u < beside->transform.length; u += LANES) {
        struct beside_square square;
        square_from_grid(grid, beside_column(grid, u), from, &square);
        for (int i = 0; i < LANES && u + i < beside->transform.length; i++)
            store_complex(block + block_row(beside->near, u + i), LANES, square.re[i], square.im[i]);
    }
    beside->kernels->even_inverse(&beside->transform, block, block + beside->block_floats);
    take_rows(&beside->transform, block, true, rows, apart);
}

/* The row of a block with frequency u; beyond the last one, that of frequency 0. */
INLINE size_t frequency_row(const struct fused_beside *beside, int u)
{
    return block_row(beside->near, u < beside->transform.length ? u : 0);
}

static void singles_even_forward(const struct fused_beside *beside, const float *rows, size_t apart,
                                 const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    size_t real[LANES], imaginary[LANES];
    part_rows(to, count, real, imaginary);
    lay_rows(&beside->transform, rows, apart, true, block);
    beside->kernels->even_forward(&beside->transform, block, block + beside->block_floats);
    for (int u = 0; u < beside->columns[1]; u += LANES) {
        struct beside_square f, g;
        UNROLL
        for (int i = 0; i < LANES; i++) {
            const float *low = block + frequency_row(beside, u + i);
            const float *high = block + frequency_row(beside, u + i + beside->columns[1]);
            f.re[i] = load(low), f.im[i] = load(high);
            g.re[i] = load(low + LANES), g.im[i] = load(high + LANES);
        }
        /* Without a second row, `imaginary` is `real`, which is written last. */
        square_to_grid(&g, grid, beside_column(grid, u), imaginary, (count + 1) / 2);
        square_to_grid(&f, grid, beside_column(grid, u), real, (count + 1) / 2);
    }
}

static void singles_even_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                                 const size_t *from, float *rows, size_t apart, float *block)
{
    size_t real[LANES], imaginary[LANES];
    int length = beside->transform.length;
    part_rows(from, 2 * LANES, real, imaginary);
    for (int u = 0; u < beside->columns[1]; u += LANES) {
        struct beside_square f, g;
        square_from_grid(grid, beside_column(grid, u), real, &f);
        square_from_grid(grid, beside_column(grid, u), imaginary, &g);
        for (int i = 0; i < LANES && u + i < length; i++)
            store_complex(block + block_row(beside->near, u + i), LANES, f.re[i], g.re[i]);
        for (int i = 0; i < LANES && u + i + beside->columns[1] < length; i++)
            store_complex(block + block_row(beside->near, u + i + beside->columns[1]), LANES, f.im[i],
                          g.im[i]);
    }
    beside->kernels->even_inverse(&beside->transform, block, block + beside->block_floats);
    take_rows(&beside->transform, block, true, rows, apart);
}
