/* The CPU device: what its files share. */
#ifndef ABBE_CPU_CPU_H
#define ABBE_CPU_CPU_H

#include "core/level.h"
#include "device/device.h"

#include <stdatomic.h>

/* The device, and the level its kernels are taken from. */
struct cpu {
    struct abbe_device head;
    enum core_level level;
};

struct fused;
struct fused_kernels;
struct plain;
struct space;
struct space_kernels;

struct engine {
    const struct work *work;
    int threads;
    float outside[ABBE_CHANNELS_MAX]; /* the pixel beyond a ZERO or CONSTANT border, ready to filter */
    struct fused *fused;              /* FFT and TILES, either this */
    struct plain *plain;              /* or, for lengths it does not take, this */
    struct space *space;              /* DIRECT and SEPARABLE; without any of the three, in plain loops */
};

/* ---- pixels.c: between stored rows and rows of floats ready to filter ---- */

/* Pixels x … x + count − 1 of row y: to float, non-finite samples replaced when the work says so, decoded to
 * linear light, alpha multiplied in. */
void cpu_load_pixels(const struct work *work, const abbe_image *source, int x, int y, int count, float *row);

/* The way back of result r: alpha divided out, encoded, offset, converted. Clobbers row. `source` is asked for its
 * alpha when the result's cannot be filtered; `line` is scratch of count pixels for that. */
void cpu_store_pixels(const struct work *work, int r, float *row, const abbe_image *source,
                      const abbe_image *result, int x, int y, int count, float *line);

/* a = √(a² + b²), without losing small or large numbers on the way. */
void cpu_magnitude(float *a, const float *b, size_t count);

/* The border's pixel through the same treatment as a loaded one. */
void cpu_outside_pixel(const struct work *work, float *pixel);

/* ---- gather.c: rows with their border ---- */

/* The pixels that coordinates first … first + count − 1 stand for, along one axis. */
struct window {
    int count;
    int *index;    /* count entries, −1 where the outside pixel stands */
    int low, high; /* the range of indices that occur; low > high when none does */
};

/* Fills a window whose index array the caller owns. */
void cpu_window(abbe_border border, long long first, int count, int pixels, struct window *window);

/* One row of the window as interleaved floats: row `y` of the picture (−1: outside) through window x.
 * `line` is scratch for one picture row of floats. */
void cpu_gather_row(const struct engine *engine, const abbe_image *source, const struct window *x, int y,
                    float *line, float *row);

/* Windows of the Fourier plane: one shares its rows and columns among the threads; many are shared out whole. */
struct sharing {
    long long across, windows; /* windows in a row, and in all */
    int fields, workers;       /* windows at once, and threads in each */
};

static inline struct sharing cpu_share_out(const struct work *work, int threads)
{
    long long across = (work->width - 1) / work->x.step + 1, down = (work->height - 1) / work->y.step + 1;
    int fields = across * down < threads ? (int)(across * down) : threads;
    return (struct sharing){ across, across * down, fields, fields > 1 ? 1 : threads };
}

/* ---- watch.c: progress and pass times of one run; a NULL watcher watches nothing ---- */

struct watcher {
    abbe_watch *watch; /* NULL: nobody watches */
    long long total;   /* units of work in the run */
    atomic_llong done;
    double since; /* when the pass at hand began */
};

void cpu_watch_begin(struct watcher *watcher, abbe_watch *watch, long long total);

/* One unit is done; from any thread of the outermost team, the first of which tells the caller. */
void cpu_watch_advance(struct watcher *watcher);

/* A pass of that name ends; passes of one name are added up. */
void cpu_watch_pass(struct watcher *watcher, const char *name);

/* ---- space/: direct and separable convolution, by vector kernels ---- */

struct footprint cpu_space_measure(const struct work *work, int threads);
/* Fills engine->space; cpu_space_destroy must follow in any case. */
int cpu_space_create(const abbe_device *device, struct engine *engine, const struct space_kernels *kernels);
void cpu_space_destroy(struct space **space);
/* Whether every sample is looked at before any result is written. */
bool cpu_space_looks(const struct engine *engine);
int cpu_space_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch);

/* ---- fused/: transforms of the whole picture or of tiles, by vector kernels ---- */

struct footprint cpu_fused_measure(const struct work *work, const struct fused_kernels *kernels, int threads);
/* Fills engine->fused; cpu_fused_destroy must follow in any case. */
int cpu_fused_create(const abbe_device *device, struct engine *engine, const struct fused_kernels *kernels);
void cpu_fused_destroy(struct engine *engine);
/* Whether every sample is looked at before any result is written. */
bool cpu_fused_looks(const struct engine *engine);
int cpu_fused_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch);

/* ---- plain/: the same in portable C, for any length ---- */

struct footprint cpu_plain_measure(const struct work *work, int threads);
/* Fills engine->plain; cpu_plain_destroy must follow in any case. */
int cpu_plain_create(const abbe_device *device, struct engine *engine);
void cpu_plain_destroy(struct engine *engine);
int cpu_plain_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch);

/* Convolution in space in portable C, CPU_BAND rows of results at a time. */
enum { CPU_BAND = 64 };

struct footprint cpu_plain_space_measure(const struct work *work, int threads);
int cpu_plain_space_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                        const abbe_image *results, abbe_watch *watch);

#endif
