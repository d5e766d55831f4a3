/* Template: rows side by side of even transforms, of any length. Included by rows_tmpl.h after rows_beside_tmpl.h.
 *
 * The column kernels make 2 C of folded rows as they do of columns (columns_even_tmpl.h). A complex row is two channels or
 * two rows of one channel, which C keeps apart. In the grid a pair plane has C(u) in column u. A single plane has
 * C(u) and C(u + columns[1]) as real and imaginary parts of column u. */

static bool pairs_even_forward(const struct fused_beside *beside, const struct fused_strand *strands,
                               const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    bool finite = lay_strands(&beside->transform, strands, true, block);
    beside->kernels->even_forward(&beside->transform, block, block + beside->block_floats);
    pairs_to_grid(beside, block, grid, to, count);
    return finite;
}

static void pairs_even_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                               const size_t *from, const struct fused_strand *strands, int count,
                               float *block)
{
    pairs_from_grid(beside, grid, from, block);
    beside->kernels->even_inverse(&beside->transform, block, block + beside->block_floats);
    take_strands(&beside->transform, block, true, strands, (const int[]){ count, count });
}

static bool singles_even_forward(const struct fused_beside *beside, const struct fused_strand *strands,
                                 const struct fused_grid *grid, const size_t *to, int count, float *block)
{
    int distance = grid->lanes, both = (count + 1) / 2;
    size_t real[LANES], imaginary[LANES];
    part_rows(to, count, real, imaginary);
    bool finite = lay_strands(&beside->transform, strands, true, block);
    beside->kernels->even_forward(&beside->transform, block, block + beside->block_floats);
    for (int u = 0; u < beside->columns[1]; u += LANES) {
        const int *low = beside->near + u, *high = low + beside->columns[1];
        float *column = beside_column(grid, u);
        const struct beside_part f = { FIRST, block, NULL }, g = { FIRST, block + LANES, NULL };
        /* Without a second row, `imaginary` is `real`, which is written last. */
        block_to_grid(&g, low, NULL, column, imaginary, both);
        block_to_grid(&g, high, NULL, column + distance, imaginary, both);
        block_to_grid(&f, low, NULL, column, real, both);
        block_to_grid(&f, high, NULL, column + distance, real, both);
    }
    return finite;
}

static void singles_even_inverse(const struct fused_beside *beside, const struct fused_grid *grid,
                                 const size_t *from, const struct fused_strand *strands, int count,
                                 float *block)
{
    size_t real[LANES], imaginary[LANES];
    int length = beside->transform.length, columns = beside->columns[1];
    part_rows(from, 2 * LANES, real, imaginary);
    for (int u = 0; u < columns; u += LANES) {
        const int *low = beside->near + u, *high = low + columns;
        const float *column = beside_column(grid, u);
        const struct beside_part first = { FIRST, column, NULL },
                                 second = { FIRST, column + grid->lanes, NULL };
        grid_to_block(&first, real, NULL, block, low, length - u);
        grid_to_block(&first, imaginary, NULL, block + LANES, low, length - u);
        grid_to_block(&second, real, NULL, block, high, length - u - columns);
        grid_to_block(&second, imaginary, NULL, block + LANES, high, length - u - columns);
    }
    beside->kernels->even_inverse(&beside->transform, block, block + beside->block_floats);
    take_strands(&beside->transform, block, true, strands, (const int[]){ (count + 1) / 2, count / 2 });
}
