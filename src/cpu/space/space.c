/* Convolution in space: division of the picture, memory, and the work of threads. */
#include "cpu/space/space.h"

#include "core/denormals.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "core/pool.h"
#include "core/view.h"
#include "cpu/run.h"

#include <string.h>

/* ---- Division of the picture -------------------------------------------------------------------------- */

/* LINE_FLOATS: floats of a worker's lines, chosen to fit the second-level cache. STRIP_MOST, STRIP_LEAST:
 * samples of a row of a strip. BAND_ROWS: rows of a band; bands of planes have up to BAND_PLANES times as many,
 * so that there are as many units of work as for interleaved pixels, and fewer rows are loaded for two bands.
 * Strips and bands are larger where a kernel reaches so far that they would be mostly border. */
enum { LINE_FLOATS = 9 << 14, STRIP_MOST = 1 << 14, STRIP_LEAST = 1 << 11, BAND_ROWS = 64, BAND_PLANES = 4 };

/* Whether samples are integers. */
static bool is_integer(abbe_type type)
{
    return type == ABBE_U8 || type == ABBE_U16;
}

static bool premultiplies(const struct work *work)
{
    return work->alpha == ABBE_ALPHA_PREMULTIPLY;
}

/* Whether the kernels can multiply and divide by alpha: with four channels, when alpha is filtered like the
 * colours. */
static bool kernels_do_alpha(const struct work *work)
{
    bool filtered = true;
    for (int r = 0; r < work->result_count; r++)
        filtered = filtered && work->results[r].alpha_gain != 0;
    return work->channels == 4 && filtered && work->offset == 0 && work->source_type != ABBE_F16 &&
           work->result_type != ABBE_F16;
}

/* Whether loading is only a conversion of type, which the kernels do. */
static bool loads_fast(const struct work *work)
{
    bool replaces = work->nonfinite == ABBE_NONFINITE_ZERO && !is_integer(work->source_type);
    return work->source_type != ABBE_F16 && !work->linear_light && !replaces &&
           (!premultiplies(work) || kernels_do_alpha(work));
}

/* Whether storing is only a conversion of type, which the kernels do. */
static bool stores_fast(const struct work *work)
{
    return work->result_type != ABBE_F16 && !work->linear_light && work->offset == 0 &&
           (!premultiplies(work) || kernels_do_alpha(work));
}

/* Whether column taps read the stored samples. An outside pixel such as 0.3 is not a sample of an integer
 * type. */
static bool reads_stored(const struct work *work)
{
    bool stored = !is_integer(work->source_type) || work->border_value == 0;
    return work->method == ABBE_METHOD_SEPARABLE && loads_fast(work) && stored && !premultiplies(work);
}

static bool has_magnitudes(const struct work *work)
{
    return work->filter_count > work->result_count;
}

bool space_takes_shorts(const struct work *work, const struct space_kernels *kernels)
{
    bool bytes = work->source_type == ABBE_U8 && work->result_type == ABBE_U8;
    bool within = work->border_value >= 0 && work->border_value <= 1;
    return kernels->short_load && bytes && within && loads_fast(work) && stores_fast(work) &&
           !premultiplies(work) && !has_magnitudes(work) &&
           (reads_stored(work) || work->method == ABBE_METHOD_DIRECT);
}

/* The size of nearly equal parts of at most `most` into which `total` is divided. */
static int equal_part(int total, long long most)
{
    int parts = (int)((total - 1) / (most < 1 ? 1 : most)) + 1;
    return (total - 1) / parts + 1;
}

static size_t count_row_pointers(const struct work *work)
{
    return (size_t)work->above + work->below + SPACE_ROWS;
}

struct space_division space_divide(const struct work *work, int planes)
{
    struct space_division d = { 0 };
    long long across = (long long)work->left + work->right, down = (long long)work->above + work->below;
    d.ring = reads_stored(work) ? 0 : (int)count_row_pointers(work);
    d.columns = work->method == ABBE_METHOD_SEPARABLE ? SPACE_ROWS : 0;
    d.sums = SPACE_ROWS * (has_magnitudes(work) ? 2 : 1);
    long long samples = LINE_FLOATS / ((long long)d.ring + d.columns + d.sums + 1);
    samples = samples < STRIP_LEAST ? STRIP_LEAST : samples > STRIP_MOST ? STRIP_MOST : samples;
    long long pixels = samples / work->channels;
    d.strip = equal_part(work->width, pixels > 2 * across ? pixels : 2 * across);
    d.strips = (work->width - 1) / d.strip + 1;
    int band = BAND_ROWS * (planes < BAND_PLANES ? planes : BAND_PLANES);
    d.band = down > band ? (int)(down < work->height ? down : work->height) : band;
    d.bands = (work->height - 1) / d.band + 1;
    size_t floats = ((size_t)d.strip + (size_t)across) * work->channels + SPACE_SLACK;
    d.line = (floats + SPACE_SLACK - 1) / SPACE_SLACK * SPACE_SLACK;
    return d;
}

/* ---- Creation ----------------------------------------------------------------------------------------- */

/* Whether each channel can be filtered as a picture of its own: no channel is treated differently from the
 * others, or multiplied by another. */
static bool channels_are_alike(const struct work *work)
{
    return !premultiplies(work) && !work->linear_light &&
           (work->alpha == ABBE_ALPHA_NONE || work->offset == 0);
}

static bool create_plane_engine(const struct engine *engine)
{
    if (engine->work->channels == 1 || !channels_are_alike(engine->work))
        return true;
    struct space_plane *plane = engine->space->plane = core_alloc_zero(1, sizeof *plane);
    if (!plane)
        return false;
    plane->work = *engine->work;
    plane->work.channels = 1;
    plane->work.alpha = ABBE_ALPHA_NONE;
    memcpy(&plane->space, engine->space, sizeof plane->space);
    plane->space.plane = NULL;
    plane->space.planes = engine->work->channels;
    plane->engine = *engine;
    plane->engine.work = &plane->work;
    plane->engine.space = &plane->space;
    return true;
}

int cpu_space_create(const abbe_device *device, struct engine *engine, const struct space_kernels *kernels)
{
    const struct work *work = engine->work;
    struct space *space = engine->space = core_alloc_zero(1, sizeof *space);
    if (!space)
        return core_fail_memory(device);
    space->kernels = kernels;
    space->planes = 1;
    space->fast_load = loads_fast(work);
    space->fast_store = stores_fast(work);
    space->reads_stored = reads_stored(work);
    space->alpha = premultiplies(work) && kernels_do_alpha(work);
    return space_create_taps(engine) && create_plane_engine(engine) ? ABBE_OK : core_fail_memory(device);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

/* The workers of a run, each with one block of memory. */
struct space_scratch {
    int count;
    struct space_worker *workers;
    void **blocks;
};

/* The parts of a worker's block, in order. */
enum part { EDGES, ROWS, RING, COLUMNS, SUMS, BEYOND, LINE, PARTS };

/* Writes the bytes of each part, rounded up to whole cache lines. */
static void size_block_parts(const struct work *work, size_t *bytes)
{
    struct space_division d = space_divide(work, 1);
    size_t line = d.line * sizeof(float);
    bytes[EDGES] = ((size_t)work->left + work->right) * sizeof(struct space_edge);
    bytes[ROWS] = count_row_pointers(work) * sizeof(void *);
    bytes[RING] = (size_t)d.ring * line;
    bytes[COLUMNS] = (size_t)d.columns * line;
    bytes[SUMS] = (size_t)d.sums * line;
    bytes[BEYOND] = d.ring ? 0 : line;
    bytes[LINE] = stores_fast(work) ? 0 : line;
    for (int i = 0; i < PARTS; i++)
        bytes[i] = (bytes[i] + CORE_ALIGNMENT - 1) / CORE_ALIGNMENT * CORE_ALIGNMENT;
}

static double block_bytes(const struct work *work)
{
    size_t bytes[PARTS];
    double sum = 0;
    size_block_parts(work, bytes);
    for (int i = 0; i < PARTS; i++)
        sum += (double)bytes[i];
    return sum;
}

/* The threads that `planes` pictures of this work keep busy. */
static int count_space_workers(const struct work *work, int planes, int threads)
{
    struct space_division d = space_divide(work, planes);
    long long units = (long long)d.strips * d.bands * planes;
    return threads < units ? threads : (int)units;
}

/* The memory of the workers of one run. */
static double workers_bytes(const struct work *work, int planes, int threads)
{
    double each = block_bytes(work) + sizeof(struct space_worker) + sizeof(void *);
    return count_space_workers(work, planes, threads) * each;
}

/* The memory of a run that filters planes one by one, with the views of their channels. */
static double planes_bytes(const struct work *work, int threads)
{
    struct work plane = *work;
    plane.channels = 1;
    return workers_bytes(&plane, work->channels, threads) +
           (double)work->channels * (1 + work->result_count) * sizeof(abbe_image);
}

/* A run needs memory for its workers, a plan for its taps. */
struct footprint cpu_space_footprint(const struct work *work, int threads)
{
    enum { BLOCKS = 4 };
    double packed = workers_bytes(work, 1, threads), planes = planes_bytes(work, threads), taps = 0;
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *whole = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        taps += work->method == ABBE_METHOD_DIRECT ? (double)whole->width * whole->height * sizeof(double)
                                                   : 0;
        taps += space_taps_bytes(work->method == ABBE_METHOD_DIRECT ? whole : factors, work->method);
    }
    double run = packed > planes ? packed : planes;
    return (struct footprint){ .run = run + sizeof(struct space_scratch) + BLOCKS * CORE_ALIGNMENT,
                               .plan = taps };
}

static void destroy_space_scratch(struct space_scratch **scratch)
{
    struct space_scratch *gone = *scratch;
    if (!gone)
        return;
    for (int i = 0; gone->blocks && i < gone->count; i++)
        core_free(gone->blocks[i]);
    core_free(gone->blocks);
    core_free(gone->workers);
    core_free(gone);
    *scratch = NULL;
}

void cpu_space_destroy(struct space **space)
{
    struct space *gone = *space;
    if (!gone)
        return;
    struct space_scratch *idle = atomic_load(&gone->idle);
    destroy_space_scratch(&idle);
    if (gone->plane) {
        idle = atomic_load(&gone->plane->space.idle);
        destroy_space_scratch(&idle);
        core_free(gone->plane);
    }
    space_free_taps(gone);
    core_free(gone);
    *space = NULL;
}

/* Fills a line with outside pixels in the source's type: zeros for integers, or floats. */
static void fill_beyond(const struct engine *engine, size_t floats, float *line)
{
    size_t channels = (size_t)engine->work->channels;
    memset(line, 0, floats * sizeof *line);
    for (size_t i = 0; i < floats && engine->work->source_type == ABBE_F32; i++)
        line[i] = engine->space->outside.floats[i % channels];
}

static bool open_space_worker(const struct engine *engine, struct space_worker *worker, void **block)
{
    size_t bytes[PARTS], offset[PARTS], total = 0;
    size_block_parts(engine->work, bytes);
    for (int i = 0; i < PARTS; i++) {
        offset[i] = total;
        total += bytes[i];
    }
    char *memory = *block = core_alloc(total, 1);
    if (!memory)
        return false;
    worker->engine = engine;
    worker->division = space_divide(engine->work, engine->space->planes);
    worker->edges = (void *)(memory + offset[EDGES]);
    worker->rows = (void *)(memory + offset[ROWS]);
    worker->ring = (void *)(memory + offset[RING]);
    worker->columns = (void *)(memory + offset[COLUMNS]);
    worker->sums[0] = (void *)(memory + offset[SUMS]);
    worker->sums[1] = worker->sums[0] + SPACE_ROWS * worker->division.line;
    worker->beyond = (void *)(memory + offset[BEYOND]);
    worker->line = (void *)(memory + offset[LINE]);
    if (bytes[BEYOND])
        fill_beyond(engine, worker->division.line, worker->beyond);
    return true;
}

static struct space_scratch *create_space_scratch(const struct engine *engine)
{
    struct space_scratch *scratch = core_alloc_zero(1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->count = count_space_workers(engine->work, engine->space->planes, engine->threads);
    scratch->workers = core_alloc_zero((size_t)scratch->count, sizeof *scratch->workers);
    scratch->blocks = core_alloc_zero((size_t)scratch->count, sizeof *scratch->blocks);
    bool opened = scratch->workers && scratch->blocks;
    for (int i = 0; i < scratch->count && opened; i++)
        opened = open_space_worker(engine, &scratch->workers[i], &scratch->blocks[i]);
    if (!opened)
        destroy_space_scratch(&scratch);
    return scratch;
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

static bool is_native_packed(const abbe_image *view)
{
    return core_is_packed(view) && core_native_type(view->type) == view->type;
}

static bool is_native_planar(const abbe_image *view)
{
    return core_is_planar(view) && core_native_type(view->type) == view->type;
}

static bool all_views_are(bool (*are)(const abbe_image *view), const struct work *work,
                          const abbe_image *source, const abbe_image *results)
{
    bool all = are(source);
    for (int r = 0; r < work->result_count && all; r++)
        all = are(&results[r]);
    return all;
}

/* Whether a run filters planes one by one. */
static bool runs_in_planes(const struct engine *engine, const abbe_image *source, const abbe_image *results)
{
    return engine->space->plane && !all_views_are(is_native_packed, engine->work, source, results) &&
           all_views_are(is_native_planar, engine->work, source, results);
}

bool cpu_space_takes_views(const struct engine *engine, const abbe_image *source, const abbe_image *results)
{
    return all_views_are(is_native_packed, engine->work, source, results) ||
           runs_in_planes(engine, source, results);
}

bool cpu_space_checks_finite(const struct engine *engine)
{
    return engine->work->source_type == ABBE_F32;
}

/* A search for nonfinite samples. */
struct finite_check {
    const struct space_kernels *kernels;
    const abbe_image *source;
    struct watcher *watcher;
    atomic_bool failed; /* a sample is not finite, or the run was stopped */
};

/* A pool_task over rows of the source. */
static void check_finite_rows(void *context, int worker, long long first, long long end)
{
    (void)worker;
    struct finite_check *check = context;
    size_t count = (size_t)check->source->width * check->source->channels;
    bool finite = true;
    for (int y = (int)first; y < end && finite; y++)
        finite = !check->failed && !cpu_watch_poll(check->watcher) &&
                 check->kernels->finite(core_row(check->source, y), count);
    if (!finite)
        check->failed = true;
}

static bool is_source_finite(const struct engine *engine, const abbe_image *source, struct watcher *watcher)
{
    enum { ROWS_AT_ONCE = 16 };
    struct finite_check check = { engine->space->kernels, source, watcher, false };
    pool_loop(engine->threads, source->height, ROWS_AT_ONCE, check_finite_rows, &check);
    return !check.failed;
}

/* One run over the units of a picture: every strip of every band, of every plane if there are several. */
struct units_run {
    struct space_scratch *scratch;
    long long units, plane_units; /* of all planes, and of each */
    const abbe_image *sources, *results;
    struct watcher *watcher;
};

/* A pool_task over units, from the last one back: the rows that were checked last are still in the cache. */
static void run_units(void *context, int number, long long first, long long end)
{
    const struct units_run *run = context;
    struct space_worker *worker = &run->scratch->workers[number];
    const struct work *work = worker->engine->work;
    const struct space_division *d = &worker->division;
    unsigned long mode = core_denormals_off();
    for (long long i = first; i < end && !cpu_watch_stopped(run->watcher); i++) {
        long long plane = (run->units - 1 - i) / run->plane_units,
                  unit = (run->units - 1 - i) % run->plane_units;
        int y = (int)(unit / d->strips) * d->band;
        worker->source = &run->sources[plane];
        worker->results = &run->results[plane * work->result_count];
        space_enter_strip(worker, (int)(unit % d->strips));
        space_filter_band(worker, y, work->height - y < d->band ? work->height - y : d->band);
        cpu_watch_advance(run->watcher);
    }
    core_denormals_restore(mode);
}

/* Filters one picture, or the planes of one as pictures of one channel, each with its results. */
static int run_pictures(const abbe_device *device, const struct engine *engine, const abbe_image *sources,
                        const abbe_image *results, struct watch *watch)
{
    const struct work *work = engine->work;
    int planes = engine->space->planes;
    struct space_division division = space_divide(work, planes);
    long long units = (long long)division.strips * division.bands;
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, planes * units);
    bool checks = work->nonfinite == ABBE_NONFINITE_ERROR && cpu_space_checks_finite(engine);
    for (int i = 0; i < planes && checks; i++)
        if (!is_source_finite(engine, &sources[i], &watcher))
            return cpu_watch_stopped(&watcher) ? ABBE_ERR_CANCELLED : ABBE_ERR_NONFINITE;
    struct space_scratch *scratch = atomic_exchange(&engine->space->idle, NULL);
    if (!scratch)
        scratch = create_space_scratch(engine);
    if (!scratch)
        return core_fail_memory(device);
    for (int i = 0; i < scratch->count; i++)
        scratch->workers[i].watcher = &watcher;
    struct units_run run = { scratch, planes * units, units, sources, results, &watcher };
    pool_loop(scratch->count, run.units, 1, run_units, &run);
    cpu_watch_pass(&watcher, abbe_method_name(work->method));
    struct space_scratch *none = NULL;
    if (!atomic_compare_exchange_strong(&engine->space->idle, &none, scratch))
        destroy_space_scratch(&scratch);
    return cpu_watch_stopped(&watcher) ? ABBE_ERR_CANCELLED : ABBE_OK;
}

int cpu_space_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct watch *watch)
{
    int planes = source->channels, count = engine->work->result_count;
    if (!runs_in_planes(engine, source, results))
        return run_pictures(device, engine, source, results, watch);
    abbe_image *views = core_alloc((size_t)planes * (1 + (size_t)count), sizeof *views);
    if (!views)
        return core_fail_memory(device);
    for (int c = 0; c < planes; c++) {
        views[c] = core_channel_view(source, c);
        for (int r = 0; r < count; r++)
            views[planes + c * count + r] = core_channel_view(&results[r], c);
    }
    int error = run_pictures(device, &engine->space->plane->engine, views, views + planes, watch);
    core_free(views);
    return error;
}
