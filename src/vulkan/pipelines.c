/* Pipelines: a shader and its constants, compiled once and kept until the device closes. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

#include <string.h>

struct vk_pipeline {
    struct vk_pipeline *next;
    enum vk_shader shader;
    enum vk_variant variant;
    struct vk_constants constants;
    VkPipeline pipeline;
};

/* Shaders are handed to the driver when the first pipeline needs them. */
static VkResult find_module(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                            VkShaderModule *module)
{
    VkShaderModule *kept = &vk->shaders[shader][variant];
    const struct vk_code *code = &vk_codes[shader][variant];
    const VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = code->bytes,
                                            .pCode = code->words };
    VkResult result = *kept ? VK_SUCCESS : vk->f.CreateShaderModule(vk->device, &info, NULL, kept);
    *module = *kept;
    return result;
}

static VkResult compile(struct vk *vk, struct vk_pipeline *pipeline)
{
    VkShaderModule module;
    VkResult result = find_module(vk, pipeline->shader, pipeline->variant, &module);
    if (result)
        return result;
    VkSpecializationMapEntry entries[ABVK_CONSTANTS];
    for (uint32_t i = 0; i < ABVK_CONSTANTS; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t) };
    const VkSpecializationInfo constants = { ABVK_CONSTANTS, entries, sizeof pipeline->constants,
                                             &pipeline->constants };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .module = module,
                   .pName = "main",
                   .pSpecializationInfo = &constants },
        .layout = vk->pipeline_layout,
    };
    return vk->f.CreateComputePipelines(vk->device, vk->cache, 1, &info, NULL, &pipeline->pipeline);
}

static struct vk_pipeline *find(const struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                                const struct vk_constants *constants)
{
    struct vk_pipeline *one = vk->pipelines;
    while (one && (one->shader != shader || one->variant != variant ||
                   memcmp(&one->constants, constants, sizeof *constants)))
        one = one->next;
    return one;
}

static int add(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
               const struct vk_constants *constants)
{
    struct vk_pipeline *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(vk);
    made->shader = shader;
    made->variant = variant;
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

int vk_pipeline_get(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                    const struct vk_constants *constants, VkPipeline *pipeline)
{
    pthread_mutex_lock(&vk->lock);
    int error = find(vk, shader, variant, constants) ? ABBE_OK : add(vk, shader, variant, constants);
    if (!error)
        *pipeline = find(vk, shader, variant, constants)->pipeline;
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
    for (int i = 0; i < ABVK_SHADERS * ABVK_VARIANTS; i++)
        vk->f.DestroyShaderModule(vk->device, vk->shaders[i / ABVK_VARIANTS][i % ABVK_VARIANTS], NULL);
    memset(vk->shaders, 0, sizeof vk->shaders);
}
