/* Two textures and a plan that filters one into the other, in the benchmark's OpenGL context. */
#ifndef ABBE_BENCH_GL_TEXTURES_H
#define ABBE_BENCH_GL_TEXTURES_H

#include "../gl/stage.h"
#include "peer.h"

struct gl_textures {
    bool open; /* the stage is open */
    struct scene_picture source, result;
    abbe_device *device; /* NULL without an engine, like the plan */
    abbe_plan *plan;
    char problem[SCENE_REASON];
};

/* Creates the textures, and a plan if the contender has an engine. Returns false on failure: the note has the
 * problem, and nothing is left allocated. */
bool gl_textures_create(struct gl_textures *textures, const struct peer_work *work, struct peer_note *note);
void gl_textures_destroy(struct gl_textures *textures);

/* Issues the commands without waiting for them. Returns NULL, or why it failed. */
const char *gl_textures_filter(struct gl_textures *textures);

#endif
