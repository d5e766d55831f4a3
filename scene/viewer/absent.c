/* Replaces the viewer in a build without the headers of OpenGL ES, EGL and GLFW. */
#include "viewer.h"

#include <stdio.h>

bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON])
{
    (void)params;
    snprintf(
        reason, SCENE_REASON,
        "it is not in this build, which takes the headers of OpenGL ES, EGL and GLFW (Debian: libgles-dev, "
        "libegl-dev and libglfw3-dev)");
    return false;
}
