/* Frames of the scene: each is drawn by OpenGL, the teapot turned a little further, and filtered where it is; or read
 * back and filtered by the CPU. */
#include "../clock.h"
#include "gl_textures.h"

#include <stdio.h>
#include <stdlib.h>

/* Degrees from frame to frame. */
static const double TURN = 1;

struct state {
    struct gl_textures textures;
    struct scene_params view;
    void *filter;          /* the CPU's, peer_abbe's; NULL: the engine's, if there is one */
    void *source, *result; /* where the host wants to see them */
};

static bool suits(const struct bench_case *what)
{
    return what->frames;
}

/* ---- Preparing ----------------------------------------------------------------------------------------- */

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (state->filter)
        peer_abbe.destroy(state->filter);
    gl_textures_destroy(&state->textures);
    free(state);
}

static bool prepare(const struct peer_work *work, void **out, struct peer_note *note)
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
    state->view = scene_defaults();
    state->view.width = work->what->width;
    state->view.height = work->what->height;
    state->view.samples = 1;
    state->source = work->source->data;
    state->result = work->result->data;
    *out = state;
    return true;
}

static bool prepare_cpu(const struct peer_work *work, void **out, struct peer_note *note)
{
    if (!prepare(work, out, note))
        return false;
    struct state *state = *out;
    if (peer_abbe_prepare(work, "cpu", &state->filter, note))
        return true;
    destroy(state);
    return false;
}

static bool prepare_alone(const struct peer_work *work, void **state, struct peer_note *note)
{
    snprintf(note->detail, sizeof note->detail, "not filtered");
    return prepare(work, state, note);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static const char *read_source(struct state *state)
{
    return stage_download(&state->textures.source, state->source) ? NULL : "the scene cannot be read";
}

/* Commands only, where an engine filters. */
static const char *make_frame(struct state *state)
{
    if (!stage_draw(&state->view, &state->textures.source, state->textures.problem))
        return state->textures.problem;
    state->view.angle += TURN;
    if (state->textures.plan)
        return gl_textures_filter(&state->textures);
    if (!state->filter)
        return NULL;
    const char *problem = read_source(state);
    return problem ? problem : peer_abbe.run(state->filter);
}

/* A frame that the host sees: what was drawn, and what became of it. */
static const char *run(void *opaque)
{
    struct state *state = opaque;
    const char *problem = make_frame(state);
    if (problem || !state->textures.plan)
        return problem;
    problem = read_source(state);
    if (!problem && !stage_download(&state->textures.result, state->result))
        problem = "the result cannot be read";
    return problem;
}

/* A frame that stays where it is, waited for. */
static const char *time_it(void *opaque, double *seconds)
{
    double start = seconds_now();
    const char *problem = make_frame(opaque);
    stage_finish();
    *seconds = seconds_now() - start;
    return problem;
}

#define FRAMES(title, preparation)                                                                          \
    .name = title, .suits = suits, .prepare = preparation, .run = run, .destroy = destroy, .time = time_it, \
    .warm_up = PEER_WARM_UP
#define ENGINE(name_)                                              \
    {                                                              \
        FRAMES("gl:" name_, prepare), .engine = name_, .own = true \
    }
const struct peer peer_frames_fast = ENGINE("fast");
const struct peer peer_frames_fialka = ENGINE("fialka");
const struct peer peer_frames_moreland = ENGINE("moreland");
const struct peer peer_frames_cpu = { FRAMES("cpu", prepare_cpu), .own = true };
const struct peer peer_frames_scene = { FRAMES("scene alone", prepare_alone), .floor = true };
