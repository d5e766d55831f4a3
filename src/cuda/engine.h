/* Engines: what the device keeps for one work. */
#ifndef ABBE_CUDA_ENGINE_H
#define ABBE_CUDA_ENGINE_H

#include "cuda/kernels.h"
#include "device/taps.h"

struct cuda_scratch;

/* Kernels of a work for pictures of one kind; NULL where the work does not use them. Index 1 of an array is
 * for magnitudes of two components. */
struct cuda_kernels {
    const struct cuda_kernel *rows, *columns, *rows_back[2], *direct[2], *separable_rows,
        *separable_columns[2], *finish;
};

struct engine {
    const struct work *work;
    struct cuda_geometry geometry;
    bool real; /* all spectra are real */
    struct cuda_buffer filters, tables, maps;
    uint32_t *maps_x, *maps_y;    /* index of each region's map in `maps` */
    struct tap_box *kernels;      /* in space: one for each result; their taps are at `filters` */
    struct cuda_kernels run;      /* for runs, whose pictures are the device's own */
    pthread_mutex_t lock;         /* guards `scratch` */
    struct cuda_scratch *scratch; /* list: idle, and of runs in progress */
};

/* ---- engine.c ---- */

/* device_table.preparation, create and destroy */
double cuda_preparation(abbe_device *device, const struct work *work);
int cuda_engine_create(abbe_device *device, const struct work *work, struct engine **engine);
void cuda_engine_destroy(abbe_device *device, struct engine *engine);

/* Compiles the kernels of a work for pictures of that kind. Errors: DEVICE, MEMORY. */
int cuda_engine_kernels(struct cuda *cuda, const struct engine *engine, const struct cuda_pictures *pictures,
                        struct cuda_kernels *kernels);

/* ---- tables.c: contents of the engine's buffers. Errors: DEVICE, MEMORY, NONFINITE (a gain) ---- */

int cuda_spectra_create(struct cuda *cuda, struct engine *engine);
int cuda_taps_create(struct cuda *cuda, struct engine *engine);
int cuda_twiddles_create(struct cuda *cuda, struct engine *engine);
int cuda_maps_create(struct cuda *cuda, struct engine *engine);

#endif
