/* The CPU device: what its files share. */
#ifndef ABBE_CPU_CPU_H
#define ABBE_CPU_CPU_H

#include "core/border.h"
#include "core/level.h"
#include "device/device.h"

#include <stdatomic.h>

struct natural;

struct cpu {
    struct abbe_device head;
    enum core_level level;          /* of all kernels */
    _Atomic(struct natural *) idle; /* memory of a finished transform, for the next one of the same shape */
};

struct fourier;
struct fused;
struct fused_kernels;
struct pedestal;
struct plain;
struct plain_table;
struct space;
struct space_kernels;

/* ABBE_OK, an error, or ABBE_ERR_CANCELLED without a message. */
typedef int run_function(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                         const abbe_image *results, struct watch *watch);

struct engine {
    const struct work *work;
    int threads;
    run_function *run;
    /* The pixel beyond a ZERO or CONSTANT border, ready to filter. */
    float outside[ABBE_CHANNELS_MAX];
    double outside_f64[ABBE_CHANNELS_MAX];
    struct fourier *fourier; /* FFT and TILES: the head of `fused`, or that of the plain engine */
    struct fused *fused;
    const struct plain_table *plain_table; /* of the plain engine: */
    struct plain *plain;                   /* FFT and TILES; NULL where `fused` does the work */
    struct space *space; /* DIRECT and SEPARABLE; NULL for the plain loops, which need no preparation */
};

/* Whether a work computes in double. */
static inline bool cpu_is_double(const struct work *work)
{
    return work->precision == ABBE_PRECISION_DOUBLE;
}

/* Bytes of a number of intermediate data. */
static inline size_t cpu_real_bytes(const struct work *work)
{
    return cpu_is_double(work) ? sizeof(double) : sizeof(float);
}

/* ---- pixels_tmpl.h: between stored rows and rows of floats, or doubles, ready to filter ---- */

/* Loads pixels x … x + count − 1 of row y: converts them to float, replaces non-finite samples if the work
 * asks for it, decodes linear light, multiplies by alpha. */
void cpu_load_pixels(const struct work *work, const abbe_image *source, int x, int y, int count, float *row);
void cpu_load_pixels_f64(const struct work *work, const abbe_image *source, int x, int y, int count,
                         double *row);

/* Loads row y of the picture (−1: the outside) through map x, as interleaved floats. `pedestal` may be NULL;
 * `line` is scratch for one row of the picture. */
void cpu_gather_row(const struct engine *engine, const abbe_image *source, const struct pedestal *pedestal,
                    const struct border_map *x, int y, float *line, float *row);
void cpu_gather_row_f64(const struct engine *engine, const abbe_image *source,
                        const struct pedestal *pedestal, const struct border_map *x, int y, double *line,
                        double *row);

/* `count` pixels from x on in row y of a picture and of its results. */
struct pixel_row {
    const abbe_image *source, *results;
    int x, y, count;
};

/* What is added to each channel of result r: the offset, and the filtered pedestal. Returns whether any of
 * it is not 0. */
bool cpu_result_offsets(const struct work *work, const struct pedestal *pedestal, int r, double *offsets);

/* Stores a row of result r: divides by alpha, encodes, adds the offset and the filtered pedestal, converts.
 * `pedestal` may be NULL. Clobbers `row`. Where the filter has no gain for alpha, the result takes alpha
 * from the source; `line` is scratch of `count` pixels for that. */
void cpu_store_pixels(const struct work *work, const struct pedestal *pedestal, int r,
                      const struct pixel_row *where, float *row, float *line);
void cpu_store_pixels_f64(const struct work *work, const struct pedestal *pedestal, int r,
                          const struct pixel_row *where, double *row, double *line);

/* a = √(a² + b²); squares neither overflow nor vanish. */
void cpu_magnitude(float *a, const float *b, size_t count);
void cpu_magnitude_f64(double *a, const double *b, size_t count);

/* The outside pixel, treated like a loaded one. */
void cpu_outside_pixel(const struct work *work, float *pixel);
void cpu_outside_pixel_f64(const struct work *work, double *pixel);

/* ---- space/: direct and separable convolution, by vector kernels ---- */

struct footprint cpu_space_footprint(const struct work *work, int threads);
/* Fills engine->space; cpu_space_destroy must follow in any case. */
int cpu_space_create(const abbe_device *device, struct engine *engine, const struct space_kernels *kernels);
void cpu_space_destroy(struct space **space);
/* Whether every sample is checked before any result is written. */
bool cpu_space_checks_finite(const struct engine *engine);
/* Whether views can be read and written where they lie: packed pixels, or planes that do not depend on each
 * other, of native types. */
bool cpu_space_takes_views(const struct engine *engine, const abbe_image *source, const abbe_image *results);
run_function cpu_space_run;

/* ---- fused/: transforms of the whole picture or of tiles, by vector kernels ---- */

struct footprint cpu_fused_footprint(const struct work *work, const struct fused_kernels *kernels,
                                     int threads);
/* Fills engine->fused; cpu_fused_destroy must follow in any case. */
int cpu_fused_create(const abbe_device *device, struct engine *engine, const struct fused_kernels *kernels);
/* As device_table.resample. */
int cpu_fused_resample(const abbe_device *device, const struct engine *engine, int filter,
                       struct frequency_span span);
void cpu_fused_destroy(struct engine *engine);
/* Whether every sample is checked before any result is written. */
bool cpu_fused_checks_finite(const struct engine *engine, const abbe_image *source);

/* fused/spectrum.c: the functions of these names in struct device_table. */
void cpu_natural_destroy(struct natural **natural);
int cpu_spectrum_forward(abbe_device *device, const abbe_image *source, const abbe_image *packed);
int cpu_spectrum_inverse(abbe_device *device, const abbe_image *packed, const abbe_image *result);
int cpu_fft(abbe_device *device, bool inverse, const abbe_image *in, const abbe_image *out);

#endif
