/* The scene as numbers in memory. */
#include "parts.h"

#include <stdlib.h>

/* Rows from the top, without alpha. */
static void turn_over(const float *rgba, int width, int height, float *rgb)
{
    for (int y = 0; y < height; y++) {
        const float *from = rgba + 4 * (size_t)(height - 1 - y) * (size_t)width;
        for (int x = 0; x < width; x++, from += 4, rgb += 3) {
            rgb[0] = from[0];
            rgb[1] = from[1];
            rgb[2] = from[2];
        }
    }
}

static bool read_back(const struct scene_gl *gl, int width, int height, float *rgb, char reason[SCENE_REASON])
{
    float *rgba = malloc((size_t)width * (size_t)height * 4 * sizeof *rgba);
    if (!rgba)
        return scene_refuse(reason, "out of memory");
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->ReadPixels(0, 0, width, height, GL_RGBA, GL_FLOAT, rgba);
    GLenum error = gl->GetError();
    if (error == GL_NO_ERROR)
        turn_over(rgba, width, height, rgb);
    free(rgba);
    return error == GL_NO_ERROR ||
           scene_refuse(reason, "the OpenGL driver could not draw the picture (error 0x%04x)", error);
}

bool scene_capture(struct scene *scene, const struct scene_params *params, float *rgb,
                   char reason[SCENE_REASON])
{
    const struct scene_gl *gl = &scene->gl;
    GLint most = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (params->width > most || params->height > most)
        return scene_render(scene, params, 0, reason); /* which says so */
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_ONE);
    GLuint texture = scene_texture(gl, GL_RGBA32F, params->width, params->height, GL_NEAREST);
    GLuint framebuffer = scene_framebuffer(gl, texture, 0, 0);
    bool done = framebuffer || scene_refuse(reason, "the OpenGL driver has no memory for %d x %d pixels",
                                            params->width, params->height);
    done = done && scene_render(scene, params, framebuffer, reason) &&
           read_back(gl, params->width, params->height, rgb, reason);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(1, &framebuffer);
    gl->DeleteTextures(1, &texture);
    return done;
}
