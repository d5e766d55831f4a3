/* The engine of 2006 (Fialka & Čadík): steps of radix 2 with a look-up texture for each length, and a
 * separate pass that multiplies by the spectrum of the filter. */
#include "core/error.h"
#include "core/memory.h"
#include "fft/twiddle.h"
#include "gl/run.h"

#include <math.h>

static int count_bits(int length)
{
    int bits = 0;
    while (1 << bits < length)
        bits++;
    return bits;
}

static int reverse_bits(int n, int bits)
{
    int result = 0;
    for (int i = 0; i < bits; i++)
        result |= (n >> i & 1) << (bits - 1 - i);
    return result;
}

/* An entry of the look-up texture for coordinate n of a step whose partners are `half` apart: ±1, the
 * coordinate of the partner, sine, cosine. The last step has no twiddles; the third number is then the
 * bit-reversed coordinate, where the value comes from. */
static void fill_lookup_entry(int n, int length, int half, bool last, float entry[4])
{
    int own = last ? reverse_bits(n, count_bits(length)) : n;
    bool second = own & half;
    double w[2] = { 1, 0 };
    if (second && !last)
        fft_twiddle((long long)(n & (half - 1)) * (length / 2 / half), length, w);
    entry[0] = second ? -1 : 1;
    entry[1] = (float)(own ^ half);
    entry[2] = last ? (float)own : (float)-w[1];
    entry[3] = (float)w[0];
}

static int create_lookup(struct gl *gl, struct engine *engine, bool down)
{
    int length = down ? engine->work->y.length : engine->work->x.length, steps = count_bits(length);
    const struct gl_shape shape = { length, steps, 1, ABGL_FORMAT_RGBA32F };
    float *entries = core_alloc((size_t)length * (size_t)steps, 4 * sizeof *entries);
    if (!entries)
        return core_fail_memory(gl);
    for (int step = 0; step < steps; step++)
        for (int n = 0; n < length; n++)
            fill_lookup_entry(n, length, length >> (step + 1), step + 1 == steps,
                              entries + 4 * ((size_t)step * (size_t)length + (size_t)n));
    int error = gl_texture_create(gl, &shape, &engine->lookups[down]);
    if (!error)
        gl_texture_fill(gl, &engine->lookups[down], 0, steps, 0, entries);
    core_free(entries);
    return error ? error : gl_check(gl, "uploading a look-up texture");
}

/* Index of the multiplication in engine->programs; 0 and 1 are the steps along rows and columns. */
enum { FIALKA_MULTIPLY = 2 };

int gl_fialka_create(struct gl *gl, struct engine *engine)
{
    int error = ABBE_OK;
    for (int down = 0; down < 2 && !error; down++) {
        error = create_lookup(gl, engine, down);
        if (!error)
            error = gl_program_get(gl, ABGL_SHADER_FIALKA, &engine->programs[down], "#define DOWN %d\n",
                                   down);
    }
    return error ? error
                 : gl_program_get(gl, ABGL_SHADER_MULTIPLY, &engine->programs[FIALKA_MULTIPLY], "%s", "");
}

static void draw_fialka_step(const struct gl_region *region, bool down, int step, float direction, int from,
                             int to)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct gl_texture *lookup = &engine->lookups[down];
    gl_use_program(gl, engine->programs[down]);
    gl_set_texture(gl, ABGL_UNIFORM_texels, &engine->grids[from]);
    gl_set_texture(gl, ABGL_UNIFORM_lookup, lookup);
    gl_set_int(gl, ABGL_UNIFORM_step_number, step);
    gl_set_int(gl, ABGL_UNIFORM_last_step, step + 1 == lookup->shape.height);
    gl_set_float(gl, ABGL_UNIFORM_direction, direction);
    gl_set_float(gl, ABGL_UNIFORM_scale, gl->format == ABGL_FORMAT_RGBA16F ? (float)sqrt(0.5) : 1);
    gl_target_bind(gl, &engine->grids[to], 0, 1);
    gl_draw(gl, 0, 0, engine->grids[to].shape.width, engine->grids[to].shape.height);
}

/* Draws all steps along one axis and returns the grid that they end in. Grids `spectra` and `kept` are not
 * written. */
static int transform_axis(const struct gl_region *region, bool down, float direction, int at, int spectra,
                          int kept)
{
    const struct engine *engine = region->engine;
    for (int step = 0; step < engine->lookups[down].shape.height; step++) {
        int to = gl_free_grid(engine, at, spectra, kept);
        draw_fialka_step(region, down, step, direction, at, to);
        at = to;
    }
    return at;
}

int gl_fialka_forward(struct gl_region *region, int window)
{
    gl_load_window(region, window, &region->engine->grids[0]);
    int at = transform_axis(region, false, 1, 0, -1, -1);
    gl_pass_end(region, "rows");
    at = transform_axis(region, true, 1, at, -1, -1);
    gl_pass_end(region, "columns");
    return at;
}

int gl_fialka_filter(struct gl_region *region, int filter, int from, int kept)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    int spectra = engine->work->filter_count > 1 ? from : -1, at = gl_free_grid(engine, from, spectra, kept);
    gl_use_program(gl, engine->programs[FIALKA_MULTIPLY]);
    gl_set_texture(gl, ABGL_UNIFORM_texels, &engine->grids[from]);
    gl_set_texture(gl, ABGL_UNIFORM_spectrum, &engine->spectra[filter]);
    gl_target_bind(gl, &engine->grids[at], 0, 1);
    gl_draw(gl, 0, 0, engine->grids[at].shape.width, engine->grids[at].shape.height);
    at = transform_axis(region, true, -1, at, spectra, kept);
    gl_pass_end(region, "columns");
    at = transform_axis(region, false, -1, at, spectra, kept);
    gl_pass_end(region, "rows back");
    return at;
}
