/* Pictures as textures, and their download to memory. */
#include "parts.h"

#include <stdlib.h>

/* Copies the rows in reverse order, without alpha. */
static void flip_rows(const float *rgba, int width, int height, float *rgb)
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

bool scene_picture_create(const struct scene_gl *gl, int width, int height, struct scene_picture *picture,
                          char reason[SCENE_REASON])
{
    GLint most = 0;
    *picture = (struct scene_picture){ .width = width, .height = height };
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width > most || height > most)
        return scene_refuse(reason, "%d x %d pixels are more than the %d x %d that this OpenGL driver draws",
                            width, height, most, most);
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_ONE);
    picture->texture = scene_texture(gl, GL_RGBA32F, width, height, GL_NEAREST);
    picture->framebuffer = scene_framebuffer(gl, picture->texture, 0, 0);
    return picture->framebuffer ||
           scene_refuse(reason, "the OpenGL driver has no memory for %d x %d pixels", width, height);
}

void scene_picture_destroy(const struct scene_gl *gl, struct scene_picture *picture)
{
    gl->DeleteFramebuffers(1, &picture->framebuffer);
    gl->DeleteTextures(1, &picture->texture);
    *picture = (struct scene_picture){ 0 };
}

bool scene_picture_read(const struct scene_gl *gl, const struct scene_picture *picture, float *rgb,
                        char reason[SCENE_REASON])
{
    float *rgba = malloc((size_t)picture->width * (size_t)picture->height * 4 * sizeof *rgba);
    if (!rgba)
        return scene_refuse(reason, "out of memory");
    gl->BindFramebuffer(GL_FRAMEBUFFER, picture->framebuffer);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->ReadPixels(0, 0, picture->width, picture->height, GL_RGBA, GL_FLOAT, rgba);
    GLenum error = gl->GetError();
    if (error == GL_NO_ERROR)
        flip_rows(rgba, picture->width, picture->height, rgb);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    free(rgba);
    return error == GL_NO_ERROR ||
           scene_refuse(reason, "the OpenGL driver could not draw the picture (error 0x%04x)", error);
}

bool scene_capture(struct scene *scene, const struct scene_params *params, float *rgb,
                   char reason[SCENE_REASON])
{
    struct scene_picture picture;
    bool done = scene_picture_create(&scene->gl, params->width, params->height, &picture, reason) &&
                scene_render(scene, params, picture.framebuffer, reason) &&
                scene_picture_read(&scene->gl, &picture, rgb, reason);
    scene_picture_destroy(&scene->gl, &picture);
    return done;
}
