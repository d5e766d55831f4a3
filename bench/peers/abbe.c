/* Abbe as a contender. */
#include "../clock.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BANK_MAX = 8 };

struct state {
    struct peer_work work;
    abbe_device *device;
    abbe_plan *plan;
    abbe_image source, result;
    abbe_precision precision;
    void *planes[2]; /* of peer_abbe_planes: the memory of both */

    /* Of a bank: the other filters, whose results are not read. The last filter is that of the case. */
    int bank;
    abbe_filter *others[BANK_MAX];
    abbe_image results[BANK_MAX];
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
    free(state->planes[0]);
    free(state->planes[1]);
    for (int i = 0; i < state->bank - 1; i++) {
        abbe_filter_destroy(&state->others[i]);
        free(state->results[i].data);
    }
    free(state);
}

/* The other filters of a bank are larger disks. Returns false if memory runs out. */
static bool make_bank(struct state *state)
{
    const struct bench_case *what = state->work.what;
    state->bank = what->bank > 1 ? what->bank : 1;
    for (int i = 0; i < state->bank - 1; i++) {
        char text[32];
        snprintf(text, sizeof text, "disk:radius=%d", what->side / 2 + 1 + i);
        state->results[i] = state->result;
        state->results[i].data = malloc((size_t)state->result.stride * (size_t)what->height);
        if (!state->results[i].data || abbe_filter_parse(text, NULL, &state->others[i]))
            return false;
    }
    state->results[state->bank - 1] = state->result;
    return true;
}

static int make_abbe_plan(struct state *state, abbe_plan **plan)
{
    const struct peer_work *work = &state->work;
    const abbe_filter *filters[BANK_MAX];
    for (int i = 0; i < state->bank; i++)
        filters[i] = i < state->bank - 1 ? state->others[i] : work->filter;
    const struct bench_case *what = work->what;
    return abbe_plan_create(state->device,
                            &(abbe_plan_params){ .width = what->width,
                                                 .height = what->height,
                                                 .channels = what->channels,
                                                 .source_type = what->type,
                                                 .result_type = what->type,
                                                 .filters = filters,
                                                 .filter_count = (size_t)state->bank,
                                                 .border = what->border,
                                                 .method = work->method,
                                                 .precision = state->precision },
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

static bool prepare_with(const struct peer_work *work, const char *device, abbe_precision precision,
                         void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    state->work = *work;
    state->precision = precision;
    state->source = *work->source;
    state->result = *work->result;
    if (!make_bank(state)) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        destroy_abbe(state);
        return false;
    }
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

bool peer_abbe_prepare(const struct peer_work *work, const char *device, void **out, struct peer_note *note)
{
    return prepare_with(work, device, ABBE_PRECISION_FULL, out, note);
}

static bool prepare_abbe(const struct peer_work *work, void **out, struct peer_note *note)
{
    return peer_abbe_prepare(work, work->device, out, note);
}

static const char *run_abbe(void *opaque)
{
    struct state *state = opaque;
    const abbe_image *results = state->bank > 1 ? state->results : &state->result;
    bool failed = abbe_run(state->plan, &state->source, results) != ABBE_OK;
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

static bool prepare_double(const struct peer_work *work, void **out, struct peer_note *note)
{
    return prepare_with(work, work->device, ABBE_PRECISION_DOUBLE, out, note);
}

const struct peer peer_abbe_double = {
    .name = "double",
    .version = write_abbe_version,
    .suits = suits_abbe,
    .prepare = prepare_double,
    .run = run_abbe,
    .destroy = destroy_abbe,
    .own = true,
};

/* The clock of plans: processor time of one thread on the CPU, so that other programs do not count. */
static double read_plan_clock(const struct state *state)
{
    struct timespec time;
    bool alone = state->work.threads == 1 && !strcmp(abbe_device_name(state->device), "cpu");
    clock_gettime(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Creates another plan, which reuses the pipelines and the memory that the device kept from the first one. */
static const char *time_plan(void *opaque, double *seconds)
{
    struct state *state = opaque;
    abbe_plan *plan = NULL;
    double start = read_plan_clock(state);
    bool failed = make_abbe_plan(state, &plan) != ABBE_OK;
    *seconds = read_plan_clock(state) - start;
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

/* ---- Planes ------------------------------------------------------------------------------------------- */

/* Aligned like the pixels of a case. */
enum { PLANES_ALIGNMENT = 64 };

/* Turns a packed view into planes in other memory. */
static bool lay_planes(abbe_image *view, void **memory)
{
    size_t size = abbe_type_size(view->type), plane = (size_t)view->width * view->height * size;
    size_t bytes = plane * view->channels + PLANES_ALIGNMENT - 1;
    *memory = aligned_alloc(PLANES_ALIGNMENT, bytes / PLANES_ALIGNMENT * PLANES_ALIGNMENT);
    view->data = *memory;
    view->stride = (ptrdiff_t)((size_t)view->width * size);
    view->pixel_stride = (ptrdiff_t)size;
    view->channel_stride = (ptrdiff_t)plane;
    return *memory;
}

/* Copies sample by sample between packed pixels and planes. */
static void copy_planes(const abbe_image *packed, const abbe_image *planes, bool back)
{
    size_t size = abbe_type_size(packed->type), pixels = (size_t)packed->width * packed->height;
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < (size_t)packed->channels; c++) {
            char *pixel = (char *)packed->data + (i * packed->channels + c) * size;
            char *sample = (char *)planes->data + (c * pixels + i) * size;
            memcpy(back ? pixel : sample, back ? sample : pixel, size);
        }
}

static bool prepare_planes(const struct peer_work *work, void **out, struct peer_note *note)
{
    void *made = NULL;
    if (!peer_abbe_prepare(work, work->device, &made, note))
        return false;
    struct state *state = made;
    if (!lay_planes(&state->source, &state->planes[0]) || !lay_planes(&state->result, &state->planes[1])) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        destroy_abbe(state);
        return false;
    }
    copy_planes(work->source, &state->source, false);
    *out = state;
    return true;
}

static const char *time_planes(void *opaque, double *seconds)
{
    double start = seconds_now();
    const char *problem = run_abbe(opaque);
    *seconds = seconds_now() - start;
    return problem;
}

static const char *run_planes(void *opaque)
{
    struct state *state = opaque;
    const char *problem = run_abbe(state);
    if (!problem)
        copy_planes(state->work.result, &state->result, true);
    return problem;
}

const struct peer peer_abbe_planes = {
    .name = "planes",
    .version = write_abbe_version,
    .suits = suits_abbe,
    .prepare = prepare_planes,
    .run = run_planes,
    .destroy = destroy_abbe,
    .time = time_planes,
    .own = true,
};
