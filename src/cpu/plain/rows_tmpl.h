/* Template: the first and the last pass of the plain Fourier engine: rows with loading, rows with storing.
 * Included by plain_tmpl.h. */

/* The rows of a plane in a worker's memory. */
static REAL *plane_rows(const struct plain_window *window, const struct plain_worker *worker, int plane)
{
    return worker->rows + (size_t)plane * window->head.engine->work->x.length * 2 * LANES;
}

/* Writes a row of the window to lane `row` of LANES: two channels as one complex row, or two rows of a single
 * channel. */
static void spread_row(const struct plain_window *window, const struct plain_worker *worker, int row)
{
    const struct work *work = window->head.engine->work;
    const struct plain *plain = window->head.engine->plain;
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        const REAL *from = worker->row + plane->channel;
        REAL *to = plane_rows(window, worker, p);
        size_t step = 2 * (size_t)plane->lanes;
        to += plane->single ? (row & 1) * plane->lanes + row / 2 : row;
        for (int i = 0; i < work->x.length; i++, from += work->channels) {
            REAL *sample = to + step * (size_t)(plain->even ? plain_fold(i, work->x.length) : i);
            sample[0] = from[0];
            if (!plane->single)
                sample[LANES] = from[1];
        }
    }
}

/* The inverse of spread_row, for the samples that are results. */
static void collect_row(const struct plain_window *window, const struct plain_worker *worker, int row)
{
    const struct work *work = window->head.engine->work;
    const struct plain *plain = window->head.engine->plain;
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        REAL *to = worker->row + plane->channel;
        size_t step = 2 * (size_t)plane->lanes;
        const REAL *from = plane_rows(window, worker, p);
        from += plane->single ? (row & 1) * plane->lanes + row / 2 : row;
        for (int x = 0; x < window->head.width; x++, to += work->channels) {
            int i = work->x.before + x;
            const REAL *sample = from + step * (size_t)(plain->even ? plain_fold(i, work->x.length) : i);
            to[0] = sample[0];
            if (!plane->single)
                to[1] = sample[LANES];
        }
    }
}

/* Copies complex rows first … first + lanes − 1 from a worker's memory to the grid: a transposition per
 * block. */
static void rows_to_grid(const struct plain_window *window, int p, const REAL *rows, int first)
{
    const struct plain *plain = window->head.engine->plain;
    const struct plane *plane = &plain->planes[p];
    int length = window->head.engine->work->x.length;
    int count = plane->rows - first < plane->lanes ? plane->rows - first : plane->lanes;
    for (int block = 0; block < plain->grid_blocks; block++) {
        int columns = length - block * LANES < LANES ? length - block * LANES : LANES;
        const REAL *from = rows + (size_t)block * LANES * 2 * plane->lanes;
        REAL *to = window->grid[p] + ((size_t)block * plane->rows + first) * 2 * LANES;
        for (int lane = 0; lane < count; lane++)
            for (int part = 0; part < 2; part++, to += LANES)
                for (int i = 0; i < LANES; i++)
                    to[i] = i < columns ? from[(2 * i + part) * plane->lanes + lane] : 0;
    }
}

/* The inverse of rows_to_grid. */
static void rows_from_grid(const struct plain_window *window, int p, const REAL *grid, int first, REAL *rows)
{
    const struct plain *plain = window->head.engine->plain;
    const struct plane *plane = &plain->planes[p];
    int length = window->head.engine->work->x.length;
    int count = plane->rows - first < plane->lanes ? plane->rows - first : plane->lanes;
    for (int block = 0; block < plain->grid_blocks; block++) {
        int columns = length - block * LANES < LANES ? length - block * LANES : LANES;
        REAL *to = rows + (size_t)block * LANES * 2 * plane->lanes;
        const REAL *from = grid + ((size_t)block * plane->rows + first) * 2 * LANES;
        for (int lane = 0; lane < count; lane++)
            for (int part = 0; part < 2; part++, from += LANES)
                for (int i = 0; i < columns; i++)
                    to[(2 * i + part) * plane->lanes + lane] = from[i];
    }
}

static size_t worker_rows_bytes(const struct plain_window *window)
{
    const struct engine *engine = window->head.engine;
    return (size_t)engine->plain->plane_count * engine->work->x.length * 2 * LANES * sizeof(REAL);
}

static void forward_group(struct plain_window *window, struct plain_worker *worker, int first)
{
    const struct plain *plain = window->head.engine->plain;
    int count = window->head.y.count - first < LANES ? window->head.y.count - first : LANES;
    if (count < LANES)
        memset(worker->rows, 0, worker_rows_bytes(window)); /* lanes without a row are transformed as well */
    for (int row = 0; row < count; row++) {
        int y = window->head.y.index[first + row];
        GATHER_ROW(window->head.engine, window->head.source, window->head.pedestal, &window->head.x, y,
                   worker->line, worker->row);
        spread_row(window, worker, row);
    }
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        REAL *rows = plane_rows(window, worker, p);
        TRANSFORM(forward)(plain->rows, rows, (size_t)plane->lanes, worker->scratch);
        if (plain->even)
            even_from_transform(&plain->even_x, (size_t)plane->lanes, rows);
        rows_to_grid(window, p, rows, plane->single ? first / 2 : first);
    }
}

/* A pool_task over groups of rows; the context is the window. */
static void forward_groups(void *context, int worker, long long first, long long end)
{
    struct plain_window *window = context;
    for (int group = (int)first; group < end && !cpu_watch_stopped(window->head.watcher); group++) {
        forward_group(window, &window->workers[worker], group * LANES);
        cpu_watch_advance(window->head.watcher);
    }
}

static void transform_plain_rows(struct plain_window *window)
{
    int groups = (window->head.y.count - 1) / LANES + 1;
    pool_loop(window->head.worker_count, groups, 1, forward_groups, window);
    cpu_watch_pass(window->head.watcher, "rows");
}

/* Rows `first` … of a plane from a grid, transformed back. */
static void inverse_plane_rows(const struct plain_window *window, const struct plain_worker *worker, int p,
                               const REAL *grid, int first, REAL *rows)
{
    const struct plain *plain = window->head.engine->plain;
    const struct plane *plane = &plain->planes[p];
    rows_from_grid(window, p, grid, plane->single ? first / 2 : first, rows);
    if (plain->even)
        even_to_transform(&plain->even_x, (size_t)plane->lanes, rows);
    TRANSFORM(inverse)(plain->rows, rows, (size_t)plane->lanes, worker->scratch);
}

/* Adds (−1)^(x + y) times the odd part to the folded rows from y = `first` on, which is even. */
static void add_odd_rows(const struct plain_window *window, const struct plane *plane, const REAL *odd,
                         REAL *rows)
{
    int length = window->head.engine->work->x.length, lanes = plane->lanes;
    for (int x = 0; x < length; x++) {
        size_t at = (size_t)plain_fold(x, length) * 2 * (size_t)lanes;
        for (int i = 0; i < 2 * lanes; i++) {
            int y = plane->single ? i / lanes : i % lanes; /* a single plane has rows 2k and 2k + 1 */
            rows[at + (size_t)i] += (x + y) % 2 ? -odd[at + (size_t)i] : odd[at + (size_t)i];
        }
    }
}

static void inverse_group(struct plain_window *window, struct plain_worker *worker, int first, int r,
                          int component)
{
    const struct work *work = window->head.engine->work;
    bool odd = work->x.even && !work->filters[work->results[r].first + component].even;
    const struct plain *plain = window->head.engine->plain;
    int before = window->head.engine->work->y.before;
    memset(worker->rows, 0, worker_rows_bytes(window));
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        REAL *rows = plane_rows(window, worker, p);
        inverse_plane_rows(window, worker, p, window->grid[p], first, rows);
        if (!odd)
            continue;
        memset(worker->odd, 0, (size_t)work->x.length * 2 * LANES * sizeof *worker->odd);
        inverse_plane_rows(window, worker, p, window->odd[p], first, worker->odd);
        add_odd_rows(window, plane, worker->odd, rows);
    }
    for (int row = 0; row < LANES; row++) {
        int y = first + row - before;
        if (y < 0 || y >= window->head.height)
            continue;
        collect_row(window, worker, row);
        STORE_ROW(&window->head, r, component, y, worker->row, worker->line);
    }
}

/* The last pass for one result, from row `start` of the grid. */
struct result_groups {
    struct plain_window *window;
    int start, result, component;
};

/* A pool_task over groups of rows. */
static void inverse_groups(void *context, int worker, long long first, long long end)
{
    const struct result_groups *pass = context;
    for (int group = (int)first; group < end && !cpu_watch_stopped(pass->window->head.watcher); group++) {
        inverse_group(pass->window, &pass->window->workers[worker], pass->start + group * LANES, pass->result,
                      pass->component);
        cpu_watch_advance(pass->window->head.watcher);
    }
}

/* Result r from the grid; `component` is the first (0) or second (1) of a magnitude. */
static void transform_plain_rows_back(struct plain_window *window, int r, int component)
{
    int before = window->head.engine->work->y.before;
    int start = before / 2 * 2; /* rows of a single plane come in pairs */
    int groups = (before + window->head.height - start - 1) / LANES + 1;
    struct result_groups pass = { window, start, r, component };
    pool_loop(window->head.worker_count, groups, 1, inverse_groups, &pass);
    cpu_watch_pass(window->head.watcher, "rows back");
}
