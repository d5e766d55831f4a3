/* The shaders of shaders/scene, as the build put them here. */
#include "parts.h"

#include "scene_shaders.h"

#define TEXT(name)                                        \
    {                                                     \
        (const char *)shader_##name, sizeof shader_##name \
    }

/* Both shaders of a program begin with frame.glsl; the fragment's parts follow in their order. */
struct recipe {
    struct text vertex;
    struct text fragment[SCENE_PARTS];
};

static const struct recipe recipes[PROGRAMS] = {
    [PROGRAM_TEAPOT] = { TEXT(teapot_vert),
                         { TEXT(light_glsl), TEXT(ground_glsl), TEXT(patterns_glsl), TEXT(teapot_frag) } },
    [PROGRAM_BACKDROP] = { TEXT(whole_vert), { TEXT(light_glsl), TEXT(ground_glsl), TEXT(backdrop_frag) } },
    [PROGRAM_SHADOW] = { TEXT(shadow_vert), { TEXT(shadow_frag) } },
    [PROGRAM_OCCLUDE] = { TEXT(whole_vert), { TEXT(occlude_frag) } },
    [PROGRAM_ADD] = { TEXT(whole_vert), { TEXT(add_frag) } },
};

static const struct text frame_text = TEXT(frame_glsl);

static const struct {
    const char *name;
    enum scene_unit unit;
} samplers[] = {
    { "shadow_map", UNIT_SHADOW_MAP }, { "depths", UNIT_SHADOW_MAP }, { "ground_occlusion", UNIT_GROUND },
    { "occlusion", UNIT_OCCLUSION },   { "before", UNIT_BEFORE },     { "one", UNIT_ONE },
    { "points", UNIT_POINTS },         { "normals", UNIT_NORMALS },
};

/* Names that a program does not have are at −1, which OpenGL passes over. */
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
        scene->programs[i] = scene_link(&scene->gl, &frame_text, &recipes[i].vertex, recipes[i].fragment,
                                        reason);
        if (!scene->programs[i])
            return false;
        bind_names(&scene->gl, scene->programs[i]);
    }
    return true;
}
