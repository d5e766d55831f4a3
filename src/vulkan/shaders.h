/* The compiled shaders, and their specialisation and push constants: the host's side of
 * shaders/vulkan/interface.h. */
#ifndef ABBE_VULKAN_SHADERS_H
#define ABBE_VULKAN_SHADERS_H

#include "../../shaders/vulkan/interface.h"

#include <abbe/abbe.h>
#include <stddef.h>
#include <stdint.h>

enum vk_shader {
    ABVK_SHADER_ROWS,
    ABVK_SHADER_COLUMNS,
    ABVK_SHADER_ROWS_BACK,
    /* The same three for lengths with other primes than 2, 3, 5 and 7. */
    ABVK_SHADER_ROWS_BLUESTEIN,
    ABVK_SHADER_COLUMNS_BLUESTEIN,
    ABVK_SHADER_ROWS_BACK_BLUESTEIN,
    /* These six for transforms of at most ABVK_FEW_STAGES stages with radices up to 8: less code to compile. */
    ABVK_SHADER_ROWS_FEW,
    ABVK_SHADER_COLUMNS_FEW,
    ABVK_SHADER_ROWS_BACK_FEW,
    ABVK_SHADER_ROWS_FEW_BLUESTEIN,
    ABVK_SHADER_COLUMNS_FEW_BLUESTEIN,
    ABVK_SHADER_ROWS_BACK_FEW_BLUESTEIN,
    /* The first six for a grid in 16 bits. */
    ABVK_SHADER_ROWS_HALF,
    ABVK_SHADER_COLUMNS_HALF,
    ABVK_SHADER_ROWS_BACK_HALF,
    ABVK_SHADER_ROWS_HALF_BLUESTEIN,
    ABVK_SHADER_COLUMNS_HALF_BLUESTEIN,
    ABVK_SHADER_ROWS_BACK_HALF_BLUESTEIN,
    /* The first three for lengths beyond shared memory. */
    ABVK_SHADER_ROWS_LONG,
    ABVK_SHADER_COLUMNS_LONG,
    ABVK_SHADER_ROWS_BACK_LONG,
    ABVK_SHADER_DIRECT,
    ABVK_SHADER_SEPARABLE_ROWS,
    ABVK_SHADER_SEPARABLE_COLUMNS,
    ABVK_SHADER_FINISH,
    ABVK_SHADERS
};

/* Variants that the build compiles a shader in: one or two complex planes in an element, and with two planes
 * images in place of buffers for the source, the results or both. */
enum vk_variant {
    ABVK_VARIANT_PLANE,
    ABVK_VARIANT_PLANES,
    ABVK_VARIANT_FROM_IMAGE,
    ABVK_VARIANT_TO_IMAGE,
    ABVK_VARIANT_IMAGES,
    ABVK_VARIANTS
};

/* SPIR-V that the build embeds; empty for variants that do not exist. */
struct vk_code {
    const uint32_t *words;
    size_t bytes;
};
extern const struct vk_code vk_codes[ABVK_SHADERS][ABVK_VARIANTS];

/* Specialisation constants by their ids: values[ABVK_POINTS] and so on. */
struct vk_constants {
    uint32_t values[ABVK_CONSTANTS];
};
_Static_assert(ABVK_RADICES + ABVK_STAGES_MAX == ABVK_PADDED, "ids of the radices");

#define ABVK_HOST_uint uint32_t
#define ABVK_HOST_int int32_t
#define ABVK_HOST_float float
#define ABVK_FIELD(at, type, name) ABVK_HOST_##type name;
struct vk_push {
    ABVK_PUSH_CONSTANTS(ABVK_FIELD)
};
#undef ABVK_FIELD

#define ABVK_CHECK(at, type, name)                                                                     \
    _Static_assert(offsetof(struct vk_push, name) == (at) && sizeof(((struct vk_push *)0)->name) == 4, \
                   "push constant " #name);
ABVK_PUSH_CONSTANTS(ABVK_CHECK)
#undef ABVK_CHECK
_Static_assert(sizeof(struct vk_push) == 128, "push constants take what every Vulkan device allows");

_Static_assert(ABBE_U8 == 1 && ABBE_U16 == 2 && ABBE_F16 == 3 && ABBE_F32 == 4, "types of interface.glsl");
_Static_assert(ABVK_DIRECT_THREADS == ABVK_SQUARE * ABVK_SQUARE / ABVK_DIRECT_EACH &&
                   ABVK_SEPARABLE_THREADS == ABVK_SQUARE * ABVK_SQUARE / ABVK_SEPARABLE_EACH &&
                   ABVK_SEPARABLE_THREADS == ABVK_STRIP,
               "threads of the convolutions in space");

#endif
