/* What happens to a picture on the Vulkan device: contexts, recordings, queues, regions, runs. */
#ifndef ABBE_VULKAN_RECORDING_H
#define ABBE_VULKAN_RECORDING_H

#include "vulkan/vk.h"

/* ---- context.c: what one run at a time uses ---- */

enum { ABVK_TIMES_MAX = 256 };

/* Commands of the queues that copy, and what stands between them and the passes. Made by the first run that wants
 * them. */
struct vk_copies {
    VkCommandPool pool;
    VkCommandBuffer commands[2]; /* upload, download */
    VkSemaphore uploaded, computed;
};

struct vk_context {
    struct vk_context *next; /* of the engine */
    bool busy;               /* a run has it */
    bool orphan;             /* its device was lost: all but this is gone, and no engine knows it */
    VkCommandPool pool;
    VkCommandBuffer commands;
    struct vk_copies copies;
    VkFence fence;
    VkDescriptorPool descriptors;
    VkDescriptorSet set;
    VkQueryPool times;
    struct vk_buffer source, result, grid, back, wide, upload, download;
};

int vk_context_take(struct vk *vk, struct engine *engine, struct vk_context **context);
void vk_context_return(struct engine *engine, struct vk_context *context);
void vk_context_destroy(const struct vk *vk, struct vk_context *context);

/* Destroys one that its run leaves in an unknown state; all of an engine, but for the shells of those under way. */
void vk_context_drop(const struct vk *vk, struct engine *engine, struct vk_context *context);
void vk_contexts_abandon(const struct vk *vk, struct engine *engine);

/* A pool for `count` descriptor sets, and one of them, which dies with it. */
VkResult vk_pool_create(const struct vk *vk, uint32_t count, VkDescriptorPool *pool);
VkResult vk_set_create(const struct vk *vk, VkDescriptorPool pool, VkDescriptorSet *set);

/* Every binding's buffer, as a run of the context would have it; NULL images are none. */
void vk_set_infos(const struct engine *engine, const struct vk_context *context,
                  VkDescriptorBufferInfo infos[ABVK_BUFFERS]);
void vk_set_write(const struct vk *vk, VkDescriptorSet set, const VkDescriptorBufferInfo infos[ABVK_BUFFERS],
                  const VkDescriptorImageInfo *source, const VkDescriptorImageInfo *result);

/* ---- record.c, fourier.c, space.c: commands of a region ---- */

/* Which copies go through queues of their own, beside the passes of other runs. */
enum vk_apart { ABVK_COPIES_TOGETHER, ABVK_UPLOAD_APART, ABVK_COPIES_APART };

/* Where one result goes: the set that names it, and the words of its rows. */
struct vk_target {
    VkDescriptorSet set;
    uint32_t pitch;
};

/* One region while its commands are recorded. */
struct vk_recording {
    struct vk *vk;
    const struct engine *engine;
    struct vk_context *context;
    const struct vk_pipeline_set *pipelines;
    const struct vk_target *targets; /* one for each result; NULL: all are in the context's result buffer */
    struct region_span x, y;
    struct vk_push push;
    enum vk_apart apart;
    bool timed;
    int times;
    const char *names[ABVK_TIMES_MAX]; /* what ended at each time but the first */
};

void vk_bind_set(const struct vk_recording *recording, VkDescriptorSet set);
void vk_dispatch(struct vk_recording *recording, VkPipeline pipeline, const struct vk_push *push, uint32_t x,
                 uint32_t y, uint32_t z);

/* Shaders see what earlier shaders wrote; a pass of that name ends. */
void vk_pass_end(struct vk_recording *recording, const char *name);

void vk_record_fourier(struct vk_recording *recording);
void vk_record_space(struct vk_recording *recording);

/* What is said of result r alone: push constants, and its target where it has one. */
void vk_record_result(struct vk_recording *recording, int r);

/* The last step of all results where they pass through floats; part of the pass of that name. */
void vk_record_finish(struct vk_recording *recording, const char *name);

/* Now is a time that ends what `name` says. */
void vk_time(struct vk_recording *recording, const char *name);

/* ---- queues.c ---- */

/* Has commands run on the queue that computes. */
VkResult vk_submit(struct vk *vk, VkCommandBuffer commands, VkFence fence);

/* The region's copies and passes, each on its own queue. */
VkResult vk_submit_apart(const struct vk_recording *recording);

/* Waits for everything that was submitted. */
void vk_drain(struct vk *vk);

/* Around everything that is done to a queue. */
void vk_lock_queues(struct vk *vk);
void vk_unlock_queues(struct vk *vk);

VkResult vk_begin_commands(const struct vk *vk, VkCommandBuffer commands);

/* A barrier for all memory. */
void vk_order(const struct vk *vk, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags wrote,
              VkPipelineStageFlags to, VkAccessFlags reads);

/* Between the buffers that the host sees and those of the device; results reach the host. */
void vk_copy_source(const struct vk_recording *recording, VkCommandBuffer commands);
void vk_copy_results(const struct vk_recording *recording, VkCommandBuffer commands);

VkResult vk_copies_create(const struct vk *vk, struct vk_copies *copies);
void vk_copies_destroy(const struct vk *vk, struct vk_copies *copies);

/* ---- exchange.c: pixels between views and memory that the device sees ---- */

void vk_bring(const struct vk_recording *recording, const abbe_image *source, char *to);
void vk_take_back(const struct vk_recording *recording, const char *from, const abbe_image *results);

/* ---- region.c ---- */

/* Aims the recording at a region: its spans and push constants. */
void vk_region_place(struct vk_recording *recording, int column, int row);

/* The passes of the region. */
void vk_region_record(struct vk_recording *recording);

/* Brings a region to the device and begins to filter it; waits for it and takes its results back. */
int vk_region_begin(struct vk_recording *recording, int column, int row, const abbe_image *source);
int vk_region_end(struct vk_recording *recording, const abbe_image *results, abbe_watch *watch);

/* ---- run.c, submit.c: the whole picture, at once or in two steps ---- */

int vk_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, abbe_watch *watch);

int vk_run_submit(abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct job **job);
int vk_run_wait(abbe_device *device, struct job *job);

#endif
