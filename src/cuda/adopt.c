/* abbe_cuda_adopt: a device in the application's context. */
#include "core/error.h"
#include "core/params.h"
#include "cuda/cuda.h"

#include <abbe/cuda.h>

/* Finds the GPU of the application's context. */
static int find_context(struct cuda *cuda, void *given)
{
    int ordinal = 0, result = CUDA_OK;
    cuda->context = given;
    if (!given)
        result = cuda->f.context_current(&cuda->context);
    if (result || !cuda->context)
        return core_fail(
            NULL, ABBE_ERR_INVALID,
            "abbe_cuda_adopt: params->context is NULL, and no context is current to this thread");
    result = cuda->f.context_push(cuda->context);
    if (result)
        return cuda_fail_opening(cuda, result, "entering the application's context");
    result = cuda->f.context_device(&ordinal);
    cuda_leave(cuda);
    return result ? cuda_fail_opening(cuda, result, "asking the application's context")
                  : cuda_adopt_adapter(cuda, ordinal);
}

static int adopt_context(struct cuda *cuda, const abbe_cuda_params *params, const abbe_device_params *options)
{
    cuda->adopted = true;
    device_set_options(&cuda->head, options);
    int error = cuda_load(cuda);
    if (!error)
        error = find_context(cuda, params->context);
    if (!error)
        error = cuda_load_nvrtc(cuda);
    return error ? error : cuda_device_prepare(cuda, options);
}

int abbe_cuda_adopt(const abbe_cuda_params *params, abbe_device **device)
{
    if (!params || !device)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_cuda_adopt: %s is NULL", params ? "device" : "params");
    static const struct core_params about = { "abbe_cuda_adopt: params", CUDA_PARAMS_0_2,
                                              sizeof(abbe_cuda_params) };
    abbe_cuda_params known;
    abbe_device_params options;
    int error = core_read_params(NULL, &about, params, &known);
    if (!error)
        error = device_read_params(known.options, &options);
    if (error)
        return error;
    struct cuda *cuda = cuda_create();
    if (!cuda)
        return core_fail_memory(NULL);
    error = adopt_context(cuda, &known, &options);
    if (error) {
        cuda_close(&cuda->head);
        return error;
    }
    *device = &cuda->head;
    return ABBE_OK;
}
