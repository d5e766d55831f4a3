/* Commands that every method shares: dispatches, barriers, times, and results that pass through floats. */
#include "vulkan/recording.h"

void vk_dispatch(struct vk_recording *recording, VkPipeline pipeline, const struct vk_push *push, uint32_t x,
                 uint32_t y, uint32_t z)
{
    const struct vk *vk = recording->vk;
    VkCommandBuffer commands = recording->context->commands;
    vk->f.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk->f.CmdPushConstants(commands, vk->pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *push, push);
    vk->f.CmdDispatch(commands, x, y, z);
}

void vk_bind_set(const struct vk_recording *recording, VkDescriptorSet set)
{
    const struct vk *vk = recording->vk;
    vk->f.CmdBindDescriptorSets(recording->context->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                vk->pipeline_layout, 0, 1, &set, 0, NULL);
}

void vk_time(struct vk_recording *recording, const char *name)
{
    if (!recording->timed || recording->times == ABVK_TIMES_MAX)
        return;
    recording->names[recording->times] = name;
    recording->vk->f.CmdWriteTimestamp(recording->context->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                       recording->context->times, (uint32_t)recording->times);
    recording->times++;
}

void vk_pass_end(struct vk_recording *recording, const char *name)
{
    const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
                                                       VK_ACCESS_SHADER_WRITE_BIT };
    recording->vk->f.CmdPipelineBarrier(recording->context->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0,
                                        NULL);
    vk_time(recording, name);
}

void vk_record_result(struct vk_recording *recording, int r)
{
    const struct vk_target *targets = recording->targets;
    recording->push.number = targets ? 0 : (uint32_t)r;
    if (targets) {
        vk_bind_set(recording, targets[r].set);
        recording->push.result_pitch = targets[r].pitch;
    }
    recording->push.alpha_gain = recording->engine->work->results[r].alpha_gain;
}

void vk_record_finish(struct vk_recording *recording, const char *name)
{
    const struct engine *engine = recording->engine;
    size_t bytes = (size_t)recording->x.results * engine->work->channels *
                   abbe_type_size(engine->work->result_type);
    size_t words = (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    for (int r = 0; r < engine->work->result_count && engine->geometry.wide; r++) {
        vk_record_result(recording, r);
        vk_dispatch(recording, recording->pipelines->finish, &recording->push,
                    (uint32_t)((words + ABVK_FINISH_THREADS - 1) / ABVK_FINISH_THREADS),
                    (uint32_t)recording->y.results, 1);
        vk_pass_end(recording, name);
    }
}
