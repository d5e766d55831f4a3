/* Passes: a program, its textures and uniforms, and the rectangles that it draws. */
#include "core/error.h"
#include "gl/gl.h"

#include <assert.h>

void gl_use_program(struct gl *gl, const struct gl_program *program)
{
    gl->current = program;
    gl->units = 0;
    gl->f.UseProgram(program->name);
}

static void bind_texture(struct gl *gl, enum gl_uniform uniform, GLenum target, GLuint name)
{
    if (gl->current->locations[uniform] < 0)
        return;
    assert(gl->units < ABGL_UNITS);
    gl->f.ActiveTexture(GL_TEXTURE0 + (GLenum)gl->units);
    gl->f.BindTexture(target, name);
    gl->f.Uniform1i(gl->current->locations[uniform], gl->units++);
}

void gl_set_texture(struct gl *gl, enum gl_uniform uniform, const struct gl_texture *texture)
{
    bind_texture(gl, uniform, GL_TEXTURE_2D_ARRAY, texture->name);
}

void gl_set_application_texture(struct gl *gl, enum gl_uniform uniform, GLuint texture)
{
    bind_texture(gl, uniform, GL_TEXTURE_2D, texture);
}

void gl_set_int(struct gl *gl, enum gl_uniform uniform, int value)
{
    gl->f.Uniform1i(gl->current->locations[uniform], value);
}

void gl_set_ints(struct gl *gl, enum gl_uniform uniform, int x, int y)
{
    gl->f.Uniform2i(gl->current->locations[uniform], x, y);
}

void gl_set_float(struct gl *gl, enum gl_uniform uniform, float value)
{
    gl->f.Uniform1f(gl->current->locations[uniform], value);
}

/* Remembers the first error until gl_check reports it. */
static void note_error(struct gl *gl, const char *what)
{
    GLenum code = gl->f.GetError();
    if (code != GL_NO_ERROR && gl->failed == GL_NO_ERROR) {
        gl->failed = code;
        gl->failed_at = what;
    }
}

void gl_draw(struct gl *gl, int x, int y, int width, int height)
{
    if (width <= 0 || height <= 0)
        return;
    gl->f.Viewport(x, y, width, height);
    gl->f.DrawArrays(GL_TRIANGLES, 0, 3);
    gl->fragments[gl->current->shader] += (double)width * height;
    if (gl->checks_passes)
        note_error(gl, gl_shader_names[gl->current->shader]);
}

int gl_check(struct gl *gl, const char *what)
{
    note_error(gl, what);
    GLenum code = gl->failed;
    gl->failed = GL_NO_ERROR;
    if (code == GL_NO_ERROR)
        return ABBE_OK;
    if (code == GL_OUT_OF_MEMORY)
        return core_fail(gl, ABBE_ERR_MEMORY, "gl: %s: out of memory", gl->failed_at);
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: %s: OpenGL error %#x", gl->failed_at, code);
}
