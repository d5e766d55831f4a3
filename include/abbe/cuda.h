/* Abbe beside an application's own CUDA code: filters pictures in the GPU's memory, where they are, on a
 * stream of the application. Nothing is copied and nothing waits: a call only launches kernels, so that it
 * can also be captured into a CUDA graph.
 *
 *     abbe_cuda_adopt(&(abbe_cuda_params){ .context = NULL }, &device); // the context that is current
 *     abbe_plan_create(device, &(abbe_plan_params){ .width = 1920, .height = 1080, .channels = 4,
 *         .source_type = ABBE_F16, .result_type = ABBE_F16, .nonfinite = ABBE_NONFINITE_TRUST,
 *         .filters = (const abbe_filter *[]){ blur }, .filter_count = 1 }, &plan);
 *     abbe_cuda_slot_create(plan, &slot);
 *
 *     // for every picture, behind the kernels that make it:
 *     abbe_image source = { .data = (void *)scene, .width = 1920, .height = 1080, .channels = 4,
 *         .type = ABBE_F16 }, result = source;
 *     result.data = (void *)blurred;
 *     abbe_cuda_filter(slot, stream, &source, &result);
 *
 * This header is installed only if the library was built with the CUDA device. It includes no header of CUDA:
 * contexts and streams are `void *`, as CUcontext, CUstream and cudaStream_t are pointers, and CUdeviceptr is
 * cast to one. The conventions of abbe.h apply here too. */
#ifndef ABBE_CUDA_H
#define ABBE_CUDA_H

#include <abbe/abbe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* Parameters of abbe_cuda_adopt. All fields are optional: zero is the default. */
typedef struct abbe_cuda_params {
    size_t size; /* sizeof(abbe_cuda_params); 0: as of version 0.2 */
    /* CUcontext; NULL: the one that is current to the calling thread, such as the primary context that the
     * runtime (cudaMalloc, PyTorch) uses. */
    void *context;
    const abbe_device_params *options; /* as in abbe_device_open */
} abbe_cuda_params;

/* Opens a device in the application's context. It can do everything that a device of abbe_device_open can,
 * and abbe_cuda_filter as well. Every call leaves the context current that was so before. abbe_run and
 * abbe_submit use streams of their own; neither they nor the functions that make plans and slots may be
 * called while a stream is captured in a mode that forbids other threads' or this thread's allocations
 * (cuStreamBeginCapture).
 *
 * Ownership: the application keeps its context; abbe_device_close does not touch it. Close the device after
 * its plans and slots are destroyed and before the context is. Threads: any; the device may be used by many
 * threads at once. Errors (message under NULL): INVALID (no context is given and none is current), DEVICE
 * (CUDA's driver or NVRTC is missing or too old, the GPU lacks something), MEMORY. */
ABBE_API int abbe_cuda_adopt(const abbe_cuda_params *params, abbe_device **device);

/* ---- Slots -------------------------------------------------------------------------------------------- */

/* The scratch memory of one use of a plan at a time: at most abbe_candidate.bytes of the plan's method. */
typedef struct abbe_cuda_slot abbe_cuda_slot;

/* Creates a slot for abbe_cuda_filter. Compiles the kernels for it, so that it may take as long as
 * abbe_plan_create; abbe_cuda_filter then neither compiles nor allocates.
 *
 * A slot serves one run at a time. Runs on one stream follow each other, so that one slot is enough for a
 * stream; runs on several streams, or in graphs that execute side by side, need a slot each.
 *
 * Ownership: the caller destroys the slot with abbe_cuda_slot_destroy, before its plan. Threads: any. Errors:
 * INVALID (`plan` or `slot` is NULL, a draft, a plan whose device was not opened by abbe_cuda_adopt, or a
 * plan of F16 or F32 samples with ABBE_NONFINITE_ERROR, because samples are not checked before they are
 * filtered), UNSUPPORTED (types other than U8, U16, F16 and F32; a plan with a result window), SIZE (the
 * device cannot hold the picture as a whole), MEMORY, DEVICE. */
ABBE_API int abbe_cuda_slot_create(const abbe_plan *plan, abbe_cuda_slot **slot);

/* Destroys a slot. The GPU must have finished its runs, and graphs that hold one must not be launched
 * again. */
ABBE_API void abbe_cuda_slot_destroy(abbe_cuda_slot **slot);

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Launches one run of the slot's plan on a stream (CUstream or cudaStream_t; NULL: the default stream) of the
 * device's context, behind everything that the stream has been given before. Returns at once. `results` has
 * one view for each filter of the plan. Views have the shape and types of the plan; their `data` are
 * addresses of the GPU, and all strides are allowed that abbe_image allows: pitched rows, planes, negative
 * ones. Addresses and strides are multiples of the sample's size. Pixels of 1, 2 or 4 channels side by side
 * whose addresses are multiples of a pixel take the fastest path.
 *
 * The source is unchanged. Source and results must not share memory, nor may two results. Nonfinite samples
 * count as 0 with ABBE_NONFINITE_ZERO; with ABBE_NONFINITE_TRUST one of them may make every sample of the
 * results nonfinite, and has no other effect. A launch that was captured may be executed as often as the
 * application likes, with the same pictures and while the slot exists.
 *
 * Threads: several threads may use different slots at once. Errors, after which nothing is launched: INVALID
 * (a NULL argument; a view that breaks a rule above). Errors after which the stream may hold a part of the
 * run: MEMORY (CUDA has no memory for a launch), DEVICE (CUDA refuses a launch). That an address is one of the
 * GPU is not checked. */
ABBE_API int abbe_cuda_filter(abbe_cuda_slot *slot, void *stream, const abbe_image *source,
                              const abbe_image *results);

#ifdef __cplusplus
}
#endif

#endif
