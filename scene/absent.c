/* The scene of a build without the headers of OpenGL ES and EGL. */
#include "context.h"

#include <stdio.h>

struct scene_context *scene_context_open(char reason[SCENE_REASON])
{
    snprintf(reason, SCENE_REASON,
             "it is not in this build, which takes the headers of OpenGL ES and EGL (Debian: libgles-dev and "
             "libegl-dev)");
    return NULL;
}

/* Without a context none of these is ever called but to close what was not opened. */
void scene_context_close(struct scene_context **context)
{
    (void)context;
}

const char *scene_context_driver(const struct scene_context *context)
{
    (void)context;
    return "none";
}

scene_function scene_context_function(void *user, const char *name)
{
    (void)user, (void)name;
    return NULL;
}

struct scene *scene_create(scene_get_function get, void *user, char reason[SCENE_REASON])
{
    (void)get, (void)user;
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
