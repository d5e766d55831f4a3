/* The emulated driver's streams, events and graphs. Streams are lazy: they work when something waits for
 * them, and then only as far as necessary, so work that nothing waited for is missing from results. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum capture { NOT_CAPTURING, CAPTURING, INVALID };

struct cuda_stream_object {
    cuda_context context;
    bool blocking; /* waits for the stream NULL, which waits for it */
    enum capture capture;
    struct action *first, **end; /* not done yet, or captured */
    uint64_t issued, done;       /* numbers of actions; the first is 1 */
    cuda_stream next;
};

struct cuda_event_object {
    cuda_context context;
    bool timed;
    cuda_stream stream; /* of the last record; NULL: none, or it is done */
    uint64_t number;    /* of that record */
    double seconds;     /* when it was done: the events are counted */
    cuda_event next;
};

struct emulator_graph {
    struct action *first;
};

static cuda_stream streams;
static cuda_event events;
static double now; /* of the clock that events show: milliseconds, one for each event */

static void run_until(cuda_stream stream, uint64_t number);

/* ---- Doing --------------------------------------------------------------------------------------------- */

static void run_action(const struct action *action)
{
    switch (action->kind) {
    case ACTION_COPY: memcpy(action->to, action->from, action->bytes); break;
    case ACTION_LAUNCH: module_run(action); break;
    case ACTION_RECORD: action->event->seconds = now++; break;
    case ACTION_WAIT: run_until(action->other, action->number); break;
    }
}

static void run_first(cuda_stream stream)
{
    struct action *action = stream->first;
    if (!stream->context->lost)
        run_action(action);
    stream->first = action->next;
    if (!stream->first)
        stream->end = &stream->first;
    stream->done++;
    free(action);
}

static void run_until(cuda_stream stream, uint64_t number)
{
    while (stream && stream->first && stream->done < number && stream->capture == NOT_CAPTURING)
        run_first(stream);
}

static void finish(cuda_stream stream)
{
    run_until(stream, stream->issued);
    memory_check_guards();
}

void stream_finish_all(void)
{
    for (cuda_stream stream = streams; stream; stream = stream->next)
        if (stream->context == emulator_context())
            finish(stream);
}

/* ---- Appending ----------------------------------------------------------------------------------------- */

static cuda_stream create_stream(bool blocking)
{
    cuda_stream stream = calloc(1, sizeof *stream);
    if (!stream)
        emulator_refuse("no memory for a stream");
    *stream = (struct cuda_stream_object){ .context = emulator_context(),
                                           .blocking = blocking,
                                           .next = streams };
    stream->end = &stream->first;
    streams = stream;
    return stream;
}

/* NULL is a stream of its context. */
static cuda_stream find_stream(cuda_stream stream)
{
    cuda_context context = emulator_context();
    if (!stream && !context->legacy)
        context->legacy = create_stream(true);
    stream = stream ? stream : context->legacy;
    if (stream->context != context)
        emulator_refuse("a stream is used in another context than its own");
    return stream;
}

/* The stream NULL and blocking streams wait for each other. */
static void wait_for_legacy(cuda_stream stream)
{
    for (cuda_stream other = stream->blocking ? streams : NULL; other; other = other->next)
        if (other != stream && other->context == stream->context && other->blocking &&
            (stream == stream->context->legacy || other == stream->context->legacy))
            finish(other);
}

int stream_append(cuda_stream stream, const struct action *action)
{
    stream = find_stream(stream);
    struct action *copy = malloc(sizeof *copy);
    if (!copy)
        return CUDA_OUT_OF_MEMORY;
    if (stream->capture == NOT_CAPTURING)
        wait_for_legacy(stream);
    *copy = *action;
    copy->next = NULL;
    *stream->end = copy;
    stream->end = &copy->next;
    stream->issued++;
    return CUDA_OK;
}

static int copy_async(cuda_stream stream, void *to, const void *from, size_t bytes, const void *host)
{
    struct action action = { .kind = ACTION_COPY, .to = to, .from = from, .bytes = bytes };
    int error = bytes ? stream_append(stream, &action) : CUDA_OK;
    if (!error && !memory_is_pinned(host)) { /* the driver copies such memory before it returns */
        stream = find_stream(stream);
        if (stream->capture != NOT_CAPTURING)
            emulator_refuse("a captured copy uses memory that is not pinned");
        finish(stream);
    }
    return error;
}

int cuMemcpyHtoDAsync_v2(cuda_pointer to, const void *from, size_t bytes, cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT);
    memory_check(to, bytes, "an upload");
    return copy_async(stream, (void *)(uintptr_t)to, from, bytes, from);
}

int cuMemcpyDtoHAsync_v2(void *to, cuda_pointer from, size_t bytes, cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT);
    memory_check(from, bytes, "a download");
    return copy_async(stream, to, (const void *)(uintptr_t)from, bytes, to);
}

/* For tests; the device has no use for it. */
int cuMemcpyDtoDAsync_v2(cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream);

int cuMemcpyDtoDAsync_v2(cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT);
    struct action action = { .kind = ACTION_COPY,
                             .to = (void *)(uintptr_t)to,
                             .from = (const void *)(uintptr_t)from,
                             .bytes = bytes };
    memory_check(from, bytes, "a copy");
    memory_check(to, bytes, "a copy");
    return stream_append(stream, &action);
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

int cuStreamCreate(cuda_stream *stream, unsigned flags)
{
    ENTER(NEEDS_CONTEXT);
    *stream = create_stream(!(flags & CUDA_STREAM_NON_BLOCKING));
    counts.streams++;
    return CUDA_OK;
}

static void free_stream(cuda_stream stream)
{
    cuda_stream *link = &streams;
    for (cuda_event event = events; event; event = event->next)
        if (event->stream == stream)
            event->stream = NULL;
    for (cuda_stream other = streams; other; other = other->next)
        for (struct action *action = other->first; action; action = action->next)
            if (action->other == stream)
                action->other = NULL;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    free(stream);
}

int cuStreamDestroy_v2(cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    finish(find_stream(stream));
    free_stream(stream);
    counts.streams--;
    return emulator_context()->lost;
}

int cuStreamSynchronize(cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT);
    stream = find_stream(stream);
    if (stream->capture != NOT_CAPTURING)
        return stream_forbid_capture();
    finish(stream);
    return CUDA_OK;
}

int cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags)
{
    ENTER(NEEDS_CONTEXT);
    struct action action = { .kind = ACTION_WAIT, .other = event->stream, .number = event->number };
    if (flags)
        return CUDA_INVALID_VALUE;
    if (event->stream && event->stream->capture != find_stream(stream)->capture)
        emulator_refuse("a stream waits for an event across the limit of a capture");
    return event->stream ? stream_append(stream, &action) : CUDA_OK;
}

int cuStreamIsCapturing(cuda_stream stream, int *status)
{
    ENTER(NEEDS_CONTEXT);
    *status = find_stream(stream)->capture;
    return CUDA_OK;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

int cuEventCreate(cuda_event *event, unsigned flags)
{
    ENTER(NEEDS_CONTEXT);
    *event = calloc(1, sizeof **event);
    if (!*event)
        return CUDA_OUT_OF_MEMORY;
    **event = (struct cuda_event_object){ .context = emulator_context(),
                                          .timed = !(flags & CUDA_EVENT_NO_TIMING),
                                          .next = events };
    events = *event;
    counts.events++;
    return CUDA_OK;
}

static void free_event(cuda_event event)
{
    cuda_event *link = &events;
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    free(event);
    counts.events--;
}

int cuEventDestroy_v2(cuda_event event)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    run_until(event->stream, event->number);
    free_event(event);
    return emulator_context()->lost;
}

int cuEventRecord(cuda_event event, cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT);
    struct action action = { .kind = ACTION_RECORD, .event = event };
    int error = stream_append(stream, &action);
    event->stream = find_stream(stream);
    event->number = event->stream->issued;
    return error;
}

int cuEventSynchronize(cuda_event event)
{
    ENTER(NEEDS_CONTEXT);
    if (event->stream && event->stream->capture != NOT_CAPTURING)
        return stream_forbid_capture();
    run_until(event->stream, event->number);
    memory_check_guards();
    return CUDA_OK;
}

static bool is_done(cuda_event event)
{
    return !event->stream || event->stream->done >= event->number;
}

/* Each query finds the stream one action further. */
int cuEventQuery(cuda_event event)
{
    ENTER(NEEDS_CONTEXT);
    if (event->stream && event->stream->capture != NOT_CAPTURING)
        return stream_forbid_capture();
    if (is_done(event))
        return CUDA_OK;
    run_until(event->stream, event->stream->done + 1);
    return CUDA_NOT_READY;
}

/* Never made to fail, because applications only inform with it. */
int cuEventElapsedTime(float *milliseconds, cuda_event start, cuda_event end)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    if (!start->timed || !end->timed)
        return CUDA_INVALID_VALUE;
    *milliseconds = (float)(end->seconds - start->seconds);
    return is_done(start) && is_done(end) ? CUDA_OK : CUDA_NOT_READY;
}

/* ---- Capturing, for tests ------------------------------------------------------------------------------ */

int stream_forbid_capture(void)
{
    int error = CUDA_OK;
    for (cuda_stream stream = streams; stream; stream = stream->next)
        if (stream->context == emulator_context() && stream->capture != NOT_CAPTURING) {
            stream->capture = INVALID;
            error = CUDA_CAPTURE_UNSUPPORTED;
        }
    return error;
}

int cuStreamBeginCapture_v2(cuda_stream stream, int mode);
int cuStreamEndCapture(cuda_stream stream, struct emulator_graph **graph);
int cuGraphInstantiateWithFlags(struct emulator_graph **executable, struct emulator_graph *graph,
                                unsigned long long flags);
int cuGraphLaunch(struct emulator_graph *executable, cuda_stream stream);
int cuGraphDestroy(struct emulator_graph *graph);
int cuGraphExecDestroy(struct emulator_graph *executable);

int cuStreamBeginCapture_v2(cuda_stream stream, int mode)
{
    ENTER(NEEDS_CONTEXT);
    (void)mode;
    finish(find_stream(stream));
    stream->capture = CAPTURING;
    return CUDA_OK;
}

static void free_actions(struct action *action)
{
    while (action) {
        struct action *next = action->next;
        free(action);
        action = next;
    }
}

int cuStreamEndCapture(cuda_stream stream, struct emulator_graph **graph)
{
    ENTER(NEEDS_CONTEXT);
    bool valid = stream->capture == CAPTURING;
    *graph = calloc(1, sizeof **graph);
    if (!*graph)
        return CUDA_OUT_OF_MEMORY;
    (*graph)->first = stream->first;
    stream->first = NULL;
    stream->end = &stream->first;
    stream->done = stream->issued;
    stream->capture = NOT_CAPTURING;
    counts.graphs++;
    return valid ? CUDA_OK : CUDA_CAPTURE_UNSUPPORTED;
}

int cuGraphInstantiateWithFlags(struct emulator_graph **executable, struct emulator_graph *graph,
                                unsigned long long flags)
{
    ENTER(NEEDS_CONTEXT);
    (void)flags;
    *executable = calloc(1, sizeof **executable);
    if (!*executable)
        return CUDA_OUT_OF_MEMORY;
    struct action **end = &(*executable)->first;
    for (const struct action *action = graph->first; action; action = action->next) {
        *end = malloc(sizeof **end);
        if (!*end)
            emulator_refuse("no memory for a graph");
        **end = *action;
        end = &(*end)->next;
    }
    counts.graphs++;
    return CUDA_OK;
}

int cuGraphLaunch(struct emulator_graph *executable, cuda_stream stream)
{
    ENTER(NEEDS_CONTEXT);
    int error = CUDA_OK;
    for (const struct action *action = executable->first; action && !error; action = action->next)
        error = stream_append(stream, action);
    return error;
}

static int destroy_graph(struct emulator_graph *graph)
{
    free_actions(graph->first);
    free(graph);
    counts.graphs--;
    return CUDA_OK;
}

int cuGraphDestroy(struct emulator_graph *graph)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    return destroy_graph(graph);
}

int cuGraphExecDestroy(struct emulator_graph *executable)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    return destroy_graph(executable);
}

/* ---- The end of a context ------------------------------------------------------------------------------ */

void stream_forget(cuda_context context)
{
    for (cuda_event event = events, next; event; event = next) {
        next = event->next;
        if (event->context == context)
            free_event(event);
    }
    for (cuda_stream stream = streams, next; stream; stream = next) {
        next = stream->next;
        if (stream->context != context)
            continue;
        free_actions(stream->first);
        counts.streams -= stream != context->legacy;
        free_stream(stream);
    }
    context->legacy = NULL;
}
