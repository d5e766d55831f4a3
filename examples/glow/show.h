/* Fireworks over water, drawn into textures. */
#ifndef EXAMPLES_GLOW_SHOW_H
#define EXAMPLES_GLOW_SHOW_H

#include <GLES3/gl3.h>
#include <stdbool.h>

struct show {
    int width, height;
    GLuint sky, sparks, sum; /* programs */
    GLuint framebuffer, vertices;
};

/* Compiles programs. Says on standard error what the driver does not like. */
bool show_create(int width, int height, struct show *show);

/* An empty texture of the show's size. */
GLuint show_texture(const struct show *show, GLenum format);

/* Draws a frame. */
void show_fireworks(const struct show *show, GLuint texture);

/* frame + Σ weights · parts, at most three. */
void show_sum(const struct show *show, GLuint frame, const GLuint *parts, const float *weights, int count,
              GLuint texture);

/* RGBA, top row first. */
void show_read(const struct show *show, GLuint texture, float *pixels);

#endif
