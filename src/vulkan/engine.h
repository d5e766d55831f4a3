/* Engines: what the device keeps for one work. */
#ifndef ABBE_VULKAN_ENGINE_H
#define ABBE_VULKAN_ENGINE_H

#include "device/taps.h"
#include "vulkan/geometry.h"

struct vk_scratch;

/* Pipelines for one kind of source and results. Index 1 of an array is for magnitudes of two components. */
struct vk_pipeline_set {
    bool from_image, to_image; /* the source is an image; the results are images */
    VkPipeline rows, columns, rows_back[2], direct[2], separable_rows, separable_columns[2], finish;
};

struct engine {
    struct engine *next; /* in the device's list */
    const struct work *work;
    struct vk_geometry geometry;
    bool real;           /* all spectra are real */
    unsigned generation; /* of the VkDevice that the following lies on */
    struct vk_buffer filters, tables, maps;
    float *sampled;                   /* copy of `filters` if a filter's callback must not be called again */
    uint32_t *maps_x, *maps_y;        /* index of each region's map in `maps` */
    struct tap_box *kernels;          /* in space: one for each result; their taps are at `filters` */
    struct vk_pipeline_set pipelines; /* for runs, whose pictures are buffers */
    bool has_pipelines;               /* `pipelines` is filled in */
    pthread_mutex_t lock;             /* guards `pipelines` and `scratch` */
    struct vk_scratch *scratch;       /* list: idle, and of runs in progress */
};

/* ---- engine.c ---- */

/* device_table.create and destroy */
int vk_engine_create(abbe_device *device, const struct work *work, struct engine **engine);
void vk_engine_destroy(abbe_device *device, struct engine *engine);

/* Releases everything that the engine has on the device. */
void vk_engine_empty(struct vk *vk, struct engine *engine);

/* Makes the engine ready for a run: fills it again if its VkDevice was replaced, and compiles the pipelines
 * of runs if they are missing. Errors: DEVICE, MEMORY. */
int vk_engine_prepare(struct vk *vk, struct engine *engine);

/* ---- pipelines.c ---- */

/* Fills in the pipelines of an engine for the kinds of pictures that the set
 * names. Errors: DEVICE, MEMORY. */
int vk_engine_pipelines(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set);

/* ---- tables.c: contents of the engine's buffers. Errors: DEVICE, MEMORY, NONFINITE (a gain) ---- */

int vk_spectra_create(struct vk *vk, struct engine *engine);
int vk_kernels_create(struct vk *vk, struct engine *engine);
int vk_twiddles_create(struct vk *vk, struct engine *engine);
int vk_maps_create(struct vk *vk, struct engine *engine);

#endif
