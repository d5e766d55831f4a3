/* The lower bound on CUDA: the driver's copies of the picture as floats, as many as move the bytes that a
 * filter must (peer_count_copies). Above a gigabyte the driver copies slower than a kernel would. */
#include "../cuda/cu.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
    struct cu cu;
    cu_pointer from, to;
    size_t bytes;
    const float *source; /* NULL: the copy is not checked */
    double copies;
};

static bool suits_copy(const struct bench_case *what)
{
    return what->kind == KIND_CUDA;
}

static void destroy_copy(void *opaque)
{
    struct state *state = opaque;
    if (state->from)
        state->cu.f.Free(state->from);
    if (state->to)
        state->cu.f.Free(state->to);
    cu_close(&state->cu);
    free(state);
}

static bool put_copy(void *user)
{
    struct state *state = user;
    return cu_ok(&state->cu, state->cu.f.Copy(state->to, state->from, state->bytes, state->cu.stream),
                 "copying");
}

static bool open_copy(struct state *state, const struct peer_work *work)
{
    struct cu *cu = &state->cu;
    if (!cu_open(cu, work->device) ||
        !cu_ok(cu, cu->f.Alloc(&state->from, state->bytes), "allocating memory") ||
        !cu_ok(cu, cu->f.Alloc(&state->to, state->bytes), "allocating memory"))
        return false;
    cu->run = put_copy;
    cu->user = state;
    return !state->source || cu_upload(cu, state->from, state->source, state->bytes);
}

static bool prepare_copy(const struct peer_work *work, void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    const struct bench_case *what = work->what;
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    state->bytes = (size_t)what->width * what->height * what->channels * sizeof(float);
    state->copies = peer_count_copies(what);
    state->source = what->type == ABBE_F32 ? work->source->data : NULL;
    if (!open_copy(state, work)) {
        snprintf(note->problem, sizeof note->problem, "%s", state->cu.problem);
        destroy_copy(state);
        return false;
    }
    snprintf(note->detail, sizeof note->detail, "x %g: lower bound", state->copies);
    *out = state;
    return true;
}

static const char *run_copy(void *opaque)
{
    struct state *state = opaque;
    const char *problem = NULL;
    if (!cu_run(&state->cu))
        return state->cu.problem;
    if (!state->source)
        return NULL;
    void *copy = malloc(state->bytes);
    if (!copy)
        return "out of memory";
    if (!cu_download(&state->cu, copy, state->to, state->bytes))
        problem = state->cu.problem;
    else if (memcmp(copy, state->source, state->bytes) != 0)
        problem = "the copy differs from the source";
    free(copy);
    return problem;
}

static const char *time_copy(void *opaque, double *seconds)
{
    struct state *state = opaque;
    if (!cu_time(&state->cu, seconds))
        return state->cu.problem;
    *seconds *= state->copies;
    return NULL;
}

const struct peer peer_cuda_copy = {
    .name = "copy",
    .suits = suits_copy,
    .prepare = prepare_copy,
    .run = run_copy,
    .destroy = destroy_copy,
    .time = time_copy,
    .gpu = true,
    .floor = true,
};
