/* Replaces the scene in a build without the headers of OpenGL ES and EGL. */
#include "context.h"

#include <stdio.h>

struct scene_context *scene_context_open(char reason[SCENE_REASON])
{
    snprintf(reason, SCENE_REASON,
             "it is not in this build, which takes the headers of OpenGL ES and EGL (Debian: libgles-dev and "
             "libegl-dev)");
    return NULL;
}

/* Since no context can be opened, these are called only to close what was never opened. */
void scene_context_close(struct scene_context **context)
{
    (void)context;
}

const char *scene_context_driver(const struct scene_context *context)
{
    (void)context;
    return "none";
}

scene_get_function scene_context_functions(const struct scene_context *context)
{
    (void)context;
    return NULL;
}

struct scene *scene_create(scene_get_function get, char reason[SCENE_REASON])
{
    (void)get;
    scene_context_open(reason);
    return NULL;
}

void scene_destroy(struct scene **scene)
{
    (void)scene;
}

bool scene_render(struct scene *scene, const struct scene_params *params, unsigned framebuffer,
                  char reason[SCENE_REASON])
{
    (void)scene, (void)params, (void)framebuffer;
    scene_context_open(reason);
    return false;
}

bool scene_capture(struct scene *scene, const struct scene_params *params, float *rgb,
                   char reason[SCENE_REASON])
{
    (void)scene, (void)params, (void)rgb;
    scene_context_open(reason);
    return false;
}

const struct scene_gl *scene_functions(const struct scene *scene)
{
    (void)scene;
    return NULL;
}

bool scene_picture_create(const struct scene_gl *gl, int width, int height, struct scene_picture *picture,
                          char reason[SCENE_REASON])
{
    (void)gl, (void)width, (void)height, (void)picture;
    scene_context_open(reason);
    return false;
}

void scene_picture_destroy(const struct scene_gl *gl, struct scene_picture *picture)
{
    (void)gl, (void)picture;
}

bool scene_picture_read(const struct scene_gl *gl, const struct scene_picture *picture, float *rgb,
                        char reason[SCENE_REASON])
{
    (void)gl, (void)picture, (void)rgb;
    scene_context_open(reason);
    return false;
}
