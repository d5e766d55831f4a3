/* Pixels between the caller's views and memory that the device sees. */
#include "core/border.h"
#include "core/threads.h"
#include "core/view.h"
#include "vulkan/recording.h"

#include <string.h>

static int workers_of(const struct vk_recording *recording, double samples)
{
    return core_workers(recording->vk->head.threads, samples);
}

/* One row of a region's source; a run of columns that are neighbours in the picture is one copy. */
static void gather_row(const struct engine *engine, const abbe_image *source, const struct vk_span *x, int y,
                       char *to)
{
    size_t pixel = (size_t)source->channels * abbe_type_size(source->type);
    const char *row = core_row(source, y);
    for (int k = 0, count; k < x->window; k += count) {
        long long coordinate = (long long)x->first - x->before + k;
        int index = core_border_index(engine->work->border, coordinate, source->width);
        count = 1;
        if (index < 0)
            continue;
        if (coordinate == index)
            count = source->width - index < x->window - k ? source->width - index : x->window - k;
        memcpy(to + (size_t)k * pixel, row + (size_t)index * pixel, (size_t)count * pixel);
    }
}

void vk_bring(const struct vk_recording *recording, const abbe_image *source, char *to)
{
    const struct engine *engine = recording->engine;
    const struct vk_span *x = &recording->x, *y = &recording->y;
    size_t pitch = (size_t)engine->geometry.source_pitch;
    bool whole = vk_is_whole(engine);
    int rows = whole ? source->height : y->window;
    int workers = workers_of(recording, (double)rows * x->window * source->channels);
#pragma omp parallel for schedule(static) num_threads(workers)
    for (int i = 0; i < rows; i++) {
        int row = whole ? i
                        : core_border_index(engine->work->border, (long long)y->first - y->before + i,
                                            source->height);
        if (whole)
            memcpy(to + (size_t)i * pitch, core_row(source, row), core_row_bytes(source));
        else if (row >= 0)
            gather_row(engine, source, x, row, to + (size_t)i * pitch);
    }
}

void vk_take_back(const struct vk_recording *recording, const char *from, const abbe_image *results)
{
    const struct engine *engine = recording->engine;
    const struct vk_span *x = &recording->x, *y = &recording->y;
    size_t pitch = (size_t)engine->geometry.result_pitch;
    size_t pixel = (size_t)results[0].channels * abbe_type_size(results[0].type);
    int rows = engine->work->result_count * y->results;
    int workers = workers_of(recording, (double)rows * x->results * results[0].channels);
#pragma omp parallel for schedule(static) num_threads(workers)
    for (int i = 0; i < rows; i++) {
        char *row = core_row(&results[i / y->results], y->first + i % y->results);
        memcpy(row + (size_t)x->first * pixel, from + (size_t)i * pitch, (size_t)x->results * pixel);
    }
}
