/* Draws, filters and moves pictures that are textures. */
#include "card.h"

#include "../gl.h"

#include <adopt.h>
#include <stdlib.h>

bool card_create(struct work *work)
{
    char reason[SCENE_REASON];
    if (work->filtered.framebuffer)
        return true;
    if (scene_picture_create(work->gl, work->width, work->height, &work->drawn, reason) &&
        scene_picture_create(work->gl, work->width, work->height, &work->filtered, reason))
        return true;
    card_destroy(work);
    return false;
}

void card_destroy(struct work *work)
{
    scene_picture_destroy(work->gl, &work->drawn);
    scene_picture_destroy(work->gl, &work->filtered);
}

/* Row by row, the lowest first: the card counts from the bottom. */
void card_write(const struct work *work)
{
    const struct scene_gl *gl = work->gl;
    size_t width = (size_t)work->width, channels = (size_t)work->channels;
    float *row = malloc(width * 4 * sizeof *row);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, work->drawn.texture);
    for (int y = 0; row && y < work->height; y++) {
        const float *from = work->source + (size_t)(work->height - 1 - y) * width * channels;
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < 4; c++)
                row[4 * x + c] = c == 3 ? 1 : from[x * channels + (channels == 1 ? 0 : c)];
        gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, y, work->width, 1, GL_RGBA, GL_FLOAT, row);
    }
    free(row);
}

bool card_draw(const struct work *work, struct scene *scene, const struct scene_params *params,
               char reason[SCENE_REASON])
{
    bool done = scene_render(scene, params, work->drawn.framebuffer, reason);
    work->gl->Finish();
    return done;
}

int card_filter(const struct work *work)
{
    int error = adopt_filter(work->plan, work->drawn.texture, work->filtered.texture);
    work->gl->Finish();
    return error;
}

bool card_read(const struct work *work, const struct scene_picture *picture, float *values,
               char reason[SCENE_REASON])
{
    size_t pixels = (size_t)work->width * (size_t)work->height;
    if (work->channels == 3)
        return scene_picture_read(work->gl, picture, values, reason);
    float *rgb = malloc(3 * pixels * sizeof *rgb);
    bool done = rgb ? scene_picture_read(work->gl, picture, rgb, reason)
                    : scene_refuse(reason, "out of memory");
    for (size_t i = 0; done && i < pixels; i++)
        values[i] = rgb[3 * i];
    free(rgb);
    return done;
}
