/* The state of an adopted context: saved, replaced by what passes rely on, and restored.
 *
 * State that passes neither change nor depend on is left alone. They draw into the device's framebuffers,
 * which have no depth, no stencil and one sample. */
#include "gl/adopted.h"

/* Constants of desktop OpenGL that the headers of OpenGL ES lack. */
enum {
    ALPHA_TEST = 0x0BC0,
    POLYGON_STIPPLE = 0x0B42,
    COLOR_LOGIC_OP = 0x0BF2,
    CLIP_DISTANCE = 0x3000,
    POLYGON_MODE = 0x0B40,
    FILL = 0x1B02,
    UNPACK_SWAP_BYTES = 0x0CF0,
    PACK_SWAP_BYTES = 0x0D00
};

/* Capabilities that are disabled while passes are drawn: of OpenGL ES, of the core profile, of the
 * compatibility profile. */
static const GLenum switches[ABGL_SWITCHES] = {
    GL_CULL_FACE,      GL_DITHER,         GL_RASTERIZER_DISCARD, GL_SCISSOR_TEST,   COLOR_LOGIC_OP,
    CLIP_DISTANCE,     CLIP_DISTANCE + 1, CLIP_DISTANCE + 2,     CLIP_DISTANCE + 3, CLIP_DISTANCE + 4,
    CLIP_DISTANCE + 5, CLIP_DISTANCE + 6, CLIP_DISTANCE + 7,     ALPHA_TEST,        POLYGON_STIPPLE,
};
enum { SWITCHES_ES = 4, SWITCHES_CORE = 13 };

/* Pixel storage, and the values that the device relies on unless it sets them itself. */
static const struct {
    GLenum name;
    GLint value;
} stores[ABGL_STORES] = {
    { GL_UNPACK_ALIGNMENT, 4 }, { GL_UNPACK_ROW_LENGTH, 0 },  { GL_UNPACK_IMAGE_HEIGHT, 0 },
    { GL_UNPACK_SKIP_ROWS, 0 }, { GL_UNPACK_SKIP_PIXELS, 0 }, { GL_UNPACK_SKIP_IMAGES, 0 },
    { GL_PACK_ALIGNMENT, 4 },   { GL_PACK_ROW_LENGTH, 0 },    { GL_PACK_SKIP_ROWS, 0 },
    { GL_PACK_SKIP_PIXELS, 0 }, { UNPACK_SWAP_BYTES, 0 },     { PACK_SWAP_BYTES, 0 },
};
enum { STORES_ES = 10 };

static const struct {
    GLenum target, binding;
} buffers[ABGL_BUFFERS] = {
    { GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING },
    { GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING },
    { GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING },
};

static int switch_count(const struct gl_adopted *adopted)
{
    return !adopted->desktop ? SWITCHES_ES : adopted->compatible ? ABGL_SWITCHES : SWITCHES_CORE;
}

static int store_count(const struct gl_adopted *adopted)
{
    return adopted->desktop ? ABGL_STORES : STORES_ES;
}

static void set_switch(const struct gl *gl, GLenum what, GLboolean on)
{
    if (on)
        gl->f.Enable(what);
    else
        gl->f.Disable(what);
}

/* ---- Draw buffers: one by one where the context can, otherwise all together ---- */

static int state_draw_buffers(const struct gl *gl)
{
    return gl->adopted->indexed ? gl->draw_buffers : 1;
}

static void save_draw_buffers(const struct gl *gl, struct gl_state *state)
{
    const struct gl_adopted *adopted = gl->adopted;
    for (int i = 0; i < state_draw_buffers(gl); i++) {
        GLuint index = (GLuint)i;
        state->blend[i] = adopted->indexed ? adopted->is_enabled(GL_BLEND, index) : gl->f.IsEnabled(GL_BLEND);
        if (adopted->indexed)
            adopted->booleans(GL_COLOR_WRITEMASK, index, state->mask[i]);
        else
            gl->f.GetBooleanv(GL_COLOR_WRITEMASK, state->mask[i]);
    }
}

static void set_draw_buffer(const struct gl *gl, int number, GLboolean blend, const GLboolean mask[4])
{
    const struct gl_adopted *adopted = gl->adopted;
    GLuint index = (GLuint)number;
    if (!adopted->indexed) {
        set_switch(gl, GL_BLEND, blend);
        gl->f.ColorMask(mask[0], mask[1], mask[2], mask[3]);
        return;
    }
    if (blend)
        adopted->enable(GL_BLEND, index);
    else
        adopted->disable(GL_BLEND, index);
    adopted->mask(index, mask[0], mask[1], mask[2], mask[3]);
}

/* ---- Viewports: desktop contexts have several, in floats ---- */

static void save_viewports(const struct gl *gl, struct gl_state *state)
{
    const struct gl_adopted *adopted = gl->adopted;
    gl->f.GetIntegerv(GL_VIEWPORT, state->viewport);
    for (int i = 0; i < adopted->viewports; i++) {
        adopted->floats(GL_VIEWPORT, (GLuint)i, state->viewports[i]);
        state->scissors[i] = adopted->is_enabled(GL_SCISSOR_TEST, (GLuint)i);
    }
}

/* Restores scissor tests too, so it must follow the switches, which contain that of viewport 0. */
static void restore_viewports(const struct gl *gl, const struct gl_state *state)
{
    const struct gl_adopted *adopted = gl->adopted;
    if (!adopted->desktop) {
        gl->f.Viewport(state->viewport[0], state->viewport[1], state->viewport[2], state->viewport[3]);
        return;
    }
    adopted->set_viewports(0, adopted->viewports, state->viewports[0]);
    for (int i = 0; i < adopted->viewports; i++)
        (state->scissors[i] ? adopted->enable : adopted->disable)(GL_SCISSOR_TEST, (GLuint)i);
}

/* ---- Texture units ---- */

static void save_units(const struct gl *gl, struct gl_state *state)
{
    gl->f.GetIntegerv(GL_ACTIVE_TEXTURE, &state->unit);
    for (int i = 0; i < ABGL_UNITS; i++) {
        gl->f.ActiveTexture(GL_TEXTURE0 + (GLenum)i);
        gl->f.GetIntegerv(GL_TEXTURE_BINDING_2D, &state->flat[i]);
        gl->f.GetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &state->arrays[i]);
        gl->f.GetIntegerv(GL_SAMPLER_BINDING, &state->samplers[i]);
    }
}

static void restore_units(const struct gl *gl, const struct gl_state *state)
{
    for (int i = 0; i < ABGL_UNITS; i++) {
        gl->f.ActiveTexture(GL_TEXTURE0 + (GLenum)i);
        gl->f.BindTexture(GL_TEXTURE_2D, (GLuint)state->flat[i]);
        gl->f.BindTexture(GL_TEXTURE_2D_ARRAY, (GLuint)state->arrays[i]);
        gl->f.BindSampler((GLuint)i, (GLuint)state->samplers[i]);
    }
    gl->f.ActiveTexture((GLenum)state->unit);
}

/* ---- Buffers ---- */

static void save_buffers(const struct gl *gl, struct gl_state *state)
{
    for (int i = 0; i < ABGL_BUFFERS; i++)
        gl->f.GetIntegerv(buffers[i].binding, &state->buffers[i]);
    gl->f.GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, 0, &state->uniforms);
    gl->f.GetInteger64i_v(GL_UNIFORM_BUFFER_START, 0, &state->uniforms_start);
    gl->f.GetInteger64i_v(GL_UNIFORM_BUFFER_SIZE, 0, &state->uniforms_size);
}

/* Binding 0 comes first, because binding it changes the general binding. */
static void restore_buffers(const struct gl *gl, const struct gl_state *state)
{
    GLuint name = (GLuint)state->uniforms;
    if (state->uniforms_size)
        gl->f.BindBufferRange(GL_UNIFORM_BUFFER, 0, name, (GLintptr)state->uniforms_start,
                              (GLsizeiptr)state->uniforms_size);
    else
        gl->f.BindBufferBase(GL_UNIFORM_BUFFER, 0, name);
    for (int i = 0; i < ABGL_BUFFERS; i++)
        gl->f.BindBuffer(buffers[i].target, (GLuint)state->buffers[i]);
}

/* ---- The whole state ---- */

void gl_state_save(struct gl *gl)
{
    const struct gl_adopted *adopted = gl->adopted;
    struct gl_state *state = &gl->adopted->state;
    gl->f.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &state->draw_framebuffer);
    gl->f.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &state->read_framebuffer);
    gl->f.GetIntegerv(GL_CURRENT_PROGRAM, &state->program);
    gl->f.GetIntegerv(GL_VERTEX_ARRAY_BINDING, &state->vertices);
    save_viewports(gl, state);
    save_units(gl, state);
    save_buffers(gl, state);
    save_draw_buffers(gl, state);
    for (int i = 0; i < switch_count(adopted); i++)
        state->switches[i] = gl->f.IsEnabled(switches[i]);
    for (int i = 0; i < store_count(adopted); i++)
        gl->f.GetIntegerv(stores[i].name, &state->stores[i]);
    if (adopted->desktop)
        gl->f.GetIntegerv(POLYGON_MODE, state->polygon);
}

void gl_state_set(struct gl *gl)
{
    static const GLboolean all[4] = { GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE };
    const struct gl_adopted *adopted = gl->adopted;
    gl->f.BindVertexArray(adopted->vertices);
    for (int i = 0; i < ABGL_UNITS; i++)
        gl->f.BindSampler((GLuint)i, adopted->sampler);
    for (int i = 0; i < ABGL_BUFFERS; i++)
        gl->f.BindBuffer(buffers[i].target, 0);
    for (int i = 0; i < state_draw_buffers(gl); i++)
        set_draw_buffer(gl, i, GL_FALSE, all);
    for (int i = 0; i < switch_count(adopted); i++)
        gl->f.Disable(switches[i]);
    for (int i = 0; i < store_count(adopted); i++)
        gl->f.PixelStorei(stores[i].name, stores[i].value);
    if (adopted->desktop)
        adopted->polygon_mode(GL_FRONT_AND_BACK, FILL);
}

void gl_state_unbind(struct gl *gl)
{
    gl->f.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->f.BindVertexArray(0);
    for (int i = 0; i < ABGL_UNITS; i++)
        gl->f.BindSampler((GLuint)i, 0);
    for (int i = 0; i < ABGL_BUFFERS; i++)
        gl->f.BindBuffer(buffers[i].target, 0);
    for (int i = 0; i < store_count(gl->adopted); i++)
        gl->f.PixelStorei(stores[i].name, stores[i].value);
}

/* Only the compatibility profile has a mode for each face; the core profile returns one number. */
static void restore_polygons(const struct gl_adopted *adopted, const struct gl_state *state)
{
    if (!adopted->compatible) {
        adopted->polygon_mode(GL_FRONT_AND_BACK, (GLenum)state->polygon[0]);
        return;
    }
    adopted->polygon_mode(GL_FRONT, (GLenum)state->polygon[0]);
    adopted->polygon_mode(GL_BACK, (GLenum)state->polygon[1]);
}

void gl_state_restore(struct gl *gl)
{
    const struct gl_adopted *adopted = gl->adopted;
    const struct gl_state *state = &adopted->state;
    gl->f.BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)state->draw_framebuffer);
    gl->f.BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)state->read_framebuffer);
    gl->f.UseProgram((GLuint)state->program);
    gl->f.BindVertexArray((GLuint)state->vertices);
    restore_units(gl, state);
    restore_buffers(gl, state);
    for (int i = 0; i < state_draw_buffers(gl); i++)
        set_draw_buffer(gl, i, state->blend[i], state->mask[i]);
    for (int i = 0; i < switch_count(adopted); i++)
        set_switch(gl, switches[i], state->switches[i]);
    restore_viewports(gl, state);
    for (int i = 0; i < store_count(adopted); i++)
        gl->f.PixelStorei(stores[i].name, state->stores[i]);
    if (adopted->desktop)
        restore_polygons(adopted, state);
}
