/* Fireworks over water: programs, textures, drawing. */
#include "show.h"

#include "sky.frag.h"
#include "spark.frag.h"
#include "spark.vert.h"
#include "sum.frag.h"
#include "whole.vert.h"

#include <stdio.h>

/* Vertices are numbered [burst][spark][step]; see spark.vert. */
enum { BURSTS = 7, SPARKS = 130, STEPS = 150 };

/* ---- Programs ----------------------------------------------------------------------------------------- */

static GLuint compile_shader(GLenum kind, const char *text)
{
    static const char head[] = "#version 300 es\n"
                               "precision highp float;\n"
                               "precision highp int;\n"
                               "precision highp sampler2D;\n"; /* the default is lowp */
    const char *const texts[] = { head, text };
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 2, texts, NULL);
    glCompileShader(shader);
    return shader;
}

static bool link_program(const char *vertex, const char *fragment, GLuint *program)
{
    GLuint first = compile_shader(GL_VERTEX_SHADER, vertex),
           second = compile_shader(GL_FRAGMENT_SHADER, fragment);
    GLint linked = GL_FALSE;
    char log[512] = "";
    *program = glCreateProgram();
    glAttachShader(*program, first);
    glAttachShader(*program, second);
    glLinkProgram(*program);
    glDeleteShader(first);
    glDeleteShader(second);
    glGetProgramiv(*program, GL_LINK_STATUS, &linked);
    glGetProgramInfoLog(*program, sizeof log, NULL, log);
    if (!linked)
        fprintf(stderr, "glow: %s\n", log);
    return linked;
}

bool show_create(int width, int height, struct show *show)
{
    *show = (struct show){ .width = width, .height = height };
    glGenFramebuffers(1, &show->framebuffer);
    glGenVertexArrays(1, &show->vertices);
    return link_program(whole_vert, sky_frag, &show->sky) &&
           link_program(spark_vert, spark_frag, &show->sparks) &&
           link_program(whole_vert, sum_frag, &show->sum);
}

/* ---- Textures ----------------------------------------------------------------------------------------- */

GLuint show_texture(const struct show *show, GLenum format)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, show->width, show->height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

/* Lets the following draw calls write a texture. */
static void draw_into(const struct show *show, GLuint texture)
{
    glBindFramebuffer(GL_FRAMEBUFFER, show->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, show->width, show->height);
    glBindVertexArray(show->vertices);
}

/* OpenGL counts rows from the bottom; the first row of `pixels` is the top. */
void show_read(const struct show *show, GLuint texture, float *pixels)
{
    draw_into(show, texture);
    for (int y = 0; y < show->height; y++)
        glReadPixels(0, show->height - 1 - y, show->width, 1, GL_RGBA, GL_FLOAT,
                     pixels + 4 * (size_t)y * (size_t)show->width);
}

/* ---- Drawing ------------------------------------------------------------------------------------------ */

/* Sparks add their light to the sky and, dimmer, to the water. */
void show_fireworks(const struct show *show, GLuint texture)
{
    draw_into(show, texture);
    glUseProgram(show->sky);
    glUniform2f(glGetUniformLocation(show->sky, "size"), (float)show->width, (float)show->height);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glUseProgram(show->sparks);
    glUniform2f(glGetUniformLocation(show->sparks, "size"), (float)show->width, (float)show->height);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        glUniform1i(glGetUniformLocation(show->sparks, "mirrored"), mirrored);
        glDrawArrays(GL_POINTS, 0, BURSTS * SPARKS * STEPS);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_BLEND);
}

void show_sum(const struct show *show, GLuint frame, const GLuint *parts, const float *weights, int count,
              GLuint texture)
{
    static const char *const names[] = { "frame", "part0", "part1", "part2" };
    draw_into(show, texture);
    glUseProgram(show->sum);
    for (int i = 0; i <= count; i++) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        glBindTexture(GL_TEXTURE_2D, i ? parts[i - 1] : frame);
        glUniform1i(glGetUniformLocation(show->sum, names[i]), i);
    }
    glUniform3f(glGetUniformLocation(show->sum, "weights"), weights[0], weights[1], weights[2]);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
