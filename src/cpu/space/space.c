/* Convolution in space: preparing taps, dividing the picture, sharing it out among threads. */
#include "cpu/space/space.h"

#include "core/denormals.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/view.h"

#include <omp.h>
#include <string.h>

/* ---- How a picture is divided ------------------------------------------------------------------------- */

/* Floats of a worker's lines, which are to stay in the second-level cache, and samples of a strip that they are made
 * of; and rows of a band. More where a kernel reaches so far that a strip would be mostly border. */
enum { LINE_FLOATS = 9 << 14, STRIP_MOST = 1 << 14, STRIP_LEAST = 1 << 11, BAND_ROWS = 64 };

static bool has_levels(abbe_type type)
{
    return type == ABBE_U8 || type == ABBE_U16;
}

static bool has_alpha(const struct work *work)
{
    return work->alpha == ABBE_ALPHA_PREMULTIPLY;
}

/* The kernels' alpha is that of four channels, and filtered with them. */
static bool knows_alpha(const struct work *work)
{
    bool filtered = true;
    for (int r = 0; r < work->result_count; r++)
        filtered = filtered && work->results[r].alpha_gain != 0;
    return work->channels == 4 && filtered && work->offset == 0 && work->source_type != ABBE_F16 &&
           work->result_type != ABBE_F16;
}

static bool loads_plainly(const struct work *work)
{
    bool replaces = work->nonfinite == ABBE_NONFINITE_ZERO && !has_levels(work->source_type);
    return work->source_type != ABBE_F16 && !work->linear_light && !replaces &&
           (!has_alpha(work) || knows_alpha(work));
}

static bool stores_plainly(const struct work *work)
{
    return work->result_type != ABBE_F16 && !work->linear_light && work->offset == 0 &&
           (!has_alpha(work) || knows_alpha(work));
}

/* A border of 0.3 has no level among integers. */
static bool goes_straight(const struct work *work)
{
    bool stored = !has_levels(work->source_type) || work->border_value == 0;
    return work->method == ABBE_METHOD_SEPARABLE && loads_plainly(work) && stored && !has_alpha(work);
}

static bool has_magnitudes(const struct work *work)
{
    return work->filter_count > work->result_count;
}

bool space_takes_shorts(const struct work *work, const struct space_kernels *kernels)
{
    bool bytes = work->source_type == ABBE_U8 && work->result_type == ABBE_U8;
    bool within = work->border_value >= 0 && work->border_value <= 1;
    return kernels->short_load && bytes && within && loads_plainly(work) && stores_plainly(work) &&
           !has_alpha(work) && !has_magnitudes(work) &&
           (goes_straight(work) || work->method == ABBE_METHOD_DIRECT);
}

/* Pieces of at most `most`, nearly equal. */
static int piece_of(int total, long long most)
{
    int pieces = (int)((total - 1) / (most < 1 ? 1 : most)) + 1;
    return (total - 1) / pieces + 1;
}

static size_t row_pointers(const struct work *work)
{
    return (size_t)work->above + work->below + SPACE_ROWS;
}

struct space_division space_divide(const struct work *work)
{
    struct space_division d = { 0 };
    long long across = (long long)work->left + work->right, down = (long long)work->above + work->below;
    d.ring = goes_straight(work) ? 0 : (int)row_pointers(work);
    d.columns = work->method == ABBE_METHOD_SEPARABLE ? SPACE_ROWS : 0;
    d.sums = SPACE_ROWS * (has_magnitudes(work) ? 2 : 1);
    long long samples = LINE_FLOATS / ((long long)d.ring + d.columns + d.sums + 1);
    samples = samples < STRIP_LEAST ? STRIP_LEAST : samples > STRIP_MOST ? STRIP_MOST : samples;
    long long pixels = samples / work->channels;
    d.strip = piece_of(work->width, pixels > 2 * across ? pixels : 2 * across);
    d.strips = (work->width - 1) / d.strip + 1;
    d.band = down > BAND_ROWS ? (int)(down < work->height ? down : work->height) : BAND_ROWS;
    d.bands = (work->height - 1) / d.band + 1;
    size_t floats = ((size_t)d.strip + (size_t)across) * work->channels + SPACE_SLACK;
    d.line = (floats + SPACE_SLACK - 1) / SPACE_SLACK * SPACE_SLACK;
    return d;
}

/* ---- Preparing ---------------------------------------------------------------------------------------- */

int cpu_space_create(const abbe_device *device, struct engine *engine, const struct space_kernels *kernels)
{
    const struct work *work = engine->work;
    struct space *space = engine->space = core_alloc_zero(1, sizeof *space);
    if (!space)
        return core_fail_memory(device);
    space->kernels = kernels;
    space->plain_load = loads_plainly(work);
    space->plain_store = stores_plainly(work);
    space->straight = goes_straight(work);
    space->alpha = has_alpha(work) && knows_alpha(work);
    return space_lay_taps(engine) ? ABBE_OK : core_fail_memory(device);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

/* Workers, and behind each of them one block that holds all it needs. */
struct space_scratch {
    int count;
    struct space_worker *workers;
    void **blocks;
};

/* Bytes of each part of a worker's block, in its order, rounded to lines of the cache. */
enum part { EDGES, ROWS, RING, COLUMNS, SUMS, BEYOND, LINE, PARTS };

static void size_parts(const struct work *work, size_t *bytes)
{
    struct space_division d = space_divide(work);
    size_t line = d.line * sizeof(float);
    bytes[EDGES] = ((size_t)work->left + work->right) * sizeof(struct space_edge);
    bytes[ROWS] = row_pointers(work) * sizeof(void *);
    bytes[RING] = (size_t)d.ring * line;
    bytes[COLUMNS] = (size_t)d.columns * line;
    bytes[SUMS] = (size_t)d.sums * line;
    bytes[BEYOND] = d.ring ? 0 : line;
    bytes[LINE] = stores_plainly(work) ? 0 : line;
    for (int i = 0; i < PARTS; i++)
        bytes[i] = (bytes[i] + CORE_ALIGNMENT - 1) / CORE_ALIGNMENT * CORE_ALIGNMENT;
}

static double worker_bytes(const struct work *work)
{
    size_t bytes[PARTS];
    double sum = 0;
    size_parts(work, bytes);
    for (int i = 0; i < PARTS; i++)
        sum += (double)bytes[i];
    return sum;
}

static int count_workers(const struct work *work, int threads)
{
    struct space_division d = space_divide(work);
    long long units = (long long)d.strips * d.bands;
    return threads < units ? threads : (int)units;
}

/* A worker's block, and the taps that a plan lays out. */
struct footprint cpu_space_measure(const struct work *work, int threads)
{
    enum { BLOCKS = 3 };
    int workers = count_workers(work, threads);
    double each = worker_bytes(work) + sizeof(struct space_worker) + sizeof(void *), taps = 0;
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *whole = &work->filters[i].response.kernel, *factors = &work->filters[i].factors;
        taps += work->method == ABBE_METHOD_DIRECT ? (double)whole->width * whole->height * sizeof(double)
                                                   : 0;
        taps += space_taps_bytes(work->method == ABBE_METHOD_DIRECT ? whole : factors, work->method);
    }
    return (struct footprint){ .run = workers * each + sizeof(struct space_scratch) + BLOCKS * CORE_ALIGNMENT,
                               .plan = taps };
}

static void scratch_destroy(struct space_scratch **scratch)
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
    scratch_destroy(&idle);
    space_free_taps(gone);
    core_free(gone);
    *space = NULL;
}

/* A line of the outside pixel in the source's own type: zeros, or floats. */
static void lay_beyond(const struct engine *engine, size_t floats, float *line)
{
    size_t channels = (size_t)engine->work->channels;
    memset(line, 0, floats * sizeof *line);
    for (size_t i = 0; i < floats && engine->work->source_type == ABBE_F32; i++)
        line[i] = engine->space->outside.floats[i % channels];
}

static bool worker_open(const struct engine *engine, struct space_worker *worker, void **block)
{
    size_t bytes[PARTS], offset[PARTS], total = 0;
    size_parts(engine->work, bytes);
    for (int i = 0; i < PARTS; i++) {
        offset[i] = total;
        total += bytes[i];
    }
    char *memory = *block = core_alloc(total, 1);
    if (!memory)
        return false;
    worker->engine = engine;
    worker->division = space_divide(engine->work);
    worker->edges = (void *)(memory + offset[EDGES]);
    worker->rows = (void *)(memory + offset[ROWS]);
    worker->ring = (void *)(memory + offset[RING]);
    worker->columns = (void *)(memory + offset[COLUMNS]);
    worker->sums[0] = (void *)(memory + offset[SUMS]);
    worker->sums[1] = worker->sums[0] + SPACE_ROWS * worker->division.line;
    worker->beyond = (void *)(memory + offset[BEYOND]);
    worker->line = (void *)(memory + offset[LINE]);
    if (bytes[BEYOND])
        lay_beyond(engine, worker->division.line, worker->beyond);
    return true;
}

static struct space_scratch *scratch_create(const struct engine *engine)
{
    struct space_scratch *scratch = core_alloc_zero(1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->count = count_workers(engine->work, engine->threads);
    scratch->workers = core_alloc_zero((size_t)scratch->count, sizeof *scratch->workers);
    scratch->blocks = core_alloc_zero((size_t)scratch->count, sizeof *scratch->blocks);
    bool opened = scratch->workers && scratch->blocks;
    for (int i = 0; i < scratch->count && opened; i++)
        opened = worker_open(engine, &scratch->workers[i], &scratch->blocks[i]);
    if (!opened)
        scratch_destroy(&scratch);
    return scratch;
}

/* ---- Running ------------------------------------------------------------------------------------------ */

bool cpu_space_looks(const struct engine *engine)
{
    return engine->work->source_type == ABBE_F32;
}

static bool all_finite(const struct engine *engine, const abbe_image *source)
{
    size_t count = (size_t)source->width * source->channels;
    bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite) num_threads(engine->threads)
    for (int y = 0; y < source->height; y++)
        finite = finite && engine->space->kernels->finite(core_row(source, y), count);
    return finite;
}

/* Strips of bands, from the last one back: what was looked at last is still in the cache. */
static void run_units(struct space_scratch *scratch, struct watcher *watcher)
{
    const struct space_division d = scratch->workers->division;
    int height = scratch->workers->engine->work->height;
    long long units = (long long)d.strips * d.bands;
#pragma omp parallel num_threads(scratch->count)
    {
        struct space_worker *worker = &scratch->workers[omp_get_thread_num()];
        unsigned long mode = core_denormals_off();
#pragma omp for schedule(dynamic)
        for (long long i = 0; i < units; i++) {
            long long unit = units - 1 - i;
            int first = (int)(unit / d.strips) * d.band;
            space_enter_strip(worker, (int)(unit % d.strips));
            space_filter_band(worker, first, height - first < d.band ? height - first : d.band);
            cpu_watch_advance(watcher);
        }
        core_denormals_restore(mode);
    }
}

int cpu_space_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch)
{
    const struct work *work = engine->work;
    if (work->nonfinite == ABBE_NONFINITE_ERROR && cpu_space_looks(engine) && !all_finite(engine, source))
        return ABBE_ERR_NONFINITE;
    struct space_scratch *scratch = atomic_exchange(&engine->space->idle, NULL);
    if (!scratch)
        scratch = scratch_create(engine);
    if (!scratch)
        return core_fail_memory(device);
    for (int i = 0; i < scratch->count; i++) {
        scratch->workers[i].source = source;
        scratch->workers[i].results = results;
    }
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch,
                    (long long)scratch->workers->division.strips * scratch->workers->division.bands);
    run_units(scratch, &watcher);
    cpu_watch_pass(&watcher, abbe_method_name(work->method));
    struct space_scratch *none = NULL;
    if (!atomic_compare_exchange_strong(&engine->space->idle, &none, scratch))
        scratch_destroy(&scratch);
    return ABBE_OK;
}
