/* A context of OpenGL ES without a window, by EGL, which is opened at run time. */
#ifndef ABBE_SCENE_CONTEXT_H
#define ABBE_SCENE_CONTEXT_H

#include "scene.h"

struct scene_context;

/* Opens a context and makes it current in this thread: a GPU where there is one, else a software driver. NULL, with
 * the reason, where there is neither. */
struct scene_context *scene_context_open(char reason[SCENE_REASON]);

/* Leaves the context and gives everything back. Takes NULL, and clears. */
void scene_context_close(struct scene_context **context);

/* The name of the driver, such as "llvmpipe (LLVM 15.0.6, 256 bits)". */
const char *scene_context_driver(const struct scene_context *context);

/* For scene_create: where the functions of the context are found. */
scene_get_function scene_context_functions(const struct scene_context *context);

#endif
