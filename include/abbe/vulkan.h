/* Abbe inside an application that draws with Vulkan: filters pictures on the GPU, where they are, with
 * commands in the application's own command buffers. No picture is copied, neither to the host nor on the
 * device.
 *
 *     abbe_vulkan_adopt(&(abbe_vulkan_params){ .get_instance_proc_addr = vkGetInstanceProcAddr,
 *         .instance = instance, .physical_device = gpu, .device = gpu_device, .queue = queue,
 *         .queue_family = family, .features = &enabled }, &device);
 *     abbe_plan_create(device, &(abbe_plan_params){ .width = 1920, .height = 1080, .channels = 4,
 *         .source_type = ABBE_F16, .result_type = ABBE_F16, .nonfinite = ABBE_NONFINITE_TRUST,
 *         .filters = (const abbe_filter *[]){ blur }, .filter_count = 1 }, &plan);
 *     for (int i = 0; i < FRAMES_IN_FLIGHT; i++)
 *         abbe_vulkan_slot_create(plan, ABBE_VULKAN_IMAGE, ABBE_VULKAN_IMAGE, &slots[i]);
 *
 *     // every frame, after the draw calls and a barrier:
 *     abbe_vulkan_record(slots[frame], commands, &scene, &blurred);
 *
 * This header is installed only if the library was built with Vulkan. An application that does not include it
 * needs nothing of Vulkan. An application that loads Vulkan's functions itself (VK_NO_PROTOTYPES, volk)
 * includes that loader's header first. The conventions of abbe.h apply here too. */
#ifndef ABBE_VULKAN_H
#define ABBE_VULKAN_H

#include <abbe/abbe.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* The application's Vulkan objects. They must outlive the abbe_device; `features` is read once. All handles
 * and get_instance_proc_addr are required, the rest is optional: zero is the default. */
typedef struct abbe_vulkan_params {
    size_t size;                                      /* sizeof(abbe_vulkan_params); 0: as of version 0.2 */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* the function that the instance was created with */
    VkInstance instance;                              /* apiVersion 1.1 or later */
    VkPhysicalDevice physical_device;                 /* apiVersion 1.1 or later */
    VkDevice device;
    VkQueue queue;         /* abbe_plan_create, abbe_run and abbe_submit use it */
    uint32_t queue_family; /* of `queue` and of every command buffer that is recorded into; it computes */
    const VkPhysicalDeviceFeatures *features; /* features that are enabled on `device`; NULL: none */
    const abbe_device_params *options;        /* as in abbe_device_open */

    /* Called before and after every use of `queue`, never by abbe_vulkan_record. Both may be NULL if no other
     * thread uses the queue during abbe_plan_create, abbe_run, abbe_submit and abbe_wait. */
    void (*lock_queue)(void *user);
    void (*unlock_queue)(void *user);
    void *user; /* argument of both */
} abbe_vulkan_params;

/* Opens a device on the application's VkDevice. It can do everything that a device of abbe_device_open can,
 * and abbe_vulkan_record as well. Buffers need no feature of Vulkan; results that are images need
 * shaderStorageImageWriteWithoutFormat.
 *
 * Ownership: the application keeps its objects; abbe_device_close does not touch them. Close the device after
 * its plans and slots are destroyed and before the application's objects are. Threads: any; the device may be
 * used by many threads at once. Errors (message under NULL): INVALID (a required field is NULL, the queue
 * family does not compute, only one of the lock functions is set), DEVICE (the GPU or its driver lacks
 * something), MEMORY. */
ABBE_API int abbe_vulkan_adopt(const abbe_vulkan_params *params, abbe_device **device);

/* ---- Slots -------------------------------------------------------------------------------------------- */

/* What holds a picture. */
typedef enum abbe_vulkan_kind {
    ABBE_VULKAN_BUFFER, /* any type and number of channels, interleaved as in abbe_image */
    ABBE_VULKAN_IMAGE   /* four channels */
} abbe_vulkan_kind;

/* Scratch memory and descriptors of one recording: at most abbe_candidate.bytes of the plan's method. */
typedef struct abbe_vulkan_slot abbe_vulkan_slot;

/* Creates a slot for recordings of a plan with these kinds of pictures; all results of a bank are of one
 * kind. Compiles the shaders for them, so that it may take as long as abbe_plan_create; abbe_vulkan_record
 * then neither compiles nor allocates.
 *
 * A slot serves one recording at a time, from abbe_vulkan_record until the GPU has executed it for the last
 * time. For several at once, such as one per frame in flight, create several slots. Recordings of different
 * slots need no barriers between them.
 *
 * Ownership: the caller destroys the slot with abbe_vulkan_slot_destroy, before its plan. Threads: any.
 * Errors: INVALID (`plan` or `slot` is NULL, an unknown kind, a plan whose device was not opened by
 * abbe_vulkan_adopt, an image with other than four channels, or a plan of F16 or F32 samples with
 * ABBE_NONFINITE_ERROR, because samples are not checked before a recording is executed), UNSUPPORTED (image
 * results without shaderStorageImageWriteWithoutFormat), SIZE (the device cannot hold the picture as a
 * whole), MEMORY, DEVICE. */
ABBE_API int abbe_vulkan_slot_create(const abbe_plan *plan, abbe_vulkan_kind source, abbe_vulkan_kind result,
                                     abbe_vulkan_slot **slot);

/* Destroys a slot. The GPU must have finished its last recording. */
ABBE_API void abbe_vulkan_slot_destroy(abbe_vulkan_slot **slot);

/* ---- Recordings --------------------------------------------------------------------------------------- */

/* A view of the application's picture; it owns nothing. Fields of the other kind are zero. Frozen since
 * 0.2. */
typedef struct abbe_vulkan_picture {
    int width, height; /* as in the plan */

    /* IMAGE: a 2-D view of one mip level and one layer of a VkImage with one sample per pixel. The plan's
     * type determines the format:
     *     U8    R8G8B8A8_UNORM, B8G8R8A8_UNORM       channels are red, green, blue, alpha in either
     *     U16   R16G16B16A16_UNORM
     *     F16   R16G16B16A16_SFLOAT
     *     F32   R32G32B32A32_SFLOAT
     * An sRGB image is filtered through a UNORM view (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT), in linear light if
     * the plan has linear_light. */
    VkImageView view;
    VkFormat format;
    VkImageLayout layout; /* source: SHADER_READ_ONLY_OPTIMAL or GENERAL; result: GENERAL */

    /* BUFFER: sample (x, y, c) lies at offset + y·stride + (x·channels + c)·size of type. `offset` is a
     * multiple of minStorageBufferOffsetAlignment. `stride` is a multiple of 4, for four channels of
     * F32 a multiple of 16, and at least a row. The buffer has offset + height·stride bytes;
     * height·stride is at most maxStorageBufferRange. The bytes of a result between the end of a row
     * and the next row may be overwritten. */
    VkBuffer buffer;
    VkDeviceSize offset, stride;
} abbe_vulkan_picture;

/* Records one run of the slot's plan into `commands`, a command buffer in the recording state, outside of a
 * render pass. `results` has one picture for each filter of the plan.
 *
 * | picture        | usage of the VkImage or VkBuffer | state when the commands are executed         |
 * |----------------|----------------------------------|----------------------------------------------|
 * | source, image  | SAMPLED                          | in `layout`; contents visible to SHADER_READ |
 * | source, buffer | STORAGE_BUFFER                   | contents visible to SHADER_READ              |
 * | result, image  | STORAGE                          | in GENERAL, with any contents                |
 * | result, buffer | STORAGE_BUFFER                   | earlier uses are finished                    |
 *
 * Barriers before: dstStageMask is VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, and for results dstAccessMask is
 * VK_ACCESS_SHADER_WRITE_BIT. Barriers after: the source is unchanged; results were written by
 * VK_ACCESS_SHADER_WRITE_BIT at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, which are srcAccessMask and
 * srcStageMask, and images are still in GENERAL. All pictures belong to the adopted queue family, by creation
 * or by transfer.
 *
 * The recording changes the command buffer's compute pipeline, descriptor set 0 of the compute bind point and
 * push constants, and nothing of the graphics state. The command buffer may be submitted as often as its
 * usage flags allow, but not while an earlier submission is in progress, because they share the slot's
 * scratch. Recording a slot with new pictures invalidates the command buffers that it was recorded into
 * before.
 *
 * If `source` and `results` are both NULL, the slot's last pictures are used, and the command buffers that it
 * was recorded into stay valid: an application can record the same work into several command buffers, or
 * several times into one. A barrier as above must separate two executions, and the pictures must still exist.
 *
 * Aliasing: the source and the results must not share memory, nor may two results. Nonfinite samples count as
 * 0 with ABBE_NONFINITE_ZERO; with ABBE_NONFINITE_TRUST one of them may make every sample of the results
 * nonfinite, and has no other effect. Threads: several threads may record different slots at once, into
 * different command buffers. Errors, after which nothing is recorded: INVALID (a NULL argument, also NULL
 * pictures before the first ones; a picture that breaks a rule above, as far as its handles tell). */
ABBE_API int abbe_vulkan_record(abbe_vulkan_slot *slot, VkCommandBuffer commands,
                                const abbe_vulkan_picture *source, const abbe_vulkan_picture *results);

#ifdef __cplusplus
}
#endif

#endif
