/* Textures of panes and letters, and the two shader programs that draw them. */
#include "screen.h"

#include "../text/text.h"

#include <string.h>

#include "pane.frag.h"
#include "quad.vert.h"
#include "text.frag.h"

enum { UNIT_PICTURE, UNIT_MASK, UNIT_LETTERS, UNIT_GLYPHS };
enum { GLYPHS = 128 };

/* ---- Creation ------------------------------------------------------------------------------------------ */

static void name_unit(const struct scene_gl *gl, GLuint program, const char *name, int unit)
{
    gl->UseProgram(program);
    gl->Uniform1i(gl->GetUniformLocation(program, name), unit);
}

static void upload_bytes(const struct scene_gl *gl, int width, int height, const uint8_t *bytes)
{
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RED, GL_UNSIGNED_BYTE, bytes);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static void make_glyphs(struct screen *screen)
{
    static uint8_t dots[TEXT_HEIGHT][GLYPHS * TEXT_ADVANCE];
    for (int i = 0; i < GLYPHS; i++) {
        const char letter[2] = { (char)i, '\0' };
        for (int k = 0; k < TEXT_HEIGHT * TEXT_ADVANCE; k++)
            dots[k / TEXT_ADVANCE][i * TEXT_ADVANCE + k % TEXT_ADVANCE] = text_dot(letter, k % TEXT_ADVANCE,
                                                                                   k / TEXT_ADVANCE)
                                                                              ? 255
                                                                              : 0;
    }
    screen->glyphs = scene_texture(&screen->gl, GL_R8, GLYPHS * TEXT_ADVANCE, TEXT_HEIGHT, GL_NEAREST);
    upload_bytes(&screen->gl, GLYPHS * TEXT_ADVANCE, TEXT_HEIGHT, &dots[0][0]);
    screen->letters = scene_texture(&screen->gl, GL_R8, TEXT_COLUMNS, TEXT_ROWS, GL_NEAREST);
}

static void make_pictures(struct screen *screen)
{
    const struct scene_gl *gl = &screen->gl;
    int width = screen->picture_width, height = screen->picture_height;
    for (int i = 0; i < PANES; i++) {
        GLenum format = i == PANE_SPECTRUM ? GL_R8 : screen->channels == 1 ? GL_R16F : GL_RGB16F;
        screen->shown[i] = screen->pictures[i] = scene_texture(gl, format, width, height, GL_LINEAR);
        if (screen->channels == 1 || i == PANE_SPECTRUM)
            for (GLenum k = GL_TEXTURE_SWIZZLE_G; k <= GL_TEXTURE_SWIZZLE_B; k++)
                gl->TexParameteri(GL_TEXTURE_2D, k, GL_RED);
    }
    screen->mask = scene_texture(gl, GL_R8, width, height, GL_LINEAR);
}

bool screen_create(scene_get_function get, int width, int height, int channels, struct screen *screen,
                   char reason[SCENE_REASON])
{
    *screen = (struct screen){
        .picture_width = width, .picture_height = height, .channels = channels, .dot = 2, .brightness = 1
    };
    struct scene_gl *gl = &screen->gl;
    GLint most = 0;
    if (!scene_load(gl, get, reason) || !scene_check(gl, reason))
        return false;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width > most || height > most)
        return scene_refuse(reason,
                            "%d x %d pixels exceed the largest texture of this OpenGL driver, %d x %d", width,
                            height, most, most);
    screen->pane_program = scene_link(gl, quad_vert, pane_frag, reason);
    screen->text_program = screen->pane_program ? scene_link(gl, quad_vert, text_frag, reason) : 0;
    if (!screen->text_program)
        return false;
    name_unit(gl, screen->pane_program, "picture", UNIT_PICTURE);
    name_unit(gl, screen->pane_program, "mask", UNIT_MASK);
    name_unit(gl, screen->text_program, "letters", UNIT_LETTERS);
    name_unit(gl, screen->text_program, "glyphs", UNIT_GLYPHS);
    gl->GenVertexArrays(1, &screen->vertices);
    gl->ActiveTexture(GL_TEXTURE0);
    make_glyphs(screen);
    make_pictures(screen);
    return true;
}

void screen_destroy(struct screen *screen)
{
    const struct scene_gl *gl = &screen->gl;
    if (!gl->DeleteTextures)
        return; /* never created */
    gl->DeleteTextures(PANES, screen->pictures);
    gl->DeleteTextures(PANES, screen->copies);
    gl->DeleteFramebuffers(PANES, screen->copy_framebuffers);
    gl->DeleteTextures(1, &screen->mask);
    gl->DeleteTextures(1, &screen->glyphs);
    gl->DeleteTextures(1, &screen->letters);
    gl->DeleteVertexArrays(1, &screen->vertices);
    gl->DeleteProgram(screen->pane_program);
    gl->DeleteProgram(screen->text_program);
    *screen = (struct screen){ 0 };
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

void screen_picture(struct screen *screen, enum pane pane, const float *values)
{
    const struct scene_gl *gl = &screen->gl;
    scene_bind(gl, UNIT_PICTURE, screen->pictures[pane]);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, screen->picture_width, screen->picture_height,
                      screen->channels == 1 ? GL_RED : GL_RGB, GL_FLOAT, values);
    screen->shown[pane] = screen->pictures[pane];
}

/* Copies to 16-bit floats, which every driver can filter linearly, and flips the rows. */
void screen_copy(struct screen *screen, enum pane pane, unsigned framebuffer)
{
    const struct scene_gl *gl = &screen->gl;
    int width = screen->picture_width, height = screen->picture_height;
    if (!screen->copies[pane]) {
        gl->ActiveTexture(GL_TEXTURE0 + UNIT_PICTURE);
        screen->copies[pane] = scene_texture(gl, GL_RGBA16F, width, height, GL_LINEAR);
        screen->copy_framebuffers[pane] = scene_framebuffer(gl, screen->copies[pane], 0, 0);
    }
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, screen->copy_framebuffers[pane]);
    gl->BlitFramebuffer(0, 0, width, height, 0, height, width, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    screen->shown[pane] = screen->copies[pane];
}

void screen_magnitudes(struct screen *screen, const uint8_t *values)
{
    scene_bind(&screen->gl, UNIT_PICTURE, screen->pictures[PANE_SPECTRUM]);
    upload_bytes(&screen->gl, screen->picture_width, screen->picture_height, values);
}

void screen_mask(struct screen *screen, const uint8_t *gains)
{
    scene_bind(&screen->gl, UNIT_MASK, screen->mask);
    upload_bytes(&screen->gl, screen->picture_width, screen->picture_height, gains);
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

void screen_clear_text(struct screen *screen)
{
    memset(screen->text, ' ', sizeof screen->text);
}

void screen_write(struct screen *screen, int column, int row, const char *text)
{
    if (row < 0 || row >= TEXT_ROWS)
        return;
    for (; *text && column < TEXT_COLUMNS; text++, column++)
        if (column >= 0)
            screen->text[row][column] = (uint8_t)(*text & 127);
}

int screen_rows(const struct screen *screen, int height)
{
    int rows = height / (TEXT_PITCH * screen->dot);
    return rows < TEXT_ROWS ? rows : TEXT_ROWS;
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

static void draw_quad(const struct screen *screen, GLuint program, int width, int height, struct area area)
{
    const struct scene_gl *gl = &screen->gl;
    float left = 2.0f * (float)area.x / (float)width - 1, top = 1 - 2.0f * (float)area.y / (float)height;
    float right = 2.0f * (float)(area.x + area.width) / (float)width - 1;
    float bottom = 1 - 2.0f * (float)(area.y + area.height) / (float)height;
    gl->Uniform4f(gl->GetUniformLocation(program, "place"), left, top, right, bottom);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_panes(const struct screen *screen, int width, int height, const struct area areas[PANES],
                       bool is_light)
{
    const struct scene_gl *gl = &screen->gl;
    gl->UseProgram(screen->pane_program);
    gl->Uniform1f(gl->GetUniformLocation(screen->pane_program, "brightness"), screen->brightness);
    scene_bind(gl, UNIT_MASK, screen->mask);
    for (int i = 0; i < PANES; i++) {
        if (!areas[i].width)
            continue;
        int kind = i == PANE_SPECTRUM ? 2 : is_light ? 0 : 1;
        gl->Uniform1i(gl->GetUniformLocation(screen->pane_program, "kind"), kind);
        scene_bind(gl, UNIT_PICTURE, screen->shown[i]);
        draw_quad(screen, screen->pane_program, width, height, areas[i]);
    }
}

static void draw_text(const struct screen *screen, int width, int height)
{
    const struct scene_gl *gl = &screen->gl;
    GLuint program = screen->text_program;
    gl->UseProgram(program);
    scene_bind(gl, UNIT_GLYPHS, screen->glyphs);
    scene_bind(gl, UNIT_LETTERS, screen->letters);
    upload_bytes(gl, TEXT_COLUMNS, TEXT_ROWS, &screen->text[0][0]);
    gl->Uniform4f(gl->GetUniformLocation(program, "grid"), TEXT_COLUMNS, TEXT_ROWS, TEXT_PITCH,
                  (float)screen->dot);
    gl->Uniform4f(gl->GetUniformLocation(program, "size"), (float)width, (float)height, 0, 0);
    draw_quad(screen, program, width, height, (struct area){ 0, 0, width, height });
}

void screen_draw(struct screen *screen, int width, int height, const struct area areas[PANES], bool is_light)
{
    const struct scene_gl *gl = &screen->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->Viewport(0, 0, width, height);
    gl->ClearColor(0.09f, 0.09f, 0.1f, 1);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    gl->BindVertexArray(screen->vertices);
    draw_panes(screen, width, height, areas, is_light);
    draw_text(screen, width, height);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
}
