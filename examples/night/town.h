/* The scene: a town at night, drawn by the shaders town.vert and town.frag. */
#ifndef EXAMPLES_NIGHT_TOWN_H
#define EXAMPLES_NIGHT_TOWN_H

#include "gpu.h"

struct town {
    uint32_t width, height;
    VkRenderPass pass;
    VkFramebuffer target;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

/* Creates the scene. town_destroy must follow, even after a failure. */
bool town_create(const struct gpu *gpu, const struct gpu_image *image, uint32_t width, uint32_t height,
                 struct town *town);
void town_destroy(const struct gpu *gpu, struct town *town);

/* Records the drawing. Afterwards the image is in SHADER_READ_ONLY_OPTIMAL, and
 * compute shaders may read it. */
void town_draw(const struct town *town, VkCommandBuffer commands);

#endif
