/* Compiles and links the shaders of shaders/scene, which the build embeds. */
#include "parts.h"

#include "add.frag.h"
#include "backdrop.frag.h"
#include "occlude.frag.h"
#include "shadow.frag.h"
#include "shadow.vert.h"
#include "teapot.frag.h"
#include "teapot.vert.h"
#include "whole.vert.h"

static const struct {
    const char *vertex, *fragment;
} texts[PROGRAMS] = {
    [PROGRAM_TEAPOT] = { teapot_vert, teapot_frag }, [PROGRAM_BACKDROP] = { whole_vert, backdrop_frag },
    [PROGRAM_SHADOW] = { shadow_vert, shadow_frag }, [PROGRAM_OCCLUDE] = { whole_vert, occlude_frag },
    [PROGRAM_ADD] = { whole_vert, add_frag },
};

static const struct {
    const char *name;
    enum scene_unit unit;
} samplers[] = {
    { "shadow_map", UNIT_SHADOW_MAP }, { "depths", UNIT_SHADOW_MAP }, { "ground_occlusion", UNIT_GROUND },
    { "occlusion", UNIT_OCCLUSION },   { "before", UNIT_BEFORE },     { "one", UNIT_ONE },
    { "points", UNIT_POINTS },         { "normals", UNIT_NORMALS },
};

/* A name that a program does not use has location −1, which OpenGL ignores. */
static void bind_names(const struct scene_gl *gl, GLuint program)
{
    GLuint block = gl->GetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX)
        gl->UniformBlockBinding(program, block, 0);
    gl->UseProgram(program);
    for (size_t i = 0; i < sizeof samplers / sizeof samplers[0]; i++)
        gl->Uniform1i(gl->GetUniformLocation(program, samplers[i].name), (GLint)samplers[i].unit);
    gl->UseProgram(0);
}

bool programs_create(struct scene *scene, char reason[SCENE_REASON])
{
    for (int i = 0; i < PROGRAMS; i++) {
        scene->programs[i] = scene_link(&scene->gl, texts[i].vertex, texts[i].fragment, reason);
        if (!scene->programs[i])
            return false;
        bind_names(&scene->gl, scene->programs[i]);
    }
    return true;
}
