/* The fast engine: few steps of high radix along rows and columns. Four channels are two complex planes, no
 * pass only reorders, and up to eight results of a butterfly are written to eight layers at once.
 *
 *   source ─ rows ─ … ─ columns ─ … ─ (multiply by H) ─ columns ─ … ─ rows ─ results
 *
 * shaders/gl/inputs.glsl describes where the values lie between steps. */
#include "core/error.h"
#include "gl/run.h"

#include <math.h>

/* ---- Steps -------------------------------------------------------------------------------------------- */

static int axis_length(const struct work *work, bool down)
{
    return down ? work->y.length : work->x.length;
}

/* The step that follows the first `count` steps. */
static struct gl_step next_step(const struct work *work, const struct gl_step *steps, int count, bool down,
                                int radix)
{
    struct gl_step step = { .down = down, .radix = radix, .span = 1 };
    const struct gl_step *previous = count ? &steps[count - 1] : NULL;
    step.butterflies = axis_length(work, down) / radix;
    step.previous_radix = previous ? previous->radix : radix;
    step.previous_butterflies = previous ? previous->butterflies : step.butterflies;
    step.previous_span = previous ? previous->span : 1;
    if (previous && previous->down == down) {
        step.from = ABGL_FROM_SAME;
        step.span = previous->span * previous->radix;
    } else if (previous)
        step.from = ABGL_FROM_OTHER;
    return step;
}

/* Appends the steps along one axis; the way back takes the radices in reverse order. */
static int add_axis_steps(const struct gl *gl, const struct engine *engine, bool down, bool back,
                          struct gl_step *steps, int count)
{
    int radices[ABGL_STEPS_MAX];
    int all = gl_length_radices(gl, axis_length(engine->work, down), engine->geometry.by_definition, radices);
    for (int i = 0; i < all; i++, count++)
        steps[count] = next_step(engine->work, steps, count, down, radices[back ? all - 1 - i : i]);
    return count;
}

/* Rows and columns forward, columns and rows back. A grid of one sample has one step each way, of radix 1. */
static void set_fast_steps(const struct gl *gl, struct engine *engine)
{
    engine->forward_count = add_axis_steps(gl, engine, true, false, engine->forward,
                                           add_axis_steps(gl, engine, false, false, engine->forward, 0));
    engine->back_count = add_axis_steps(gl, engine, false, true, engine->back,
                                        add_axis_steps(gl, engine, true, true, engine->back, 0));
    if (!engine->forward_count) {
        engine->forward[engine->forward_count++] = next_step(engine->work, NULL, 0, false, 1);
        engine->back[engine->back_count++] = next_step(engine->work, NULL, 0, false, 1);
    }
    engine->forward[0].from = ABGL_FROM_SOURCE;
    engine->back[0].from = ABGL_FROM_SPECTRUM;
}

/* Gets the programs of a step, one for each slice of its results. `defines` describe the pictures for the
 * first step. */
static int get_step_programs(struct gl *gl, const struct engine *engine, const struct gl_step *step,
                             const char *defines, const struct gl_program **programs)
{
    int error = ABBE_OK, layers = engine->geometry.layers;
    if (engine->geometry.by_definition)
        return gl_program_get(gl, ABGL_SHADER_SUM, &programs[0],
                              "#define FROM %d\n#define DOWN %d\n#define SLICED 1\n%s", (int)step->from,
                              step->down, defines);
    for (int first = 0; first < step->radix && !error; first += layers) {
        int count = step->radix - first < layers ? step->radix - first : layers;
        error = gl_program_get(gl, ABGL_SHADER_STEP, &programs[first / layers],
                               "#define RADIX %d\n#define FROM %d\n#define DOWN %d\n#define SLICED %d\n"
                               "#define FIRST %d\n#define COUNT %d\n%s",
                               step->radix, (int)step->from, step->down, engine->geometry.sliced, first,
                               count, defines);
    }
    return error;
}

static int get_reader_program(struct gl *gl, const struct engine *engine, enum gl_shader shader,
                              const char *defines, const struct gl_program **program)
{
    const struct gl_geometry *geometry = &engine->geometry;
    return gl_program_get(
        gl, shader, program, "#define READ %d\n#define WHOLE %d\n#define SLICED %d\n#define LAST_DOWN %d\n%s",
        (int)ABGL_READ_GRID, !geometry->copies_windows, geometry->by_definition || geometry->sliced,
        engine->back[engine->back_count - 1].down, defines);
}

/* Gets the programs that read the results of the last step: copies of windows, or the last pass. */
static int get_reader_programs(struct gl *gl, struct engine *engine)
{
    if (engine->geometry.copies_windows)
        return get_reader_program(gl, engine, ABGL_SHADER_COPY, "", &engine->copy);
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = get_reader_program(gl, engine, ABGL_SHADER_FINISH,
                                   gl_finish_defines(engine->work, (enum gl_picture_kind)kind).text,
                                   &engine->picture_programs[kind].finish);
    return error;
}

int gl_fast_create(struct gl *gl, struct engine *engine)
{
    set_fast_steps(gl, engine);
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = get_step_programs(gl, engine, &engine->forward[0],
                                  gl_source_defines(engine->work, (enum gl_picture_kind)kind).text,
                                  engine->picture_programs[kind].first);
    for (int i = 1; i < engine->forward_count && !error; i++)
        error = get_step_programs(gl, engine, &engine->forward[i], "", engine->forward[i].programs);
    for (int i = 0; i < engine->back_count && !error; i++)
        error = get_step_programs(gl, engine, &engine->back[i], "", engine->back[i].programs);
    return error ? error : get_reader_programs(gl, engine);
}

/* ---- Passes ------------------------------------------------------------------------------------------- */

/* Sets the uniforms of inputs.glsl and the scale of a step. */
static void set_step(const struct gl_region *region, const struct gl_step *step, int windows)
{
    struct gl *gl = region->gl;
    const struct work *work = region->engine->work;
    gl_set_ints(gl, ABGL_UNIFORM_grid_size, work->x.length, work->y.length);
    gl_set_int(gl, ABGL_UNIFORM_layers, region->engine->geometry.layers);
    gl_set_int(gl, ABGL_UNIFORM_lines, work->y.length * windows);
    gl_set_int(gl, ABGL_UNIFORM_radix, step->radix);
    gl_set_int(gl, ABGL_UNIFORM_butterflies, step->butterflies);
    gl_set_int(gl, ABGL_UNIFORM_rows, gl_slice_rows(work, windows, step->radix));
    gl_set_int(gl, ABGL_UNIFORM_span, step->span);
    gl_set_int(gl, ABGL_UNIFORM_previous_butterflies, step->previous_butterflies);
    gl_set_int(gl, ABGL_UNIFORM_previous_rows, gl_slice_rows(work, windows, step->previous_radix));
    gl_set_int(gl, ABGL_UNIFORM_previous_span, step->previous_span);
    gl_set_texture(gl, ABGL_UNIFORM_twiddles, &region->engine->twiddles[step->down]);
    /* With 16 bits every step is unitary, so that values stay in the range where halves are precise. With 32
     * bits the spectrum of the filter contains the whole factor 1/(M · N). */
    bool unitary = gl->format == ABGL_FORMAT_RGBA16F;
    gl_set_float(gl, ABGL_UNIFORM_scale, unitary ? (float)(1 / sqrt((double)step->radix)) : 1);
}

/* What a step reads. */
struct step_inputs {
    int windows;                       /* of the batch */
    int from;                          /* the grid that the step before wrote */
    int window_first;                  /* first step: first window of the source */
    const struct gl_texture *spectrum; /* first step back */
};

/* Makes the program of one slice of a step current and sets its inputs. */
static void use_step(const struct gl_region *region, const struct gl_step *step, int slice,
                     const struct step_inputs *inputs)
{
    struct gl *gl = region->gl;
    bool first = step->from == ABGL_FROM_SOURCE;
    gl_use_program(gl, first ? region->engine->picture_programs[region->kind].first[slice]
                             : step->programs[slice]);
    set_step(region, step, inputs->windows);
    if (first) {
        gl_set_source(region);
        gl_set_windows(region, inputs->window_first);
        return;
    }
    gl_set_texture(gl, ABGL_UNIFORM_grid, &region->engine->grids[inputs->from]);
    if (step->from == ABGL_FROM_SPECTRUM)
        gl_set_texture(gl, ABGL_UNIFORM_spectrum, inputs->spectrum);
}

/* Draws one step into a grid. */
static void draw_fast_step(const struct gl_region *region, const struct gl_step *step,
                           const struct step_inputs *inputs, int to)
{
    struct gl *gl = region->gl;
    const struct gl_geometry *geometry = &region->engine->geometry;
    const struct gl_texture *target = &region->engine->grids[to];
    int rows = gl_slice_rows(region->engine->work, inputs->windows, step->radix), layers = geometry->layers;
    if (geometry->by_definition) {
        use_step(region, step, 0, inputs);
        gl_target_bind(gl, target, 0, 1);
        gl_draw(gl, 0, 0, target->shape.width, step->radix * rows);
        return;
    }
    for (int slice = 0; slice * layers < step->radix; slice++) {
        int count = step->radix - slice * layers;
        use_step(region, step, slice, inputs);
        gl_set_int(gl, ABGL_UNIFORM_first_row, slice * rows);
        gl_target_bind(gl, target, 0, count < layers ? count : layers);
        gl_draw(gl, 0, slice * rows, target->shape.width, rows);
    }
}

int gl_fast_forward(struct gl_region *region, int first, int count)
{
    const struct engine *engine = region->engine;
    struct step_inputs inputs = { .windows = count, .from = -1, .window_first = first };
    for (int i = 0; i < engine->forward_count; i++) {
        const struct gl_step *step = &engine->forward[i];
        int to = gl_free_grid(engine, inputs.from, -1, -1);
        draw_fast_step(region, step, &inputs, to);
        inputs.from = to;
        if (i + 1 == engine->forward_count || engine->forward[i + 1].down != step->down)
            gl_pass_end(region, step->down ? "columns" : "rows");
    }
    return inputs.from;
}

int gl_fast_filter(struct gl_region *region, int filter, int from, int kept, int count)
{
    const struct engine *engine = region->engine;
    struct step_inputs inputs = { .windows = count, .from = from, .spectrum = &engine->spectra[filter] };
    int spectra = engine->work->filter_count > 1 ? from : -1;
    for (int i = 0; i < engine->back_count; i++) {
        const struct gl_step *step = &engine->back[i];
        int to = gl_free_grid(engine, inputs.from, spectra, kept);
        draw_fast_step(region, step, &inputs, to);
        inputs.from = to;
        if (i + 1 == engine->back_count || engine->back[i + 1].down != step->down)
            gl_pass_end(region, step->down ? "columns" : "rows back");
    }
    return inputs.from;
}

void gl_fast_set_read(const struct gl_region *region, int count)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct gl_step *last = &engine->back[engine->back_count - 1];
    gl_set_ints(gl, ABGL_UNIFORM_grid_size, engine->work->x.length, engine->work->y.length);
    gl_set_int(gl, ABGL_UNIFORM_layers, engine->geometry.layers);
    gl_set_int(gl, ABGL_UNIFORM_last_butterflies, last->butterflies);
    gl_set_int(gl, ABGL_UNIFORM_last_rows, gl_slice_rows(engine->work, count, last->radix));
}
