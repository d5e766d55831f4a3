/* Loads the functions of OpenGL ES, and creates textures, framebuffers and programs. */
#include "gl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool scene_refuse(char reason[SCENE_REASON], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, SCENE_REASON, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- The context --------------------------------------------------------------------------------------- */

bool scene_load(struct scene_gl *gl, scene_get_function get, char reason[SCENE_REASON])
{
#define FIND(type, name)                           \
    gl->name = (PFNGL##type##PROC)get("gl" #name); \
    if (!gl->name)                                 \
        return scene_refuse(reason, "the OpenGL driver lacks gl" #name);
    SCENE_GL_FUNCTIONS(FIND)
#undef FIND
    return true;
}

static bool has_extension(const struct scene_gl *gl, const char *name)
{
    GLint count = 0;
    gl->GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (!strcmp((const char *)gl->GetStringi(GL_EXTENSIONS, (GLuint)i), name))
            return true;
    return false;
}

/* A desktop context of GLFW has float targets since OpenGL 3.0
 * without an extension; ES and WebGL have the extension. */
bool scene_check(const struct scene_gl *gl, char reason[SCENE_REASON])
{
    const char *version = (const char *)gl->GetString(GL_VERSION);
    const char *number = version ? strpbrk(version, "0123456789") : NULL;
    bool is_es = version && !strncmp(version, "OpenGL ES", 9);
    if (!number || *number < '3')
        return scene_refuse(reason, "OpenGL ES 3.0 is required, but the driver has %s",
                            version ? version : "none");
    if (is_es && !has_extension(gl, "GL_EXT_color_buffer_float"))
        return scene_refuse(reason, "the OpenGL driver cannot draw into floats (GL_EXT_color_buffer_float)");
    return true;
}

/* ---- Textures ------------------------------------------------------------------------------------------ */

void scene_bind(const struct scene_gl *gl, int unit, GLuint texture)
{
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    gl->BindTexture(GL_TEXTURE_2D, texture);
}

GLuint scene_texture(const struct scene_gl *gl, GLenum format, int width, int height, GLint filter)
{
    GLuint texture = 0;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

GLuint scene_framebuffer(const struct scene_gl *gl, GLuint colour, GLuint depth_buffer, GLuint depth_texture)
{
    GLuint framebuffer = 0;
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (colour)
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    if (depth_buffer)
        gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_buffer);
    if (depth_texture)
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth_texture, 0);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return framebuffer;
    gl->DeleteFramebuffers(1, &framebuffer);
    return 0;
}

/* ---- Programs ------------------------------------------------------------------------------------------ */

/* Reports the first line of the compiler's log. */
static bool refuse_program(char reason[SCENE_REASON], const char *log)
{
    return scene_refuse(reason, "the OpenGL driver rejects a shader: %.*s", (int)strcspn(log, "\n"), log);
}

static GLuint compile_shader(const struct scene_gl *gl, GLenum kind, const char *text,
                             char reason[SCENE_REASON])
{
    static const char head[] = "#version 300 es\n"
                               "precision highp float;\n"
                               "precision highp int;\n"
                               "precision highp sampler2D;\n"
                               "precision highp sampler2DShadow;\n";
    const char *texts[] = { head, text };
    GLuint shader = gl->CreateShader(kind);
    gl->ShaderSource(shader, 2, texts, NULL);
    gl->CompileShader(shader);
    GLint done = GL_FALSE;
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done)
        return shader;
    char log[256] = "";
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    gl->DeleteShader(shader);
    refuse_program(reason, log);
    return 0;
}

static bool link_program(const struct scene_gl *gl, GLuint program, char reason[SCENE_REASON])
{
    GLint done = GL_FALSE;
    char log[256] = "";
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &done);
    if (done)
        return true;
    gl->GetProgramInfoLog(program, sizeof log, NULL, log);
    return refuse_program(reason, log);
}

GLuint scene_link(const struct scene_gl *gl, const char *vertex, const char *fragment,
                  char reason[SCENE_REASON])
{
    GLuint first = compile_shader(gl, GL_VERTEX_SHADER, vertex, reason);
    GLuint second = first ? compile_shader(gl, GL_FRAGMENT_SHADER, fragment, reason) : 0;
    GLuint program = second ? gl->CreateProgram() : 0;
    if (program) {
        gl->AttachShader(program, first);
        gl->AttachShader(program, second);
        if (!link_program(gl, program, reason)) {
            gl->DeleteProgram(program);
            program = 0;
        }
    }
    /* OpenGL deletes the shaders with the program. */
    if (first)
        gl->DeleteShader(first);
    if (second)
        gl->DeleteShader(second);
    return program;
}
