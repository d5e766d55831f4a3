/* Template: the plain Fourier engine: preparing, and taking a window through the three passes. Included by
 * plain_tmpl.h. */

static const struct window_table plain_window_table;

/* ---- Preparing ---------------------------------------------------------------------------------------- */

/* Columns of a single plane that are transformed. */
static int count_half(const struct work *work)
{
    return work->x.even ? count_low(work) : work->x.length / 2 + 1;
}

/* Whether columns are transformed in a pass of their own, and kept. */
static bool keeps_columns(const struct work *work)
{
    bool odd = false;
    for (int i = 0; i < work->filter_count && work->x.even; i++)
        odd = odd || !work->filters[i].even;
    return work->filter_count > 1 || odd;
}

static void lay_out_planes(const struct work *work, struct plain *plain)
{
    plain->even = work->x.even;
    for (int i = 0; i < work->filter_count && plain->even; i++)
        plain->has_odd = plain->has_odd || !work->filters[i].even;
    plain->grid_blocks = plain_blocks(work->x.length);
    for (int channel = 0; channel < work->channels; channel += 2) {
        bool single = channel + 1 == work->channels;
        plain->planes[plain->plane_count++] = (struct plane){
            .channel = channel,
            .single = single,
            .rows = single ? (work->y.length + 1) / 2 : work->y.length,
            .lanes = single ? LANES / 2 : LANES,
            .column_blocks = single ? plain_blocks(count_half(work)) : plain->grid_blocks,
        };
    }
}

/* The columns of even transforms: a block of a single plane has gains of real parts, then of imaginary ones. */
static int create_even_order(const struct work *work, const int *order, struct plain *plain)
{
    int width = work->x.length, low = count_low(work);
    for (int position = 0; position < width; position++) {
        int column = position % low;
        plain->place[order[position]] = position;
        plain->half[order[position]] = (column / LANES * 2 + position / low) * LANES + column % LANES;
        plain->place[width + position] = plain->half[width + position] = -1;
    }
    bool created = create_quarter_turns(&plain->even_x, width, order) &&
                   create_quarter_turns(&plain->even_y, work->y.length, TRANSFORM(order)(plain->columns));
    return created ? ABBE_OK : ABBE_ERR_MEMORY;
}

static int create_plain_transforms(const abbe_device *device, const struct work *work, struct plain *plain)
{
    enum core_level level = ((const struct cpu *)device)->level;
    int error = TRANSFORM(create_at)(level, work->x.length, &plain->rows);
    if (!error)
        error = TRANSFORM(create_at)(level, work->y.length, &plain->columns);
    size_t frequencies = (size_t)work->x.length * (plain->even ? 2 : 1);
    plain->place = core_alloc(frequencies, sizeof *plain->place);
    plain->half = core_alloc(frequencies, sizeof *plain->half);
    if (error || !plain->place || !plain->half)
        return ABBE_ERR_MEMORY;
    const int *order = TRANSFORM(order)(plain->rows);
    if (plain->even)
        return create_even_order(work, order, plain);
    for (int position = 0; position < work->x.length; position++) {
        plain->place[order[position]] = position;
        plain->half[position] = position <= work->x.length / 2 ? position : -1;
    }
    return ABBE_OK;
}

static int create_plain_spectra(const abbe_device *device, const struct engine *engine)
{
    const struct work *work = engine->work;
    struct plain *plain = engine->plain;
    struct spectrum_layout pair = { .blocks = plain->grid_blocks,
                                    .lanes = LANES,
                                    .column = plain->place,
                                    .order = TRANSFORM(order)(plain->columns),
                                    .scale = (plain->even ? 0.25 : 1) /
                                             ((double)work->x.length * work->y.length),
                                    .part = plain->even ? SPECTRUM_EVEN_PART : SPECTRUM_WHOLE,
                                    .rows = work->y.length,
                                    .doubles = sizeof(REAL) == sizeof(double) };
    struct spectrum_layout single = pair;
    single.blocks = plain_blocks(count_half(work));
    single.lanes = plain->even ? 2 * LANES : LANES;
    single.column = plain->half;
    int error = cpu_spectra_create(device, engine, &pair, &single, &plain->head.spectra);
    if (error || !plain->has_odd)
        return error;
    pair.part = single.part = SPECTRUM_ODD_PART;
    return cpu_spectra_create(device, engine, &pair, &single, &plain->odd);
}

static int create_plain(const abbe_device *device, struct engine *engine)
{
    const struct work *work = engine->work;
    struct plain *plain = engine->plain = core_alloc_zero(1, sizeof *plain);
    if (!plain)
        return core_fail_memory(device);
    engine->fourier = &plain->head;
    plain->head.table = &plain_window_table;
    lay_out_planes(work, plain);
    int error = create_plain_transforms(device, work, plain);
    return error ? core_fail_memory(device) : create_plain_spectra(device, engine);
}

static void destroy_plain(struct engine *engine)
{
    struct plain *gone = engine->plain;
    if (!gone)
        return;
    cpu_spectra_free(engine, gone->head.spectra);
    cpu_spectra_free(engine, gone->odd);
    core_free(gone->even_x.turns), core_free(gone->even_x.place);
    core_free(gone->even_y.turns), core_free(gone->even_y.place);
    core_free(gone->place);
    core_free(gone->half);
    TRANSFORM(destroy)(&gone->rows);
    TRANSFORM(destroy)(&gone->columns);
    core_free(gone);
    engine->plain = NULL;
    engine->fourier = NULL;
}

/* ---- Footprint ---------------------------------------------------------------------------------------- */

/* The tables of an axis, and the scratch in which chirps of Bluestein's algorithm are made. */
static double axis_bytes(int n)
{
    return (16.0 + 4 * sizeof(REAL)) * n + (64 + 8 * sizeof(REAL)) * fft_padded_size(n);
}

static double plain_plan_bytes(const struct work *work, int threads)
{
    double blocks = plain_blocks(work->x.length),
           half = plain_blocks(count_half(work)) * (work->x.even ? 2.0 : 1.0);
    double even = work->x.even ? (sizeof(REAL) + 12.0) * ((double)work->x.length + work->y.length) : 0;
    double columns = (work->channels > 1 ? blocks : 0) + (work->channels % 2 ? half : 0);
    return cpu_spectra_bytes(work, columns * LANES, threads) + axis_bytes(work->x.length) +
           axis_bytes(work->y.length) + even;
}

static double plain_worker_bytes(const struct work *work, const struct plain *layout)
{
    enum { BLOCKS = 6 };
    double padded = fmax(fft_padded_size(work->x.length), fft_padded_size(work->y.length));
    double reals = ((double)work->width + work->x.length) * work->channels;
    reals += 2.0 * LANES *
             ((double)work->x.length * (layout->plane_count + layout->has_odd) + work->y.length + padded);
    return reals * sizeof(REAL) + sizeof(struct plain_worker) + BLOCKS * CORE_ALIGNMENT;
}

static double plain_window_bytes(const struct work *work, const struct plain *layout)
{
    enum { BLOCKS = 5 };
    bool kept = keeps_columns(work), magnitudes = work->filter_count > work->result_count;
    double reals = (double)work->x.length + work->y.length;
    if (magnitudes)
        reals += (double)work->x.step * work->y.step * work->channels;
    for (int p = 0; p < layout->plane_count; p++) {
        const struct plane *plane = &layout->planes[p];
        reals += (double)plain_grid_reals(layout, plane) * (1 + layout->has_odd);
        reals += kept ? 2.0 * LANES * plane->column_blocks * work->y.length : 0;
    }
    double blocks = BLOCKS + 3 * layout->plane_count;
    return reals * sizeof(REAL) + sizeof(struct plain_window) + blocks * CORE_ALIGNMENT;
}

static struct footprint windows_footprint(const struct work *work, int threads)
{
    struct plain layout = { 0 };
    lay_out_planes(work, &layout);
    struct window_division division = cpu_divide(work, threads);
    double each = plain_window_bytes(work, &layout) + division.workers * plain_worker_bytes(work, &layout);
    return (struct footprint){ .run = division.at_once * each + 2 * CORE_ALIGNMENT,
                               .plan = plain_plan_bytes(work, threads) };
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static void close_plain_window(struct window *head)
{
    struct plain_window *window = (struct plain_window *)head;
    for (int i = 0; window->workers && i < head->worker_count; i++) {
        core_free(window->workers[i].line);
        core_free(window->workers[i].row);
        core_free(window->workers[i].rows);
        core_free(window->workers[i].odd);
        core_free(window->workers[i].columns);
        core_free(window->workers[i].scratch);
    }
    core_free(window->workers);
    for (int p = 0; p < PLAIN_PLANES; p++) {
        core_free(window->grid[p]);
        core_free(window->kept[p]);
        core_free(window->odd[p]);
    }
}

static bool open_plain_worker(const struct engine *engine, struct plain_worker *worker)
{
    const struct work *work = engine->work;
    const struct plain *plain = engine->plain;
    size_t across = TRANSFORM(scratch)(plain->rows, LANES), down = TRANSFORM(scratch)(plain->columns, LANES);
    worker->line = core_alloc((size_t)work->width * work->channels, sizeof(REAL));
    worker->row = core_alloc((size_t)work->x.length * work->channels, sizeof(REAL));
    worker->rows = core_alloc((size_t)work->x.length * plain->plane_count, 2 * LANES * sizeof(REAL));
    worker->odd = core_alloc(plain->has_odd ? (size_t)work->x.length : 0, 2 * LANES * sizeof(REAL));
    worker->columns = core_alloc(plain_block_reals(engine), sizeof(REAL));
    worker->scratch = core_alloc(across > down ? across : down, sizeof(REAL));
    return worker->line && worker->row && worker->rows && worker->odd && worker->columns && worker->scratch;
}

static bool open_plain_window(struct window *head)
{
    struct plain_window *window = (struct plain_window *)head;
    const struct engine *engine = head->engine;
    const struct plain *plain = engine->plain;
    window->workers = core_alloc_zero((size_t)head->worker_count, sizeof *window->workers);
    bool opened = window->workers != NULL;
    for (int p = 0; p < plain->plane_count && opened; p++) {
        const struct plane *plane = &plain->planes[p];
        size_t kept = keeps_columns(engine->work) ? (size_t)plane->column_blocks * plain_block_reals(engine)
                                                  : 0;
        window->grid[p] = core_alloc(plain_grid_reals(plain, plane), sizeof(REAL));
        window->kept[p] = core_alloc(kept, sizeof(REAL));
        window->odd[p] = core_alloc(plain->has_odd ? plain_grid_reals(plain, plane) : 0, sizeof(REAL));
        opened = window->grid[p] && window->kept[p] && window->odd[p];
        if (opened)
            cpu_watch_touch(head->watcher, window->grid[p], plain_grid_reals(plain, plane) * sizeof(REAL));
    }
    for (int i = 0; i < head->worker_count && opened; i++)
        opened = open_plain_worker(engine, &window->workers[i]);
    return opened;
}

static int run_plain_window(struct window *head)
{
    struct plain_window *window = (struct plain_window *)head;
    const struct work *work = head->engine->work;
    bool kept = keeps_columns(work);
    transform_plain_rows(window);
    if (kept)
        keep_plain_columns(window);
    for (int r = 0; r < work->result_count; r++)
        for (int component = 0; component < work->results[r].components; component++) {
            if (kept)
                apply_plain_columns(window, work->results[r].first + component);
            else
                filter_plain_columns(window, 0);
            transform_plain_rows_back(window, r, component);
        }
    return ABBE_OK;
}

/* Groups of rows and blocks of columns that the window goes through. */
static long long count_plain_progress(const struct engine *engine)
{
    const struct work *work = engine->work;
    long long columns = 0, odd = 0, forward = plain_blocks(work->y.length), back = plain_blocks(work->y.step);
    for (int p = 0; p < engine->plain->plane_count; p++)
        columns += engine->plain->planes[p].column_blocks;
    for (int i = 0; i < work->filter_count && work->x.even; i++)
        odd += !work->filters[i].even;
    return forward + (keeps_columns(work) ? columns : 0) + work->filter_count * (columns + back) +
           odd * columns;
}

static const struct window_table plain_window_table = {
    .size = sizeof(struct plain_window),
    .open = open_plain_window,
    .close = close_plain_window,
    .run = run_plain_window,
    .count_progress = count_plain_progress,
};
