/* Runs: scratch, recorded commands, queues. */
#ifndef ABBE_VULKAN_RUN_H
#define ABBE_VULKAN_RUN_H

#include "device/pedestal.h"
#include "vulkan/engine.h"

/* ---- scratch.c: what one run at a time needs ---- */

enum { ABVK_TIMES_MAX = 256 };

/* Command buffers of the copy queues, and the semaphores between them and the passes. Created by the first
 * job that uses copy queues. */
struct vk_copies {
    VkCommandPool pool;
    VkCommandBuffer commands[2]; /* upload, download */
    VkSemaphore uploaded, computed;
};

struct vk_scratch {
    struct vk_scratch *next; /* in the engine's list */
    bool busy;               /* a run uses it */
    bool orphan;             /* its VkDevice was lost: everything in it is gone, and it is in no list */
    VkCommandPool pool;
    VkCommandBuffer commands;
    struct vk_copies copies;
    VkFence fence;
    VkDescriptorPool descriptors;
    VkDescriptorSet set;
    VkQueryPool times;
    struct vk_buffer source, result, grid, back, wide, upload, download;
};

/* Takes an idle scratch of the engine, or a new one. vk_scratch_return or vk_scratch_drop must follow.
 * Errors: DEVICE, MEMORY. */
int vk_scratch_take(struct vk *vk, struct engine *engine, struct vk_scratch **scratch);
void vk_scratch_return(struct engine *engine, struct vk_scratch *scratch);

/* Destroys a scratch that a failed run leaves in an unknown state. */
void vk_scratch_drop(const struct vk *vk, struct engine *engine, struct vk_scratch *scratch);

/* Destroys a scratch that is in no list. */
void vk_scratch_destroy(const struct vk *vk, struct vk_scratch *scratch);

/* Releases every scratch of an engine. A run in progress keeps its struct, marked as orphan, and frees it. */
void vk_scratch_abandon(const struct vk *vk, struct engine *engine);

/* Creates a pool for `count` descriptor sets, and a set, which is freed with its pool. */
VkResult vk_pool_create(const struct vk *vk, uint32_t count, VkDescriptorPool *pool);
VkResult vk_set_create(const struct vk *vk, VkDescriptorPool pool, VkDescriptorSet *set);

/* Lists the buffer of every binding for a run with this scratch. */
void vk_set_infos(const struct engine *engine, const struct vk_scratch *scratch,
                  VkDescriptorBufferInfo infos[ABVK_BUFFERS]);

/* Writes the buffers, and the images that are not NULL, to a set. */
void vk_set_write(const struct vk *vk, VkDescriptorSet set, const VkDescriptorBufferInfo infos[ABVK_BUFFERS],
                  const VkDescriptorImageInfo *source, const VkDescriptorImageInfo *result);

/* ---- record.c: commands of a region ---- */

/* Which copies go through copy queues, beside the passes of other runs. The values count the copy queues. */
enum vk_apart { ABVK_COPIES_TOGETHER, ABVK_UPLOAD_APART, ABVK_COPIES_APART };

/* Where one result is stored: the set that names it, and the words from row to row. */
struct vk_target {
    VkDescriptorSet set;
    uint32_t pitch;
};

/* One region while its commands are recorded and executed. */
struct vk_recording {
    struct vk *vk;
    const struct engine *engine;
    struct vk_scratch *scratch;
    const struct vk_pipeline_set *pipelines;
    const struct vk_target *targets; /* one for each result; NULL: all are in the scratch's result buffer */
    struct region_span x, y;
    struct pedestal pedestal; /* of runs */
    struct vk_push push;
    enum vk_apart apart;
    bool timed;
    int times;                         /* timestamps written */
    const char *names[ABVK_TIMES_MAX]; /* pass that ended at each timestamp; NULL for the first */
};

/* Sets the spans and push constants of a region. */
void vk_place_region(struct vk_recording *recording, int column, int row);

/* Records the passes of the region into the scratch's command buffer, with `set` bound. */
void vk_record_passes(struct vk_recording *recording, VkDescriptorSet set);

/* Records the whole command buffer of a run's region: passes, copies unless they are apart, timestamps. */
VkResult vk_record_region(struct vk_recording *recording);

/* Record the copy between the buffer that the host sees and the device's buffer. The second makes the results
 * visible to the host. */
void vk_copy_source(const struct vk_recording *recording, VkCommandBuffer commands);
void vk_copy_results(const struct vk_recording *recording, VkCommandBuffer commands);

/* Begins a command buffer that is submitted once. */
VkResult vk_begin_commands(const struct vk *vk, VkCommandBuffer commands);

/* A barrier for all memory: what `before` wrote is visible to `after`. */
struct vk_stage {
    VkPipelineStageFlags stage;
    VkAccessFlags access;
};
void vk_barrier(const struct vk *vk, VkCommandBuffer commands, struct vk_stage before, struct vk_stage after);

/* ---- queues.c: submissions ---- */

/* Submits commands to the queue that computes. */
VkResult vk_submit(struct vk *vk, VkCommandBuffer commands, VkFence fence);

/* Submits the region's copies and passes to a queue each. */
VkResult vk_submit_apart(const struct vk_recording *recording);

/* Waits until all queues are idle. */
void vk_drain(struct vk *vk);

VkResult vk_copies_create(const struct vk *vk, struct vk_copies *copies);
void vk_copies_destroy(const struct vk *vk, struct vk_copies *copies);

/* ---- run.c: device_table.run, submit and wait ---- */

int vk_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, struct watch *watch);
int vk_run_submit(abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct job **job);
int vk_run_wait(abbe_device *device, struct job *job);

#endif
