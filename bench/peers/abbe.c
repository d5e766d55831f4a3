/* Abbe as a contender. */
#include "../clock.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

struct state {
    struct peer_work work;
    abbe_device *device;
    abbe_plan *plan;
    abbe_image source, result;
};

static void write_abbe_version(char *text, size_t size)
{
    snprintf(text, size, "%s", abbe_version());
}

static bool suits_abbe(const struct bench_case *what)
{
    (void)what;
    return true;
}

static void destroy_abbe(void *opaque)
{
    struct state *state = opaque;
    abbe_plan_destroy(&state->plan);
    abbe_device_close(&state->device);
    free(state);
}

static int make_abbe_plan(struct state *state, abbe_plan **plan)
{
    const struct peer_work *work = &state->work;
    const struct bench_case *what = work->what;
    return abbe_plan_create(state->device,
                            &(abbe_plan_params){ .width = what->width,
                                                 .height = what->height,
                                                 .channels = what->channels,
                                                 .source_type = what->type,
                                                 .result_type = what->type,
                                                 .filters = &work->filter,
                                                 .filter_count = 1,
                                                 .border = what->border,
                                                 .method = work->method },
                            plan);
}

/* The detail is the method with its transform sizes: "fft 1920x1080", "tiles 512x512". */
void peer_explain(const abbe_plan *plan, struct peer_note *note)
{
    const abbe_candidate *choice = abbe_plan_choice(plan);
    if (!choice)
        return;
    const char *name = abbe_method_name(choice->method);
    if (choice->method == ABBE_METHOD_FFT || choice->method == ABBE_METHOD_TILES)
        snprintf(note->detail, sizeof note->detail, "%s %dx%d", name, choice->fft_width, choice->fft_height);
    else
        snprintf(note->detail, sizeof note->detail, "%s", name);
    note->method = choice->method;
    note->predicted = choice->seconds;
}

bool peer_abbe_prepare(const struct peer_work *work, const char *device, void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    state->work = *work;
    state->source = *work->source;
    state->result = *work->result;
    abbe_device_params params = { .threads = work->threads };
    bool opened = !abbe_device_open(device, &params, &state->device);
    if (!opened || make_abbe_plan(state, &state->plan)) {
        snprintf(note->problem, sizeof note->problem, "%s", abbe_error_text(opened ? state->device : NULL));
        destroy_abbe(state);
        return false;
    }
    peer_explain(state->plan, note);
    *out = state;
    return true;
}

static bool prepare_abbe(const struct peer_work *work, void **out, struct peer_note *note)
{
    return peer_abbe_prepare(work, work->device, out, note);
}

static const char *run_abbe(void *opaque)
{
    struct state *state = opaque;
    bool failed = abbe_run(state->plan, &state->source, &state->result) != ABBE_OK;
    return failed ? abbe_error_text(state->device) : NULL;
}

const struct peer peer_abbe = {
    .name = "Abbe",
    .version = write_abbe_version,
    .suits = suits_abbe,
    .prepare = prepare_abbe,
    .run = run_abbe,
    .destroy = destroy_abbe,
    .own = true,
};

/* Creates another plan, which reuses the pipelines and the memory that the device kept from the first one. */
static const char *time_plan(void *opaque, double *seconds)
{
    struct state *state = opaque;
    abbe_plan *plan = NULL;
    double start = seconds_now();
    bool failed = make_abbe_plan(state, &plan) != ABBE_OK;
    *seconds = seconds_now() - start;
    abbe_plan_destroy(&plan);
    return failed ? abbe_error_text(state->device) : NULL;
}

const struct peer peer_abbe_plans = {
    .name = "Abbe",
    .version = write_abbe_version,
    .suits = suits_abbe,
    .prepare = prepare_abbe,
    .run = run_abbe,
    .destroy = destroy_abbe,
    .time = time_plan,
    .own = true,
};
