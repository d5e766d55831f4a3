/* Convolution of a region in space: pieces of kernels, one after the other, each a pass that goes on with the sums of
 * the one before. */
#include "gl/gl.h"

/* Where a piece leaves its sums, and what it goes on from. */
struct ends {
    const struct gl_texture *from, *to;
    int from_layer, to_layer;
};

static void draw_piece(const struct gl_region *region, int number, const struct gl_texture *texels,
                       const struct ends *ends)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct gl_piece *piece = &engine->pieces[number];
    gl_use(gl, engine->programs[piece->across ? 0 : 1]);
    gl->f.BindBufferRange(GL_UNIFORM_BUFFER, 0, engine->taps, (GLintptr)number * GL_PIECE * 16,
                          GL_PIECE * 16);
    gl->f.Uniform4i(gl->used->locations[GL_UNIFORM_piece], piece->column, piece->row, piece->column_end,
                    piece->row_end);
    gl_set_ints(gl, GL_UNIFORM_reach, piece->reach_x, piece->reach_y);
    gl_set_ints(gl, GL_UNIFORM_window, region->x.window, region->y.window);
    gl_set_int(gl, GL_UNIFORM_more, piece->more);
    gl_set_texture(gl, GL_UNIFORM_texels, texels);
    gl_set_texture(gl, GL_UNIFORM_sums, piece->more ? ends->from : texels);
    gl_set_int(gl, GL_UNIFORM_sums_layer, ends->from_layer);
    gl_target_bind(gl, ends->to, ends->to_layer, 4);
    if (piece->across)
        gl_draw(gl, 0, 0, (region->x.results + 3) / 4, region->y.window);
    else
        gl_draw(gl, 0, 0, region->x.results, (region->y.results + 3) / 4);
}

/* All pieces of result r on one group of channels; the last of a component leaves it in wides[component]. */
static void convolve(const struct gl_region *region, int r, int group)
{
    const struct engine *engine = region->engine;
    const struct gl_texture *rows = &engine->row_sums[0];
    int turn = 0, row_turn = 0;
    for (int i = engine->first_piece[r]; i < engine->first_piece[r + 1]; i++) {
        const struct gl_piece *piece = &engine->pieces[i];
        struct ends ends = { 0 };
        if (piece->across) {
            ends.from = &engine->row_sums[row_turn % 2];
            row_turn += piece->more;
            ends.to = rows = &engine->row_sums[row_turn % 2];
            draw_piece(region, i, &engine->window, &ends);
            continue;
        }
        ends.from = &engine->sums[turn % 2];
        turn++;
        ends.to = piece->last ? &engine->wides[piece->component] : &engine->sums[turn % 2];
        ends.to_layer = piece->last ? 4 * group : 0;
        draw_piece(region, i, engine->work->method == ABBE_METHOD_DIRECT ? &engine->window : rows, &ends);
    }
}

int gl_run_space(struct gl_region *region)
{
    const struct engine *engine = region->engine;
    const char *name = abbe_method_name(engine->work->method);
    int error = ABBE_OK, groups = engine->geometry.groups;
    for (int r = 0; r < engine->work->result_count && !error; r++) {
        for (int group = 0; group < groups; group++) {
            if (r == 0 || groups > 1)
                gl_load_window(region, group, &engine->window);
            convolve(region, r, group);
        }
        gl_pass_end(region, name);
        error = gl_finish(region, r, &engine->wides[0],
                          &engine->wides[engine->work->results[r].components - 1]);
    }
    return error;
}
