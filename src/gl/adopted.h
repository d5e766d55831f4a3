/* A device in a context that belongs to the application: the context, the device's objects there, and the
 * saved state. */
#ifndef ABBE_GL_ADOPTED_H
#define ABBE_GL_ADOPTED_H

#include "gl/gl.h"

/* Functions beyond OpenGL ES 3.0. Those that a context lacks are NULL and never called. */
typedef void(GL_APIENTRY *gl_switch_at)(GLenum what, GLuint index);
typedef GLboolean(GL_APIENTRY *gl_ask_at)(GLenum what, GLuint index);
typedef void(GL_APIENTRY *gl_booleans_at)(GLenum what, GLuint index, GLboolean *values);
typedef void(GL_APIENTRY *gl_mask_at)(GLuint index, GLboolean r, GLboolean g, GLboolean b, GLboolean a);
typedef void(GL_APIENTRY *gl_level_value)(GLenum target, GLint level, GLenum what, GLint *value);
typedef void(GL_APIENTRY *gl_polygon_mode)(GLenum face, GLenum mode);
typedef void(GL_APIENTRY *gl_floats_at)(GLenum what, GLuint index, GLfloat *values);
typedef void(GL_APIENTRY *gl_viewport_array)(GLuint first, GLsizei count, const GLfloat *values);

/* State of the application that passes change. */
enum { ABGL_SWITCHES = 15, ABGL_STORES = 12, ABGL_BUFFERS = 3, ABGL_VIEWPORTS = 16 };
struct gl_state {
    GLint draw_framebuffer, read_framebuffer, program, vertices, unit;
    GLint flat[ABGL_UNITS], arrays[ABGL_UNITS], samplers[ABGL_UNITS];
    GLint viewport[4], polygon[2];
    GLfloat viewports[ABGL_VIEWPORTS][4]; /* desktop: each has a scissor test */
    GLboolean scissors[ABGL_VIEWPORTS];
    GLboolean switches[ABGL_SWITCHES], blend[ABGL_LAYERS_MAX], mask[ABGL_LAYERS_MAX][4];
    GLint stores[ABGL_STORES], buffers[ABGL_BUFFERS];
    GLint uniforms;
    GLint64 uniforms_start, uniforms_size;
};

struct gl_adopted {
    void *(*get_current)(void); /* may be NULL */
    void *context;              /* what get_current returned when the context was adopted */
    bool desktop, compatible;   /* OpenGL instead of OpenGL ES; its compatibility profile */
    bool indexed;               /* each draw buffer has its own blending and colour mask */
    bool sized;                 /* sizes and formats of textures can be queried */
    bool top_down;
    bool alone; /* the application does not rely on the state of the context */
    gl_switch_at enable, disable;
    gl_ask_at is_enabled;
    gl_booleans_at booleans;
    gl_mask_at mask;
    gl_level_value level_value;
    gl_polygon_mode polygon_mode;
    gl_floats_at floats;
    gl_viewport_array set_viewports;
    int viewports; /* of the context, ABGL_VIEWPORTS at most */
    GLuint vertices, sampler, framebuffer;
    struct gl_state state; /* of the application, while the context is entered */
};

/* ---- state.c ---- */

/* Save the state of the application, set what passes rely on, restore that state. */
void gl_state_save(struct gl *gl);
void gl_state_set(struct gl *gl);
void gl_state_restore(struct gl *gl);

/* Unbinds the objects of the device, and gives pixel storage its initial values. */
void gl_state_unbind(struct gl *gl);

#endif
