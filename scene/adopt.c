/* Adopts the context of the scene for the GL device, through abbe/gl.h. */
#include "adopt.h"

#include <abbe/gl.h>
#include <string.h>

bool adopt_is_gl(const char *name)
{
    return name && !strncmp(name, "gl", 2) && (name[2] == ':' || !name[2]);
}

abbe_device *adopt_device(const char *name, scene_get_function get, int threads)
{
    abbe_device *device = NULL;
    abbe_gl_params params = { .get_proc_address = get,
                              .words = name[2] ? name + 3 : NULL,
                              .options = &(abbe_device_params){ .threads = threads } };
    return abbe_gl_adopt(&params, &device) ? NULL : device;
}

int adopt_filter(const abbe_plan *plan, unsigned source, unsigned result)
{
    return abbe_gl_filter(plan, source, &result);
}
