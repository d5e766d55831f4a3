/* Every vector kernel of convolution in space, at every level this machine has, against simple loops in
 * double precision: random and extreme samples, odd lengths, single pixels, kernels wider than the row,
 * unaligned rows.
 *
 * A pattern follows each row that is written. Each row that is read ends with its block of memory, so that
 * the address sanitizer reports a read past the end.
 *
 * With the argument "time" the program prints the times of the kernels instead. */
#include "cpu/levels.h"
#include "support/random.h"
#include "support/test.h"
#include "unit/space_times.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 600, SIDE = 12, SAMPLES = 400, ROWS = SIDE + SPACE_ROWS - 1, GUARD = 64, PATTERN = 0xa5 };

struct trial {
    const struct space_kernels *kernels;
    struct random random;
    abbe_type type;
    int number, width, height, results, channels;
    size_t count, shift; /* samples of a result row; bytes by which rows are misaligned */
};

static void fail_trial(const struct trial *trial, const char *kernel, int row, size_t x, double got,
                       double right)
{
    fail_msg("%s %s, trial %d: type %d, %d x %d taps, %d results of %zu samples, %d channels, shift %zu: "
             "row %d, sample %zu is %.9g and should be %.9g",
             trial->kernels->name, kernel, trial->number, (int)trial->type, trial->width, trial->height,
             trial->results, trial->count, trial->channels, trial->shift, row, x, got, right);
}

static size_t sample_size(abbe_type type)
{
    return type == ABBE_U8 ? 1 : type == ABBE_U16 ? 2 : 4;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

/* Allocates `bytes` of pattern followed by a guard; to be freed by free_row with the same shift. */
static void *make_row(size_t bytes, size_t shift)
{
    unsigned char *row = malloc(bytes + shift + GUARD);
    assert_non_null(row);
    memset(row, PATTERN, bytes + shift + GUARD);
    return row + shift;
}

/* Allocates a row without a guard. */
static void *make_source(size_t bytes, size_t shift)
{
    unsigned char *row = malloc(bytes + shift);
    assert_non_null(row);
    return row + shift;
}

static void free_row(void *row, size_t shift)
{
    free((unsigned char *)row - shift);
}

static void check_guard(const struct trial *trial, const char *kernel, const void *row, size_t bytes)
{
    for (size_t i = 0; i < GUARD - trial->shift; i++)
        if (((const unsigned char *)row)[bytes + i] != PATTERN)
            fail_trial(trial, kernel, -1, bytes + i, ((const unsigned char *)row)[bytes + i], PATTERN);
}

/* The value of a sample of a stored row. */
static double sample_of(abbe_type type, const void *row, size_t x)
{
    uint16_t word;
    float value;
    if (type == ABBE_U8)
        return ((const uint8_t *)row)[x];
    if (type == ABBE_U16)
        return memcpy(&word, (const char *)row + 2 * x, 2), (double)word;
    return memcpy(&value, (const char *)row + 4 * x, 4), (double)value;
}

static void set_sample(struct trial *trial, void *row, size_t x)
{
    double white = trial->type == ABBE_U8 ? 255 : 65535;
    int kind = random_int(&trial->random, 0, 5);
    double level = kind == 0 ? 0 : kind == 1 ? white : floor(random_unit(&trial->random) * (white + 1));
    if (trial->type == ABBE_U8) {
        ((uint8_t *)row)[x] = (uint8_t)level;
    } else if (trial->type == ABBE_U16) {
        uint16_t word = (uint16_t)level;
        memcpy((char *)row + 2 * x, &word, 2);
    } else {
        float value = (float)random_signed(&trial->random);
        memcpy((char *)row + 4 * x, &value, 4);
    }
}

/* ---- Taps --------------------------------------------------------------------------------------------- */

/* Taps in the layouts of kernels.h. */
struct tap_layouts {
    float taps[SIDE * SIDE], blocked[ROWS * SIDE * SPACE_ROWS];
    int32_t short_taps[SIDE * SIDE], short_blocked[ROWS * SIDE * SPACE_ROWS];
    double exact[SIDE * SIDE]; /* the values of the shorts */
};

static int32_t twice(int tap)
{
    return (int32_t)(((uint32_t)tap & 0xffff) * 0x10001);
}

/* Makes random taps; those in 16 bits have a mass of at most one. */
static void make_taps(struct trial *trial, struct tap_layouts *layouts)
{
    int area = trial->width * trial->height;
    for (int i = 0; i < area; i++) {
        int tap = random_int(&trial->random, -32000 / area, 32000 / area);
        layouts->taps[i] = (float)random_signed(&trial->random);
        layouts->short_taps[i] = twice(tap);
        layouts->exact[i] = tap * 0x1p-15;
    }
    for (int j = 0; j < trial->height + SPACE_ROWS - 1; j++)
        for (int i = 0; i < trial->width; i++)
            for (int r = 0; r < SPACE_ROWS; r++) {
                int at = (j * trial->width + i) * SPACE_ROWS + r, from = (j - r) * trial->width + i;
                bool held = j - r >= 0 && j - r < trial->height;
                layouts->blocked[at] = held ? layouts->taps[from] : 0;
                layouts->short_blocked[at] = held ? layouts->short_taps[from] : 0;
            }
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

static void check_columns(struct trial *trial, const struct tap_layouts *layouts, void *const *rows)
{
    const struct space_taps taps = { 1, trial->height, layouts->taps, layouts->blocked };
    size_t pitch = trial->count + 3,
           bytes = ((size_t)(trial->results - 1) * pitch + trial->count) * sizeof(float);
    float *to = make_row(bytes, 0);
    trial->kernels->columns(trial->type, (const void *const *)rows, &taps, trial->results, trial->count,
                            (struct space_lines){ to, (ptrdiff_t)pitch });
    for (int r = 0; r < trial->results; r++)
        for (size_t x = 0; x < trial->count; x++) {
            double right = 0, size = 0;
            for (int j = 0; j < trial->height; j++) {
                double term = (double)layouts->taps[j] * sample_of(trial->type, rows[r + j], x);
                right += term;
                size += fabs(term);
            }
            double got = (double)to[(size_t)r * pitch + x];
            if (!(fabs(got - right) <= (double)FLT_EPSILON * trial->height * size))
                fail_trial(trial, "columns", r, x, got, right);
        }
    check_guard(trial, "columns", to, bytes);
    free_row(to, 0);
}

static void check_dense(struct trial *trial, const struct tap_layouts *layouts, float *const *rows)
{
    const struct space_taps taps = { trial->width, trial->height, layouts->taps, layouts->blocked };
    size_t pitch = trial->count, bytes = (size_t)trial->results * pitch * sizeof(float);
    bool add = trial->number % 3 == 0;
    float *to = make_row(bytes, 0);
    for (size_t i = 0; i < bytes / sizeof *to && add; i++)
        to[i] = 0.5f;
    trial->kernels->dense((const float *const *)rows, (size_t)trial->channels, &taps, trial->results,
                          trial->count, add, (struct space_lines){ to, (ptrdiff_t)pitch });
    for (int r = 0; r < trial->results; r++)
        for (size_t x = 0; x < trial->count; x++) {
            double right = add ? 0.5 : 0, size = right;
            for (int i = 0; i < trial->width * trial->height; i++) {
                size_t at = x + (size_t)(i % trial->width) * (size_t)trial->channels;
                double term = (double)layouts->taps[i] * (double)rows[r + i / trial->width][at];
                right += term;
                size += fabs(term);
            }
            double got = (double)to[(size_t)r * pitch + x];
            if (!(fabs(got - right) <= (double)FLT_EPSILON * (trial->width * trial->height * size + 1)))
                fail_trial(trial, add ? "dense, added" : "dense", r, x, got, right);
        }
    check_guard(trial, "dense", to, bytes);
    free_row(to, 0);
}

/* Uses every other tap, for one row of results. */
static void check_sparse(struct trial *trial, const struct tap_layouts *layouts, float *const *rows)
{
    struct space_tap taps[SIDE * SIDE];
    int used = 0;
    float *to = make_row(trial->count * sizeof *to, 0);
    for (int i = 0; i < trial->width * trial->height; i += 2)
        taps[used++] = (struct space_tap){ i / trial->width, i % trial->width, layouts->taps[i] };
    trial->kernels->sparse((const float *const *)rows, (size_t)trial->channels, taps, used, trial->count, to);
    for (size_t x = 0; x < trial->count; x++) {
        double right = 0, size = 0;
        for (int i = 0; i < used; i++) {
            size_t at = x + (size_t)taps[i].column * (size_t)trial->channels;
            double term = (double)taps[i].value * (double)rows[taps[i].row][at];
            right += term;
            size += fabs(term);
        }
        if (!(fabs((double)to[x] - right) <= (double)FLT_EPSILON * used * size))
            fail_trial(trial, "sparse", 0, x, (double)to[x], right);
    }
    check_guard(trial, "sparse", to, trial->count * sizeof *to);
    free_row(to, 0);
}

static void check_short_columns(struct trial *trial, const struct tap_layouts *layouts, void *const *rows)
{
    const struct space_short_taps taps = { 1, trial->height, 0, layouts->short_taps, layouts->short_blocked };
    size_t pitch = trial->count + 5,
           bytes = ((size_t)(trial->results - 1) * pitch + trial->count) * sizeof(int16_t);
    int16_t *to = make_row(bytes, 0);
    trial->kernels->short_columns((const uint8_t *const *)rows, &taps, trial->results, trial->count,
                                  (struct space_shorts){ to, (ptrdiff_t)pitch });
    for (int r = 0; r < trial->results; r++)
        for (size_t x = 0; x < trial->count; x++) {
            double right = 0, got = to[(size_t)r * pitch + x];
            for (int j = 0; j < trial->height; j++)
                right += layouts->exact[j] * (sample_of(ABBE_U8, rows[r + j], x) - 128) * SPACE_STEP;
            if (!(fabs(got - right) <= 0.5 * trial->height + 1e-9))
                fail_trial(trial, "short_columns", r, x, got, right);
        }
    check_guard(trial, "short_columns", to, bytes);
    free_row(to, 0);
}

static void check_short_dense(struct trial *trial, const struct tap_layouts *layouts, int16_t *const *rows)
{
    const int16_t offset = (int16_t)random_int(&trial->random, 0, 255);
    const struct space_short_taps taps = { trial->width, trial->height, offset, layouts->short_taps,
                                           layouts->short_blocked };
    int area = trial->width * trial->height;
    size_t pitch = trial->count + 1, bytes = (size_t)(trial->results - 1) * pitch + trial->count;
    uint8_t *to = make_row(bytes, trial->shift);
    trial->kernels->short_dense((const int16_t *const *)rows, (size_t)trial->channels, &taps, trial->results,
                                trial->count, (ptrdiff_t)pitch, to);
    for (int r = 0; r < trial->results; r++)
        for (size_t x = 0; x < trial->count; x++) {
            double sum = 0, got = to[(size_t)r * pitch + x];
            for (int i = 0; i < area; i++)
                sum += layouts->exact[i] *
                       rows[r + i / trial->width][x + (size_t)(i % trial->width) * (size_t)trial->channels];
            double right = fmin(fmax(sum * SPACE_STEP_INVERSE * 0x1p-15 + offset, 0), 255);
            if (!(fabs(got - right) <= 0.5 + 0.5 * area * SPACE_STEP_INVERSE * 0x1p-15 + 1e-9))
                fail_trial(trial, "short_dense", r, x, got, right);
        }
    check_guard(trial, "short_dense", to, bytes);
    free_row(to, trial->shift);
}

/* ---- Trials ------------------------------------------------------------------------------------------- */

static struct trial make_trial(const struct space_kernels *kernels, int number, abbe_type type)
{
    struct trial trial = {
        .kernels = kernels, .random = { (uint64_t)number }, .type = type, .number = number
    };
    trial.channels = random_int(&trial.random, 1, 5);
    trial.width = random_int(&trial.random, 1, SIDE);
    trial.height = number % 4 ? random_int(&trial.random, 1, SIDE) : number % 3 + 1;
    trial.results = number % 2 ? SPACE_ROWS : random_int(&trial.random, 1, SPACE_ROWS);
    trial.count = (size_t)random_int(&trial.random, 1, number % 2 ? SAMPLES : 40);
    trial.shift = (size_t)random_int(&trial.random, 0, GUARD - 1);
    return trial;
}

/* Source rows of stored samples, without slack. */
static void try_columns(const struct space_kernels *kernels, int number, abbe_type type)
{
    struct trial trial = make_trial(kernels, number, type);
    static struct tap_layouts layouts;
    void *rows[ROWS];
    trial.width = 1;
    trial.shift -= trial.shift % sample_size(type);
    make_taps(&trial, &layouts);
    int height = trial.height + trial.results - 1;
    for (int j = 0; j < height; j++) {
        rows[j] = make_source(trial.count * sample_size(type), trial.shift);
        for (size_t x = 0; x < trial.count; x++)
            set_sample(&trial, rows[j], x);
    }
    check_columns(&trial, &layouts, rows);
    if (type == ABBE_U8 && kernels->short_columns)
        check_short_columns(&trial, &layouts, rows);
    for (int j = 0; j < height; j++)
        free_row(rows[j], trial.shift);
}

/* Lines followed by slack, which holds NaN because its contents must not matter. */
static void try_dense(const struct space_kernels *kernels, int number)
{
    struct trial trial = make_trial(kernels, number, ABBE_F32);
    static struct tap_layouts layouts;
    static float lines[ROWS][SAMPLES + SIDE * 5 + SPACE_SLACK];
    static int16_t shorts[ROWS][SAMPLES + SIDE * 5 + SPACE_SLACK];
    float *rows[ROWS];
    int16_t *short_rows[ROWS];
    size_t held = trial.count + (size_t)(trial.width - 1) * (size_t)trial.channels;
    make_taps(&trial, &layouts);
    for (int j = 0; j < ROWS; j++) {
        rows[j] = lines[j];
        short_rows[j] = shorts[j];
        for (size_t x = 0; x < held + SPACE_SLACK; x++) {
            lines[j][x] = x < held ? (float)random_signed(&trial.random) : NAN;
            shorts[j][x] = (int16_t)(random_int(&trial.random, -128, 127) * SPACE_STEP);
        }
    }
    check_dense(&trial, &layouts, rows);
    check_sparse(&trial, &layouts, rows);
    if (kernels->short_dense)
        check_short_dense(&trial, &layouts, short_rows);
}

static void try_conversion(const struct space_kernels *kernels, int number, abbe_type type)
{
    struct trial trial = make_trial(kernels, number, type);
    size_t bytes = trial.count * sample_size(type);
    trial.shift -= trial.shift % sample_size(type);
    void *row = make_source(bytes, trial.shift), *back = make_row(bytes, trial.shift);
    float *floats = make_row(trial.count * sizeof(float), 0);
    for (size_t x = 0; x < trial.count; x++)
        set_sample(&trial, row, x);
    kernels->load(type, row, trial.count, floats);
    for (size_t x = 0; x < trial.count; x++)
        if ((double)floats[x] != sample_of(type, row, x))
            fail_trial(&trial, "load", 0, x, (double)floats[x], sample_of(type, row, x));
    check_guard(&trial, "load", floats, trial.count * sizeof(float));
    kernels->store(type, floats, trial.count, back);
    assert_memory_equal(row, back, bytes);
    check_guard(&trial, "store", back, bytes);
    if (type == ABBE_U8 && kernels->short_load) {
        int16_t *shorts = make_row(trial.count * sizeof *shorts, 0);
        kernels->short_load(row, trial.count, shorts);
        for (size_t x = 0; x < trial.count; x++)
            if (shorts[x] != (sample_of(type, row, x) - 128) * SPACE_STEP)
                fail_trial(&trial, "short_load", 0, x, shorts[x],
                           (sample_of(type, row, x) - 128) * SPACE_STEP);
        check_guard(&trial, "short_load", shorts, trial.count * sizeof *shorts);
        free_row(shorts, 0);
    }
    free_row(row, trial.shift);
    free_row(back, trial.shift);
    free_row(floats, 0);
}

/* Ties, the ends of the range and values beyond, and NaN. */
static void check_rounding(const struct space_kernels *kernels)
{
    const float values[] = { -INFINITY, -1e9f,  -0.6f, -0.0f,  0,      0.5f, 0.6f,     1.5f, 2.5f,
                             254.4f,    254.5f, 255.f, 255.4f, 255.6f, 1e9f, INFINITY, NAN,  FLT_MAX };
    const int bytes[] = { 0, 0, 0, 0, 0, 0, 1, 2, 2, 254, 254, 255, 255, 255, 255, 255, 0, 255 };
    const int words[] = { 0, 0, 0, 0, 0, 0, 1, 2, 2, 254, 254, 255, 255, 256, 65535, 65535, 0, 65535 };
    enum { COUNT = sizeof values / sizeof *values };
    for (int shift = 0; shift < COUNT; shift++) {
        float turned[3 * COUNT];
        uint8_t byte[3 * COUNT];
        uint16_t word[3 * COUNT];
        for (int i = 0; i < 3 * COUNT; i++)
            turned[i] = values[(i + shift) % COUNT];
        kernels->store(ABBE_U8, turned, 3 * COUNT, byte);
        kernels->store(ABBE_U16, turned, 3 * COUNT, word);
        for (int i = 0; i < 3 * COUNT; i++)
            if (byte[i] != bytes[(i + shift) % COUNT] || word[i] != words[(i + shift) % COUNT])
                fail_msg("%s store: %g at %d gives %d and %d", kernels->name, (double)turned[i], i, byte[i],
                         word[i]);
    }
}

/* The formulas of docs/maths.md: colours times coverage, and back; black where the coverage is zero. */
static void check_alpha(const struct space_kernels *kernels)
{
    const float white = 255, gain = 0.75f;
    struct random random = { 5 };
    for (size_t pixels = 1; pixels < 40; pixels++) {
        float *row = make_row(4 * pixels * sizeof *row, 0), before[160];
        for (size_t i = 0; i < 4 * pixels; i++)
            row[i] = before[i] = i % 12 == 3 ? 0 : (float)random_int(&random, 0, 255);
        kernels->multiply_alpha(row, pixels, white);
        for (size_t i = 0; i < 4 * pixels; i++) {
            double right = (double)before[i] * (i % 4 == 3 ? 1 : (double)before[i / 4 * 4 + 3] / 255);
            if (!(fabs((double)row[i] - right) <= 1e-4))
                fail_msg("%s multiply_alpha: sample %zu of %zu pixels is %g and should be %g", kernels->name,
                         i, pixels, (double)row[i], right);
        }
        kernels->divide_alpha(row, pixels, gain, white);
        for (size_t i = 0; i < 4 * pixels; i++) {
            bool nothing = before[i / 4 * 4 + 3] == 0;
            double right = i % 4 == 3 ? (double)before[i] / 0.75 : nothing ? 0 : (double)before[i] * 0.75;
            if (!(fabs((double)row[i] - right) <= 1e-3))
                fail_msg("%s divide_alpha: sample %zu of %zu pixels is %g and should be %g", kernels->name, i,
                         pixels, (double)row[i], right);
        }
        free_row(row, 0);
    }
}

/* One non-finite sample at any position is found. */
static void check_finite(const struct space_kernels *kernels)
{
    const float bad[] = { NAN, -NAN, INFINITY, -INFINITY };
    for (size_t count = 1; count < 150; count++) {
        float *row = make_source(count * sizeof *row, 0);
        for (size_t i = 0; i < count; i++)
            row[i] = i % 3 ? FLT_MAX : -FLT_MAX;
        assert_true(kernels->finite(row, count));
        for (size_t i = 0; i < count; i++) {
            float kept = row[i];
            row[i] = bad[i % 4];
            if (kernels->finite(row, count))
                fail_msg("%s finite: %g at %zu of %zu is not seen", kernels->name, (double)bad[i % 4], i,
                         count);
            row[i] = kept;
        }
        free_row(row, 0);
    }
}

static void kernels_agree_with_plain_loops(void **state)
{
    (void)state;
    const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F32 };
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct space_kernels *kernels = cpu_levels[level].space;
        if (!kernels || !core_level_present(level))
            continue;
        print_message("%s\n", kernels->name);
        for (int number = 0; number < CASES; number++) {
            for (int t = 0; t < 3; t++) {
                try_columns(kernels, number, types[t]);
                try_conversion(kernels, number, types[t]);
            }
            try_dense(kernels, number);
        }
        check_rounding(kernels);
        check_alpha(kernels);
        check_finite(kernels);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "time")) {
        space_print_times();
        return 0;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(kernels_agree_with_plain_loops) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
