/* Draws a town at night with Vulkan and puts it out of focus in the same command buffer: the picture is
 * filtered where it was drawn, and only the saved files come to the host.
 *
 *     night [FOLDER [WIDTH HEIGHT]]          default: out 960 600
 *
 * writes the pictures sharp and blurred, as PFM in full range and as PNG for viewing. */
#include "arguments.h"
#include "files.h"
#include "gpu.h"
#include "town.h"

#include <abbe/vulkan.h>

#include <stdio.h>
#include <stdlib.h>

struct night {
    const char *folder;
    int width, height;
    struct gpu gpu;
    struct gpu_image sharp, blurred;
    struct gpu_buffer saved;
    VkDeviceSize blurred_offset; /* bytes in front of the blurred picture in `saved` */
    struct town town;
    abbe_device *device;
    abbe_filter *lens;
    abbe_plan *plan;
    abbe_vulkan_slot *slot;
};

/* ---- Abbe --------------------------------------------------------------------------------------------- */

static bool abbe_ok(const struct night *night, int error, const char *what)
{
    if (error)
        fprintf(stderr, "night: %s: %s\n", what, abbe_error_text(night->device));
    return !error;
}

static bool adopt(struct night *night)
{
    const struct gpu *gpu = &night->gpu;
    const abbe_vulkan_params params = { .get_instance_proc_addr = vkGetInstanceProcAddr,
                                        .instance = gpu->instance,
                                        .physical_device = gpu->adapter,
                                        .device = gpu->device,
                                        .queue = gpu->queue,
                                        .queue_family = gpu->family,
                                        .features = &gpu->features };
    return abbe_ok(night, abbe_filter_parse("disk:radius=9", NULL, &night->lens), "the lens") &&
           abbe_ok(night, abbe_vulkan_adopt(&params, &night->device), "adopting the GPU");
}

/* Makes a plan from half to single precision, and its slot. A program with several frames in flight creates
 * as many slots of one plan. */
static bool make_plan(struct night *night)
{
    const abbe_filter *filters[] = { night->lens };
    const abbe_plan_params params = { .width = night->width,
                                      .height = night->height,
                                      .channels = 4,
                                      .source_type = ABBE_F16,
                                      .result_type = ABBE_F32,
                                      .nonfinite = ABBE_NONFINITE_TRUST,
                                      .filters = filters,
                                      .filter_count = 1 };
    return abbe_ok(night, abbe_plan_create(night->device, &params, &night->plan), "the plan") &&
           abbe_ok(night,
                   abbe_vulkan_slot_create(night->plan, ABBE_VULKAN_IMAGE, ABBE_VULKAN_IMAGE, &night->slot),
                   "the slot");
}

static bool record_filter(struct night *night, VkCommandBuffer commands)
{
    const abbe_vulkan_picture source = { .width = night->width,
                                         .height = night->height,
                                         .view = night->sharp.view,
                                         .format = night->sharp.format,
                                         .layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
    const abbe_vulkan_picture result = { .width = night->width,
                                         .height = night->height,
                                         .view = night->blurred.view,
                                         .format = night->blurred.format,
                                         .layout = VK_IMAGE_LAYOUT_GENERAL };
    return abbe_ok(night, abbe_vulkan_record(night->slot, commands, &source, &result), "the filter");
}

/* ---- The frame ---------------------------------------------------------------------------------------- */

static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout before, VkImageLayout after,
                    VkPipelineStageFlags from, VkAccessFlags wrote, VkPipelineStageFlags to,
                    VkAccessFlags uses)
{
    const VkImageMemoryBarrier info = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                        .srcAccessMask = wrote,
                                        .dstAccessMask = uses,
                                        .oldLayout = before,
                                        .newLayout = after,
                                        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                        .image = image,
                                        .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
    vkCmdPipelineBarrier(commands, from, to, 0, 0, NULL, 0, NULL, 1, &info);
}

/* Copies both pictures to a buffer that the host can read. */
static void record_save(const struct night *night, VkCommandBuffer commands)
{
    const struct gpu_image *images[] = { &night->sharp, &night->blurred };
    VkBufferImageCopy region = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
                                 .imageExtent = { (uint32_t)night->width, (uint32_t)night->height, 1 } };
    for (int i = 0; i < 2; i++) {
        region.bufferOffset = i ? night->blurred_offset : 0;
        vkCmdCopyImageToBuffer(commands, images[i]->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                               night->saved.buffer, 1, &region);
    }
    const VkMemoryBarrier written = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                      .dstAccessMask = VK_ACCESS_HOST_READ_BIT };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &written,
                         0, NULL, 0, NULL);
}

/* Draws, filters and copies in one command buffer. The render pass leaves the scene ready for compute
 * shaders; the result must be in GENERAL before the filter writes it. */
static bool render(struct night *night)
{
    VkCommandBuffer commands;
    if (!gpu_begin(&night->gpu, &commands))
        return false;
    town_draw(&night->town, commands);
    barrier(commands, night->blurred.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL,
            VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT);
    if (!record_filter(night, commands))
        return false;
    barrier(commands, night->blurred.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT);
    barrier(commands, night->sharp.image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
            VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    record_save(night, commands);
    return gpu_finish(&night->gpu, commands);
}

/* ---- The program ------------------------------------------------------------------------------------- */

static bool make_pictures(struct night *night)
{
    const struct gpu *gpu = &night->gpu;
    uint32_t width = (uint32_t)night->width, height = (uint32_t)night->height;
    VkDeviceSize pixels = (VkDeviceSize)width * height;
    night->blurred_offset = (pixels * 8 + 15) / 16 * 16;
    return gpu_image_create(gpu, VK_FORMAT_R16G16B16A16_SFLOAT, width, height,
                            VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                            &night->sharp) &&
           gpu_image_create(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, width, height,
                            VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, &night->blurred) &&
           gpu_buffer_create(gpu, night->blurred_offset + pixels * 16, &night->saved) &&
           town_create(gpu, &night->sharp, width, height, &night->town);
}

static bool save(const struct night *night)
{
    const char *bytes = night->saved.bytes;
    return files_save(night->folder, "sharp", night->width, night->height, bytes, true) &&
           files_save(night->folder, "blurred", night->width, night->height, bytes + night->blurred_offset,
                      false);
}

static void release(struct night *night)
{
    struct gpu *gpu = &night->gpu;
    abbe_vulkan_slot_destroy(&night->slot);
    abbe_plan_destroy(&night->plan);
    abbe_device_close(&night->device);
    abbe_filter_destroy(&night->lens);
    if (gpu->device) {
        town_destroy(gpu, &night->town);
        gpu_buffer_destroy(gpu, &night->saved);
        gpu_image_destroy(gpu, &night->blurred);
        gpu_image_destroy(gpu, &night->sharp);
    }
    gpu_close(gpu);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!arguments_read("night", argc, argv, &arguments))
        return 2;
    struct night night = { .folder = arguments.folder, .width = arguments.width, .height = arguments.height };
    bool done = gpu_open(&night.gpu) && make_pictures(&night) && adopt(&night) && make_plan(&night) &&
                render(&night) && save(&night);
    if (done)
        printf("%s/sharp.png, %s/blurred.png, and both as .pfm: drawn and filtered on %s\n", night.folder,
               night.folder, abbe_device_detail(night.device));
    release(&night);
    return done ? 0 : 1;
}
