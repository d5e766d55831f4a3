/* The three passes of a region: rows, columns · H for each share of the bank, rows back. */
#include "vulkan/recording.h"

static uint32_t divide_up(int a, int b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Workgroups of a row pass for so many rows. */
static uint32_t row_groups(const struct engine *engine, int rows)
{
    const struct vk_geometry *geometry = &engine->geometry;
    int pairs = (rows + 1) / 2, channels = engine->work->channels;
    int transforms = geometry->lone ? pairs : geometry->odd ? pairs * channels : rows;
    return divide_up(transforms, geometry->lanes);
}

static const char *pass_name(const struct vk_recording *recording, const char *name)
{
    return recording->engine->work->method == ABBE_METHOD_TILES ? "tiles" : name;
}

/* Results first … last − 1 whose filters fill one dispatch of the column pass. */
static int share_end(const struct engine *engine, int first)
{
    const struct work *work = engine->work;
    int last = first, filters = 0;
    while (last < work->result_count && filters + work->results[last].components <= engine->geometry.share)
        filters += work->results[last++].components;
    return last;
}

static void record_rows(struct vk_recording *recording, uint32_t tiles)
{
    const struct engine *engine = recording->engine;
    const struct vk_geometry *geometry = &engine->geometry;
    vk_dispatch(recording, recording->pipelines->rows, &recording->push,
                row_groups(engine, engine->work->y.length), (uint32_t)(geometry->groups * geometry->x.parts),
                tiles);
    vk_pass_end(recording, pass_name(recording, "rows"));
}

static void record_columns(struct vk_recording *recording, uint32_t tiles, int first, int last)
{
    const struct engine *engine = recording->engine;
    const struct work_result *results = engine->work->results;
    struct vk_push push = recording->push;
    uint32_t span = engine->geometry.twin ? 2 : 1; /* what rows take as elements, of one here */
    push.table = (uint32_t)vk_transform_pairs(&engine->geometry.x);
    push.tile_stride /= span;
    push.group_stride /= span;
    push.back_stride /= span;
    push.filter_first = (uint32_t)results[first].first;
    push.filter_count = (uint32_t)(results[last - 1].first + results[last - 1].components -
                                   results[first].first);
    vk_dispatch(recording, recording->pipelines->columns, &push, (uint32_t)engine->geometry.blocks,
                (uint32_t)(engine->geometry.groups * engine->geometry.y.parts), tiles);
    vk_pass_end(recording, pass_name(recording, "columns"));
}

static void record_rows_back(struct vk_recording *recording, uint32_t tiles, int first, int last)
{
    const struct engine *engine = recording->engine;
    const struct work_result *results = engine->work->results;
    for (int r = first; r < last; r++) {
        vk_record_result(recording, r);
        recording->push.filter_place = (uint32_t)(results[r].first - results[first].first);
        vk_dispatch(recording, recording->pipelines->rows_back[results[r].components - 1], &recording->push,
                    row_groups(engine, engine->work->y.step),
                    (uint32_t)(engine->geometry.groups * engine->geometry.x.parts), tiles);
    }
    vk_pass_end(recording, pass_name(recording, "rows back"));
}

/* Tiles first_tile … of a region, through all three passes. */
static void record_batch(struct vk_recording *recording, uint32_t tiles)
{
    record_rows(recording, tiles);
    for (int first = 0; first < recording->engine->work->result_count;) {
        int last = share_end(recording->engine, first);
        record_columns(recording, tiles, first, last);
        record_rows_back(recording, tiles, first, last);
        first = last;
    }
}

void vk_record_fourier(struct vk_recording *recording)
{
    const struct engine *engine = recording->engine;
    const struct vk_geometry *geometry = &engine->geometry;
    const struct work *work = engine->work;
    struct vk_push *push = &recording->push;
    push->step_x = (uint32_t)work->x.step;
    push->step_y = (uint32_t)work->y.step;
    push->across = (uint32_t)recording->x.tiles;
    push->rows = (uint32_t)work->y.length;
    push->tile_stride = (uint32_t)geometry->grid;
    push->group_stride = (uint32_t)(geometry->grid / geometry->groups);
    push->back_stride = (uint32_t)(geometry->grid * geometry->batch);
    int tiles = recording->x.tiles * recording->y.tiles;
    for (int first = 0; first < tiles; first += geometry->batch) {
        push->first_tile = (uint32_t)first;
        record_batch(recording,
                     (uint32_t)(tiles - first < geometry->batch ? tiles - first : geometry->batch));
    }
    vk_record_finish(recording, pass_name(recording, "rows back"));
}
