/* Pipelines: a shader and its constants, compiled once and kept until the device closes. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

#include <string.h>

struct vk_pipeline {
    struct vk_pipeline *next;
    enum vk_shader shader;
    int planes;
    struct vk_constants constants;
    VkPipeline pipeline;
};

enum { CONSTANTS = sizeof(struct vk_constants) / sizeof(uint32_t) };

static VkResult compile(struct vk *vk, struct vk_pipeline *pipeline)
{
    VkSpecializationMapEntry entries[CONSTANTS];
    for (uint32_t i = 0; i < CONSTANTS; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t) };
    const VkSpecializationInfo constants = { CONSTANTS, entries, sizeof pipeline->constants,
                                             &pipeline->constants };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .module = vk->shaders[pipeline->shader][pipeline->planes - 1],
                   .pName = "main",
                   .pSpecializationInfo = &constants },
        .layout = vk->pipeline_layout,
    };
    return vk->f.CreateComputePipelines(vk->device, vk->cache, 1, &info, NULL, &pipeline->pipeline);
}

static struct vk_pipeline *find(const struct vk *vk, enum vk_shader shader, int planes,
                                const struct vk_constants *constants)
{
    struct vk_pipeline *one = vk->pipelines;
    while (one && (one->shader != shader || one->planes != planes ||
                   memcmp(&one->constants, constants, sizeof *constants)))
        one = one->next;
    return one;
}

static int add(struct vk *vk, enum vk_shader shader, int planes, const struct vk_constants *constants)
{
    struct vk_pipeline *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(vk);
    made->shader = shader;
    made->planes = planes;
    made->constants = *constants;
    VkResult result = compile(vk, made);
    if (result) {
        core_free(made);
        return vk_fail(vk, result, "compiling a shader");
    }
    made->next = vk->pipelines;
    vk->pipelines = made;
    return ABBE_OK;
}

int vk_pipeline_get(struct vk *vk, enum vk_shader shader, int planes, const struct vk_constants *constants,
                    VkPipeline *pipeline)
{
    pthread_mutex_lock(&vk->lock);
    int error = find(vk, shader, planes, constants) ? ABBE_OK : add(vk, shader, planes, constants);
    if (!error)
        *pipeline = find(vk, shader, planes, constants)->pipeline;
    pthread_mutex_unlock(&vk->lock);
    return error;
}

void vk_pipelines_destroy(struct vk *vk)
{
    while (vk->pipelines) {
        struct vk_pipeline *gone = vk->pipelines;
        vk->pipelines = gone->next;
        vk->f.DestroyPipeline(vk->device, gone->pipeline, NULL);
        core_free(gone);
    }
}
