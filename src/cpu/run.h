/* One run of a plan on the CPU: the windows of the Fourier engines, and progress.
 *
 * A window is the rectangle of coordinates, border included, that one transform reads: the whole picture or a
 * tile. The fused and the plain engine differ in what they do to a window; which windows there are, their
 * memory and the order in which they run is the same. */
#ifndef ABBE_CPU_RUN_H
#define ABBE_CPU_RUN_H

#include "core/border.h"
#include "cpu/cpu.h"
#include "device/pedestal.h"

#include <stdatomic.h>

/* Progress and pass times of one run. Functions accept NULL for a watcher and then do nothing. */
struct watcher {
    struct watch *watch; /* NULL: the caller does not watch */
    const void *caller;  /* pool_thread of the thread that runs the plan: it alone calls the application */
    long long total;     /* units of work in the run */
    atomic_llong done;
    atomic_bool stopped; /* the application has stopped the run */
    bool in_tiles;       /* windows run side by side: the passes of one are not timed */
    double since;        /* when the current pass began */
};

/* Begins a run of `total` units. */
void cpu_watch_begin(struct watcher *watcher, struct watch *watch, long long total);

/* Counts one finished unit and calls the application. Any thread of the run may call it. */
void cpu_watch_advance(struct watcher *watcher);

/* Calls the application within a unit, which may take long. Returns cpu_watch_stopped. */
bool cpu_watch_poll(struct watcher *watcher);

/* Touches the pages of a new grid one after the other, in a run that can be stopped. The first row would
 * touch all of them: with huge pages, a row goes through every page. */
void cpu_watch_touch(struct watcher *watcher, void *grid, size_t bytes);

/* Whether the application has stopped the run. Loops skip their remaining units then. */
static inline bool cpu_watch_stopped(const struct watcher *watcher)
{
    return watcher && atomic_load_explicit(&watcher->stopped, memory_order_relaxed);
}

/* Ends the pass of that name; the times of passes with the same name are added up. */
void cpu_watch_pass(struct watcher *watcher, const char *name);

/* Entries of x.index behind the last column, with which vectors are completed. */
enum { CPU_INDEX_PADDING = 16 };

/* One window on its way through the passes. The engines append their own memory. */
struct window {
    const struct engine *engine;
    const abbe_image *source, *results;
    const struct pedestal *pedestal; /* of the run */
    int first_x, first_y;            /* the window's first result */
    int width, height;               /* its results */
    struct border_map x, y;          /* the pixels that its columns and rows stand for */
    void *first_component;           /* of a gradient magnitude: the window's results as floats or doubles */
    int worker_count;
    struct watcher *watcher; /* of the run */
};

/* What a Fourier engine does with windows. */
struct window_table {
    size_t size; /* of the engine's struct, which begins with a struct window */
    /* Allocates what the engine needs beyond the struct window; false without memory. `close` must follow in
     * any case. */
    bool (*open)(struct window *window);
    void (*close)(struct window *window);
    /* ABBE_OK, or ABBE_ERR_NONFINITE before anything is written, if the engine checks samples. */
    int (*run)(struct window *window);
    /* Units of progress in a window that is the whole picture, at least as many as `run` counts. */
    long long (*count_progress)(const struct engine *engine);
};

/* One window divides its rows and columns among the threads; several windows run side by side, one thread
 * each. */
struct window_division {
    long long across, total; /* windows in a row of them, and in all */
    int at_once, workers;    /* windows that run at the same time, and threads in each */
};

/* The windows of a work on `threads` threads. */
struct window_division cpu_divide(const struct work *work, int threads);

/* The head of struct fused and struct plain. */
struct fourier {
    const struct window_table *table;
    struct spectrum *spectra;       /* one per filter */
    _Atomic(struct windows *) idle; /* memory of a finished run, for the next one */
};

void cpu_windows_destroy(struct windows **windows);

/* engine->run of both Fourier engines. */
run_function cpu_run_windows;

/* pixels_tmpl.h: stores row y of a window's result r from interleaved numbers, which are clobbered. The first
 * component (0) of a magnitude is kept until the second (1) arrives. `line` is scratch for a row of the
 * picture. */
void cpu_store_row(const struct window *window, int r, int component, int y, float *row, float *line);
void cpu_store_row_f64(const struct window *window, int r, int component, int y, double *row, double *line);

/* The device's run: calls engine->run. A result that is the source is written apart and copied at the end,
 * unless the method reads the whole source first and cannot be stopped later. */
int cpu_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
            const abbe_image *results, struct watch *watch);

#endif
