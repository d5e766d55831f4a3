/* Scratch: buffers, stream and events of one run at a time. The engine keeps it for later runs. */
#include "core/error.h"
#include "core/memory.h"
#include "cuda/run.h"

static int create_pinned(const struct cuda *cuda, double bytes, struct cuda_pinned *pinned)
{
    *pinned = (struct cuda_pinned){ .count = (size_t)bytes };
    return cuda->f.host_alloc(&pinned->bytes, pinned->count, CUDA_HOST_PORTABLE);
}

static int create_scratch_buffers(const struct cuda *cuda, const struct engine *engine,
                                  struct cuda_scratch *scratch)
{
    const struct cuda_geometry *g = &engine->geometry;
    const struct {
        double bytes;
        struct cuda_buffer *buffer;
    } wanted[] = {
        { g->source, &scratch->source }, { g->result, &scratch->result },   { g->grids, &scratch->grid },
        { g->back, &scratch->back },     { g->wide_bytes, &scratch->wide },
    };
    int result = CUDA_OK;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !result; i++)
        if (wanted[i].bytes > 0)
            result = cuda_buffer_create(cuda, wanted[i].bytes, wanted[i].buffer);
    if (!result)
        result = create_pinned(cuda, g->source, &scratch->upload);
    return result ? result : create_pinned(cuda, g->result, &scratch->download);
}

static int create_queue(const struct cuda *cuda, struct cuda_scratch *scratch)
{
    int result = cuda->f.stream_create(&scratch->stream, CUDA_STREAM_NON_BLOCKING);
    for (int i = 0; i < CUDA_PARTS_MAX && !result; i++)
        result = cuda->f.event_create(&scratch->parts[i], CUDA_EVENT_NO_TIMING);
    return result;
}

static void destroy_events(const struct cuda *cuda, cuda_event *events, int count)
{
    for (int i = 0; i < count; i++)
        if (events[i])
            cuda->f.event_destroy(events[i]);
}

static void destroy_scratch(const struct cuda *cuda, struct cuda_scratch *scratch)
{
    struct cuda_buffer *buffers[] = { &scratch->source, &scratch->result, &scratch->grid, &scratch->back,
                                      &scratch->wide };
    if (scratch->stream)
        cuda->f.stream_synchronize(scratch->stream);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        cuda_buffer_destroy(cuda, buffers[i]);
    destroy_events(cuda, scratch->times, CUDA_TIMES_MAX);
    destroy_events(cuda, scratch->parts, CUDA_PARTS_MAX);
    if (scratch->upload.bytes)
        cuda->f.host_free(scratch->upload.bytes);
    if (scratch->download.bytes)
        cuda->f.host_free(scratch->download.bytes);
    if (scratch->stream)
        cuda->f.stream_destroy(scratch->stream);
    core_free(scratch);
}

static int create_scratch(struct cuda *cuda, const struct engine *engine, struct cuda_scratch **scratch)
{
    struct cuda_scratch *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(cuda);
    int result = create_scratch_buffers(cuda, engine, made);
    if (!result)
        result = create_queue(cuda, made);
    if (result) {
        destroy_scratch(cuda, made);
        return cuda_fail(cuda, result, "creating the buffers of a run");
    }
    *scratch = made;
    return ABBE_OK;
}

int cuda_scratch_take(struct cuda *cuda, struct engine *engine, struct cuda_scratch **scratch)
{
    pthread_mutex_lock(&engine->lock);
    struct cuda_scratch *idle = engine->scratch;
    while (idle && idle->busy)
        idle = idle->next;
    if (idle)
        idle->busy = true;
    pthread_mutex_unlock(&engine->lock);
    if (idle) {
        *scratch = idle;
        return ABBE_OK;
    }
    int error = create_scratch(cuda, engine, &idle);
    if (error)
        return error;
    idle->busy = true;
    pthread_mutex_lock(&engine->lock);
    idle->next = engine->scratch;
    engine->scratch = idle;
    pthread_mutex_unlock(&engine->lock);
    *scratch = idle;
    return ABBE_OK;
}

void cuda_scratch_return(struct engine *engine, struct cuda_scratch *scratch)
{
    pthread_mutex_lock(&engine->lock);
    scratch->busy = false;
    pthread_mutex_unlock(&engine->lock);
}

void cuda_scratch_drop(const struct cuda *cuda, struct engine *engine, struct cuda_scratch *scratch)
{
    pthread_mutex_lock(&engine->lock);
    struct cuda_scratch **place = &engine->scratch;
    while (*place != scratch)
        place = &(*place)->next;
    *place = scratch->next;
    pthread_mutex_unlock(&engine->lock);
    destroy_scratch(cuda, scratch);
}
