/* Convolution of a region in space: kernel passes one after the other, each adding to the sums of the one
 * before. */
#include "gl/run.h"

/* Programs of an engine that works in space: engine->programs[…]. engine.c gets them in this order. */
enum { ROWS_PROGRAM, COLUMNS_PROGRAM };

/* Where a kernel pass finds the sums that it adds to, and where it writes. */
struct sum_textures {
    const struct gl_texture *from, *to;
    int to_layer; /* the first of four */
};

static void draw_kernel_pass(const struct gl_region *region, int number, const struct gl_texture *texels,
                             const struct sum_textures *sums)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct gl_kernel_pass *pass = &engine->kernel_passes[number];
    gl_use_program(gl, engine->programs[pass->across ? ROWS_PROGRAM : COLUMNS_PROGRAM]);
    gl->f.BindBufferRange(GL_UNIFORM_BUFFER, 0, engine->taps, (GLintptr)number * ABGL_PASS_TAPS * 16,
                          ABGL_PASS_TAPS * 16);
    gl->f.Uniform4i(gl->current->locations[ABGL_UNIFORM_tap_box], pass->column, pass->row, pass->column_end,
                    pass->row_end);
    gl_set_ints(gl, ABGL_UNIFORM_reach, pass->reach_x, pass->reach_y);
    gl_set_ints(gl, ABGL_UNIFORM_window, region->x.window, region->y.window);
    gl_set_int(gl, ABGL_UNIFORM_accumulates, pass->accumulates);
    gl_set_texture(gl, ABGL_UNIFORM_texels, texels);
    gl_set_texture(gl, ABGL_UNIFORM_sums, pass->accumulates ? sums->from : texels);
    gl_target_bind(gl, sums->to, sums->to_layer, 4);
    if (pass->across)
        gl_draw(gl, 0, 0, (region->x.results + 3) / 4, region->y.window);
    else
        gl_draw(gl, 0, 0, region->x.results, (region->y.results + 3) / 4);
}

/* Draws all kernel passes of result r for one group of channels. The last pass of component i writes to
 * engine->filtered[i]; the others write to two textures in turn. */
static void convolve_group(const struct gl_region *region, int r, int group)
{
    const struct engine *engine = region->engine;
    const struct gl_texture *rows = &engine->row_sums[0];
    int turn = 0, row_turn = 0;
    for (int i = engine->first_kernel_pass[r]; i < engine->first_kernel_pass[r + 1]; i++) {
        const struct gl_kernel_pass *pass = &engine->kernel_passes[i];
        struct sum_textures sums = { 0 };
        if (pass->across) {
            sums.from = &engine->row_sums[row_turn % 2];
            row_turn += pass->accumulates;
            sums.to = rows = &engine->row_sums[row_turn % 2];
            draw_kernel_pass(region, i, &engine->window, &sums);
            continue;
        }
        sums.from = &engine->sums[turn % 2];
        turn++;
        sums.to = pass->last ? &engine->filtered[pass->component] : &engine->sums[turn % 2];
        sums.to_layer = pass->last ? 4 * group : 0;
        draw_kernel_pass(region, i, engine->work->method == ABBE_METHOD_DIRECT ? &engine->window : rows,
                         &sums);
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
            convolve_group(region, r, group);
        }
        gl_pass_end(region, name);
        error = gl_finish(region, r, &engine->filtered[0],
                          &engine->filtered[engine->work->results[r].components - 1]);
    }
    return error;
}
