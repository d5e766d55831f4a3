/* Border maps of every region: which pixel of its source stands at a coordinate.
 *
 * Where the source is the whole picture, an entry is the pixel's column or row. Where it is a region of it, the host
 * has laid the border out already, and an entry is the coordinate's own place. −1 is outside in both. */
#include "core/border.h"
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

/* Pixels of a region's side. */
static int side_of(const struct engine *engine, bool down)
{
    return down ? engine->geometry.region_y : engine->geometry.region_x;
}

struct region_span vk_region_span(const struct engine *engine, bool down, int number)
{
    return region_span(engine->work, down, side_of(engine, down), number);
}

int vk_regions(const struct engine *engine, bool down)
{
    return region_count(engine->work, down, side_of(engine, down));
}

bool vk_is_whole(const struct engine *engine)
{
    return vk_regions(engine, false) == 1 && vk_regions(engine, true) == 1;
}

static size_t fill(const struct engine *engine, bool down, size_t next, uint32_t *starts, int32_t *maps)
{
    int pixels = down ? engine->work->height : engine->work->width;
    bool whole = vk_is_whole(engine);
    for (int i = 0; i < vk_regions(engine, down); i++) {
        struct region_span span = vk_region_span(engine, down, i);
        starts[i] = (uint32_t)next;
        for (int k = 0; k < span.window; k++) {
            long long coordinate = (long long)span.first - span.before + k;
            int index = core_border_index(engine->work->border, coordinate, pixels);
            maps[next++] = index < 0 || whole ? index : k;
        }
    }
    return next;
}

int vk_maps_create(struct vk *vk, struct engine *engine)
{
    size_t count = (size_t)(engine->geometry.maps / sizeof(int32_t));
    int32_t *maps = core_alloc(count, sizeof *maps);
    engine->maps_x = core_alloc((size_t)vk_regions(engine, false), sizeof(uint32_t));
    engine->maps_y = core_alloc((size_t)vk_regions(engine, true), sizeof(uint32_t));
    int error = maps && engine->maps_x && engine->maps_y ? ABBE_OK : core_fail_memory(vk);
    if (!error) {
        size_t used = fill(engine, true, fill(engine, false, 0, engine->maps_x, maps), engine->maps_y, maps);
        error = vk_upload(vk, maps, used * sizeof *maps, &engine->maps, 0);
    }
    core_free(maps);
    return error;
}
