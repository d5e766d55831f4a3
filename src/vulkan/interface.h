/* What host and shaders agree on: specialisation constants, buffers, push constants. shaders/vulkan/interface.glsl is
 * the other half. */
#ifndef ABBE_VULKAN_INTERFACE_H
#define ABBE_VULKAN_INTERFACE_H

#include <stdint.h>

enum { VK_STAGES_MAX = 8 };

/* Specialisation constants, by their numbers. */
struct vk_constants {
    uint32_t workgroup; /* threads */
    uint32_t points, threads, lanes, registers, shared;
    uint32_t stages, radices[VK_STAGES_MAX];
    uint32_t padded;
    uint32_t length;
    uint32_t block;
    uint32_t source_type, result_type;
    uint32_t flags;
    uint32_t band;
    uint32_t parts;
    uint32_t together;
    uint32_t columns;
};

enum vk_flag {
    VK_FLAG_LIGHT = 1,
    VK_FLAG_ALPHA = 2,
    VK_FLAG_PREMULTIPLY = 4,
    VK_FLAG_ZERO_NONFINITE = 8,
    VK_FLAG_WIDE = 16,
    VK_FLAG_REAL = 32,
    VK_FLAG_BANK = 64,
    VK_FLAG_MAGNITUDE = 128,
    VK_FLAG_QUAD = 256,
    VK_FLAG_LONE = 512,
    VK_FLAG_PACKED = 1024,
    VK_FLAG_PLAIN = 2048,
    VK_FLAG_ODD = 4096,
    VK_FLAG_TWIN = 8192,
    VK_FLAG_OFFSET = 16384
};

/* Storage buffers, by their bindings. */
enum vk_binding {
    VK_SOURCE,
    VK_RESULT,
    VK_GRID,
    VK_BACK,
    VK_FILTERS,
    VK_TABLES,
    VK_MAPS,
    VK_WIDE,
    VK_BINDINGS
};

/* Images, by their bindings: apart from the buffers, of which there may be more one day. */
enum { VK_SOURCE_IMAGE = 16, VK_RESULT_IMAGE = 17 };

struct vk_push {
    uint32_t width, height;
    uint32_t channels;
    uint32_t source_pitch, result_pitch;
    uint32_t number;
    uint32_t step_x, step_y;
    uint32_t before_x, before_y;
    uint32_t across, first_tile;
    uint32_t rows, columns;
    uint32_t map_x, map_y;
    uint32_t table;
    uint32_t tile_stride, group_stride;
    uint32_t back_stride;
    uint32_t filter_first, filter_count;
    uint32_t filter_place;
    uint32_t taps_x, taps_y;
    int32_t centre_x, centre_y;
    uint32_t taps_first;
    float outside_colour, outside_alpha;
    float alpha_gain, offset;
};

/* What every Vulkan device takes. */
_Static_assert(sizeof(struct vk_push) <= 128, "push constants");

/* Tiles of the convolutions in space, as their shaders make them. */
enum { VK_TILE = 32, VK_STRIP = 256 };

/* Threads of a workgroup. */
enum { VK_DIRECT_THREADS = 128, VK_SEPARABLE_THREADS = 256, VK_FINISH_THREADS = 64 };

#endif
