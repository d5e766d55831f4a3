/* Template: the middle pass of the plain Fourier engine: columns forward, times H, columns back. Included by
 * plain_tmpl.h. */

/* One column of the grid: the real part of sample k lies at column[k · 2 · LANES], its imaginary part LANES
 * further. */
static REAL *plain_column(const struct plain_window *window, int p, int u)
{
    const struct plain *plain = window->head.engine->plain;
    int place = plain->place[u];
    return window->grid[p] + (size_t)(place / LANES) * plain->planes[p].rows * 2 * LANES + place % LANES;
}

/* Moreland & Angel eq. 8: row k holds z = f + i·g of window rows 2k and 2k + 1, so
 *     F(u) = ½ (Z(u) + Z*(M − u)),   G(u) = −½ i (Z(u) − Z*(M − u)). */
static void untangle(const struct plain_window *window, int p, int u, REAL *column)
{
    const struct plane *plane = &window->head.engine->plain->planes[p];
    int width = window->head.engine->work->x.length, height = window->head.engine->work->y.length;
    const REAL *near = plain_column(window, p, u), *far = plain_column(window, p, (width - u) % width);
    const size_t step = 2 * LANES;
    for (int k = 0; k < plane->rows; k++, near += step, far += step, column += 2 * step) {
        column[0] = (near[0] + far[0]) / 2;
        column[LANES] = (near[LANES] - far[LANES]) / 2;
        if (2 * k + 1 == height)
            break;
        column[step] = (near[LANES] + far[LANES]) / 2;
        column[step + LANES] = (far[0] - near[0]) / 2;
    }
}

/* Moreland & Angel eq. 7: Z(u) = F + i·G and, because both rows are real, Z(M − u) = F* + i·G*. */
static void tangle(const struct plain_window *window, int p, int u, const REAL *column)
{
    const struct plane *plane = &window->head.engine->plain->planes[p];
    int width = window->head.engine->work->x.length, height = window->head.engine->work->y.length;
    REAL *near = plain_column(window, p, u), *far = plain_column(window, p, (width - u) % width);
    const size_t step = 2 * LANES;
    for (int k = 0; k < plane->rows; k++, near += step, far += step, column += 2 * step) {
        bool last = 2 * k + 1 == height; /* of an odd number of rows */
        REAL f_re = column[0], f_im = column[LANES];
        REAL g_re = last ? 0 : column[step], g_im = last ? 0 : column[step + LANES];
        near[0] = f_re - g_im;
        near[LANES] = f_im + g_re;
        far[0] = f_re + g_im;
        far[LANES] = g_re - f_im;
    }
}

/* How many frequencies u of a single plane a block holds; blocks hold 0 … M/2 in turn. */
static int count_untangled(const struct plain_window *window, int block)
{
    int left = window->head.engine->work->x.length / 2 + 1 - block * LANES;
    return left < LANES ? left : LANES;
}

static void gather_block(const struct plain_window *window, int p, int block, REAL *columns)
{
    const struct plane *plane = &window->head.engine->plain->planes[p];
    size_t reals = plain_block_reals(window->head.engine);
    if (!plane->single) {
        memcpy(columns, window->grid[p] + (size_t)block * reals, reals * sizeof *columns);
        return;
    }
    memset(columns, 0, reals * sizeof *columns);
    for (int lane = 0; lane < count_untangled(window, block); lane++)
        untangle(window, p, block * LANES + lane, columns + lane);
}

static void scatter_block(const struct plain_window *window, int p, int block, const REAL *columns)
{
    const struct plane *plane = &window->head.engine->plain->planes[p];
    size_t reals = plain_block_reals(window->head.engine);
    if (!plane->single) {
        memcpy(window->grid[p] + (size_t)block * reals, columns, reals * sizeof *columns);
        return;
    }
    for (int lane = 0; lane < count_untangled(window, block); lane++)
        tangle(window, p, block * LANES + lane, columns + lane);
}

static void multiply_by_real(const REAL *in, const REAL *h, REAL *out, int height)
{
    for (int v = 0; v < height; v++, in += 2 * LANES, out += 2 * LANES, h += LANES)
        for (int i = 0; i < LANES; i++) {
            out[i] = in[i] * h[i];
            out[LANES + i] = in[LANES + i] * h[i];
        }
}

static void multiply_by_complex(const REAL *in, const REAL *h, REAL *out, int height)
{
    for (int v = 0; v < height; v++, in += 2 * LANES, out += 2 * LANES, h += 2 * LANES)
        for (int i = 0; i < LANES; i++) {
            REAL re = in[i] * h[i] - in[LANES + i] * h[LANES + i];
            REAL im = in[i] * h[LANES + i] + in[LANES + i] * h[i];
            out[i] = re;
            out[LANES + i] = im;
        }
}

/* out = in · H of one block; `in` and `out` may be the same. */
static void multiply_block(const struct plain_window *window, int p, int block, int filter, const REAL *in,
                           REAL *out)
{
    const struct plain *plain = window->head.engine->plain;
    const struct spectrum *spectrum = &plain->head.spectra[filter];
    const REAL *h = plain->planes[p].single ? spectrum->single : spectrum->pair;
    int height = window->head.engine->work->y.length;
    size_t block_reals = plain_block_reals(window->head.engine);
    if (spectrum->real)
        multiply_by_real(in, h + (size_t)block * (block_reals / 2), out, height);
    else
        multiply_by_complex(in, h + (size_t)block * block_reals, out, height);
}

/* What a pass does to one block of one plane. */
typedef void block_function(struct plain_window *window, int p, int block, int filter,
                            struct plain_worker *worker);

static void filter_plain_block(struct plain_window *window, int p, int block, int filter,
                               struct plain_worker *worker)
{
    const struct plain *plain = window->head.engine->plain;
    gather_block(window, p, block, worker->columns);
    TRANSFORM(forward)(plain->columns, worker->columns, LANES, worker->scratch);
    multiply_block(window, p, block, filter, worker->columns, worker->columns);
    TRANSFORM(inverse)(plain->columns, worker->columns, LANES, worker->scratch);
    scatter_block(window, p, block, worker->columns);
}

static void keep_plain_block(struct plain_window *window, int p, int block, int filter,
                             struct plain_worker *worker)
{
    (void)filter;
    REAL *columns = window->kept[p] + (size_t)block * plain_block_reals(window->head.engine);
    gather_block(window, p, block, columns);
    TRANSFORM(forward)(window->head.engine->plain->columns, columns, LANES, worker->scratch);
}

static void apply_plain_block(struct plain_window *window, int p, int block, int filter,
                              struct plain_worker *worker)
{
    const REAL *kept = window->kept[p] + (size_t)block * plain_block_reals(window->head.engine);
    multiply_block(window, p, block, filter, kept, worker->columns);
    TRANSFORM(inverse)(window->head.engine->plain->columns, worker->columns, LANES, worker->scratch);
    scatter_block(window, p, block, worker->columns);
}

/* One pass over the blocks of a plane. */
struct plane_pass {
    struct plain_window *window;
    block_function *transform;
    int plane, filter;
};

/* A pool_task over blocks. */
static void transform_column_blocks(void *context, int worker, long long first, long long end)
{
    const struct plane_pass *pass = context;
    for (int block = (int)first; block < end && !cpu_watch_stopped(pass->window->head.watcher); block++) {
        pass->transform(pass->window, pass->plane, block, pass->filter, &pass->window->workers[worker]);
        cpu_watch_advance(pass->window->head.watcher);
    }
}

static void each_column_block(struct plain_window *window, int filter, block_function *transform)
{
    const struct plain *plain = window->head.engine->plain;
    for (int p = 0; p < plain->plane_count; p++) {
        struct plane_pass pass = { window, transform, p, filter };
        pool_loop(window->head.worker_count, plain->planes[p].column_blocks, 1, transform_column_blocks,
                  &pass);
    }
    cpu_watch_pass(window->head.watcher, "columns");
}

/* From the grid to the grid; keeps nothing. */
static void filter_plain_columns(struct plain_window *window, int filter)
{
    bool even = window->head.engine->plain->even;
    each_column_block(window, filter, even ? filter_plain_even : filter_plain_block);
}

/* From the grid to the kept columns. */
static void keep_plain_columns(struct plain_window *window)
{
    each_column_block(window, 0, window->head.engine->plain->even ? keep_plain_even : keep_plain_block);
}

/* From the kept columns to the grid. */
static void apply_plain_columns(struct plain_window *window, int filter)
{
    bool even = window->head.engine->plain->even;
    if (even && !window->head.engine->work->filters[filter].even)
        each_column_block(window, filter, cross_plain_even);
    each_column_block(window, filter, even ? apply_plain_even : apply_plain_block);
}
