/* Template: direct and separable convolution in bands of rows. Included by plain_tmpl.h.
 *
 *   picture ──gather──▶ band: CPU_BAND + above + below rows, each with its border left and right
 *                         │ direct:     result row = Σ taps · band rows
 *                         │ separable:  lines = row factor ∗ band rows; result row = Σ column factor · lines
 *                         ▼
 *                       one result row of numbers ──store──▶ picture
 *
 * Channels stay interleaved: a tap i to the left is `i · channels` numbers to the left, whatever the
 * channel. */
/* The memory of one thread. */
struct workspace {
    const struct engine *engine;
    const abbe_image *source, *results;
    struct watcher *watcher;
    size_t row_reals, band_reals; /* of a row of the picture, and of a row of the band */
    struct border_map x, y;
    REAL *line;  /* a picture row as loaded */
    REAL *band;  /* CPU_BAND + above + below rows of band_reals */
    REAL *lines; /* the same rows after the row factor, row_reals each */
    REAL *sum[2];
    REAL *part; /* of the sums of one row */
};

/* Rows of results in a band: CPU_BAND, or all rows of a lower picture. */
static size_t result_rows(const struct work *work)
{
    return work->height < CPU_BAND ? (size_t)work->height : CPU_BAND;
}

static size_t band_rows(const struct work *work)
{
    return result_rows(work) + work->above + work->below;
}

static void add_scaled(REAL *restrict sum, const REAL *restrict row, REAL factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += factor * row[i];
}

/* A row of sums to which many taps are added in parts of SPACE_PART, because a sum loses in proportion to its
 * length. */
struct parts {
    REAL *sum, *part; /* the same where there are few taps */
    size_t count;
    int added; /* taps, to the part */
};

static struct parts begin_parts(const struct workspace *space, long long taps, REAL *sum)
{
    struct parts parts = { sum, taps > SPACE_PART ? space->part : sum, space->row_reals, 0 };
    if (parts.part != sum)
        memset(parts.part, 0, parts.count * sizeof *parts.part);
    return parts;
}

static void end_part(struct parts *parts)
{
    parts->added = 0;
    if (parts->part == parts->sum)
        return;
    add_scaled(parts->sum, parts->part, 1, parts->count);
    memset(parts->part, 0, parts->count * sizeof *parts->part);
}

/* How many of the next `taps` taps go to parts->part now. */
static int next_taps(struct parts *parts, int taps)
{
    if (parts->added == SPACE_PART)
        end_part(parts);
    int room = SPACE_PART - parts->added, count = taps < room ? taps : room;
    parts->added += count;
    return count;
}

/* Adds one row of taps applied to a row of the band. The tap in column i reads i − centre pixels to the left of
 * the result (a convolution). */
static void convolve_row(const struct workspace *space, const double *taps, int width, int centre,
                         const REAL *row, struct parts *parts)
{
    const struct work *work = space->engine->work;
    for (int i = 0; i < width;)
        for (int end = i + next_taps(parts, width - i); i < end; i++)
            if (taps[i] != 0)
                add_scaled(parts->part, row + (size_t)(work->left + centre - i) * work->channels,
                           (REAL)taps[i], space->row_reals);
}

/* Row y of the band's results, which lies at row y + above of the band. */
static void direct_row(const struct workspace *space, const struct kernel *kernel, int y, REAL *sum)
{
    const struct work *work = space->engine->work;
    memset(sum, 0, space->row_reals * sizeof *sum);
    struct parts parts = begin_parts(space, (long long)kernel->width * kernel->height, sum);
    for (int j = 0; j < kernel->height && !cpu_watch_poll(space->watcher); j++)
        convolve_row(space, kernel->taps + (size_t)j * kernel->width, kernel->width, kernel->centre_x,
                     space->band + (size_t)(y + work->above + kernel->centre_y - j) * space->band_reals,
                     &parts);
    end_part(&parts);
}

/* Applies the row factor of a term to the rows of the band that the column factor reads. */
static void filter_band_lines(const struct workspace *space, const struct kernel *kernel, int term, int rows)
{
    const struct work *work = space->engine->work;
    int first = work->above + kernel->centre_y - (kernel->height - 1);
    for (int y = first; y < first + rows + kernel->height - 1 && !cpu_watch_poll(space->watcher); y++) {
        REAL *line = space->lines + (size_t)y * space->row_reals;
        memset(line, 0, space->row_reals * sizeof *line);
        struct parts parts = begin_parts(space, kernel->width, line);
        convolve_row(space, kernel->rows + (size_t)term * kernel->width, kernel->width, kernel->centre_x,
                     space->band + (size_t)y * space->band_reals, &parts);
        end_part(&parts);
    }
}

/* All rows of results of the band together, because every term has other lines. */
static void separable_rows(const struct workspace *space, const struct kernel *kernel, int rows, REAL *sum)
{
    const struct work *work = space->engine->work;
    memset(sum, 0, (size_t)rows * space->row_reals * sizeof *sum);
    for (int term = 0; term < kernel->terms; term++) {
        const double *column = kernel->columns + (size_t)term * kernel->height;
        filter_band_lines(space, kernel, term, rows);
        for (int y = 0; y < rows && !cpu_watch_poll(space->watcher); y++) {
            const REAL *lines = space->lines +
                                (size_t)(y + work->above + kernel->centre_y) * space->row_reals;
            struct parts parts = begin_parts(space, kernel->height, sum + (size_t)y * space->row_reals);
            for (int j = 0; j < kernel->height;)
                for (int end = j + next_taps(&parts, kernel->height - j); j < end; j++)
                    add_scaled(parts.part, lines - (size_t)j * space->row_reals, (REAL)column[j],
                               space->row_reals);
            end_part(&parts);
        }
    }
}

static void filter_plain_band(const struct workspace *space, const struct work_filter *filter, int rows,
                              REAL *sum)
{
    if (space->engine->work->method == ABBE_METHOD_SEPARABLE)
        separable_rows(space, &filter->factors, rows, sum);
    else
        for (int y = 0; y < rows; y++)
            direct_row(space, &filter->dense, y, sum + (size_t)y * space->row_reals);
}

static void gather_band(const struct workspace *space, int first, int rows)
{
    const struct work *work = space->engine->work;
    struct border_map y = space->y;
    core_border_map(work->border, (long long)first - work->above, rows + work->above + work->below,
                    work->height, &y);
    for (int i = 0; i < y.count && !cpu_watch_poll(space->watcher); i++)
        GATHER_ROW(space->engine, space->source, NULL, &space->x, y.index[i], space->line,
                   space->band + (size_t)i * space->band_reals);
}

static void run_band(const struct workspace *space, int first)
{
    const struct work *work = space->engine->work;
    int rows = work->height - first < CPU_BAND ? work->height - first : CPU_BAND;
    gather_band(space, first, rows);
    for (int r = 0; r < work->result_count; r++) {
        const struct work_result *result = &work->results[r];
        for (int i = 0; i < result->components; i++)
            filter_plain_band(space, &work->filters[result->first + i], rows, space->sum[i]);
        if (result->components == 2)
            MAGNITUDE(space->sum[0], space->sum[1], (size_t)rows * space->row_reals);
        for (int y = 0; y < rows && !cpu_watch_poll(space->watcher); y++) {
            const struct pixel_row where = { space->source, space->results, 0, first + y, work->width };
            STORE_PIXELS(work, NULL, r, &where, space->sum[0] + (size_t)y * space->row_reals, space->line);
        }
    }
}

static void close_workspace(struct workspace *space)
{
    core_free(space->x.index);
    core_free(space->y.index);
    core_free(space->line);
    core_free(space->band);
    core_free(space->lines);
    core_free(space->sum[0]);
    core_free(space->sum[1]);
    core_free(space->part);
}

static bool open_workspace(const struct engine *engine, struct workspace *space)
{
    const struct work *work = engine->work;
    size_t columns = (size_t)work->width + work->left + work->right, rows = band_rows(work);
    space->engine = engine;
    space->row_reals = (size_t)work->width * work->channels;
    space->band_reals = columns * work->channels;
    space->x.index = core_alloc(columns, sizeof(int));
    space->y.index = core_alloc(rows, sizeof(int));
    space->line = core_alloc(space->row_reals, sizeof(REAL));
    space->band = core_alloc(rows, space->band_reals * sizeof(REAL));
    space->lines = core_alloc(work->method == ABBE_METHOD_SEPARABLE ? rows : 0,
                              space->row_reals * sizeof(REAL));
    for (int i = 0; i < 2; i++)
        space->sum[i] = core_alloc(result_rows(work), space->row_reals * sizeof(REAL));
    space->part = core_alloc(space->row_reals, sizeof(REAL));
    if (!space->x.index || !space->y.index || !space->line || !space->band || !space->lines ||
        !space->sum[0] || !space->sum[1] || !space->part)
        return false;
    core_border_map(work->border, -(long long)work->left, (int)columns, work->width, &space->x);
    return true;
}

static int count_bands(const struct work *work)
{
    return (work->height - 1) / CPU_BAND + 1;
}

/* The memory of all threads, and the taps that a plan lays out for the direct method. */
static struct footprint bands_footprint(const struct work *work, int threads)
{
    enum { BLOCKS = 9 };
    int bands = count_bands(work), workers = threads < bands ? threads : bands;
    double columns = (double)work->width + work->left + work->right, rows = (double)band_rows(work);
    double row = (double)work->width * work->channels, taps = 0;
    double reals = columns + rows + 2 * row + rows * columns * work->channels +
                   2 * (double)result_rows(work) * row;
    if (work->method == ABBE_METHOD_SEPARABLE)
        reals += rows * row;
    for (int i = 0; i < work->filter_count && work->method == ABBE_METHOD_DIRECT; i++)
        taps += (double)work->filters[i].response.kernel.width * work->filters[i].response.kernel.height;
    double each = reals * sizeof(REAL) + sizeof(struct workspace) + BLOCKS * CORE_ALIGNMENT;
    return (struct footprint){ .run = workers * each + CORE_ALIGNMENT, .plan = taps * sizeof(double) };
}

/* A pool_task over bands; the context is the workspaces of all workers. */
static void run_bands(void *context, int worker, long long first, long long end)
{
    struct workspace *space = (struct workspace *)context + worker;
    for (int band = (int)first; band < end && !cpu_watch_stopped(space->watcher); band++) {
        run_band(space, band * CPU_BAND);
        cpu_watch_advance(space->watcher);
    }
}

static int run_in_bands(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                        const abbe_image *results, struct watch *watch)
{
    int bands = count_bands(engine->work);
    int threads = engine->threads < bands ? engine->threads : bands;
    struct workspace *spaces = core_alloc_zero((size_t)threads, sizeof *spaces);
    bool opened = spaces != NULL;
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, bands);
    for (int i = 0; i < threads && opened; i++) {
        opened = open_workspace(engine, &spaces[i]);
        spaces[i].source = source;
        spaces[i].results = results;
        spaces[i].watcher = &watcher;
    }
    if (opened) {
        pool_loop(threads, bands, 1, run_bands, spaces);
        cpu_watch_pass(&watcher, abbe_method_name(engine->work->method));
    }
    for (int i = 0; spaces && i < threads; i++)
        close_workspace(&spaces[i]);
    core_free(spaces);
    if (!opened)
        return core_fail_memory(device);
    return cpu_watch_stopped(&watcher) ? ABBE_ERR_CANCELLED : ABBE_OK;
}
