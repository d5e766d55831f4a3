/* Two textures and a plan from one to the other, in the benchmark's context of OpenGL. */
#ifndef ABBE_BENCH_GL_TEXTURES_H
#define ABBE_BENCH_GL_TEXTURES_H

#include "../gl/stage.h"
#include "peer.h"

struct gl_textures {
    bool open; /* the stage */
    struct scene_picture source, result;
    abbe_device *device; /* NULL without an engine, and so is the plan */
    abbe_plan *plan;
    char problem[SCENE_REASON];
};

/* With the contender's engine, or, where it has none, without anything that filters. false: the note has the problem,
 * and nothing is left behind. */
bool gl_textures_create(struct gl_textures *textures, const struct peer_work *work, struct peer_note *note);
void gl_textures_destroy(struct gl_textures *textures);

/* Gives OpenGL the commands, and does not wait. NULL, or why it failed. */
const char *gl_textures_filter(struct gl_textures *textures);

#endif
