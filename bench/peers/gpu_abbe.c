/* Abbe on a GPU: its plan is recorded into the benchmark's
 * command buffer; pictures are buffers of the benchmark. */
#include "../gpu/gpu.h"
#include "peer.h"

#include <abbe/vulkan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANK_MAX = 8 };

struct state {
    struct gpu gpu;
    abbe_device *device;
    abbe_plan *plan;
    abbe_vulkan_slot *slot;
    int bank;
    abbe_filter *others[BANK_MAX]; /* the other filters of a bank */
    struct gpu_buffer source, results[BANK_MAX];
    abbe_vulkan_picture from, to[BANK_MAX];
    struct gpu_task task;
    void *pixels; /* of the result on the host */
};

static bool suits_on_gpu(const struct bench_case *what)
{
    return what->kind == KIND_GPU;
}

static bool suits_beside_cuda(const struct bench_case *what)
{
    return what->kind == KIND_CUDA;
}

static bool suits_basic(const struct bench_case *what)
{
    return what->kind == KIND_GPU && (what->bank > 1 || what->precision == ABBE_PRECISION_HALF);
}

static void destroy_on_gpu(void *opaque)
{
    struct state *state = opaque;
    abbe_vulkan_slot_destroy(&state->slot);
    abbe_plan_destroy(&state->plan);
    abbe_device_close(&state->device);
    for (int i = 0; i < BANK_MAX; i++) {
        gpu_buffer_destroy(&state->gpu, &state->results[i]);
        abbe_filter_destroy(&state->others[i]);
    }
    gpu_buffer_destroy(&state->gpu, &state->source);
    gpu_close(&state->gpu);
    free(state);
}

/* ---- Preparing ----------------------------------------------------------------------------------------- */

static bool create_picture(struct state *state, const abbe_image *image, struct gpu_buffer *buffer,
                           abbe_vulkan_picture *picture)
{
    size_t stride = (size_t)image->stride;
    if (!gpu_buffer_create(&state->gpu, stride * (size_t)image->height, buffer))
        return false;
    *picture = (abbe_vulkan_picture){
        .width = image->width, .height = image->height, .buffer = buffer->buffer, .stride = stride
    };
    return true;
}

static bool create_pictures(struct state *state, const struct peer_work *work)
{
    bool fine = create_picture(state, work->source, &state->source, &state->from) &&
                gpu_upload(&state->gpu, &state->source, work->source->data);
    for (int i = 0; i < state->bank && fine; i++)
        fine = create_picture(state, work->result, &state->results[i], &state->to[i]);
    return fine;
}

/* The filter of the case is the last of the bank; its result is the one that is checked. */
static int make_gpu_plan(struct state *state, const struct peer_work *work, bool basic)
{
    const struct bench_case *what = work->what;
    const abbe_filter *filters[BANK_MAX];
    char text[32];
    for (int i = 0; i < state->bank - 1; i++) {
        snprintf(text, sizeof text, "disk:radius=%d", what->side / 2 + 1 + i);
        int error = abbe_filter_parse(text, NULL, &state->others[i]);
        if (error)
            return error;
        filters[i] = state->others[i];
    }
    filters[state->bank - 1] = work->filter;
    const abbe_plan_params params = { .width = what->width,
                                      .height = what->height,
                                      .channels = what->channels,
                                      .source_type = what->type,
                                      .result_type = what->type,
                                      .filters = filters,
                                      .filter_count = (size_t)state->bank,
                                      .border = what->border,
                                      .method = what->method,
                                      .nonfinite = ABBE_NONFINITE_TRUST,
                                      .precision = basic ? ABBE_PRECISION_FULL : what->precision };
    return abbe_plan_create(state->device, &params, &state->plan);
}

static int make_slot(struct state *state, const struct peer_work *work, bool basic)
{
    const struct gpu *gpu = &state->gpu;
    const abbe_vulkan_params params = { .get_instance_proc_addr = gpu->f.GetInstanceProcAddr,
                                        .instance = gpu->instance,
                                        .physical_device = gpu->adapter,
                                        .device = gpu->device,
                                        .queue = gpu->queue,
                                        .queue_family = gpu->family };
    int error = abbe_vulkan_adopt(&params, &state->device);
    if (!error)
        error = make_gpu_plan(state, work, basic);
    if (!error)
        error = abbe_vulkan_slot_create(state->plan, ABBE_VULKAN_BUFFER, ABBE_VULKAN_BUFFER, &state->slot);
    return error;
}

/* Repetitions pass no pictures: to change them would invalidate what the command buffer already holds. */
static bool record_plan(void *user, VkCommandBuffer commands, int repeat)
{
    struct state *state = user;
    int error = repeat ? abbe_vulkan_record(state->slot, commands, NULL, NULL)
                       : abbe_vulkan_record(state->slot, commands, &state->from, state->to);
    if (error)
        snprintf(state->gpu.problem, sizeof state->gpu.problem, "%s", abbe_error_text(state->device));
    return !error;
}

static bool open_state(struct state *state, const struct peer_work *work, bool basic, struct peer_note *note)
{
    state->bank = basic || work->what->bank < 1 ? 1 : work->what->bank;
    state->pixels = work->result->data;
    state->task = (struct gpu_task){ .gpu = &state->gpu, .record = record_plan, .user = state };
    /* Beside CUDA, the first GPU of Vulkan. */
    const char *device = work->what->kind == KIND_CUDA ? "vulkan" : work->device;
    if (!gpu_open(&state->gpu, device) || !create_pictures(state, work)) {
        snprintf(note->problem, sizeof note->problem, "%s", state->gpu.problem);
        return false;
    }
    if (make_slot(state, work, basic)) {
        snprintf(note->problem, sizeof note->problem, "%s", abbe_error_text(state->device));
        return false;
    }
    peer_explain(state->plan, note);
    return true;
}

static void *prepare_state(const struct peer_work *work, bool basic, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return NULL;
    }
    if (open_state(state, work, basic, note))
        return state;
    destroy_on_gpu(state);
    return NULL;
}

static bool prepare_on_gpu(const struct peer_work *work, void **out, struct peer_note *note)
{
    *out = prepare_state(work, false, note);
    return *out;
}

static bool prepare_basic_on_gpu(const struct peer_work *work, void **out, struct peer_note *note)
{
    *out = prepare_state(work, true, note);
    return *out;
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static const char *run_on_gpu(void *opaque)
{
    struct state *state = opaque;
    bool done = gpu_task_run(&state->task) &&
                gpu_download(&state->gpu, &state->results[state->bank - 1], state->pixels);
    return done ? NULL : state->gpu.problem;
}

static const char *time_on_gpu(void *opaque, double *seconds)
{
    struct state *state = opaque;
    return gpu_task_time(&state->task, seconds) ? NULL : state->gpu.problem;
}

const struct peer peer_gpu_abbe = {
    .name = "Abbe",
    .suits = suits_on_gpu,
    .prepare = prepare_on_gpu,
    .run = run_on_gpu,
    .destroy = destroy_on_gpu,
    .time = time_on_gpu,
    .gpu = true,
    .own = true,
};

const struct peer peer_gpu_beside = {
    .name = "Abbe on Vulkan",
    .suits = suits_beside_cuda,
    .prepare = prepare_on_gpu,
    .run = run_on_gpu,
    .destroy = destroy_on_gpu,
    .time = time_on_gpu,
    .gpu = true,
    .own = true,
};

const struct peer peer_gpu_basic = {
    .name = "Abbe basic",
    .suits = suits_basic,
    .prepare = prepare_basic_on_gpu,
    .run = run_on_gpu,
    .destroy = destroy_on_gpu,
    .time = time_on_gpu,
    .gpu = true,
    .own = true,
};

bool gpu_check(const char *device, char *problem, size_t size)
{
    struct gpu gpu;
    bool there = gpu_open(&gpu, device);
    snprintf(problem, size, "%s", gpu.problem);
    gpu_close(&gpu);
    return there;
}
