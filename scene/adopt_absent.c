/* Replaces adopt.c in a build without the scene or without the GL device: there is no context to share. */
#include "adopt.h"

bool adopt_is_gl(const char *name)
{
    (void)name;
    return false;
}

abbe_device *adopt_device(const char *name, scene_get_function get, int threads)
{
    (void)name, (void)get, (void)threads;
    return NULL;
}

int adopt_filter(const abbe_plan *plan, unsigned source, unsigned result)
{
    (void)plan, (void)source, (void)result;
    return ABBE_ERR_UNSUPPORTED;
}
