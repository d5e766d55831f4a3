/* Frames of the scene: OpenGL draws each one, with the teapot turned a little further. An engine of the
 * device gl filters it in place, or it is downloaded and filtered by the CPU. */
#include "../clock.h"
#include "../gl/ledger.h"
#include "gl_textures.h"

#include <stdio.h>
#include <stdlib.h>

/* Degrees that the teapot turns from frame to frame. */
static const double TURN = 1;

struct state {
    struct gl_textures textures;
    struct scene_params view;
    void *filter;          /* state of peer_abbe on the CPU; NULL: the engine filters, if there is one */
    void *source, *result; /* pixels of the work, for checks */
};

static bool suits_frames(const struct bench_case *what)
{
    return what->frames;
}

/* ---- Preparing ----------------------------------------------------------------------------------------- */

static void destroy_frames(void *opaque)
{
    struct state *state = opaque;
    if (state->filter)
        peer_abbe.destroy(state->filter);
    gl_textures_destroy(&state->textures);
    free(state);
}

static bool prepare_frames(const struct peer_work *work, void **out, struct peer_note *note)
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

static bool prepare_frames_on_cpu(const struct peer_work *work, void **out, struct peer_note *note)
{
    if (!prepare_frames(work, out, note))
        return false;
    struct state *state = *out;
    if (peer_abbe_prepare(work, "cpu", &state->filter, note))
        return true;
    destroy_frames(state);
    return false;
}

static bool prepare_scene_alone(const struct peer_work *work, void **state, struct peer_note *note)
{
    snprintf(note->detail, sizeof note->detail, "not filtered");
    return prepare_frames(work, state, note);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static const char *read_source(struct state *state)
{
    return stage_download(&state->textures.source, state->source) ? NULL : "the scene cannot be downloaded";
}

/* With an engine, this only issues commands. */
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

/* Makes a frame and downloads the drawn and the filtered picture. */
static const char *run_frames(void *opaque)
{
    struct state *state = opaque;
    const char *problem = make_frame(state);
    if (problem || !state->textures.plan)
        return problem;
    problem = read_source(state);
    if (!problem && !stage_download(&state->textures.result, state->result))
        problem = "the result cannot be downloaded";
    return problem;
}

/* Makes a frame, which stays on the GPU, and waits for it. */
static const char *time_frames(void *opaque, double *seconds)
{
    double start = seconds_now();
    const char *problem = make_frame(opaque);
    stage_finish();
    *seconds = seconds_now() - start;
    return problem;
}

#define FRAMES(title, preparation)                                                   \
    .name = title, .suits = suits_frames, .prepare = preparation, .run = run_frames, \
    .destroy = destroy_frames, .time = time_frames, .warm_up = PEER_WARM_UP
#define ENGINE(name_)                                                     \
    {                                                                     \
        FRAMES("gl:" name_, prepare_frames), .engine = name_, .own = true \
    }
const struct peer peer_frames_fast = ENGINE("fast");
const struct peer peer_frames_fialka = ENGINE("fialka");
const struct peer peer_frames_moreland = ENGINE("moreland");

/* Their results are wrong on purpose. */
#define CUT(title, name_, cut)                                                                    \
    {                                                                                             \
        FRAMES("gl:" name_ title, prepare_frames), .engine = name_, .floor = true, .look_up = cut \
    }
const struct peer peer_frames_moreland_blind = CUT(", no look-ups", "moreland", ledger_without_lookups);
const struct peer peer_frames_moreland_idle = CUT(", outputs only", "moreland", ledger_outputs_only);
const struct peer peer_frames_fast_blind = CUT(", no look-ups", "fast", ledger_without_lookups);
const struct peer peer_frames_fast_idle = CUT(", outputs only", "fast", ledger_outputs_only);
const struct peer peer_frames_cpu = { FRAMES("cpu", prepare_frames_on_cpu), .own = true };
const struct peer peer_frames_scene = { FRAMES("scene alone", prepare_scene_alone), .floor = true };
