/* Abbe inside a program that draws with Vulkan: filters pictures where they are, on the GPU, in the program's own
 * command buffers. Nothing is copied, neither to the host nor on the device.
 *
 *     abbe_vulkan_adopt(&(abbe_vulkan_params){ .get_instance_proc_addr = vkGetInstanceProcAddr, .instance = instance,
 *         .physical_device = gpu, .device = gpu_device, .queue = queue, .queue_family = family,
 *         .features = &enabled }, &device);
 *     abbe_plan_create(device, &(abbe_plan_params){ .width = 1920, .height = 1080, .channels = 4,
 *         .source_type = ABBE_F16, .result_type = ABBE_F16, .nonfinite = ABBE_NONFINITE_TRUST,
 *         .filters = (const abbe_filter *[]){ blur }, .filter_count = 1 }, &plan);
 *     for (int i = 0; i < FRAMES_IN_FLIGHT; i++)
 *         abbe_vulkan_slot_create(plan, ABBE_VULKAN_IMAGE, ABBE_VULKAN_IMAGE, &slots[i]);
 *
 *     // every frame, after the draw calls and a barrier:
 *     abbe_vulkan_record(slots[frame], commands, &scene, &blurred);
 *
 * Installed only where the library was built with Vulkan; a program that does not include it needs nothing of Vulkan.
 * Whoever loads Vulkan's functions in a way of his own (VK_NO_PROTOTYPES, volk) includes his header first.
 * The conventions of abbe.h hold here too. */
#ifndef ABBE_VULKAN_H
#define ABBE_VULKAN_H

#include <abbe/abbe.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* What a program has opened. Its objects must outlive the abbe_device; what `features` points at is read at once. */
typedef struct abbe_vulkan_params {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* the one that made the instance */
    VkInstance instance;                              /* of apiVersion 1.1 or later */
    VkPhysicalDevice physical_device;                 /* the same */
    VkDevice device;
    VkQueue queue;         /* plans are filled through it, and abbe_run goes through it */
    uint32_t queue_family; /* of the queue, and of every command buffer that is recorded into: it computes */
    const VkPhysicalDeviceFeatures *features; /* that the device was made with; NULL: none */
    int threads;                              /* as in abbe_device_params */

    /* Called around everything that is done to `queue`, and never from abbe_vulkan_record. May be NULL where no other
     * thread uses the queue while abbe_plan_create, abbe_run, abbe_submit or abbe_wait runs. */
    void (*lock_queue)(void *user);
    void (*unlock_queue)(void *user);
    void *user;
} abbe_vulkan_params;

/* A device that works on the program's own VkDevice. It does all that a device of abbe_device_open does, and takes
 * recordings besides. Of Vulkan's features it needs none for buffers, and shaderStorageImageWriteWithoutFormat for
 * results that are images.
 * abbe_device_close leaves the program's objects as they are; plans and slots must be gone before it.
 * Errors (under NULL): INVALID, DEVICE (the GPU or its driver lacks what is needed), MEMORY. */
ABBE_API int abbe_vulkan_adopt(const abbe_vulkan_params *params, abbe_device **device);

/* ---- Slots -------------------------------------------------------------------------------------------- */

/* What a picture lies in. */
typedef enum abbe_vulkan_kind {
    ABBE_VULKAN_BUFFER, /* any type and any number of channels, interleaved as in abbe_image */
    ABBE_VULKAN_IMAGE   /* four channels */
} abbe_vulkan_kind;

/* The scratch memory and the descriptors of one recording: at most abbe_candidate.bytes of the plan's method. */
typedef struct abbe_vulkan_slot abbe_vulkan_slot;

/* Makes a slot for recordings of a plan. Compiles the shaders for the kinds of its pictures, so it may take as long as
 * abbe_plan_create; abbe_vulkan_record then neither compiles nor allocates. All results of a bank are of one kind.
 * A slot serves one recording at a time, from abbe_vulkan_record until the GPU has executed it for the last time. For
 * several at once (one per frame in flight, say) make several slots; recordings of different slots need no order among
 * each other. The plan must outlive its slots.
 * Errors: INVALID (NULL, no such kind, a plan whose device was not adopted, an image with other than four channels, or a
 * plan with ABBE_NONFINITE_ERROR for F16 or F32 samples: nobody looks at samples before a recording runs), UNSUPPORTED
 * (image results without shaderStorageImageWriteWithoutFormat), SIZE (the device cannot take the picture as a whole),
 * MEMORY, DEVICE. */
ABBE_API int abbe_vulkan_slot_create(const abbe_plan *plan, abbe_vulkan_kind source, abbe_vulkan_kind result,
                                     abbe_vulkan_slot **slot);

/* The GPU must be done with the slot's last recording. */
ABBE_API void abbe_vulkan_slot_destroy(abbe_vulkan_slot **slot);

/* ---- Recordings --------------------------------------------------------------------------------------- */

/* A picture that the program owns. Fields of the other kind are zero. */
typedef struct abbe_vulkan_picture {
    int width, height; /* the plan's */

    /* IMAGE: a 2-D view of one level and one layer of a VkImage with one sample per pixel. Its format is
     *     U8    R8G8B8A8_UNORM, B8G8R8A8_UNORM       channels are red, green, blue, alpha in either
     *     U16   R16G16B16A16_UNORM
     *     F16   R16G16B16A16_SFLOAT
     *     F32   R32G32B32A32_SFLOAT
     * by the plan's type. An sRGB image is filtered through a UNORM view (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT), in linear
     * light when the plan has linear_light. */
    VkImageView view;
    VkFormat format;
    VkImageLayout layout; /* of a source: SHADER_READ_ONLY_OPTIMAL or GENERAL; of a result: GENERAL */

    /* BUFFER: sample (x, y, c) lies at offset + y·stride + (x·channels + c)·size of type. `offset` is a multiple of
     * minStorageBufferOffsetAlignment; `stride` of 4, and of 16 for four channels of F32, and at least a row. The
     * buffer has offset + height·stride bytes, of which height·stride are no more than maxStorageBufferRange. Bytes of
     * a result between the end of a row and the next one may be written. */
    VkBuffer buffer;
    VkDeviceSize offset, stride;
} abbe_vulkan_picture;

/* Records one run of the slot's plan into a command buffer that is being recorded, outside of a render pass.
 *
 * | picture        | usage of the VkImage or VkBuffer | before, at the latest                       |
 * |----------------|----------------------------------|---------------------------------------------|
 * | source, image  | SAMPLED                          | in `layout`; contents visible to SHADER_READ |
 * | source, buffer | STORAGE_BUFFER                   | contents visible to SHADER_READ              |
 * | result, image  | STORAGE                          | in GENERAL, whatever its contents           |
 * | result, buffer | STORAGE_BUFFER                   | earlier uses are over                       |
 *
 * all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT: the caller's barriers have that stage as their dstStageMask, and for
 * results SHADER_WRITE as dstAccessMask. After the recording the source is as it was; results were written by
 * VK_ACCESS_SHADER_WRITE_BIT at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, their images still in GENERAL, and made visible to
 * nobody: the caller's barrier has those as srcAccessMask and srcStageMask. All pictures belong to the adopted queue
 * family, by creation or by transfer.
 *
 * The recording leaves other values in the command buffer's compute pipeline, its descriptor set 0 and its push
 * constants; the state of graphics is not touched. The command buffer may be submitted as often as its kind allows,
 * but not again before the last time is over: the scratch is the slot's. Recording anew with a slot makes the command
 * buffer it was last recorded into invalid.
 *
 * With NULL for `source` and for `results` the slot's last pictures are meant, and the command buffers that it was
 * recorded into stay valid: a program records the same work into several command buffers, or several times into one.
 * Between two executions stands a barrier as after and before any recording, and the pictures must exist as they did.
 *
 * Source and results must not share memory, nor may results among each other. Samples that are not finite count as 0
 * with ABBE_NONFINITE_ZERO; with TRUST one of them may spoil the picture, and nothing else.
 * Different slots may be recorded by several threads at once, into command buffers of their own.
 * Errors, none of which records anything: INVALID (NULL for pictures before there were any is one). */
ABBE_API int abbe_vulkan_record(abbe_vulkan_slot *slot, VkCommandBuffer commands,
                                const abbe_vulkan_picture *source, const abbe_vulkan_picture *results);

#ifdef __cplusplus
}
#endif

#endif
