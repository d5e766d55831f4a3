/* Abbe on CUDA, in the benchmark's context and on its stream; pictures are in the GPU's memory. */
#include "../cuda/cu.h"
#include "peer.h"

#include <abbe/cuda.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANK_MAX = 8 };

struct state {
    struct cu cu;
    abbe_device *device;
    abbe_plan *plan;
    abbe_cuda_slot *slot;
    int bank;
    abbe_filter *others[BANK_MAX]; /* the other filters of a bank */
    size_t bytes;                  /* of a picture */
    cu_pointer memory[1 + BANK_MAX];
    abbe_image source, results[BANK_MAX]; /* in that memory */
    void *pixels;                         /* of the result on the host */
};

static bool suits_cuda(const struct bench_case *what)
{
    return what->kind == KIND_CUDA;
}

static void destroy_cuda(void *opaque)
{
    struct state *state = opaque;
    abbe_cuda_slot_destroy(&state->slot);
    abbe_plan_destroy(&state->plan);
    abbe_device_close(&state->device);
    for (int i = 0; i < BANK_MAX; i++)
        abbe_filter_destroy(&state->others[i]);
    for (int i = 0; i <= BANK_MAX; i++)
        if (state->memory[i])
            state->cu.f.Free(state->memory[i]);
    cu_close(&state->cu);
    free(state);
}

/* ---- Preparing ----------------------------------------------------------------------------------------- */

static bool create_picture(struct state *state, const abbe_image *like, cu_pointer *memory,
                           abbe_image *picture)
{
    *picture = *like;
    if (!cu_ok(&state->cu, state->cu.f.Alloc(memory, state->bytes), "allocating memory"))
        return false;
    picture->data = (void *)(uintptr_t)*memory;
    return true;
}

static bool create_pictures(struct state *state, const struct peer_work *work)
{
    state->bytes = (size_t)work->source->stride * (size_t)work->source->height;
    bool fine = create_picture(state, work->source, &state->memory[0], &state->source) &&
                cu_upload(&state->cu, state->memory[0], work->source->data, state->bytes);
    for (int i = 0; i < state->bank && fine; i++)
        fine = create_picture(state, work->result, &state->memory[1 + i], &state->results[i]);
    return fine;
}

/* The filter of the case is the last of the bank; its result is the one that is checked. */
static int make_cuda_plan(struct state *state, const struct peer_work *work)
{
    const struct bench_case *what = work->what;
    const abbe_filter *filters[BANK_MAX];
    char text[32];
    for (int i = 0; i < state->bank - 1; i++) {
        snprintf(text, sizeof text, "disk:radius=%d", what->side / 2 + 1 + i);
        int error = abbe_filter_parse(text, NULL, &state->others[i]);
        if (error)
            return error;
        filters[i] = state->others[i];
    }
    filters[state->bank - 1] = work->filter;
    const abbe_plan_params params = { .width = what->width,
                                      .height = what->height,
                                      .channels = what->channels,
                                      .source_type = what->type,
                                      .result_type = what->type,
                                      .filters = filters,
                                      .filter_count = (size_t)state->bank,
                                      .border = what->border,
                                      .method = what->method,
                                      .nonfinite = ABBE_NONFINITE_TRUST,
                                      .precision = what->precision };
    return abbe_plan_create(state->device, &params, &state->plan);
}

static bool run_slot(void *user)
{
    struct state *state = user;
    int error = abbe_cuda_filter(state->slot, state->cu.stream, &state->source, state->results);
    if (error)
        snprintf(state->cu.problem, sizeof state->cu.problem, "%s", abbe_error_text(state->device));
    return !error;
}

static bool open_state(struct state *state, const struct peer_work *work, struct peer_note *note)
{
    state->bank = work->what->bank < 1 ? 1 : work->what->bank;
    state->pixels = work->result->data;
    if (!cu_open(&state->cu, work->device) || !create_pictures(state, work)) {
        snprintf(note->problem, sizeof note->problem, "%s", state->cu.problem);
        return false;
    }
    state->cu.run = run_slot;
    state->cu.user = state;
    if (abbe_cuda_adopt(&(abbe_cuda_params){ .context = state->cu.context }, &state->device)) {
        snprintf(note->problem, sizeof note->problem, "%s", abbe_error_text(NULL));
        return false;
    }
    if (make_cuda_plan(state, work) || abbe_cuda_slot_create(state->plan, &state->slot)) {
        snprintf(note->problem, sizeof note->problem, "%s", abbe_error_text(state->device));
        return false;
    }
    peer_explain(state->plan, note);
    return true;
}

static bool prepare_cuda(const struct peer_work *work, void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    if (!open_state(state, work, note)) {
        destroy_cuda(state);
        return false;
    }
    *out = state;
    return true;
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static const char *run_cuda(void *opaque)
{
    struct state *state = opaque;
    bool done = cu_run(&state->cu) &&
                cu_download(&state->cu, state->pixels, state->memory[state->bank], state->bytes);
    return done ? NULL : state->cu.problem;
}

static const char *time_cuda(void *opaque, double *seconds)
{
    struct state *state = opaque;
    return cu_time(&state->cu, seconds) ? NULL : state->cu.problem;
}

const struct peer peer_cuda_abbe = {
    .name = "Abbe",
    .suits = suits_cuda,
    .prepare = prepare_cuda,
    .run = run_cuda,
    .destroy = destroy_cuda,
    .time = time_cuda,
    .gpu = true,
    .own = true,
};

bool cuda_check(const char *device, char *problem, size_t size)
{
    abbe_device *opened = NULL;
    bool there = !abbe_device_open(device, NULL, &opened);
    snprintf(problem, size, "%s", there ? "" : abbe_error_text(NULL));
    abbe_device_close(&opened);
    return there;
}
