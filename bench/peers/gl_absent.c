/* Replaces the contenders on OpenGL in a build without the headers of EGL and OpenGL ES. */
#include "../gl/counts.h"
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

const struct peer peer_frames_moreland_blind = ABSENT("gl:moreland, no look-ups"),
                  peer_frames_moreland_idle = ABSENT("gl:moreland, outputs only"),
                  peer_frames_fast_blind = ABSENT("gl:fast, no look-ups"),
                  peer_frames_fast_idle = ABSENT("gl:fast, outputs only");

void papers_count(const char *device, struct count_list *counts)
{
    (void)device;
    *counts = (struct count_list){ .problem = "this build has no OpenGL" };
}

bool opengl_check(const char *device, char *problem, size_t size)
{
    (void)device;
    snprintf(problem, size, "this build has no OpenGL; install libegl-dev and libgles-dev and build again");
    return false;
}
