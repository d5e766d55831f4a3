/* Textures of panes and letters, and the two shader programs that draw them. */
#include "screen.h"

#include "../text/text.h"

#include <stddef.h>

#include "ink.frag.h"
#include "ink.vert.h"
#include "pane.frag.h"
#include "quad.vert.h"

enum { UNIT_PICTURE, UNIT_GLYPHS };
enum { GLYPHS = 128 };

/* ---- Creation ------------------------------------------------------------------------------------------ */

static void name_unit(const struct scene_gl *gl, GLuint program, const char *name, int unit)
{
    gl->UseProgram(program);
    gl->Uniform1i(gl->GetUniformLocation(program, name), unit);
}

static void make_glyphs(struct screen *screen)
{
    static uint8_t dots[TEXT_HEIGHT][GLYPHS * TEXT_ADVANCE];
    const struct scene_gl *gl = &screen->gl;
    for (int i = 0; i < GLYPHS; i++) {
        const char letter[2] = { (char)i, '\0' };
        for (int k = 0; k < TEXT_HEIGHT * TEXT_ADVANCE; k++)
            dots[k / TEXT_ADVANCE][i * TEXT_ADVANCE + k % TEXT_ADVANCE] = text_dot(letter, k % TEXT_ADVANCE,
                                                                                   k / TEXT_ADVANCE)
                                                                              ? 255
                                                                              : 0;
    }
    screen->glyphs = scene_texture(gl, GL_R8, GLYPHS * TEXT_ADVANCE, TEXT_HEIGHT, GL_NEAREST);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, GLYPHS * TEXT_ADVANCE, TEXT_HEIGHT, GL_RED, GL_UNSIGNED_BYTE,
                      &dots[0][0]);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static void make_ink(struct screen *screen)
{
    const struct scene_gl *gl = &screen->gl;
    static const struct {
        GLint count;
        GLenum type;
        size_t offset;
    } members[4] = { { 2, GL_FLOAT, offsetof(struct corner, x) },
                     { 2, GL_FLOAT, offsetof(struct corner, s) },
                     { 2, GL_FLOAT, offsetof(struct corner, across) },
                     { 4, GL_UNSIGNED_BYTE, offsetof(struct corner, colour) } };
    gl->GenVertexArrays(1, &screen->ink_vertices);
    gl->GenBuffers(1, &screen->ink_buffer);
    gl->BindVertexArray(screen->ink_vertices);
    gl->BindBuffer(GL_ARRAY_BUFFER, screen->ink_buffer);
    for (GLuint i = 0; i < 4; i++) {
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribPointer(i, members[i].count, members[i].type, members[i].type == GL_UNSIGNED_BYTE,
                                sizeof(struct corner), (const void *)members[i].offset);
    }
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}

bool screen_create(scene_get_function get, struct screen *screen, char reason[SCENE_REASON])
{
    *screen = (struct screen){ .brightness = 1 };
    struct scene_gl *gl = &screen->gl;
    if (!scene_load(gl, get, reason) || !scene_check(gl, reason))
        return false;
    screen->pane_program = scene_link(gl, quad_vert, pane_frag, reason);
    screen->ink_program = screen->pane_program ? scene_link(gl, ink_vert, ink_frag, reason) : 0;
    if (!screen->ink_program)
        return false;
    name_unit(gl, screen->pane_program, "picture", UNIT_PICTURE);
    name_unit(gl, screen->ink_program, "glyphs", UNIT_GLYPHS);
    gl->GenVertexArrays(1, &screen->vertices);
    gl->ActiveTexture(GL_TEXTURE0);
    make_glyphs(screen);
    make_ink(screen);
    return true;
}

static void free_pane(struct screen *screen, struct pane_picture *pane)
{
    const struct scene_gl *gl = &screen->gl;
    gl->DeleteTextures(1, &pane->texture);
    gl->DeleteFramebuffers(1, &pane->framebuffer);
    *pane = (struct pane_picture){ 0 };
}

void screen_destroy(struct screen *screen)
{
    const struct scene_gl *gl = &screen->gl;
    if (!gl->DeleteTextures)
        return; /* never created */
    for (int i = 0; i < PANES; i++)
        free_pane(screen, &screen->panes[i]);
    free_pane(screen, &screen->before);
    gl->DeleteTextures(1, &screen->glyphs);
    gl->DeleteBuffers(1, &screen->ink_buffer);
    gl->DeleteVertexArrays(1, &screen->ink_vertices);
    gl->DeleteVertexArrays(1, &screen->vertices);
    gl->DeleteProgram(screen->pane_program);
    gl->DeleteProgram(screen->ink_program);
    *screen = (struct screen){ 0 };
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

static bool has_shape(const struct pane_picture *pane, int width, int height, bool is_copy)
{
    return pane->texture && pane->width == width && pane->height == height && pane->is_copy == is_copy;
}

void screen_bytes(struct screen *screen, struct pane_picture *pane, int width, int height,
                  const uint8_t *rgba)
{
    const struct scene_gl *gl = &screen->gl;
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_PICTURE);
    if (!has_shape(pane, width, height, false)) {
        free_pane(screen, pane);
        *pane = (struct pane_picture){ .width = width, .height = height };
        pane->texture = scene_texture(gl, GL_RGBA8, width, height, GL_NEAREST);
    }
    gl->BindTexture(GL_TEXTURE_2D, pane->texture);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}

/* Creates a texture of 16-bit floats, which every driver can filter linearly, with mipmaps. */
static void create_copy(struct screen *screen, struct pane_picture *pane, int width, int height)
{
    const struct scene_gl *gl = &screen->gl;
    int levels = 1;
    while ((width > height ? width : height) >> levels)
        levels++;
    free_pane(screen, pane);
    *pane = (struct pane_picture){ .width = width, .height = height, .is_copy = true };
    gl->GenTextures(1, &pane->texture);
    gl->BindTexture(GL_TEXTURE_2D, pane->texture);
    gl->TexStorage2D(GL_TEXTURE_2D, levels, GL_RGBA16F, width, height);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    pane->framebuffer = scene_framebuffer(gl, pane->texture, 0, 0);
}

/* Copies and flips the rows. */
void screen_copy(struct screen *screen, struct pane_picture *pane, int width, int height,
                 unsigned framebuffer)
{
    const struct scene_gl *gl = &screen->gl;
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_PICTURE);
    if (!has_shape(pane, width, height, true))
        create_copy(screen, pane, width, height);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, pane->framebuffer);
    gl->BlitFramebuffer(0, 0, width, height, 0, height, width, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->BindTexture(GL_TEXTURE_2D, pane->texture);
    gl->GenerateMipmap(GL_TEXTURE_2D);
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

void screen_begin(struct screen *screen, int width, int height)
{
    const struct scene_gl *gl = &screen->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->Viewport(0, 0, width, height);
    gl->ClearColor(0.085f, 0.09f, 0.1f, 1);
    gl->Clear(GL_COLOR_BUFFER_BIT);
}

/* The part of the pane's picture, 0 to 1 along each axis, that `shown` covers. */
static void set_part(const struct screen *screen, const struct pane_picture *pane, const struct area *area,
                     const struct area *shown, const struct place *place)
{
    double left = area->x, top = area->y, across = area->width, down = area->height;
    if (pane->is_copy) {
        left = place->left;
        top = place->top;
        across = place->scale * pane->width;
        down = place->scale * pane->height;
    }
    screen->gl.Uniform4f(screen->gl.GetUniformLocation(screen->pane_program, "part"),
                         (float)((shown->x - left) / across), (float)((shown->y - top) / down),
                         (float)((shown->x + shown->width - left) / across),
                         (float)((shown->y + shown->height - top) / down));
}

void screen_pane(struct screen *screen, int width, int height, const struct pane_picture *pane,
                 const struct area *area, const struct area *shown, const struct place *place, bool is_light)
{
    const struct scene_gl *gl = &screen->gl;
    GLuint program = screen->pane_program;
    if (!pane->texture || shown->width < 1)
        return;
    gl->UseProgram(program);
    gl->BindVertexArray(screen->vertices);
    gl->Uniform1f(gl->GetUniformLocation(program, "brightness"), screen->brightness);
    gl->Uniform1i(gl->GetUniformLocation(program, "kind"), !pane->is_copy ? 2 : is_light ? 0 : 1);
    set_part(screen, pane, area, shown, place);
    scene_bind(gl, UNIT_PICTURE, pane->texture);
    gl->Uniform4f(gl->GetUniformLocation(program, "place"), 2.0f * (float)shown->x / (float)width - 1,
                  1 - 2.0f * (float)shown->y / (float)height,
                  2.0f * (float)(shown->x + shown->width) / (float)width - 1,
                  1 - 2.0f * (float)(shown->y + shown->height) / (float)height);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
}

void screen_ink(struct screen *screen, int width, int height, const struct ink *ink)
{
    const struct scene_gl *gl = &screen->gl;
    gl->UseProgram(screen->ink_program);
    scene_bind(gl, UNIT_GLYPHS, screen->glyphs);
    gl->Uniform4f(gl->GetUniformLocation(screen->ink_program, "size"), (float)width, (float)height, 0, 0);
    gl->BindVertexArray(screen->ink_vertices);
    gl->BindBuffer(GL_ARRAY_BUFFER, screen->ink_buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(ink->count * sizeof *ink->corners), ink->corners,
                   GL_STREAM_DRAW);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)ink->count);
    gl->Disable(GL_BLEND);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
}
