/* A build without EGL: the device works in adopted contexts only. */
#include "core/error.h"
#include "gl/gl.h"

int gl_egl_open(struct gl *gl)
{
    (void)gl;
    return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                     "device 'gl': this build opens no context; adopt one with abbe_gl_adopt");
}

void gl_egl_close(struct gl *gl)
{
    (void)gl;
}

int gl_list(struct adapter_list *list)
{
    (void)list;
    return ABBE_OK;
}

int gl_egl_enter(struct gl *gl)
{
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: the device has no context");
}

void gl_egl_leave(struct gl *gl)
{
    (void)gl;
}
