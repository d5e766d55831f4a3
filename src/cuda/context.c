/* The context is current on a thread only while that thread is inside a call of the device, so that the
 * application, and other libraries of the process, keep theirs. */
#include "core/error.h"
#include "cuda/cuda.h"

int cuda_enter(struct cuda *cuda)
{
    if (atomic_load(&cuda->lost))
        return core_fail(cuda, ABBE_ERR_DEVICE, "cuda: the context was lost");
    int result = cuda->f.context_push(cuda->context);
    return result ? cuda_fail(cuda, result, "entering the context") : ABBE_OK;
}

void cuda_leave(struct cuda *cuda)
{
    cuda_context left;
    cuda->f.context_pop(&left);
}

bool cuda_enter_to_release(struct cuda *cuda)
{
    return cuda->context && !cuda->f.context_push(cuda->context);
}
