/* The host's side of shaders/vulkan/interface.h: specialisation constants and push constants as structs. */
#ifndef ABBE_VULKAN_INTERFACE_H
#define ABBE_VULKAN_INTERFACE_H

#include "../../shaders/vulkan/interface.h"

#include <abbe/abbe.h>
#include <stddef.h>
#include <stdint.h>

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
_Static_assert(ABVK_DIRECT_THREADS == ABVK_TILE * ABVK_TILE / ABVK_DIRECT_EACH &&
                   ABVK_SEPARABLE_THREADS == ABVK_TILE * ABVK_TILE / ABVK_SEPARABLE_EACH &&
                   ABVK_SEPARABLE_THREADS == ABVK_STRIP,
               "threads of the convolutions in space");

#endif
