/* Convolution of a region in space: direct, or rows and then columns of every separable term. */
#include "vulkan/recording.h"

static uint32_t divide_up(int a, int b)
{
    return (uint32_t)((a + b - 1) / b);
}

static void set_kernel(const struct vk_kernel *kernel, struct vk_push *push)
{
    push->taps_x = (uint32_t)kernel->width;
    push->taps_y = (uint32_t)kernel->height;
    push->centre_x = kernel->centre_x;
    push->centre_y = kernel->centre_y;
    push->taps_first = (uint32_t)kernel->first;
}

static void record_direct(struct vk_recording *recording, int r)
{
    const struct engine *engine = recording->engine;
    vk_dispatch(recording, recording->pipelines->direct[engine->work->results[r].components - 1],
                &recording->push, divide_up(recording->x.results, ABVK_TILE),
                divide_up(recording->y.results, ABVK_TILE), (uint32_t)engine->geometry.groups);
}

static void record_separable(struct vk_recording *recording, int r)
{
    const struct engine *engine = recording->engine;
    const struct vk_kernel *kernel = &engine->kernels[r];
    uint32_t groups = (uint32_t)engine->geometry.groups;
    recording->push.filter_first = (uint32_t)kernel->terms;
    recording->push.filter_place = (uint32_t)kernel->first_terms;
    recording->push.filter_count = groups;
    vk_dispatch(recording, recording->pipelines->separable_rows, &recording->push,
                divide_up(recording->x.results, ABVK_STRIP), (uint32_t)recording->y.window,
                groups * (uint32_t)kernel->terms);
    vk_pass_end(recording, abbe_method_name(engine->work->method));
    vk_dispatch(recording, recording->pipelines->separable_columns[engine->work->results[r].components - 1],
                &recording->push, divide_up(recording->x.results, ABVK_TILE),
                divide_up(recording->y.results, ABVK_TILE), groups);
}

void vk_record_space(struct vk_recording *recording)
{
    const struct engine *engine = recording->engine;
    const char *name = abbe_method_name(engine->work->method);
    recording->push.columns = (uint32_t)recording->x.window;
    recording->push.rows = (uint32_t)recording->y.window;
    for (int r = 0; r < engine->work->result_count; r++) {
        vk_record_result(recording, r);
        set_kernel(&engine->kernels[r], &recording->push);
        if (engine->work->method == ABBE_METHOD_DIRECT)
            record_direct(recording, r);
        else
            record_separable(recording, r);
        vk_pass_end(recording, name);
    }
    vk_record_finish(recording, name);
}
