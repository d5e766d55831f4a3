/* Tries EGL's devices in turn. EGL lists GPUs before software drivers. */
#include "context.h"

#include <EGL/eglext.h>
#include <stdio.h>

enum { DEVICES_MAX = 16 };

static bool try_display(struct context *context, EGLDisplay display)
{
    const EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE };
    if (!display || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
        return false;
    context->display = display;
    context->context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    return context->context && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context);
}

bool context_open(struct context *context)
{
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(
        "eglGetPlatformDisplayEXT");
    EGLDeviceEXT devices[DEVICES_MAX];
    EGLint count = 0;
    if (query && get)
        query(DEVICES_MAX, devices, &count);
    for (EGLint i = 0; i < count; i++) {
        if (try_display(context, get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)))
            return true;
        context_close(context);
    }
    fprintf(stderr, "glow: no driver draws with OpenGL ES 3.0\n");
    return false;
}

void context_close(struct context *context)
{
    if (context->display)
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context->context)
        eglDestroyContext(context->display, context->context);
    *context = (struct context){ 0 };
}
