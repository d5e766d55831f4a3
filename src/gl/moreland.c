/* The engine of 2003 (Moreland & Angel, "The FFT on a GPU"): four real channels in a texel, one pass for each iteration
 * of the FFT, a program for each case, and quads where each case is.
 *
 *   rows:     FFT ─ untangle, scale by 1/M ─┐                    ┌─ tangle ─ FFT⁻¹
 *   columns:                                └ FFT ─ untangle, scale by 1/N ─ multiply ─ tangle ─ FFT⁻¹ ┘
 *
 * Between columns and multiply stands the packed spectrum of eq. 10, the library's own (src/fft/packed.h). */
#include "gl/gl.h"

enum part { REAL, IMAGINARY, ALONE };
enum lines { ROWS, TANGLED, OTHERS };

/* Which of engine->programs has a case. */
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
_Static_assert((int)PROGRAMS <= (int)GL_PROGRAMS_MAX, "programs");

static int get_line_programs(struct gl *gl, const struct gl_program **programs, enum lines lines,
                             enum part part)
{
    int error = gl_program_get(gl, GL_SHADER_MORELAND_FFT, &programs[fft_program(lines, part)],
                               "#define LINES %d\n#define PART %d\n", (int)lines, (int)part);
    for (int i = 0; i < 4 && lines != OTHERS && !error; i++)
        error = gl_program_get(gl, i / 2 ? GL_SHADER_MORELAND_TANGLE : GL_SHADER_MORELAND_UNTANGLE,
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
        error = gl_program_get(gl, GL_SHADER_MORELAND_MULTIPLY,
                               &programs[multiply_program(i / 2, (enum part)(i % 2))],
                               "#define DOWN %d\n#define PART %d\n", i / 2, i % 2);
    if (!error)
        error = gl_program_get(gl, GL_SHADER_MORELAND_MULTIPLY, &programs[multiply_program(false, ALONE)],
                               "#define DOWN 0\n#define PART %d\n", (int)ALONE);
    if (!error)
        error = gl_program_get(gl, GL_SHADER_MORELAND_SCALE, &programs[SCALE_PROGRAM], "%s", "");
    return error ? error : gl_program_get(gl, GL_SHADER_MORELAND_PASS, &programs[PASS_PROGRAM], "%s", "");
}

/* ---- Passes ------------------------------------------------------------------------------------------- */

/* One pass: what it reads, and numbers that its programs may ask for. */
struct pass {
    const struct gl_region *region;
    const struct gl_texture *from;
    const struct gl_texture *spectrum;
    int m, n;
    bool down;
    int partitions;
    float direction, scale;
};

/* Columns x … x_end − 1, rows y … y_end − 1. */
static void quad(const struct pass *pass, int program, int x, int x_end, int y, int y_end)
{
    struct gl *gl = pass->region->gl;
    const struct engine *engine = pass->region->engine;
    gl_use(gl, engine->programs[program]);
    gl_set_texture(gl, GL_UNIFORM_texels, pass->from);
    if (pass->spectrum)
        gl_set_texture(gl, GL_UNIFORM_spectrum, pass->spectrum);
    gl_set_texture(gl, GL_UNIFORM_twiddles, &engine->twiddles[pass->down]);
    gl_set_ints(gl, GL_UNIFORM_array, pass->m, pass->n);
    gl_set_int(gl, GL_UNIFORM_partitions, pass->partitions);
    gl_set_float(gl, GL_UNIFORM_direction, pass->direction);
    gl_set_float(gl, GL_UNIFORM_scale, pass->scale);
    gl_draw(gl, x, y, x_end - x, y_end - y);
}

/* Grids of a filtering: the next pass goes from one to another that nobody needs. */
struct walk {
    struct gl_region *region;
    int at, still, kept;
};

static struct pass begin(struct walk *walk, bool down)
{
    const struct engine *engine = walk->region->engine;
    int to = gl_other_grid(engine, walk->at, walk->still, walk->kept);
    struct pass pass = { .region = walk->region,
                         .from = &engine->grids[walk->at],
                         .m = engine->work->x.length,
                         .n = engine->work->y.length,
                         .down = down };
    gl_target_bind(walk->region->gl, &engine->grids[to], 0, 1);
    walk->at = to;
    return pass;
}

/* The lower rows are real and the upper ones imaginary. */
static void transform_rows(struct walk *walk, float direction)
{
    for (int partitions = walk->region->engine->work->x.length / 2; partitions; partitions /= 2) {
        struct pass pass = begin(walk, false);
        pass.partitions = partitions;
        pass.direction = direction;
        quad(&pass, fft_program(ROWS, REAL), 0, pass.m, 0, pass.n / 2);
        quad(&pass, fft_program(ROWS, IMAGINARY), 0, pass.m, pass.n / 2, pass.n);
    }
}

static void transform_columns(struct walk *walk, float direction)
{
    for (int partitions = walk->region->engine->work->y.length / 2; partitions; partitions /= 2) {
        struct pass pass = begin(walk, true);
        int middle = pass.m / 2;
        pass.partitions = partitions;
        pass.direction = direction;
        quad(&pass, fft_program(TANGLED, REAL), 0, 1, 0, pass.n);
        quad(&pass, fft_program(OTHERS, REAL), 1, middle, 0, pass.n);
        quad(&pass, fft_program(TANGLED, IMAGINARY), middle, middle + 1, 0, pass.n);
        quad(&pass, fft_program(OTHERS, IMAGINARY), middle + 1, pass.m, 0, pass.n);
    }
}

/* Untangle and scale, or tangle and pass: all columns but 0 and M/2, whose numbers are where they belong. */
static void tangle_rows(struct walk *walk, bool back)
{
    struct pass pass = begin(walk, false);
    int middle = pass.m / 2, other = back ? PASS_PROGRAM : SCALE_PROGRAM;
    pass.scale = 1 / (float)pass.m;
    quad(&pass, other, 0, 1, 0, pass.n);
    quad(&pass, other, middle, middle + 1, 0, pass.n);
    for (int part = REAL; part <= IMAGINARY; part++) {
        int y = part * pass.n / 2, y_end = y + pass.n / 2;
        quad(&pass, tangle_program(back, ROWS, (enum part)part, 0), 1, middle, y, y_end);
        quad(&pass, tangle_program(back, ROWS, (enum part)part, 1), middle + 1, pass.m, y, y_end);
    }
}

/* The same for columns: all of them, and then the two real ones once more, but for their ends. */
static void tangle_columns(struct walk *walk, bool back)
{
    struct pass pass = begin(walk, true);
    int middle = pass.n / 2;
    pass.scale = 1 / (float)pass.n;
    quad(&pass, back ? PASS_PROGRAM : SCALE_PROGRAM, 0, pass.m, 0, pass.n);
    for (int part = REAL; part <= IMAGINARY; part++) {
        int x = part * pass.m / 2;
        quad(&pass, tangle_program(back, TANGLED, (enum part)part, 0), x, x + 1, 1, middle);
        quad(&pass, tangle_program(back, TANGLED, (enum part)part, 1), x, x + 1, middle + 1, pass.n);
    }
}

static void multiply(struct walk *walk, const struct gl_texture *spectrum)
{
    struct pass pass = begin(walk, false);
    int middle = pass.m / 2, half = pass.n / 2;
    pass.spectrum = spectrum;
    for (int x = 0; x <= middle; x += middle) {
        quad(&pass, multiply_program(false, ALONE), x, x + 1, 0, 1);
        quad(&pass, multiply_program(true, REAL), x, x + 1, 1, half);
        quad(&pass, multiply_program(false, ALONE), x, x + 1, half, half + 1);
        quad(&pass, multiply_program(true, IMAGINARY), x, x + 1, half + 1, pass.n);
    }
    quad(&pass, multiply_program(false, REAL), 1, middle, 0, pass.n);
    quad(&pass, multiply_program(false, IMAGINARY), middle + 1, pass.m, 0, pass.n);
}

int gl_moreland_forward(struct gl_region *region, int window)
{
    struct walk walk = { region, 0, -1, -1 };
    gl_load_window(region, window, &region->engine->grids[0]);
    transform_rows(&walk, 1);
    tangle_rows(&walk, false);
    gl_pass_end(region, "rows");
    transform_columns(&walk, 1);
    tangle_columns(&walk, false);
    gl_pass_end(region, "columns");
    return walk.at;
}

int gl_moreland_back(struct gl_region *region, int filter, int from, int kept)
{
    struct walk walk = { region, from, region->engine->work->filter_count > 1 ? from : -1, kept };
    multiply(&walk, &region->engine->spectra[filter]);
    tangle_columns(&walk, true);
    transform_columns(&walk, -1);
    gl_pass_end(region, "columns");
    tangle_rows(&walk, true);
    transform_rows(&walk, -1);
    gl_pass_end(region, "rows back");
    return walk.at;
}
