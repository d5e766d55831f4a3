/* An OpenGL ES context without a window, created through EGL, which is opened at run time. */
#ifndef ABBE_SCENE_CONTEXT_H
#define ABBE_SCENE_CONTEXT_H

#include "scene.h"

struct scene_context;

/* Opens a context on a GPU, or on a software driver if there is none, and makes it current in this thread.
 * Returns NULL, with the reason, on failure. */
struct scene_context *scene_context_open(char reason[SCENE_REASON]);

/* Destroys the context and sets the pointer to NULL. Accepts a pointer to NULL. */
void scene_context_close(struct scene_context **context);

/* The name of the driver, such as "llvmpipe (LLVM 15.0.6, 256 bits)". */
const char *scene_context_driver(const struct scene_context *context);

/* Looks up functions of the context, for scene_create. */
scene_get_function scene_context_functions(const struct scene_context *context);

#endif
