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

/* Compiles the programs. Prints the errors of the driver to standard error. */
bool show_create(int width, int height, struct show *show);

/* Creates a texture of the size of the show. */
GLuint show_texture(const struct show *show, GLenum format);

/* Draws a frame into a texture. */
void show_fireworks(const struct show *show, GLuint texture);

/* Draws frame + Σ weights · parts into a texture; there are at most three parts. */
void show_sum(const struct show *show, GLuint frame, const GLuint *parts, const float *weights, int count,
              GLuint texture);

/* Reads a texture as RGBA, top row first. */
void show_read(const struct show *show, GLuint texture, float *pixels);

#endif
