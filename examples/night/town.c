/* The scene: a render pass, a pipeline and one triangle. */
#include "town.h"

#include "town_frag.h"
#include "town_vert.h"

/* Makes the drawn image visible to compute shaders after the render pass. */
static bool create_pass(const struct gpu *gpu, const struct gpu_image *image, struct town *town)
{
    const VkAttachmentDescription attachment = { .format = image->format,
                                                 .samples = VK_SAMPLE_COUNT_1_BIT,
                                                 .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                 .finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
    const VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
    const VkSubpassDescription subpass = { .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                           .colorAttachmentCount = 1,
                                           .pColorAttachments = &reference };
    const VkSubpassDependency dependency = { .srcSubpass = 0,
                                             .dstSubpass = VK_SUBPASS_EXTERNAL,
                                             .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                             .dstStageMask = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                             .dstAccessMask = VK_ACCESS_SHADER_READ_BIT };
    const VkRenderPassCreateInfo info = { .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                          .attachmentCount = 1,
                                          .pAttachments = &attachment,
                                          .subpassCount = 1,
                                          .pSubpasses = &subpass,
                                          .dependencyCount = 1,
                                          .pDependencies = &dependency };
    return gpu_ok(vkCreateRenderPass(gpu->device, &info, NULL, &town->pass), "making a render pass");
}

static bool create_target(const struct gpu *gpu, const struct gpu_image *image, struct town *town)
{
    const VkFramebufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = town->pass,
                                           .attachmentCount = 1,
                                           .pAttachments = &image->view,
                                           .width = town->width,
                                           .height = town->height,
                                           .layers = 1 };
    const VkPushConstantRange size = { VK_SHADER_STAGE_FRAGMENT_BIT, 0, 2 * sizeof(float) };
    const VkPipelineLayoutCreateInfo layout = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                .pushConstantRangeCount = 1,
                                                .pPushConstantRanges = &size };
    return gpu_ok(vkCreateFramebuffer(gpu->device, &info, NULL, &town->target), "making a frame buffer") &&
           gpu_ok(vkCreatePipelineLayout(gpu->device, &layout, NULL, &town->layout), "making a layout");
}

static bool create_shader(const struct gpu *gpu, const uint32_t *code, size_t size, VkShaderModule *shader)
{
    const VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = size,
                                            .pCode = code };
    return gpu_ok(vkCreateShaderModule(gpu->device, &info, NULL, shader), "making a shader");
}

static bool compile(const struct gpu *gpu, struct town *town, VkShaderModule vertices, VkShaderModule pixels)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
          .stage = VK_SHADER_STAGE_VERTEX_BIT,
          .module = vertices,
          .pName = "main" },
        { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
          .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
          .module = pixels,
          .pName = "main" },
    };
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO
    };
    const VkPipelineInputAssemblyStateCreateInfo triangles = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
    };
    const VkViewport view = { 0, 0, (float)town->width, (float)town->height, 0, 1 };
    const VkRect2D all = { { 0, 0 }, { town->width, town->height } };
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &view,
        .scissorCount = 1,
        .pScissors = &all
    };
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1
    };
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT
    };
    const VkPipelineColorBlendAttachmentState plain = { .colorWriteMask = 15 };
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &plain
    };
    const VkGraphicsPipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                .stageCount = 2,
                                                .pStages = stages,
                                                .pVertexInputState = &input,
                                                .pInputAssemblyState = &triangles,
                                                .pViewportState = &viewport,
                                                .pRasterizationState = &raster,
                                                .pMultisampleState = &samples,
                                                .pColorBlendState = &blend,
                                                .layout = town->layout,
                                                .renderPass = town->pass };
    return gpu_ok(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &town->pipeline),
                  "compiling the scene");
}

bool town_create(const struct gpu *gpu, const struct gpu_image *image, uint32_t width, uint32_t height,
                 struct town *town)
{
    VkShaderModule vertices = VK_NULL_HANDLE, pixels = VK_NULL_HANDLE;
    town->width = width;
    town->height = height;
    bool made = create_pass(gpu, image, town) && create_target(gpu, image, town) &&
                create_shader(gpu, town_vert, sizeof town_vert, &vertices) &&
                create_shader(gpu, town_frag, sizeof town_frag, &pixels) &&
                compile(gpu, town, vertices, pixels);
    vkDestroyShaderModule(gpu->device, vertices, NULL);
    vkDestroyShaderModule(gpu->device, pixels, NULL);
    return made;
}

void town_destroy(const struct gpu *gpu, struct town *town)
{
    vkDestroyPipeline(gpu->device, town->pipeline, NULL);
    vkDestroyPipelineLayout(gpu->device, town->layout, NULL);
    vkDestroyFramebuffer(gpu->device, town->target, NULL);
    vkDestroyRenderPass(gpu->device, town->pass, NULL);
}

void town_draw(const struct town *town, VkCommandBuffer commands)
{
    const float size[] = { (float)town->width, (float)town->height };
    const VkRenderPassBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                          .renderPass = town->pass,
                                          .framebuffer = town->target,
                                          .renderArea = { { 0, 0 }, { town->width, town->height } } };
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, town->pipeline);
    vkCmdPushConstants(commands, town->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof size, size);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}
