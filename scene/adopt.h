/* The library's GL device in the context of the scene, so that frames stay on the GPU. */
#ifndef ABBE_SCENE_ADOPT_H
#define ABBE_SCENE_ADOPT_H

#include "scene.h"

#include <abbe/abbe.h>

/* Tells whether a name stands for the GL device: "gl", "gl:fialka", … */
bool adopt_is_gl(const char *name);

/* Opens a device in the current context, with the engine and the precision of its name. Returns NULL if the
 * name selects a certain GPU or the context does not suffice; the caller then uses abbe_device_open. */
abbe_device *adopt_device(const char *name, scene_get_function get, int threads);

/* Filters one texture into another by abbe_gl_filter. */
int adopt_filter(const abbe_plan *plan, unsigned source, unsigned result);

#endif
