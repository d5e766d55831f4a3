/* A program that draws with OpenGL, for tests of abbe/gl.h: its context, and its textures.
 *
 * Functions are those of libGLESv2; with a desktop context they act there as well. */
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

/* Opens a debug context of a software driver and makes it current; what the driver says with severity medium or high goes
 * to standard error as "gl debug", unless stage_muted. False where there is none. */
bool stage_open(enum stage_kind kind, struct stage *stage);
void stage_close(struct stage *stage);
extern bool stage_muted;

void stage_enter(const struct stage *stage);
void stage_leave(const struct stage *stage);

/* For this context, top_down, with what the program has current. */
abbe_gl_params stage_params(void);
abbe_device *stage_adopt(const abbe_gl_params *params);

/* A plan for a small blur of textures, of one type, for tests whose subject is something else. */
enum { STAGE_WIDTH = 16, STAGE_HEIGHT = 12 };
abbe_plan_params stage_blur(abbe_type type);

/* Whether OpenGL has no error to tell; prints it otherwise. */
bool stage_is_clean(void);

/* A texture of a type's format, with the default parameters, for which it is incomplete; its contents are those of the
 * picture, first row first, or, with NULL, whatever. */
GLuint stage_texture(int width, int height, abbe_type type, const struct picture *picture);
struct picture stage_read(GLuint texture, int width, int height, abbe_type type);

#endif
