/* The lower bound: copies of the picture as floats that move as many bytes as a filter must
 * (peer_count_copies). One copy is timed and multiplied. */
#include "../gpu/gpu.h"
#include "peer.h"

#include <copy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, QUAD = 4 * sizeof(float), GROUPS_MAX = 65535 };

/* Groups of four samples that a thread copies. Which number is fastest depends on the GPU. */
static const uint32_t each[] = { 1, 2, 4, 8 };
enum { KINDS = sizeof each / sizeof each[0] };

struct state {
    struct gpu gpu;
    struct gpu_buffer from, to;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipelines[KINDS];
    int kind;     /* index of the pipeline in use */
    size_t quads; /* groups of four samples in the picture */
    const float *source;
    double copies;
    struct gpu_task task;
};

static bool suits_copy(const struct bench_case *what)
{
    return what->kind == KIND_GPU && (size_t)what->width * what->height * what->channels % 4 == 0;
}

static void destroy_copy(void *opaque)
{
    struct state *state = opaque;
    struct gpu *gpu = &state->gpu;
    if (gpu->device) {
        for (int i = 0; i < KINDS; i++)
            gpu->f.DestroyPipeline(gpu->device, state->pipelines[i], NULL);
        gpu->f.DestroyPipelineLayout(gpu->device, state->layout, NULL);
        gpu->f.DestroyDescriptorPool(gpu->device, state->pool, NULL);
        gpu->f.DestroyDescriptorSetLayout(gpu->device, state->set_layout, NULL);
    }
    gpu_buffer_destroy(gpu, &state->to);
    gpu_buffer_destroy(gpu, &state->from);
    gpu_close(gpu);
    free(state);
}

/* ---- Preparing ----------------------------------------------------------------------------------------- */

static bool make_layouts(struct state *state)
{
    struct gpu *gpu = &state->gpu;
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){ .binding = i,
                                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                      .descriptorCount = 1,
                                                      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT };
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings
    };
    if (!gpu_ok(gpu, gpu->f.CreateDescriptorSetLayout(gpu->device, &set, NULL, &state->set_layout),
                "creating a layout"))
        return false;
    const VkPipelineLayoutCreateInfo layout = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                .setLayoutCount = 1,
                                                .pSetLayouts = &state->set_layout };
    return gpu_ok(gpu, gpu->f.CreatePipelineLayout(gpu->device, &layout, NULL, &state->layout),
                  "creating a layout");
}

static bool make_set(struct state *state)
{
    struct gpu *gpu = &state->gpu;
    const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 };
    const VkDescriptorPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                              .maxSets = 1,
                                              .poolSizeCount = 1,
                                              .pPoolSizes = &size };
    if (!gpu_ok(gpu, gpu->f.CreateDescriptorPool(gpu->device, &pool, NULL, &state->pool),
                "allocating descriptors"))
        return false;
    const VkDescriptorSetAllocateInfo set = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = state->pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &state->set_layout };
    if (!gpu_ok(gpu, gpu->f.AllocateDescriptorSets(gpu->device, &set, &state->set), "allocating descriptors"))
        return false;
    const VkDescriptorBufferInfo buffers[2] = { { state->from.buffer, 0, VK_WHOLE_SIZE },
                                                { state->to.buffer, 0, VK_WHOLE_SIZE } };
    const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = state->set,
                                         .descriptorCount = 2,
                                         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                         .pBufferInfo = buffers };
    gpu->f.UpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
    return true;
}

static bool make_pipelines(struct state *state)
{
    struct gpu *gpu = &state->gpu;
    const VkShaderModuleCreateInfo code = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = sizeof bench_copy,
                                            .pCode = bench_copy };
    VkShaderModule module = VK_NULL_HANDLE;
    bool fine = gpu_ok(gpu, gpu->f.CreateShaderModule(gpu->device, &code, NULL, &module),
                       "creating a shader");
    for (int i = 0; i < KINDS && fine; i++) {
        const VkSpecializationMapEntry entry = { .constantID = 0, .offset = 0, .size = sizeof each[i] };
        const VkSpecializationInfo constants = { 1, &entry, sizeof each[i], &each[i] };
        const VkComputePipelineCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                       .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                       .module = module,
                       .pName = "main",
                       .pSpecializationInfo = &constants },
            .layout = state->layout
        };
        VkResult result = gpu->f.CreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                                        &state->pipelines[i]);
        fine = gpu_ok(gpu, result, "creating a pipeline");
    }
    gpu->f.DestroyShaderModule(gpu->device, module, NULL);
    return fine;
}

static bool record_copy(void *user, VkCommandBuffer commands, int repeat)
{
    struct state *state = user;
    const struct gpu_functions *f = &state->gpu.f;
    uint32_t block = THREADS * each[state->kind];
    uint32_t groups = (uint32_t)((state->quads + block - 1) / block);
    uint32_t rows = (groups + GROUPS_MAX - 1) / GROUPS_MAX;
    (void)repeat;
    f->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, state->pipelines[state->kind]);
    f->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, state->layout, 0, 1, &state->set, 0,
                             NULL);
    f->CmdDispatch(commands, (groups + rows - 1) / rows, rows, 1);
    return true;
}

/* Chooses the pipeline with the shortest timing. */
static bool choose_kind(struct state *state)
{
    enum { TIMINGS = 5 };
    double best = 0, seconds = 0;
    int chosen = 0;
    for (int i = 0; i < KINDS * TIMINGS; i++) {
        if (i % TIMINGS == 0) {
            state->kind = i / TIMINGS;
            gpu_task_reset(&state->task);
        }
        if (!gpu_task_time(&state->task, &seconds))
            return false;
        if (i == 0 || seconds < best) {
            best = seconds;
            chosen = state->kind;
        }
    }
    state->kind = chosen;
    gpu_task_reset(&state->task);
    return true;
}

/* Only float pictures are uploaded and compared; the time of a copy does not depend on the values. */
static bool upload_picture(struct state *state, const struct peer_work *work)
{
    size_t bytes = state->quads * QUAD;
    if (!gpu_buffer_create(&state->gpu, bytes, &state->from) ||
        !gpu_buffer_create(&state->gpu, bytes, &state->to))
        return false;
    if (work->what->type != ABBE_F32)
        return true;
    state->source = work->source->data;
    return gpu_upload(&state->gpu, &state->from, work->source->data);
}

static bool prepare_copy(const struct peer_work *work, void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    state->quads = (size_t)work->source->width * work->source->height * work->source->channels / 4;
    state->copies = peer_count_copies(work->what);
    state->task = (struct gpu_task){ .gpu = &state->gpu, .record = record_copy, .user = state };
    if (!gpu_open(&state->gpu, work->device) || !upload_picture(state, work) || !make_layouts(state) ||
        !make_set(state) || !make_pipelines(state) || !choose_kind(state)) {
        snprintf(note->problem, sizeof note->problem, "%s", state->gpu.problem);
        destroy_copy(state);
        return false;
    }
    snprintf(note->detail, sizeof note->detail, "x %g: lower bound", state->copies);
    *out = state;
    return true;
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static const char *compare_copy(struct state *state)
{
    size_t bytes = state->quads * QUAD;
    void *copy = malloc(bytes);
    const char *problem = NULL;
    if (!copy)
        return "out of memory";
    if (!gpu_download(&state->gpu, &state->to, copy))
        problem = state->gpu.problem;
    else if (memcmp(copy, state->source, bytes) != 0)
        problem = "the copy differs from the source";
    free(copy);
    return problem;
}

static const char *run_copy(void *opaque)
{
    struct state *state = opaque;
    if (!gpu_task_run(&state->task))
        return state->gpu.problem;
    return state->source ? compare_copy(state) : NULL;
}

static const char *time_copy(void *opaque, double *seconds)
{
    struct state *state = opaque;
    if (!gpu_task_time(&state->task, seconds))
        return state->gpu.problem;
    *seconds *= state->copies;
    return NULL;
}

const struct peer peer_gpu_copy = {
    .name = "copy",
    .suits = suits_copy,
    .prepare = prepare_copy,
    .run = run_copy,
    .destroy = destroy_copy,
    .time = time_copy,
    .gpu = true,
    .floor = true,
};
