/* Keeps a mesh in the driver's memory and draws it. */
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
