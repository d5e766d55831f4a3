/* Runs: scratch, launches, copies. */
#ifndef ABBE_CUDA_RUN_H
#define ABBE_CUDA_RUN_H

#include "cuda/engine.h"
#include "device/pedestal.h"

/* ---- scratch.c: what one run at a time needs. The context is current in all of these ---- */

enum { CUDA_TIMES_MAX = 256, CUDA_PARTS_MAX = 8 };

/* Memory of the host that the GPU copies from and to. */
struct cuda_pinned {
    void *bytes;
    size_t count;
};

struct cuda_scratch {
    struct cuda_scratch *next; /* in the engine's list */
    bool busy;                 /* a run uses it */
    cuda_stream stream;
    cuda_event parts[CUDA_PARTS_MAX]; /* each after a part of the results was downloaded */
    cuda_event times[CUDA_TIMES_MAX]; /* between passes; created when they are first needed */
    struct cuda_buffer source, result, grid, back, wide;
    struct cuda_pinned upload, download;
};

/* Takes an idle scratch of the engine, or a new one. cuda_scratch_return or cuda_scratch_drop must follow.
 * Errors: DEVICE, MEMORY. */
int cuda_scratch_take(struct cuda *cuda, struct engine *engine, struct cuda_scratch **scratch);
void cuda_scratch_return(struct engine *engine, struct cuda_scratch *scratch);

/* Waits for a scratch that a failed run leaves in an unknown state, and destroys it. */
void cuda_scratch_drop(const struct cuda *cuda, struct engine *engine, struct cuda_scratch *scratch);

/* ---- record.c: launches of a region ---- */

/* A picture in the GPU's memory. */
struct cuda_place {
    cuda_pointer first; /* its first sample */
    struct abcu_strides strides;
};

/* One region while it is filtered. */
struct cuda_recording {
    struct cuda *cuda;
    const struct engine *engine;
    const struct cuda_kernels *kernels;
    struct cuda_scratch *scratch;
    cuda_stream stream;
    struct cuda_place source, result; /* `result` is the first; the others lie behind it */
    size_t result_bytes;              /* from one result to the next */
    const struct cuda_place *results; /* or NULL: where each lies instead */
    cuda_pointer grid, back, wide;
    struct region_span x, y;
    struct pedestal pedestal; /* of runs */
    struct abcu_params params;
    int failure; /* cuda_result of the first launch that failed */
    bool timed;
    int times;                         /* events recorded */
    const char *names[CUDA_TIMES_MAX]; /* pass that ended at each event; NULL for the first */
};

/* What runs of an engine read and store: the device's own buffers. */
struct cuda_pictures cuda_own_pictures(const struct engine *engine);

/* Where the pictures of a recording's region lie in its scratch, and its grids. */
void cuda_place_in_scratch(struct cuda_recording *recording);

/* Sets the spans and parameters of a region. */
void cuda_place_region(struct cuda_recording *recording, int column, int row);

/* Launches the passes of the region on the recording's stream. Returns a cuda_result. */
int cuda_record_passes(struct cuda_recording *recording);

/* ---- run.c: device_table.run, submit and wait ---- */

int cuda_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
             const abbe_image *results, struct watch *watch);
int cuda_run_submit(abbe_device *device, const struct engine *engine, const abbe_image *source,
                    const abbe_image *results, struct job **job);
int cuda_run_wait(abbe_device *device, struct job *job);

#endif
