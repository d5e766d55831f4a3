/* The library's GL device in the context that the scene is drawn in, so that a frame stays on the card. */
#ifndef ABBE_SCENE_ADOPT_H
#define ABBE_SCENE_ADOPT_H

#include "scene.h"

#include <abbe/abbe.h>

/* Whether a device of that name is the GL device: "gl", "gl:fialka", … */
bool adopt_is_gl(const char *name);

/* A device in the current context with the engine and the precision of its name; NULL where the name asks for a GPU of its
 * own, or the context does not do: then abbe_device_open has the answer. */
abbe_device *adopt_device(const char *name, scene_get_function get, int threads);

/* abbe_gl_filter: from one texture to another. */
int adopt_filter(const abbe_plan *plan, unsigned source, unsigned result);

#endif
