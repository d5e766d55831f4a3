/* One run of a plan on the CPU: in-place pictures, windows of the Fourier engines, progress. */
#include "cpu/run.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "core/pool.h"
#include "core/view.h"

#include <string.h>

/* ---- Progress ----------------------------------------------------------------------------------------- */

void cpu_watch_begin(struct watcher *watcher, struct watch *watch, long long total)
{
    watcher->watch = watch;
    watcher->caller = pool_thread();
    watcher->total = total;
    atomic_init(&watcher->done, 0);
    atomic_init(&watcher->stopped, false);
    watcher->in_tiles = false;
    watcher->since = watch ? core_seconds() : 0;
}

/* Adds units and calls the application, which is not called again after it has stopped the run. */
static void report_units(struct watcher *watcher, int units)
{
    if (!watcher || !watcher->watch || !watcher->watch->progress)
        return;
    long long done = atomic_fetch_add_explicit(&watcher->done, units, memory_order_relaxed) + units;
    double share = (double)done / (double)watcher->total;
    if (pool_thread() == watcher->caller && !cpu_watch_stopped(watcher) &&
        device_report(watcher->watch, share < 1 ? share : 1))
        atomic_store_explicit(&watcher->stopped, true, memory_order_relaxed);
}

void cpu_watch_advance(struct watcher *watcher)
{
    report_units(watcher, 1);
}

bool cpu_watch_poll(struct watcher *watcher)
{
    report_units(watcher, 0);
    return cpu_watch_stopped(watcher);
}

void cpu_watch_touch(struct watcher *watcher, void *grid, size_t bytes)
{
    enum { PAGE = 4096, HUGE_PAGE = 1 << 21 };
    volatile char *pages = grid;
    if (!watcher || !watcher->watch || !watcher->watch->progress)
        return;
    for (size_t i = 0; i < bytes; i += PAGE) {
        if (i % HUGE_PAGE == 0 && cpu_watch_poll(watcher))
            return;
        pages[i] = 0;
    }
}

void cpu_watch_pass(struct watcher *watcher, const char *name)
{
    struct watch *watch = watcher ? watcher->watch : NULL;
    if (!watch || watcher->in_tiles)
        return;
    double now = core_seconds();
    int i = 0;
    while (i < watch->times.pass_count && strcmp(watch->times.passes[i].name, name))
        i++;
    if (i == watch->times.pass_count) {
        watch->times.passes[i] = (abbe_pass){ name, 0 };
        watch->times.pass_count++;
    }
    watch->times.passes[i].seconds += now - watcher->since;
    watcher->since = now;
}

/* ---- Windows ------------------------------------------------------------------------------------------ */

/* The memory of the windows that run at the same time. */
struct windows {
    const struct window_table *table;
    int count;
    char *data; /* `count` structs of table->size */
};

static struct window *window_at(const struct windows *windows, int i)
{
    return (struct window *)(windows->data + (size_t)i * windows->table->size);
}

struct window_division cpu_divide(const struct work *work, int threads)
{
    long long across = (work->width - 1) / work->x.step + 1, down = (work->height - 1) / work->y.step + 1;
    int at_once = across * down < threads ? (int)(across * down) : threads;
    return (struct window_division){ across, across * down, at_once, at_once > 1 ? 1 : threads };
}

void cpu_windows_destroy(struct windows **address)
{
    struct windows *windows = *address;
    if (!windows)
        return;
    for (int i = 0; i < windows->count && windows->data; i++) {
        struct window *window = window_at(windows, i);
        windows->table->close(window);
        core_free(window->first_component);
        core_free(window->x.index);
        core_free(window->y.index);
    }
    core_free(windows->data);
    core_free(windows);
    *address = NULL;
}

static bool open_window(const struct engine *engine, int workers, struct watcher *watcher,
                        struct window *window)
{
    const struct work *work = engine->work;
    bool magnitudes = work->filter_count > work->result_count;
    window->engine = engine;
    window->worker_count = workers;
    window->watcher = watcher;
    window->x.index = core_alloc((size_t)work->x.length + CPU_INDEX_PADDING, sizeof(int));
    window->y.index = core_alloc((size_t)work->y.length, sizeof(int));
    window->first_component = core_alloc(magnitudes ? (size_t)work->y.step : 0,
                                         (size_t)work->x.step * work->channels * cpu_real_bytes(work));
    return window->x.index && window->y.index && window->first_component &&
           engine->fourier->table->open(window);
}

/* NULL without memory. Every struct window has its engine before the first is opened: `close` reads it. */
static struct windows *create_windows(const struct engine *engine, const struct window_division *division,
                                      struct watcher *watcher)
{
    struct windows *windows = core_alloc_zero(1, sizeof *windows);
    if (!windows)
        return NULL;
    windows->table = engine->fourier->table;
    windows->count = division->at_once;
    windows->data = core_alloc_zero((size_t)windows->count, windows->table->size);
    bool opened = windows->data != NULL;
    for (int i = 0; i < windows->count && windows->data; i++)
        window_at(windows, i)->engine = engine;
    for (int i = 0; i < windows->count && opened; i++)
        opened = open_window(engine, division->workers, watcher, window_at(windows, i));
    if (!opened)
        cpu_windows_destroy(&windows);
    return windows;
}

/* Moves a window to its first result and finds the pixels that it reads. */
static void place_window(struct window *window, int first_x, int first_y)
{
    const struct work *work = window->engine->work;
    window->first_x = first_x;
    window->first_y = first_y;
    window->width = work->width - first_x < work->x.step ? work->width - first_x : work->x.step;
    window->height = work->height - first_y < work->y.step ? work->height - first_y : work->y.step;
    core_border_map(work->border, (long long)first_x - work->x.before, work->x.length, work->width,
                    &window->x);
    core_border_map(work->border, (long long)first_y - work->y.before, work->y.length, work->height,
                    &window->y);
}

/* One run in tiles. */
struct tiles_run {
    const struct windows *windows;
    const struct window_division *division;
    struct watcher *watcher;
};

/* A pool_task over tiles. */
static void run_tiles(void *context, int worker, long long first, long long end)
{
    const struct tiles_run *run = context;
    struct window *window = window_at(run->windows, worker);
    const struct work *work = window->engine->work;
    window->watcher = run->watcher;
    for (long long i = first; i < end && !cpu_watch_stopped(run->watcher); i++) {
        place_window(window, (int)(i % run->division->across) * work->x.step,
                     (int)(i / run->division->across) * work->y.step);
        run->windows->table->run(window);
    }
}

int cpu_run_windows(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                    const abbe_image *results, struct watch *watch)
{
    struct fourier *fourier = engine->fourier;
    struct window_division division = cpu_divide(engine->work, engine->threads);
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, division.total * fourier->table->count_progress(engine));
    struct windows *windows = atomic_exchange(&fourier->idle, NULL);
    if (!windows)
        windows = create_windows(engine, &division, &watcher);
    if (!windows)
        return core_fail_memory(device);
    struct pedestal pedestal;
    pedestal_find(engine->work, source, &pedestal);
    for (int i = 0; i < windows->count; i++) {
        window_at(windows, i)->source = source;
        window_at(windows, i)->results = results;
        window_at(windows, i)->pedestal = &pedestal;
    }
    bool tiles = division.total > 1;
    int error = ABBE_OK;
    if (tiles) {
        struct tiles_run run = { windows, &division, &watcher };
        watcher.in_tiles = true;
        pool_loop(windows->count, division.total, 1, run_tiles, &run);
        watcher.in_tiles = false;
        cpu_watch_pass(&watcher, "tiles");
    } else {
        struct window *whole = window_at(windows, 0);
        whole->watcher = &watcher;
        place_window(whole, 0, 0);
        error = fourier->table->run(whole);
    }
    struct windows *none = NULL;
    if (!atomic_compare_exchange_strong(&fourier->idle, &none, windows))
        cpu_windows_destroy(&windows);
    return cpu_watch_stopped(&watcher) ? ABBE_ERR_CANCELLED : error;
}

/* ---- A run -------------------------------------------------------------------------------------------- */

/* Whether a later result reads the source's alpha after an earlier result was stored. */
static bool rereads_alpha(const struct work *work)
{
    for (int i = 1; i < work->result_count && work->alpha == ABBE_ALPHA_PREMULTIPLY; i++)
        if (work->results[i].alpha_gain == 0)
            return true;
    return false;
}

/* The result that is the source itself; −1 when there is none. */
static int find_own_result(const struct work *work, const abbe_image *source, const abbe_image *results)
{
    for (int i = 0; i < work->result_count; i++)
        if (core_overlap(source, &results[i]) == CORE_SAME)
            return i;
    return -1;
}

/* Calls engine->run, then the application, which may stop the run for the last time. */
static int run_engine(abbe_device *device, const struct engine *engine, const abbe_image *source,
                      const abbe_image *results, struct watch *watch)
{
    int error = engine->run(device, engine, source, results, watch);
    return !error && device_report(watch, 1) ? ABBE_ERR_CANCELLED : error;
}

/* A run whose result `own` is the source. That result is written apart and copied over the source at the end,
 * so that no pixel is read after it was replaced, and a run that fails or is stopped leaves the source. */
static int run_in_place(abbe_device *device, const struct engine *engine, const abbe_image *source,
                        const abbe_image *results, int own, struct watch *watch)
{
    size_t count = (size_t)engine->work->result_count;
    abbe_image apart = { 0 }, *views = core_alloc(count, sizeof *views);
    bool allocated = views && core_alloc_alike(source, &apart);
    int error = allocated ? ABBE_OK : core_fail_memory(device);
    if (allocated) {
        memcpy(views, results, count * sizeof *views);
        views[own] = apart;
        error = run_engine(device, engine, source, views, watch);
    }
    if (!error)
        core_copy_picture(&apart, source);
    core_free(apart.data);
    core_free(views);
    return error;
}

/* A copy of a whole picture between a view and packed memory. */
struct picture_copy {
    const abbe_image *view, *packed;
    bool back; /* from packed memory to the view */
    const struct watch *watch;
    atomic_bool stopped;
};

/* A pool_task over rows. The calling thread asks the application whether to stop. */
static void copy_picture_rows(void *context, int worker, long long first, long long end)
{
    struct picture_copy *copy = context;
    int width = copy->view->width;
    for (int y = (int)first; y < end && !copy->stopped; y++) {
        if (worker == 0 && device_report(copy->watch, 0))
            copy->stopped = true;
        else if (copy->back)
            core_unpack_pixels(copy->view, 0, y, width, NULL, core_row(copy->packed, y));
        else
            core_pack_pixels(copy->view, 0, y, width, NULL, core_row(copy->packed, y));
    }
}

/* ABBE_OK or ABBE_ERR_CANCELLED. */
static int pack_picture(const struct engine *engine, const abbe_image *view, const abbe_image *packed,
                        const struct watch *watch)
{
    enum { ROWS_AT_ONCE = 16 };
    struct picture_copy copy = { .view = view, .packed = packed, .watch = watch };
    pool_loop(engine->threads, view->height, ROWS_AT_ONCE, copy_picture_rows, &copy);
    return copy.stopped ? ABBE_ERR_CANCELLED : ABBE_OK;
}

static void unpack_picture(const struct engine *engine, const abbe_image *packed, const abbe_image *view)
{
    enum { ROWS_AT_ONCE = 16 };
    struct picture_copy copy = { .view = view, .packed = packed, .back = true };
    pool_loop(engine->threads, view->height, ROWS_AT_ONCE, copy_picture_rows, &copy);
}

/* Runs on packed copies of the source and of every result. */
static int run_on_copies(abbe_device *device, const struct engine *engine, const abbe_image *source,
                         const abbe_image *results, struct watch *watch)
{
    int count = engine->work->result_count, error = ABBE_ERR_MEMORY;
    abbe_image *copies = core_alloc_zero((size_t)count + 1, sizeof *copies), *first = copies + 1;
    bool allocated = copies && core_alloc_picture(source, engine->work->source_type, copies);
    for (int r = 0; r < count && allocated; r++)
        allocated = core_alloc_picture(&results[r], engine->work->result_type, &first[r]);
    if (allocated) {
        error = pack_picture(engine, source, copies, watch);
        if (!error)
            error = run_engine(device, engine, copies, first, watch);
    } else {
        core_fail_memory(device);
    }
    for (int r = 0; r < count && !error; r++)
        unpack_picture(engine, &first[r], &results[r]);
    for (int i = 0; copies && i <= count; i++)
        core_free(copies[i].data);
    core_free(copies);
    return error;
}

int cpu_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
            const abbe_image *results, struct watch *watch)
{
    if (engine->space && !cpu_space_takes_views(engine, source, results))
        return run_on_copies(device, engine, source, results, watch);
    /* The FFT of a whole picture reads all of it before it writes. */
    bool reads_first = engine->work->method == ABBE_METHOD_FFT && !rereads_alpha(engine->work);
    bool may_stop = watch && watch->progress;
    int own = reads_first && !may_stop ? -1 : find_own_result(engine->work, source, results);
    return own < 0 ? run_engine(device, engine, source, results, watch)
                   : run_in_place(device, engine, source, results, own, watch);
}
