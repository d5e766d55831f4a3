/* An application that draws with OpenGL, for tests of abbe/gl.h: its context and its textures.
 *
 * Functions are those of libGLESv2, which also work in a desktop context. */
#ifndef ABBE_TESTS_STAGE_H
#define ABBE_TESTS_STAGE_H

#include "support/stored.h"

#include <abbe/gl.h>

#include <EGL/egl.h>
#include <GLES3/gl32.h>

enum stage_kind { STAGE_ES, STAGE_CORE, STAGE_COMPATIBLE };

struct stage {
    EGLDisplay display;
    EGLContext context;
};

/* Opens a debug context of a software driver and makes it current. Messages of the driver of severity medium
 * or high go to standard error as "gl debug", unless stage_muted is set. Returns false if there is no such
 * driver. */
bool stage_open(enum stage_kind kind, struct stage *stage);
void stage_close(struct stage *stage);
extern bool stage_muted;

/* Make the context current to the calling thread, and not current. */
void stage_enter(const struct stage *stage);
void stage_leave(const struct stage *stage);

/* Parameters for adopting the current context, with top_down and get_current_context set. */
abbe_gl_params stage_params(void);
/* Adopts the context; exits with an error message on failure. */
abbe_device *stage_adopt(const abbe_gl_params *params);

/* Parameters of a small blur of textures of one type, for tests of something else. */
enum { STAGE_WIDTH = 16, STAGE_HEIGHT = 12 };
abbe_plan_params stage_blur(abbe_type type);

/* Whether glGetError returns no error; prints the error otherwise. */
bool stage_is_clean(void);

/* Creates a texture with the format of a type and with default parameters, for which it is incomplete. It
 * holds the picture, first row first; with NULL its contents are undefined. */
GLuint stage_texture(int width, int height, abbe_type type, const struct picture *picture);
/* Reads a texture back, first row first. */
struct picture stage_read(GLuint texture, int width, int height, abbe_type type);

#endif
