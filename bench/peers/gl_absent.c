/* Replaces the contenders on OpenGL in a build without the headers of EGL and OpenGL ES. */
#include "peer.h"

#include <stdio.h>

#define ABSENT(title)                                       \
    {                                                       \
        .name = title, .absent = "libgles-dev", .own = true \
    }

const struct peer peer_gl_fast = ABSENT("gl:fast"), peer_gl_fialka = ABSENT("gl:fialka"),
                  peer_gl_moreland = ABSENT("gl:moreland"), peer_gl_copies = ABSENT("gl:fast + copies"),
                  peer_gl_cpu = ABSENT("cpu");
const struct peer peer_frames_fast = ABSENT("gl:fast"), peer_frames_fialka = ABSENT("gl:fialka"),
                  peer_frames_moreland = ABSENT("gl:moreland"), peer_frames_cpu = ABSENT("cpu"),
                  peer_frames_scene = ABSENT("scene alone");

bool opengl_check(const char *device, char *problem, size_t size)
{
    (void)device;
    snprintf(problem, size, "this build has no OpenGL; install libegl-dev and libgles-dev and build again");
    return false;
}
