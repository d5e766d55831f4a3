/* The engines of the device gl from texture to texture, the
 * engine fast with upload and download, and the CPU. */
#include "../clock.h"
#include "gl_textures.h"

#include <stdio.h>
#include <stdlib.h>

/* OpenGL ES 3.0 has no clock, so the host's clock is read after all commands are done. Seconds that a timing
 * lasts at least, so that waiting does not matter, and the most runs for it. */
static const double TIMING_MIN = 1e-3;
enum { REPEATS_MAX = 64 };

struct state {
    struct gl_textures textures;
    int repeats;  /* runs of a timing */
    void *pixels; /* of the result on the host */
};

static bool suits_engine(const struct bench_case *what)
{
    return what->kind == KIND_GL && !what->frames;
}

/* ---- From texture to texture --------------------------------------------------------------------------- */

static void destroy_engine(void *opaque)
{
    struct state *state = opaque;
    gl_textures_destroy(&state->textures);
    free(state);
}

static bool prepare_engine(const struct peer_work *work, void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    if (!gl_textures_create(&state->textures, work, note)) {
        free(state);
        return false;
    }
    state->repeats = 1;
    state->pixels = work->result->data;
    if (!stage_upload(&state->textures.source, work->source->data)) {
        snprintf(note->problem, sizeof note->problem, "the picture cannot be uploaded");
        destroy_engine(state);
        return false;
    }
    *out = state;
    return true;
}

static const char *run_engine(void *opaque)
{
    struct state *state = opaque;
    const char *problem = gl_textures_filter(&state->textures);
    if (problem)
        return problem;
    return stage_download(&state->textures.result, state->pixels) ? NULL : "the result cannot be downloaded";
}

static const char *time_engine(void *opaque, double *seconds)
{
    struct state *state = opaque;
    const char *problem = NULL;
    double start = seconds_now();
    for (int i = 0; i < state->repeats && !problem; i++)
        problem = gl_textures_filter(&state->textures);
    stage_finish();
    double spent = seconds_now() - start;
    *seconds = spent / state->repeats;
    if (spent < TIMING_MIN && state->repeats < REPEATS_MAX)
        state->repeats *= 2;
    return problem;
}

#define ENGINE(name_)                                                                             \
    {                                                                                             \
        .name = "gl:" name_, .suits = suits_engine, .prepare = prepare_engine, .run = run_engine, \
        .destroy = destroy_engine, .time = time_engine, .own = true, .warm_up = PEER_WARM_UP,     \
        .engine = name_                                                                           \
    }
const struct peer peer_gl_fast = ENGINE("fast");
const struct peer peer_gl_fialka = ENGINE("fialka");
const struct peer peer_gl_moreland = ENGINE("moreland");

/* ---- From memory to memory ----------------------------------------------------------------------------- */

static bool prepare_fast_with_copies(const struct peer_work *work, void **state, struct peer_note *note)
{
    char device[128];
    snprintf(device, sizeof device, "%s:fast", work->device);
    return peer_abbe_prepare(work, device, state, note);
}

static bool prepare_on_cpu(const struct peer_work *work, void **state, struct peer_note *note)
{
    return peer_abbe_prepare(work, "cpu", state, note);
}

static const char *run_abbe_plan(void *state)
{
    return peer_abbe.run(state);
}

static void destroy_abbe_plan(void *state)
{
    peer_abbe.destroy(state);
}

const struct peer peer_gl_copies = { .name = "gl:fast + copies",
                                     .suits = suits_engine,
                                     .prepare = prepare_fast_with_copies,
                                     .run = run_abbe_plan,
                                     .destroy = destroy_abbe_plan,
                                     .own = true,
                                     .warm_up = PEER_WARM_UP };
const struct peer peer_gl_cpu = { .name = "cpu",
                                  .suits = suits_engine,
                                  .prepare = prepare_on_cpu,
                                  .run = run_abbe_plan,
                                  .destroy = destroy_abbe_plan,
                                  .own = true };

bool opengl_check(const char *device, char *problem, size_t size)
{
    char reason[SCENE_REASON] = "";
    bool there = stage_open(device, reason);
    snprintf(problem, size, "%s", there ? stage_driver() : reason);
    if (there)
        stage_close();
    return there;
}
