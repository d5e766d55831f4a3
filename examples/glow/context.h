/* A context of OpenGL ES without a window. */
#ifndef EXAMPLES_GLOW_CONTEXT_H
#define EXAMPLES_GLOW_CONTEXT_H

#include <EGL/egl.h>
#include <stdbool.h>

struct context {
    EGLDisplay display;
    EGLContext context;
};

/* Opens a context on the first EGL device that has OpenGL ES 3.0 and makes it current. Prints a message to
 * standard error if there is none. */
bool context_open(struct context *context);
void context_close(struct context *context);

#endif
