/* Draws depth maps of the teapot. */
#include "parts.h"

bool shadow_create(const struct scene_gl *gl, int size, struct shadow *shadow)
{
    *shadow = (struct shadow){ .size = size };
    /* Uses the unit of the shadow map, so that the textures on other units stay bound. */
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_SHADOW_MAP);
    shadow->texture = scene_texture(gl, GL_DEPTH_COMPONENT24, size, size, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    shadow->framebuffer = scene_framebuffer(gl, 0, 0, shadow->texture);
    return shadow->framebuffer != 0;
}

void shadow_destroy(const struct scene_gl *gl, struct shadow *shadow)
{
    gl->DeleteFramebuffers(1, &shadow->framebuffer);
    gl->DeleteTextures(1, &shadow->texture);
    *shadow = (struct shadow){ 0 };
}

void shadow_draw(const struct scene *scene, const struct shadow *shadow, const struct body *body,
                 const struct matrix *view)
{
    const struct scene_gl *gl = &scene->gl;
    GLuint program = scene->programs[PROGRAM_SHADOW];
    gl->BindFramebuffer(GL_FRAMEBUFFER, shadow->framebuffer);
    gl->Viewport(0, 0, shadow->size, shadow->size);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->UseProgram(program);
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, "view"), 1, GL_FALSE, view->m);
    /* Moves the depth away from the light by the change of depth within a texel, against self-shadowing. */
    gl->Enable(GL_POLYGON_OFFSET_FILL);
    gl->PolygonOffset(2, 4);
    body_draw(gl, body);
    gl->Disable(GL_POLYGON_OFFSET_FILL);
    gl->Disable(GL_DEPTH_TEST);
}
