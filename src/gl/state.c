/* The state of a program's context: kept, replaced by what passes rely on, and put back.
 *
 * What passes neither change nor depend on is left alone: they draw into framebuffers of their own, which have no depth,
 * no stencil and one sample. */
#include "gl/guest.h"

/* Desktop OpenGL's, which headers of OpenGL ES do not name. */
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

/* All are off while passes are drawn. */
static const GLenum switches[GL_SWITCHES] = {
    GL_CULL_FACE,      GL_DITHER,         GL_RASTERIZER_DISCARD, GL_SCISSOR_TEST,   COLOR_LOGIC_OP,
    CLIP_DISTANCE,     CLIP_DISTANCE + 1, CLIP_DISTANCE + 2,     CLIP_DISTANCE + 3, CLIP_DISTANCE + 4,
    CLIP_DISTANCE + 5, CLIP_DISTANCE + 6, CLIP_DISTANCE + 7,     ALPHA_TEST,        POLYGON_STIPPLE,
};
enum { SWITCHES_ES = 4, SWITCHES_CORE = 13 };

/* How pixels lie in memory, and what the device relies on unless it sets it itself. */
static const struct {
    GLenum name;
    GLint value;
} stores[GL_STORES] = {
    { GL_UNPACK_ALIGNMENT, 4 }, { GL_UNPACK_ROW_LENGTH, 0 },  { GL_UNPACK_IMAGE_HEIGHT, 0 },
    { GL_UNPACK_SKIP_ROWS, 0 }, { GL_UNPACK_SKIP_PIXELS, 0 }, { GL_UNPACK_SKIP_IMAGES, 0 },
    { GL_PACK_ALIGNMENT, 4 },   { GL_PACK_ROW_LENGTH, 0 },    { GL_PACK_SKIP_ROWS, 0 },
    { GL_PACK_SKIP_PIXELS, 0 }, { UNPACK_SWAP_BYTES, 0 },     { PACK_SWAP_BYTES, 0 },
};
enum { STORES_ES = 10 };

static const struct {
    GLenum target, binding;
} buffers[GL_BUFFERS] = {
    { GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING },
    { GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING },
    { GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING },
};

static int switch_count(const struct gl_guest *guest)
{
    return !guest->desktop ? SWITCHES_ES : guest->compatible ? GL_SWITCHES : SWITCHES_CORE;
}

static int store_count(const struct gl_guest *guest)
{
    return guest->desktop ? GL_STORES : STORES_ES;
}

static void set_switch(const struct gl *gl, GLenum what, GLboolean on)
{
    if (on)
        gl->f.Enable(what);
    else
        gl->f.Disable(what);
}

/* ---- Draw buffers: each for itself where the context can, else all of them as one ---- */

static int draw_buffers(const struct gl *gl)
{
    return gl->guest->indexed ? gl->draw_buffers : 1;
}

static void keep_draw_buffers(const struct gl *gl, struct gl_state *state)
{
    const struct gl_guest *guest = gl->guest;
    for (int i = 0; i < draw_buffers(gl); i++) {
        GLuint index = (GLuint)i;
        state->blend[i] = guest->indexed ? guest->is_enabled(GL_BLEND, index) : gl->f.IsEnabled(GL_BLEND);
        if (guest->indexed)
            guest->booleans(GL_COLOR_WRITEMASK, index, state->mask[i]);
        else
            gl->f.GetBooleanv(GL_COLOR_WRITEMASK, state->mask[i]);
    }
}

static void set_draw_buffer(const struct gl *gl, int number, GLboolean blend, const GLboolean mask[4])
{
    const struct gl_guest *guest = gl->guest;
    GLuint index = (GLuint)number;
    if (!guest->indexed) {
        set_switch(gl, GL_BLEND, blend);
        gl->f.ColorMask(mask[0], mask[1], mask[2], mask[3]);
        return;
    }
    if (blend)
        guest->enable(GL_BLEND, index);
    else
        guest->disable(GL_BLEND, index);
    guest->mask(index, mask[0], mask[1], mask[2], mask[3]);
}

/* ---- Viewports: desktop contexts have several, in floats ---- */

static void keep_viewports(const struct gl *gl, struct gl_state *state)
{
    const struct gl_guest *guest = gl->guest;
    gl->f.GetIntegerv(GL_VIEWPORT, state->viewport);
    for (int i = 0; i < guest->viewports; i++) {
        guest->floats(GL_VIEWPORT, (GLuint)i, state->viewports[i]);
        state->scissors[i] = guest->is_enabled(GL_SCISSOR_TEST, (GLuint)i);
    }
}

/* After the switches, of which the scissor test is one. */
static void restore_viewports(const struct gl *gl, const struct gl_state *state)
{
    const struct gl_guest *guest = gl->guest;
    if (!guest->desktop) {
        gl->f.Viewport(state->viewport[0], state->viewport[1], state->viewport[2], state->viewport[3]);
        return;
    }
    guest->set_viewports(0, guest->viewports, state->viewports[0]);
    for (int i = 0; i < guest->viewports; i++)
        (state->scissors[i] ? guest->enable : guest->disable)(GL_SCISSOR_TEST, (GLuint)i);
}

/* ---- Texture units ---- */

static void keep_units(const struct gl *gl, struct gl_state *state)
{
    gl->f.GetIntegerv(GL_ACTIVE_TEXTURE, &state->unit);
    for (int i = 0; i < GL_UNITS; i++) {
        gl->f.ActiveTexture(GL_TEXTURE0 + (GLenum)i);
        gl->f.GetIntegerv(GL_TEXTURE_BINDING_2D, &state->flat[i]);
        gl->f.GetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &state->arrays[i]);
        gl->f.GetIntegerv(GL_SAMPLER_BINDING, &state->samplers[i]);
    }
}

static void restore_units(const struct gl *gl, const struct gl_state *state)
{
    for (int i = 0; i < GL_UNITS; i++) {
        gl->f.ActiveTexture(GL_TEXTURE0 + (GLenum)i);
        gl->f.BindTexture(GL_TEXTURE_2D, (GLuint)state->flat[i]);
        gl->f.BindTexture(GL_TEXTURE_2D_ARRAY, (GLuint)state->arrays[i]);
        gl->f.BindSampler((GLuint)i, (GLuint)state->samplers[i]);
    }
    gl->f.ActiveTexture((GLenum)state->unit);
}

/* ---- Buffers ---- */

static void keep_buffers(const struct gl *gl, struct gl_state *state)
{
    for (int i = 0; i < GL_BUFFERS; i++)
        gl->f.GetIntegerv(buffers[i].binding, &state->buffers[i]);
    gl->f.GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, 0, &state->uniforms);
    gl->f.GetInteger64i_v(GL_UNIFORM_BUFFER_START, 0, &state->uniforms_start);
    gl->f.GetInteger64i_v(GL_UNIFORM_BUFFER_SIZE, 0, &state->uniforms_size);
}

/* The numbered binding first: it changes the other one. */
static void restore_buffers(const struct gl *gl, const struct gl_state *state)
{
    GLuint name = (GLuint)state->uniforms;
    if (state->uniforms_size)
        gl->f.BindBufferRange(GL_UNIFORM_BUFFER, 0, name, (GLintptr)state->uniforms_start,
                              (GLsizeiptr)state->uniforms_size);
    else
        gl->f.BindBufferBase(GL_UNIFORM_BUFFER, 0, name);
    for (int i = 0; i < GL_BUFFERS; i++)
        gl->f.BindBuffer(buffers[i].target, (GLuint)state->buffers[i]);
}

/* ---- All of it ---- */

static void keep(const struct gl *gl, struct gl_state *state)
{
    const struct gl_guest *guest = gl->guest;
    gl->f.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &state->draw_framebuffer);
    gl->f.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &state->read_framebuffer);
    gl->f.GetIntegerv(GL_CURRENT_PROGRAM, &state->program);
    gl->f.GetIntegerv(GL_VERTEX_ARRAY_BINDING, &state->vertices);
    keep_viewports(gl, state);
    keep_units(gl, state);
    keep_buffers(gl, state);
    keep_draw_buffers(gl, state);
    for (int i = 0; i < switch_count(guest); i++)
        state->switches[i] = gl->f.IsEnabled(switches[i]);
    for (int i = 0; i < store_count(guest); i++)
        gl->f.GetIntegerv(stores[i].name, &state->stores[i]);
    if (guest->desktop)
        gl->f.GetIntegerv(POLYGON_MODE, state->polygon);
}

void gl_state_take(struct gl *gl)
{
    static const GLboolean all[4] = { GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE };
    const struct gl_guest *guest = gl->guest;
    keep(gl, &gl->guest->state);
    gl->f.BindVertexArray(guest->vertices);
    for (int i = 0; i < GL_UNITS; i++)
        gl->f.BindSampler((GLuint)i, guest->sampler);
    for (int i = 0; i < GL_BUFFERS; i++)
        gl->f.BindBuffer(buffers[i].target, 0);
    for (int i = 0; i < draw_buffers(gl); i++)
        set_draw_buffer(gl, i, GL_FALSE, all);
    for (int i = 0; i < switch_count(guest); i++)
        gl->f.Disable(switches[i]);
    for (int i = 0; i < store_count(guest); i++)
        gl->f.PixelStorei(stores[i].name, stores[i].value);
    if (guest->desktop)
        guest->polygon_mode(GL_FRONT_AND_BACK, FILL);
}

/* Only contexts that are compatible have a mode for each face; the core answers one number. */
static void restore_polygons(const struct gl_guest *guest, const struct gl_state *state)
{
    if (!guest->compatible) {
        guest->polygon_mode(GL_FRONT_AND_BACK, (GLenum)state->polygon[0]);
        return;
    }
    guest->polygon_mode(GL_FRONT, (GLenum)state->polygon[0]);
    guest->polygon_mode(GL_BACK, (GLenum)state->polygon[1]);
}

void gl_state_restore(struct gl *gl)
{
    const struct gl_guest *guest = gl->guest;
    const struct gl_state *state = &guest->state;
    gl->f.BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)state->draw_framebuffer);
    gl->f.BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)state->read_framebuffer);
    gl->f.UseProgram((GLuint)state->program);
    gl->f.BindVertexArray((GLuint)state->vertices);
    restore_units(gl, state);
    restore_buffers(gl, state);
    for (int i = 0; i < draw_buffers(gl); i++)
        set_draw_buffer(gl, i, state->blend[i], state->mask[i]);
    for (int i = 0; i < switch_count(guest); i++)
        set_switch(gl, switches[i], state->switches[i]);
    restore_viewports(gl, state);
    for (int i = 0; i < store_count(guest); i++)
        gl->f.PixelStorei(stores[i].name, state->stores[i]);
    if (guest->desktop)
        restore_polygons(guest, state);
}
