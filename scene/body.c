/* Keeps a mesh in the driver's memory, and draws it and its depth maps. */
#include "parts.h"

struct body body_create(const struct scene_gl *gl, const struct mesh *mesh)
{
    const GLsizei stride = sizeof *mesh->vertices;
    struct body body = { .index_count = mesh->index_count };
    gl->GenVertexArrays(1, &body.vertex_array);
    gl->GenBuffers(2, body.buffers);
    gl->BindVertexArray(body.vertex_array);
    gl->BindBuffer(GL_ARRAY_BUFFER, body.buffers[0]);
    gl->BufferData(GL_ARRAY_BUFFER, mesh->vertex_count * stride, mesh->vertices, GL_STATIC_DRAW);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, body.buffers[1]);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, mesh->index_count * (GLsizeiptr)sizeof *mesh->indices,
                   mesh->indices, GL_STATIC_DRAW);
    for (GLuint i = 0; i < 2; i++) {
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, stride,
                                (const void *)(uintptr_t)(i * 3 * sizeof(float)));
    }
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    return body;
}

void body_destroy(const struct scene_gl *gl, struct body *body)
{
    gl->DeleteVertexArrays(1, &body->vertex_array);
    gl->DeleteBuffers(2, body->buffers);
    *body = (struct body){ 0 };
}

void body_draw(const struct scene_gl *gl, const struct body *body)
{
    gl->BindVertexArray(body->vertex_array);
    gl->DrawElements(GL_TRIANGLES, body->index_count, GL_UNSIGNED_SHORT, NULL);
}

/* ---- Depth maps ---------------------------------------------------------------------------------------- */

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
