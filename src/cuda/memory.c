/* Memory of the GPU, and uploads outside of runs. */
#include "core/error.h"
#include "cuda/cuda.h"

int cuda_buffer_create(const struct cuda *cuda, double bytes, struct cuda_buffer *buffer)
{
    *buffer = (struct cuda_buffer){ .bytes = bytes >= 1 ? (size_t)bytes : 1 };
    return cuda->f.memory_alloc(&buffer->address, buffer->bytes);
}

void cuda_buffer_destroy(const struct cuda *cuda, struct cuda_buffer *buffer)
{
    if (buffer->address)
        cuda->f.memory_free(buffer->address);
    *buffer = (struct cuda_buffer){ 0 };
}

int cuda_upload(struct cuda *cuda, const void *bytes, size_t count, const struct cuda_buffer *buffer,
                size_t offset)
{
    int result = cuda->f.upload_async(buffer->address + offset, bytes, count, cuda->stream);
    if (!result)
        result = cuda->f.stream_synchronize(cuda->stream);
    return result ? cuda_fail(cuda, result, "filling a buffer") : ABBE_OK;
}
