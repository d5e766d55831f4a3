/* Filters textures by Abbe, as an application does that draws with OpenGL. */
#include "gl_textures.h"

#include <stdio.h>

static bool set_problem(struct gl_textures *textures, const char *reason)
{
    snprintf(textures->problem, sizeof textures->problem, "%s", reason);
    return false;
}

static bool make_texture_plan(struct gl_textures *textures, const struct peer_work *work,
                              struct peer_note *note)
{
    const struct bench_case *what = work->what;
    const abbe_plan_params params = { .width = what->width,
                                      .height = what->height,
                                      .channels = what->channels,
                                      .source_type = what->type,
                                      .result_type = what->type,
                                      .filters = &work->filter,
                                      .filter_count = 1,
                                      .border = what->border,
                                      .method = what->method,
                                      .nonfinite = ABBE_NONFINITE_TRUST };
    if (abbe_plan_create(textures->device, &params, &textures->plan))
        return set_problem(textures, abbe_error_text(textures->device));
    peer_explain(textures->plan, note);
    return true;
}

bool gl_textures_create(struct gl_textures *textures, const struct peer_work *work, struct peer_note *note)
{
    const char *engine = work->peer->engine;
    *textures = (struct gl_textures){ 0 };
    textures->open = stage_open(work->device, textures->problem);
    bool fine = textures->open && stage_picture_create(work->source, &textures->source, textures->problem) &&
                stage_picture_create(work->result, &textures->result, textures->problem);
    if (fine && engine && stage_adopt(engine, work->threads, work->peer->look_up, &textures->device))
        fine = set_problem(textures, abbe_error_text(NULL));
    fine = fine && (!engine || make_texture_plan(textures, work, note));
    if (!fine) {
        snprintf(note->problem, sizeof note->problem, "%.*s", PEER_PROBLEM - 1, textures->problem);
        gl_textures_destroy(textures);
    }
    return fine;
}

void gl_textures_destroy(struct gl_textures *textures)
{
    abbe_plan_destroy(&textures->plan);
    abbe_device_close(&textures->device);
    if (!textures->open)
        return;
    stage_picture_destroy(&textures->result);
    stage_picture_destroy(&textures->source);
    stage_close();
}

const char *gl_textures_filter(struct gl_textures *textures)
{
    bool failed = abbe_gl_filter(textures->plan, textures->source.texture, &textures->result.texture);
    return failed ? abbe_error_text(textures->device) : NULL;
}
