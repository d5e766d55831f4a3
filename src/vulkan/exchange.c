/* Pixels between the caller's views and memory that the device sees. */
#include "vulkan/recording.h"

void vk_bring(const struct vk_recording *recording, const abbe_image *source, char *to)
{
    const struct engine *engine = recording->engine;
    const struct region_copy copy = {
        recording->vk->head.threads,          engine->work, recording->x, recording->y, vk_is_whole(engine),
        (size_t)engine->geometry.source_pitch
    };
    region_gather(&copy, source, to);
}

void vk_take_back(const struct vk_recording *recording, const char *from, const abbe_image *results)
{
    const struct engine *engine = recording->engine;
    size_t pitch = (size_t)engine->geometry.result_pitch, one = pitch * (size_t)recording->y.results;
    const struct region_copy copy = {
        .threads = recording->vk->head.threads, .x = recording->x, .y = recording->y, .pitch = pitch
    };
    for (int r = 0; r < engine->work->result_count; r++)
        region_scatter(&copy, from + one * (size_t)r, &results[r]);
}
