/* Template: even transforms of the plain Fourier engine (docs/maths.md). Included by plain_tmpl.h.
 *
 * A row x(0) … x(n − 1) that is reflected has the real frequencies 2 C(u) = 2 Σ x(k) cos(πu(2k + 1) / 2n). They follow from
 * the transform V of the folded row x(0) x(2) x(4) … x(5) x(3) x(1), with w = e^(−jπu / 2n):
 *     2 C(u) = w V(u) + w* V(n − u),    2 C(n − u) = j (w V(u) − w* V(n − u)),    V(u) = w* (C(u) − j C(n − u)).
 * C takes the place of V, in the order of the transform. Real and imaginary parts are rows or columns of their own, which
 * these equations do not mix. */

/* The place of sample k in a folded row. */
static inline int plain_fold(int k, int length)
{
    return k % 2 ? length - 1 - k / 2 : k / 2;
}

/* { cos, sin } of πu / 2n for u ≤ n / 2. */
static bool create_quarter_turns(struct even_axis *axis, int length, const int *order)
{
    const double pi = 3.14159265358979323846;
    axis->length = length;
    axis->turns = core_alloc((size_t)length / 2 + 1, 2 * sizeof *axis->turns);
    axis->place = core_alloc((size_t)length, sizeof *axis->place);
    for (int u = 0; u <= length / 2 && axis->turns; u++) {
        axis->turns[2 * u] = (REAL)cos(pi * u / (2.0 * length));
        axis->turns[2 * u + 1] = (REAL)sin(pi * u / (2.0 * length));
    }
    for (int position = 0; position < length && axis->place; position++)
        axis->place[order[position]] = position;
    return axis->turns && axis->place;
}

/* Turns V(u) into 2 C(u), for rows of [re | im][lanes]. */
static void even_from_transform(const struct even_axis *axis, size_t lanes, REAL *data)
{
    for (int u = 0; u <= axis->length / 2; u++) {
        REAL cosine = axis->turns[2 * u], sine = axis->turns[2 * u + 1];
        REAL *near = data + 2 * lanes * (size_t)axis->place[u];
        REAL *far = data + 2 * lanes * (size_t)axis->place[u ? axis->length - u : 0];
        for (size_t l = 0; l < lanes; l++) {
            REAL a = near[l], b = near[lanes + l], c = far[l], d = far[lanes + l];
            REAL p_re = a * cosine + b * sine, p_im = b * cosine - a * sine; /* w V(u) */
            REAL q_re = c * cosine - d * sine, q_im = d * cosine + c * sine; /* w* V(n − u) */
            if (far != near) {
                far[l] = q_im - p_im;
                far[lanes + l] = p_re - q_re;
            }
            near[l] = p_re + q_re;
            near[lanes + l] = p_im + q_im;
        }
    }
}

/* The reverse without a factor; C(n) is 0. */
static void even_to_transform(const struct even_axis *axis, size_t lanes, REAL *data)
{
    for (int u = 0; u <= axis->length / 2; u++) {
        REAL cosine = axis->turns[2 * u], sine = axis->turns[2 * u + 1];
        REAL *near = data + 2 * lanes * (size_t)axis->place[u];
        REAL *far = data + 2 * lanes * (size_t)axis->place[u ? axis->length - u : 0];
        for (size_t l = 0; l < lanes && u; l++) {
            REAL a = near[l], b = near[lanes + l], c = far[l], d = far[lanes + l];
            REAL p_re = a + d, p_im = b - c; /* C(u) − j C(n − u) */
            REAL q_re = c + b, q_im = d - a; /* C(n − u) − j C(u) */
            near[l] = p_re * cosine - p_im * sine;
            near[lanes + l] = p_im * cosine + p_re * sine;
            if (far == near)
                continue;
            /* V(n − u): w* of n − u is j w of u */
            far[l] = q_re * sine - q_im * cosine;
            far[lanes + l] = q_im * sine + q_re * cosine;
        }
    }
}

/* ---- Columns ------------------------------------------------------------------------------------------ */

/* Half of the columns of a single plane, rounded up: a block has column c as real and column c + low as imaginary parts. */
static int count_low(const struct work *work)
{
    return (work->x.length + 1) / 2;
}

/* The two columns of a single plane that lane `lane` of a block holds, or NULL. */
static REAL *single_column(const struct plain_window *window, int p, int block, int lane, int part)
{
    const struct work *work = window->head.engine->work;
    int low = count_low(work), position = block * LANES + lane;
    position = position < low ? position + part * low : work->x.length;
    size_t rows = (size_t)window->head.engine->plain->planes[p].rows;
    return position < work->x.length
               ? window->grid[p] + ((size_t)(position / LANES) * rows * 2 * LANES) + position % LANES
               : NULL;
}

static void gather_even_block(const struct plain_window *window, int p, int block, REAL *columns)
{
    const struct work *work = window->head.engine->work;
    size_t reals = plain_block_reals(window->head.engine), step = 2 * LANES;
    int height = work->y.length;
    if (!window->head.engine->plain->planes[p].single) {
        const REAL *from = window->grid[p] + (size_t)block * reals;
        for (int y = 0; y < height; y++)
            memcpy(columns + step * (size_t)plain_fold(y, height), from + step * (size_t)y,
                   step * sizeof *from);
        return;
    }
    memset(columns, 0, reals * sizeof *columns);
    for (int i = 0; i < 2 * LANES; i++) {
        const REAL *from = single_column(window, p, block, i % LANES, i / LANES);
        for (int y = 0; y < height && from; y++)
            columns[step * (size_t)plain_fold(y, height) + i] = from[step * (size_t)(y / 2) + y % 2 * LANES];
    }
}

/* The reverse, to one of the grids. */
static void scatter_even_block(const struct plain_window *window, int p, int block, const REAL *columns,
                               REAL *grid)
{
    const struct work *work = window->head.engine->work;
    size_t reals = plain_block_reals(window->head.engine), step = 2 * LANES;
    int height = work->y.length;
    if (!window->head.engine->plain->planes[p].single) {
        REAL *to = grid + (size_t)block * reals;
        for (int y = 0; y < height; y++)
            memcpy(to + step * (size_t)y, columns + step * (size_t)plain_fold(y, height), step * sizeof *to);
        return;
    }
    for (int i = 0; i < 2 * LANES; i++) {
        REAL *to = single_column(window, p, block, i % LANES, i / LANES);
        if (!to)
            continue;
        to = grid + (to - window->grid[p]);
        for (int y = 0; y < height; y++)
            to[step * (size_t)(y / 2) + y % 2 * LANES] = columns[step * (size_t)plain_fold(y, height) + i];
        if (height % 2) /* the row beside the last one */
            to[step * (size_t)(height / 2) + LANES] = 0;
    }
}

/* Gains of a block: one for each lane, or of a single plane for each real and each imaginary part. */
static void multiply_by_even(const struct plain_window *window, int p, int block, int filter, const REAL *in,
                             REAL *out)
{
    const struct plain *plain = window->head.engine->plain;
    int height = window->head.engine->work->y.length;
    bool single = plain->planes[p].single;
    size_t gains = single ? 2 * LANES : LANES;
    const REAL *h = single ? plain->head.spectra[filter].single : plain->head.spectra[filter].pair;
    h += (size_t)block * gains * (size_t)height;
    for (int v = 0; v < height; v++, h += gains, in += 2 * LANES, out += 2 * LANES)
        for (int i = 0; i < 2 * LANES; i++)
            out[i] = in[i] * h[single ? i : i % LANES];
}

/* The odd part of a block: D(u, v) = −O · C at (M − u, N − v), and 0 where u or v is 0. */
static void cross_plain_columns(const struct plain_window *window, int p, int block, int filter, REAL *out)
{
    const struct plain *plain = window->head.engine->plain;
    const struct work *work = window->head.engine->work;
    const int *across = TRANSFORM(order)(plain->rows), *down = TRANSFORM(order)(plain->columns);
    int width = work->x.length, height = work->y.length, low = count_low(work);
    bool single = plain->planes[p].single;
    size_t reals = plain_block_reals(window->head.engine), gains = single ? 2 * LANES : LANES;
    const REAL *odd = single ? plain->odd[filter].single : plain->odd[filter].pair;
    memset(out, 0, reals * sizeof *out);
    for (int i = 0; i < 2 * LANES; i++) {
        int position = block * LANES + i % LANES + (single ? i / LANES * low : 0);
        bool held = single ? block * LANES + i % LANES < low : true;
        if (!held || position >= width || across[position] == 0)
            continue;
        int from = plain->even_x.place[width - across[position]], column = single ? from % low : from;
        size_t number = (size_t)(column % LANES) + (size_t)((single ? from / low : i / LANES) * LANES);
        const REAL *kept = window->kept[p] + (size_t)(column / LANES) * reals + number;
        const REAL *h = odd + (size_t)(column / LANES) * gains * (size_t)height +
                        (single ? number : number % LANES);
        for (int k = 0; k < height; k++) {
            size_t v = down[k] ? (size_t)plain->even_y.place[height - down[k]] : 0;
            if (down[k])
                out[2 * LANES * (size_t)k + (size_t)i] = -h[gains * v] * kept[2 * LANES * v];
        }
    }
}

static void forward_even_columns(const struct plain_window *window, int p, int block, REAL *columns,
                                 REAL *scratch)
{
    const struct plain *plain = window->head.engine->plain;
    gather_even_block(window, p, block, columns);
    TRANSFORM(forward)(plain->columns, columns, LANES, scratch);
    even_from_transform(&plain->even_y, LANES, columns);
}

static void inverse_even_columns(const struct plain_window *window, int p, int block, REAL *columns,
                                 REAL *grid, REAL *scratch)
{
    const struct plain *plain = window->head.engine->plain;
    even_to_transform(&plain->even_y, LANES, columns);
    TRANSFORM(inverse)(plain->columns, columns, LANES, scratch);
    scatter_even_block(window, p, block, columns, grid);
}

/* Block functions of the passes over columns (columns_tmpl.h). */

static void filter_plain_even(struct plain_window *window, int p, int block, int filter,
                              struct plain_worker *worker)
{
    forward_even_columns(window, p, block, worker->columns, worker->scratch);
    multiply_by_even(window, p, block, filter, worker->columns, worker->columns);
    inverse_even_columns(window, p, block, worker->columns, window->grid[p], worker->scratch);
}

static void keep_plain_even(struct plain_window *window, int p, int block, int filter,
                            struct plain_worker *worker)
{
    (void)filter;
    forward_even_columns(window, p, block,
                         window->kept[p] + (size_t)block * plain_block_reals(window->head.engine),
                         worker->scratch);
}

static void apply_plain_even(struct plain_window *window, int p, int block, int filter,
                             struct plain_worker *worker)
{
    const REAL *kept = window->kept[p] + (size_t)block * plain_block_reals(window->head.engine);
    multiply_by_even(window, p, block, filter, kept, worker->columns);
    inverse_even_columns(window, p, block, worker->columns, window->grid[p], worker->scratch);
}

static void cross_plain_even(struct plain_window *window, int p, int block, int filter,
                             struct plain_worker *worker)
{
    cross_plain_columns(window, p, block, filter, worker->columns);
    inverse_even_columns(window, p, block, worker->columns, window->odd[p], worker->scratch);
}
