/* The engine of 2003 (Moreland & Angel, "The FFT on a GPU"): four real channels in a texel, one pass for each
 * iteration of the FFT, and in a pass one program and one rectangle for each case.
 *
 *   rows:     FFT ─ untangle, scale by 1/M ─┐                    ┌─ tangle ─ FFT⁻¹
 *   columns:                                └ FFT ─ untangle, scale by 1/N ─ multiply ─ tangle ─ FFT⁻¹ ┘
 *
 * Between columns and multiplication lies the packed spectrum of eq. 10, the same as in
 * src/spectrum/packed.h. */
#include "gl/run.h"

enum part { REAL, IMAGINARY, ALONE };
enum lines { ROWS, TANGLED, OTHERS };

/* Indices into engine->programs for each case. */
static int fft_program(enum lines lines, enum part part)
{
    return 2 * (int)lines + (int)part;
}

static int tangle_program(bool back, enum lines lines, enum part part, int half)
{
    return 6 + 8 * back + 4 * (lines == TANGLED) + 2 * (int)part + half;
}

static int multiply_program(bool down, enum part part)
{
    return part == ALONE ? 26 : 22 + 2 * down + (int)part;
}

enum { SCALE_PROGRAM = 27, PASS_PROGRAM = 28, PROGRAMS = 29 };
_Static_assert((int)PROGRAMS <= (int)ABGL_PROGRAMS_MAX, "programs");

static int get_line_programs(struct gl *gl, const struct gl_program **programs, enum lines lines,
                             enum part part)
{
    int error = gl_program_get(gl, ABGL_SHADER_MORELAND_FFT, &programs[fft_program(lines, part)],
                               "#define LINES %d\n#define PART %d\n", (int)lines, (int)part);
    for (int i = 0; i < 4 && lines != OTHERS && !error; i++)
        error = gl_program_get(gl, i / 2 ? ABGL_SHADER_MORELAND_TANGLE : ABGL_SHADER_MORELAND_UNTANGLE,
                               &programs[tangle_program(i / 2, lines, part, i % 2)],
                               "#define LINES %d\n#define PART %d\n#define HALF %d\n", (int)lines, (int)part,
                               i % 2);
    return error;
}

int gl_moreland_create(struct gl *gl, struct engine *engine)
{
    const struct gl_program **programs = engine->programs;
    int error = ABBE_OK;
    for (int i = 0; i < 6 && !error; i++)
        error = get_line_programs(gl, programs, (enum lines)(i / 2), (enum part)(i % 2));
    for (int i = 0; i < 4 && !error; i++)
        error = gl_program_get(gl, ABGL_SHADER_MORELAND_MULTIPLY,
                               &programs[multiply_program(i / 2, (enum part)(i % 2))],
                               "#define DOWN %d\n#define PART %d\n", i / 2, i % 2);
    if (!error)
        error = gl_program_get(gl, ABGL_SHADER_MORELAND_MULTIPLY, &programs[multiply_program(false, ALONE)],
                               "#define DOWN 0\n#define PART %d\n", (int)ALONE);
    if (!error)
        error = gl_program_get(gl, ABGL_SHADER_MORELAND_SCALE, &programs[SCALE_PROGRAM], "%s", "");
    return error ? error : gl_program_get(gl, ABGL_SHADER_MORELAND_PASS, &programs[PASS_PROGRAM], "%s", "");
}

/* ---- Passes ------------------------------------------------------------------------------------------- */

/* One pass: the textures that it reads, and its uniforms. */
struct moreland_pass {
    const struct gl_region *region;
    const struct gl_texture *from;
    const struct gl_texture *spectrum;
    int m, n;
    bool down;
    int partitions;
    float direction, scale;
};

/* Draws columns x … x_end − 1 of rows y … y_end − 1 with one program. */
static void draw_case(const struct moreland_pass *pass, int program, int x, int x_end, int y, int y_end)
{
    struct gl *gl = pass->region->gl;
    const struct engine *engine = pass->region->engine;
    gl_use_program(gl, engine->programs[program]);
    gl_set_texture(gl, ABGL_UNIFORM_texels, pass->from);
    if (pass->spectrum)
        gl_set_texture(gl, ABGL_UNIFORM_spectrum, pass->spectrum);
    gl_set_texture(gl, ABGL_UNIFORM_twiddles, &engine->twiddles[pass->down]);
    gl_set_ints(gl, ABGL_UNIFORM_array, pass->m, pass->n);
    gl_set_int(gl, ABGL_UNIFORM_partitions, pass->partitions);
    gl_set_float(gl, ABGL_UNIFORM_direction, pass->direction);
    gl_set_float(gl, ABGL_UNIFORM_scale, pass->scale);
    gl_draw(gl, x, y, x_end - x, y_end - y);
}

/* Grids while a window is filtered: the last pass wrote `at`; `spectra` and `kept` must not be written, −1 is
 * none. */
struct grid_walk {
    struct gl_region *region;
    int at, spectra, kept;
};

/* Begins a pass from grid walk->at to a free one, which walk->at then is. */
static struct moreland_pass begin_pass(struct grid_walk *walk, bool down)
{
    const struct engine *engine = walk->region->engine;
    int to = gl_free_grid(engine, walk->at, walk->spectra, walk->kept);
    struct moreland_pass pass = { .region = walk->region,
                                  .from = &engine->grids[walk->at],
                                  .m = engine->work->x.length,
                                  .n = engine->work->y.length,
                                  .down = down };
    gl_target_bind(walk->region->gl, &engine->grids[to], 0, 1);
    walk->at = to;
    return pass;
}

/* Rows 0 … N/2 − 1 are real parts, the others imaginary parts. */
static void transform_rows(struct grid_walk *walk, float direction)
{
    for (int partitions = walk->region->engine->work->x.length / 2; partitions; partitions /= 2) {
        struct moreland_pass pass = begin_pass(walk, false);
        pass.partitions = partitions;
        pass.direction = direction;
        draw_case(&pass, fft_program(ROWS, REAL), 0, pass.m, 0, pass.n / 2);
        draw_case(&pass, fft_program(ROWS, IMAGINARY), 0, pass.m, pass.n / 2, pass.n);
    }
}

static void transform_columns(struct grid_walk *walk, float direction)
{
    for (int partitions = walk->region->engine->work->y.length / 2; partitions; partitions /= 2) {
        struct moreland_pass pass = begin_pass(walk, true);
        int middle = pass.m / 2;
        pass.partitions = partitions;
        pass.direction = direction;
        draw_case(&pass, fft_program(TANGLED, REAL), 0, 1, 0, pass.n);
        draw_case(&pass, fft_program(OTHERS, REAL), 1, middle, 0, pass.n);
        draw_case(&pass, fft_program(TANGLED, IMAGINARY), middle, middle + 1, 0, pass.n);
        draw_case(&pass, fft_program(OTHERS, IMAGINARY), middle + 1, pass.m, 0, pass.n);
    }
}

/* Untangles and scales the transforms of rows, or tangles them. Columns 0 and M/2 need no (un)tangling; they
 * are scaled or passed on. */
static void tangle_rows(struct grid_walk *walk, bool back)
{
    struct moreland_pass pass = begin_pass(walk, false);
    int middle = pass.m / 2, other = back ? PASS_PROGRAM : SCALE_PROGRAM;
    pass.scale = 1 / (float)pass.m;
    draw_case(&pass, other, 0, 1, 0, pass.n);
    draw_case(&pass, other, middle, middle + 1, 0, pass.n);
    for (int part = REAL; part <= IMAGINARY; part++) {
        int y = part * pass.n / 2, y_end = y + pass.n / 2;
        draw_case(&pass, tangle_program(back, ROWS, (enum part)part, 0), 1, middle, y, y_end);
        draw_case(&pass, tangle_program(back, ROWS, (enum part)part, 1), middle + 1, pass.m, y, y_end);
    }
}

/* The same for columns. All are scaled or passed on first; then the two real columns are drawn again without
 * their ends. */
static void tangle_columns(struct grid_walk *walk, bool back)
{
    struct moreland_pass pass = begin_pass(walk, true);
    int middle = pass.n / 2;
    pass.scale = 1 / (float)pass.n;
    draw_case(&pass, back ? PASS_PROGRAM : SCALE_PROGRAM, 0, pass.m, 0, pass.n);
    for (int part = REAL; part <= IMAGINARY; part++) {
        int x = part * pass.m / 2;
        draw_case(&pass, tangle_program(back, TANGLED, (enum part)part, 0), x, x + 1, 1, middle);
        draw_case(&pass, tangle_program(back, TANGLED, (enum part)part, 1), x, x + 1, middle + 1, pass.n);
    }
}

static void multiply_spectrum(struct grid_walk *walk, const struct gl_texture *spectrum)
{
    struct moreland_pass pass = begin_pass(walk, false);
    int middle = pass.m / 2, half = pass.n / 2;
    pass.spectrum = spectrum;
    for (int x = 0; x <= middle; x += middle) {
        draw_case(&pass, multiply_program(false, ALONE), x, x + 1, 0, 1);
        draw_case(&pass, multiply_program(true, REAL), x, x + 1, 1, half);
        draw_case(&pass, multiply_program(false, ALONE), x, x + 1, half, half + 1);
        draw_case(&pass, multiply_program(true, IMAGINARY), x, x + 1, half + 1, pass.n);
    }
    draw_case(&pass, multiply_program(false, REAL), 1, middle, 0, pass.n);
    draw_case(&pass, multiply_program(false, IMAGINARY), middle + 1, pass.m, 0, pass.n);
}

int gl_moreland_forward(struct gl_region *region, int window)
{
    struct grid_walk walk = { region, 0, -1, -1 };
    gl_load_window(region, window, &region->engine->grids[0]);
    transform_rows(&walk, 1);
    tangle_rows(&walk, false);
    gl_pass_end(region, "rows");
    transform_columns(&walk, 1);
    tangle_columns(&walk, false);
    gl_pass_end(region, "columns");
    return walk.at;
}

int gl_moreland_filter(struct gl_region *region, int filter, int from, int kept)
{
    struct grid_walk walk = { region, from, region->engine->work->filter_count > 1 ? from : -1, kept };
    multiply_spectrum(&walk, &region->engine->spectra[filter]);
    tangle_columns(&walk, true);
    transform_columns(&walk, -1);
    gl_pass_end(region, "columns");
    tangle_rows(&walk, true);
    transform_rows(&walk, -1);
    gl_pass_end(region, "rows back");
    return walk.at;
}
