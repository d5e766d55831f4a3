/* The fast engine: rows and columns in few steps of high radix, four channels as two complex planes, nothing reordered,
 * up to eight results of a butterfly in eight layers at once.
 *
 *   source ─ rows ─ … ─ columns ─ … ─ (turn: · H) ─ columns ─ … ─ rows ─ results
 *
 * shaders/gl/inputs.glsl says where values lie in between. */
#include "core/error.h"
#include "gl/gl.h"

#include <math.h>

/* ---- Steps -------------------------------------------------------------------------------------------- */

static int length_of(const struct work *work, bool down)
{
    return down ? work->y.length : work->x.length;
}

/* The step that follows those that are there. */
static struct gl_step next_step(const struct work *work, const struct gl_step *steps, int count, bool down,
                                int radix)
{
    struct gl_step step = { .down = down, .radix = radix, .span = 1 };
    const struct gl_step *previous = count ? &steps[count - 1] : NULL;
    step.butterflies = length_of(work, down) / radix;
    step.previous_radix = previous ? previous->radix : radix;
    step.previous_butterflies = previous ? previous->butterflies : step.butterflies;
    step.previous_span = previous ? previous->span : 1;
    if (previous && previous->down == down) {
        step.from = GL_FROM_SAME;
        step.span = previous->span * previous->radix;
    } else if (previous)
        step.from = GL_FROM_OTHER;
    return step;
}

static int add_axis(const struct gl *gl, const struct engine *engine, bool down, bool back,
                    struct gl_step *steps, int count)
{
    int radices[GL_STEPS_MAX];
    int all = gl_length_radices(gl, length_of(engine->work, down), engine->geometry.by_sums, radices);
    for (int i = 0; i < all; i++, count++)
        steps[count] = next_step(engine->work, steps, count, down, radices[back ? all - 1 - i : i]);
    return count;
}

/* Rows and columns, and columns and rows; of a single sample one step that does nothing but multiply. */
static void plan_steps(const struct gl *gl, struct engine *engine)
{
    engine->forward_count = add_axis(gl, engine, true, false, engine->forward,
                                     add_axis(gl, engine, false, false, engine->forward, 0));
    engine->back_count = add_axis(gl, engine, false, true, engine->back,
                                  add_axis(gl, engine, true, true, engine->back, 0));
    if (!engine->forward_count) {
        engine->forward[engine->forward_count++] = next_step(engine->work, NULL, 0, false, 1);
        engine->back[engine->back_count++] = next_step(engine->work, NULL, 0, false, 1);
    }
    engine->forward[0].from = GL_FROM_SOURCE;
    engine->back[0].from = GL_FROM_TURN;
}

/* The programs of a step, one for each block of its results; `lines` tell the first one where pixels are. */
static int get_programs(struct gl *gl, const struct engine *engine, const struct gl_step *step,
                        const char *lines, const struct gl_program **programs)
{
    int error = ABBE_OK, layers = engine->geometry.layers;
    if (engine->geometry.by_sums)
        return gl_program_get(gl, GL_SHADER_SUM, &programs[0],
                              "#define FROM %d\n#define DOWN %d\n#define BLOCKED 1\n%s", (int)step->from,
                              step->down, lines);
    for (int first = 0; first < step->radix && !error; first += layers) {
        int count = step->radix - first < layers ? step->radix - first : layers;
        error = gl_program_get(gl, GL_SHADER_STEP, &programs[first / layers],
                               "#define RADIX %d\n#define FROM %d\n#define DOWN %d\n#define BLOCKED %d\n"
                               "#define FIRST %d\n#define COUNT %d\n%s",
                               step->radix, (int)step->from, step->down, engine->geometry.blocked, first,
                               count, lines);
    }
    return error;
}

static int get_first(struct gl *gl, struct engine *engine, const struct gl_step *step)
{
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = get_programs(gl, engine, step, gl_source_lines(engine->work, (enum gl_kind)kind).text,
                             engine->ends[kind].first);
    return error;
}

static int get_reader(struct gl *gl, const struct engine *engine, enum gl_shader shader, const char *lines,
                      const struct gl_program **program)
{
    const struct gl_geometry *geometry = &engine->geometry;
    return gl_program_get(gl, shader, program,
                          "#define READ %d\n#define WHOLE %d\n#define BLOCKED %d\n#define LAST_DOWN %d\n%s",
                          (int)GL_READ_GRID, !geometry->apart, geometry->by_sums || geometry->blocked,
                          engine->back[engine->back_count - 1].down, lines);
}

/* What reads the results: copies of windows, or the last pass. */
static int get_readers(struct gl *gl, struct engine *engine)
{
    if (engine->geometry.apart)
        return get_reader(gl, engine, GL_SHADER_COPY, "", &engine->copy);
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = get_reader(gl, engine, GL_SHADER_FINISH,
                           gl_finish_lines(engine->work, (enum gl_kind)kind).text,
                           &engine->ends[kind].finish);
    return error;
}

int gl_fast_create(struct gl *gl, struct engine *engine)
{
    plan_steps(gl, engine);
    int error = get_first(gl, engine, &engine->forward[0]);
    for (int i = 1; i < engine->forward_count && !error; i++)
        error = get_programs(gl, engine, &engine->forward[i], "", engine->forward[i].programs);
    for (int i = 0; i < engine->back_count && !error; i++)
        error = get_programs(gl, engine, &engine->back[i], "", engine->back[i].programs);
    return error ? error : get_readers(gl, engine);
}

/* ---- Passes ------------------------------------------------------------------------------------------- */

/* In 16 bits every step is a unitary transform, so that numbers stay where halves are dense; in 32 bits H has it all. */
static float scale_of(const struct gl *gl, const struct gl_step *step)
{
    return gl->format == GL_FORMAT_RGBA16F ? (float)(1 / sqrt((double)step->radix)) : 1;
}

static void set_step(const struct gl_region *region, const struct gl_step *step, int windows)
{
    struct gl *gl = region->gl;
    const struct work *work = region->engine->work;
    gl_set_ints(gl, GL_UNIFORM_grid_size, work->x.length, work->y.length);
    gl_set_int(gl, GL_UNIFORM_layers, region->engine->geometry.layers);
    gl_set_int(gl, GL_UNIFORM_lines, work->y.length * windows);
    gl_set_int(gl, GL_UNIFORM_radix, step->radix);
    gl_set_int(gl, GL_UNIFORM_butterflies, step->butterflies);
    gl_set_int(gl, GL_UNIFORM_rows, gl_block_rows(work, windows, step->radix));
    gl_set_int(gl, GL_UNIFORM_span, step->span);
    gl_set_int(gl, GL_UNIFORM_previous_butterflies, step->previous_butterflies);
    gl_set_int(gl, GL_UNIFORM_previous_rows, gl_block_rows(work, windows, step->previous_radix));
    gl_set_int(gl, GL_UNIFORM_previous_span, step->previous_span);
    gl_set_texture(gl, GL_UNIFORM_twiddles, &region->engine->twiddles[step->down]);
    gl_set_float(gl, GL_UNIFORM_scale, scale_of(gl, step));
}

/* What a step needs besides the grid: the source, or a filter. */
struct beside {
    int window_first;
    const struct gl_texture *spectrum;
};

static void use_step(const struct gl_region *region, const struct gl_step *step, int block, int from,
                     int windows, const struct beside *beside)
{
    struct gl *gl = region->gl;
    bool first = step->from == GL_FROM_SOURCE;
    gl_use(gl, first ? region->engine->ends[region->kind].first[block] : step->programs[block]);
    set_step(region, step, windows);
    if (first) {
        gl_set_source(region);
        gl_set_windows(region, beside->window_first);
        return;
    }
    gl_set_texture(gl, GL_UNIFORM_grid, &region->engine->grids[from]);
    if (step->from == GL_FROM_TURN)
        gl_set_texture(gl, GL_UNIFORM_spectrum, beside->spectrum);
}

static void draw_step(const struct gl_region *region, const struct gl_step *step, int from, int to,
                      int windows, const struct beside *beside)
{
    struct gl *gl = region->gl;
    const struct gl_geometry *geometry = &region->engine->geometry;
    const struct gl_texture *target = &region->engine->grids[to];
    int rows = gl_block_rows(region->engine->work, windows, step->radix), layers = geometry->layers;
    if (geometry->by_sums) {
        use_step(region, step, 0, from, windows, beside);
        gl_target_bind(gl, target, 0, 1);
        gl_draw(gl, 0, 0, target->shape.width, step->radix * rows);
        return;
    }
    for (int block = 0; block * layers < step->radix; block++) {
        int count = step->radix - block * layers;
        use_step(region, step, block, from, windows, beside);
        gl_set_int(gl, GL_UNIFORM_first_row, block * rows);
        gl_target_bind(gl, target, 0, count < layers ? count : layers);
        gl_draw(gl, 0, block * rows, target->shape.width, rows);
    }
}

int gl_fast_forward(struct gl_region *region, int first, int count)
{
    const struct engine *engine = region->engine;
    const struct beside beside = { .window_first = first };
    int at = -1;
    for (int i = 0; i < engine->forward_count; i++) {
        const struct gl_step *step = &engine->forward[i];
        int to = gl_other_grid(engine, at, -1, -1);
        draw_step(region, step, at, to, count, &beside);
        at = to;
        if (i + 1 == engine->forward_count || engine->forward[i + 1].down != step->down)
            gl_pass_end(region, step->down ? "columns" : "rows");
    }
    return at;
}

int gl_fast_back(struct gl_region *region, int filter, int from, int kept, int count)
{
    const struct engine *engine = region->engine;
    const struct beside beside = { .spectrum = &engine->spectra[filter] };
    int at = from, still = engine->work->filter_count > 1 ? from : -1;
    for (int i = 0; i < engine->back_count; i++) {
        const struct gl_step *step = &engine->back[i];
        int to = gl_other_grid(engine, at, still, kept);
        draw_step(region, step, at, to, count, &beside);
        at = to;
        if (i + 1 == engine->back_count || engine->back[i + 1].down != step->down)
            gl_pass_end(region, step->down ? "columns" : "rows back");
    }
    return at;
}

void gl_fast_set_read(const struct gl_region *region, int count)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct gl_step *last = &engine->back[engine->back_count - 1];
    gl_set_ints(gl, GL_UNIFORM_grid_size, engine->work->x.length, engine->work->y.length);
    gl_set_int(gl, GL_UNIFORM_layers, engine->geometry.layers);
    gl_set_int(gl, GL_UNIFORM_last_butterflies, last->butterflies);
    gl_set_int(gl, GL_UNIFORM_last_rows, gl_block_rows(engine->work, count, last->radix));
}
