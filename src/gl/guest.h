/* A device in a program's own context: how it knows the context, what it needs there, and what it puts back. */
#ifndef ABBE_GL_GUEST_H
#define ABBE_GL_GUEST_H

#include "gl/gl.h"

/* Functions beyond OpenGL ES 3.0; those that a context lacks are never called. */
typedef void(GL_APIENTRY *gl_switch_at)(GLenum what, GLuint index);
typedef GLboolean(GL_APIENTRY *gl_ask_at)(GLenum what, GLuint index);
typedef void(GL_APIENTRY *gl_booleans_at)(GLenum what, GLuint index, GLboolean *values);
typedef void(GL_APIENTRY *gl_mask_at)(GLuint index, GLboolean r, GLboolean g, GLboolean b, GLboolean a);
typedef void(GL_APIENTRY *gl_level_value)(GLenum target, GLint level, GLenum what, GLint *value);
typedef void(GL_APIENTRY *gl_polygon_mode)(GLenum face, GLenum mode);
typedef void(GL_APIENTRY *gl_floats_at)(GLenum what, GLuint index, GLfloat *values);
typedef void(GL_APIENTRY *gl_viewport_array)(GLuint first, GLsizei count, const GLfloat *values);

/* What a program had set. */
enum { GL_SWITCHES = 15, GL_STORES = 12, GL_BUFFERS = 3, GL_VIEWPORTS = 16 };
struct gl_state {
    GLint draw_framebuffer, read_framebuffer, program, vertices, unit;
    GLint flat[GL_UNITS], arrays[GL_UNITS], samplers[GL_UNITS];
    GLint viewport[4], polygon[2];
    GLfloat viewports[GL_VIEWPORTS][4]; /* desktop: each with a scissor test */
    GLboolean scissors[GL_VIEWPORTS];
    GLboolean switches[GL_SWITCHES], blend[GL_LAYERS_MAX], mask[GL_LAYERS_MAX][4];
    GLint stores[GL_STORES], buffers[GL_BUFFERS];
    GLint uniforms;
    GLint64 uniforms_start, uniforms_size;
};

struct gl_guest {
    void *(*get_current)(void); /* may be NULL */
    void *context;              /* what it said when the context was adopted */
    bool desktop, compatible;   /* OpenGL, not ES; with what its core has lost */
    bool indexed;               /* draw buffers blend and are masked each for itself */
    bool sized;                 /* sizes and formats of textures can be asked for */
    bool top_down;
    gl_switch_at enable, disable;
    gl_ask_at is_enabled;
    gl_booleans_at booleans;
    gl_mask_at mask;
    gl_level_value level_value;
    gl_polygon_mode polygon_mode;
    gl_floats_at floats;
    gl_viewport_array set_viewports;
    int viewports; /* that the context has */
    GLuint vertices, sampler, framebuffer;
    struct gl_state state; /* of the program, while somebody has entered */
};

/* ---- state.c ---- */

/* Keeps what the program has set, and sets what passes rely on; puts it back. */
void gl_state_take(struct gl *gl);
void gl_state_restore(struct gl *gl);

#endif
