/* Gains of transfer functions on transform grids against their formulas: every shape, order and parity,
 * grids from 1 × 1 on, real and complex spectra, every level; and many notches, whose product is
 * interpolated. */
#include "filter/sampling/sampler.h"

#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_filter *parse(const char *text)
{
    abbe_filter *filter = NULL;
    if (abbe_filter_parse(text, NULL, &filter))
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    return filter;
}

static double frequency(int k, int length)
{
    return (double)(k <= (length - 1) / 2 ? k : k - length) / length;
}

/* ---- Formulas ----------------------------------------------------------------------------------------- */

/* Parameters of one transfer function, frequencies in cycles per pixel. */
struct formula {
    const char *name, *shape;
    double order, low, high; /* one cut-off is `low` */
    double x, y;
};

static double lowpass(const struct formula *formula, double f, double cutoff)
{
    if (!strcmp(formula->shape, "ideal"))
        return f <= cutoff;
    if (!strcmp(formula->shape, "gaussian"))
        return exp2(-(f / cutoff) * (f / cutoff));
    return 1 / (1 + pow(f / cutoff, 2 * formula->order));
}

/* The distance of the nearest copies in a plane of period 1. */
static double distance(double fx, double fy)
{
    return hypot(fx - rint(fx), fy - rint(fy));
}

/* 2^(−(2δ / width)²): the direction of the streaks is `order` degrees, their width `low`. */
static double streak(const struct formula *formula, double fx, double fy)
{
    double angle = formula->order * M_PI / 180, along = fx * cos(angle) - fy * sin(angle);
    double across = -fx * sin(angle) - fy * cos(angle);
    double delta = atan2(fabs(along), fabs(across)) * 180 / M_PI;
    return exp2(-pow(2 * delta / formula->low, 2));
}

/* The opposite of a frequency on the grid: −½ is its own, because ½ and −½ are the same index. */
static double edge(double f)
{
    return f == -0.5 ? f : -f;
}

static double gain_of(const struct formula *formula, double fx, double fy)
{
    double f = hypot(fx, fy), low = lowpass(formula, f, formula->low),
           high = lowpass(formula, f, formula->high);
    if (!strcmp(formula->name, "lowpass"))
        return low;
    if (!strcmp(formula->name, "highpass"))
        return 1 - low;
    if (!strcmp(formula->name, "bandpass"))
        return high * (1 - low);
    if (!strcmp(formula->name, "bandreject"))
        return 1 - high * (1 - low);
    if (!strcmp(formula->name, "streak"))
        return 0.25 * (streak(formula, fx, fy) + streak(formula, -fx, -fy) +
                       streak(formula, edge(fx), edge(fy)) + streak(formula, -edge(fx), -edge(fy)));
    if (!strcmp(formula->name, "power"))
        return f > 0 ? pow(2 * f, formula->order) : 1;
    double here = lowpass(formula, distance(fx - formula->x, fy - formula->y), formula->low);
    double opposite = lowpass(formula, distance(fx + formula->x, fy + formula->y), formula->low);
    return (1 - here) * (1 - opposite);
}

/* The text of a formula. Frequencies of texts are relative to ½ cycle per pixel. */
static void write_text(const struct formula *formula, char *text, size_t size)
{
    if (!strcmp(formula->name, "streak")) {
        snprintf(text, size, "streak:angle=%.17g:width=%.17g", formula->order, formula->low);
        return;
    }
    if (!strcmp(formula->name, "power")) {
        snprintf(text, size, "power:exponent=%.17g", formula->order);
        return;
    }
    int length = snprintf(text, size, "%s:shape=%s", formula->name, formula->shape);
    if (!strcmp(formula->shape, "butterworth"))
        length += snprintf(text + length, size - (size_t)length, ":order=%.17g", formula->order);
    char *rest = text + length;
    size -= (size_t)length;
    if (!strncmp(formula->name, "band", 4))
        snprintf(rest, size, ":low=%.17g:high=%.17g", 2 * formula->low, 2 * formula->high);
    else if (!strcmp(formula->name, "notch"))
        snprintf(rest, size, ":radius=%.17g:x=%.17g:y=%.17g", 2 * formula->low, 2 * formula->x,
                 2 * formula->y);
    else
        snprintf(rest, size, ":cutoff=%.17g", 2 * formula->low);
}

/* ---- Sampling ----------------------------------------------------------------------------------------- */

/* Samples columns 0 … width / 2: H(u, v) at 2 · (v · width + u). */
static double *sample(const abbe_filter *filter, const struct spectrum_grid *grid)
{
    struct sampler *sampler = NULL;
    assert_int_equal(sampler_create(&filter->component[0], grid, &sampler), ABBE_OK);
    double *H = calloc((size_t)grid->width * (size_t)grid->height, 2 * sizeof *H);
    double *batch = malloc(sampler_batch_doubles(sampler) * sizeof *batch);
    double *scratch = malloc((sampler_scratch(sampler) + 1) * sizeof *scratch);
    assert_non_null(H);
    assert_non_null(batch);
    assert_non_null(scratch);
    int columns = sampler_columns(sampler), row = sampler_row(sampler);
    for (int u = 0; u <= grid->width / 2; u += columns) {
        memset(batch, 0x7f, sampler_batch_doubles(sampler) * sizeof *batch); /* large numbers */
        assert_int_equal(sampler_batch(sampler, u, batch, scratch), ABBE_OK);
        for (int v = 0; v < grid->height; v++)
            for (int l = 0; l < columns && u + l <= grid->width / 2; l++) {
                int from = v < sampler_rows(sampler) ? v : grid->height - v;
                const double *value = batch + (size_t)from * row + l;
                H[2 * (v * grid->width + u + l)] = value[0];
                H[2 * (v * grid->width + u + l) + 1] = row > columns ? value[columns] : 0;
            }
    }
    free(scratch);
    free(batch);
    sampler_destroy(&sampler);
    return H;
}

/* Compares with the formula, times the gain of a filter before it (NULL: none). */
static void check(const struct formula *formula, const abbe_filter *before, const abbe_filter *filter,
                  const struct spectrum_grid *grid)
{
    double *H = sample(filter, grid);
    for (int k = 0; k < grid->width * grid->height; k++) {
        int u = k % grid->width, v = k / grid->width;
        double fx = frequency(u, grid->width), fy = frequency(v, grid->height), gain[2] = { 1, 0 };
        double expected = gain_of(formula, fx, fy);
        if (u > grid->width / 2)
            continue;
        if (before)
            assert_int_equal(abbe_filter_gain(before, 0, fx, fy, gain), ABBE_OK);
        if (hypot(H[2 * k] - expected * gain[0], H[2 * k + 1] - expected * gain[1]) >
            1e-13 * (1 + 8 * !!before))
            fail_msg("%s, %s, order %g, on %d x %d, %s, at (%d, %d): %g, not %g", formula->name,
                     formula->shape, formula->order, grid->width, grid->height, core_level_name(grid->level),
                     u, v, H[2 * k], expected * gain[0]);
    }
    free(H);
}

/* With the identity, with an even kernel and with one whose spectrum is complex, on every level. */
static void check_chains(const struct formula *formula, int width, int height)
{
    static const char *const kernels[] = { NULL, "disk:radius=1", "emboss" };
    char text[256];
    write_text(formula, text, sizeof text);
    for (int k = 0; k < 3; k++) {
        abbe_filter *before = kernels[k] ? parse(kernels[k]) : NULL, *last = parse(text), *filter = NULL;
        const abbe_filter *chain[] = { last, before };
        if (before)
            assert_int_equal(abbe_filter_chain((const abbe_filter *[]){ before, last }, 2, &filter), ABBE_OK);
        for (int level = 0; level < LEVEL_COUNT; level++)
            if (core_level_present(level))
                check(formula, before, filter ? filter : chain[0],
                      &(struct spectrum_grid){
                          .width = width, .height = height, .threads = 1, .level = level });
        abbe_filter_destroy(&filter);
        abbe_filter_destroy(&last);
        abbe_filter_destroy(&before);
    }
}

static const struct formula formulas[] = {
    { "lowpass", "butterworth", 2, 0.125, 0.3, 0, 0 },
    { "lowpass", "butterworth", 1, 0.05, 0.3, 0, 0 },
    { "lowpass", "butterworth", 8, 0.2, 0.3, 0, 0 },
    { "lowpass", "butterworth", 2.5, 0.2, 0.3, 0, 0 },
    { "lowpass", "butterworth", 20, 0.2, 0.3, 0, 0 },
    { "lowpass", "gaussian", 2, 0.1, 0.3, 0, 0 },
    { "lowpass", "gaussian", 2, 0.001, 0.3, 0, 0 },
    { "lowpass", "ideal", 2, 0.25, 0.3, 0, 0 },
    { "highpass", "butterworth", 2, 0.125, 0.3, 0, 0 },
    { "highpass", "gaussian", 2, 0.02, 0.3, 0, 0 },
    { "highpass", "ideal", 2, 0.125, 0.3, 0, 0 },
    { "bandpass", "butterworth", 2, 0.1, 0.3, 0, 0 },
    { "bandpass", "butterworth", 3, 0.1, 0.3, 0, 0 },
    { "bandpass", "gaussian", 2, 0.1, 0.3, 0, 0 },
    { "bandpass", "ideal", 2, 0.125, 0.375, 0, 0 },
    { "bandreject", "butterworth", 2, 0.1, 0.3, 0, 0 },
    { "bandreject", "gaussian", 2, 0.1, 0.3, 0, 0 },
    { "bandreject", "ideal", 2, 0.1, 0.3, 0, 0 },
    { "notch", "gaussian", 2, 0.01, 0.3, 0.1, 0.2 },
    { "notch", "gaussian", 2, 0.03, 0.3, -0.5, 0.25 },
    { "notch", "gaussian", 2, 0.002, 0.3, 0.45, -0.48 },
    { "notch", "butterworth", 2, 0.01, 0.3, 0.1, 0.2 },
    { "notch", "butterworth", 1, 0.05, 0.3, -0.3, 0.125 },
    { "notch", "butterworth", 1.5, 0.05, 0.3, 0.3, 0 },
    { "notch", "ideal", 2, 0.1, 0.3, 0.25, 0.25 },
    { "lowpass", "butterworth", 64, 0.00005, 0.3, 0, 0 },
    { "highpass", "butterworth", 63.5, 0.7, 0.3, 0, 0 },
    { "bandpass", "butterworth", 12.3, 0.1, 0.3, 0, 0 },
    { "notch", "butterworth", 0.5, 0.0001, 0.3, 0.1, 0.1 },
    { "streak", "", 30, 20, 0, 0, 0 },
    { "streak", "", 0, 5, 0, 0, 0 },
    { "streak", "", 90, 0.1, 0, 0, 0 },
    { "streak", "", -77.7, 360, 0, 0, 0 },
    { "power", "", 2, 0.1, 0.3, 0, 0 },
    { "power", "", -1, 0.1, 0.3, 0, 0 },
    { "power", "", 0.37, 0.1, 0.3, 0, 0 },
    { "power", "", 0, 0.1, 0.3, 0, 0 },
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

static void small_grids(void **state)
{
    (void)state;
    for (int i = 0; i < FORMULAS; i++)
        for (int width = 1; width <= 9; width++)
            for (int height = 1; height <= 9; height += 1 + (width > 4))
                check_chains(&formulas[i], width, height);
}

static void grids_of_several_batches(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 1, 301 }, { 14, 3 }, { 30, 31 }, { 31, 30 }, { 300, 1 }, { 150, 121 } };
    for (int i = 0; i < FORMULAS; i++)
        for (int k = 0; k < 6; k++)
            check_chains(&formulas[i], sizes[k][0], sizes[k][1]);
}

/* ---- Interpolated samples ----------------------------------------------------------------------------- */

/* Interpolates samples [height][width][step], of which (zero_x, zero_y) has frequency 0. */
static double interpolate(const double *samples, int width, int height, int step, int zero, double fx,
                          double fy)
{
    double x = fx * width + (zero ? width / 2 : 0), y = fy * height + (zero ? height / 2 : 0), sum = 0;
    double left = floor(x + 1e-9), above = floor(y + 1e-9);
    for (int i = 0; i < 4; i++) {
        int column = (int)left + i % 2, row = (int)above + i / 2;
        double weight = fmax(0, 1 - fabs(x - column)) * fmax(0, 1 - fabs(y - row));
        column = (column % width + width) % width;
        row = (row % height + height) % height;
        sum += weight * samples[(row * width + column) * step];
    }
    return sum;
}

static void check_samples(const abbe_filter *filter, const double *samples, int width, int height, int step,
                          const struct spectrum_grid *grid)
{
    double *H = sample(filter, grid), sign = grid->correlate ? -1 : 1;
    for (int k = 0; k < grid->width * grid->height; k++) {
        int u = k % grid->width, v = k / grid->width, zero = step == 1;
        double fx = frequency(u, grid->width), fy = frequency(v, grid->height), here[2] = { 0 },
               there[2] = { 0 };
        for (int part = 0; part < step; part++) {
            here[part] = interpolate(samples + part, width, height, step, zero, fx, fy);
            there[part] = interpolate(samples + part, width, height, step, zero, -fx, -fy);
        }
        double re = 0.5 * (here[0] + there[0]), im = sign * 0.5 * (here[1] - there[1]);
        if (u <= grid->width / 2 && hypot(H[2 * k] - re, H[2 * k + 1] - im) > 1e-8)
            fail_msg("%d x %d samples, step %d, on %d x %d, %s, at (%d, %d): (%g, %g), not (%g, %g)", width,
                     height, step, grid->width, grid->height, core_level_name(grid->level), u, v, H[2 * k],
                     H[2 * k + 1], re, im);
    }
    free(H);
}

static void samples_are_interpolated(void **state)
{
    (void)state;
    static const int grids[][2] = { { 1, 1 }, { 1, 40 }, { 40, 1 }, { 8, 8 }, { 37, 50 }, { 64, 33 } };
    struct random random = { 11 };
    double samples[2 * 9 * 70];
    for (int trial = 0; trial < 6 * 6 * 2; trial++) {
        static const int sides[][2] = { { 1, 1 }, { 2, 3 }, { 9, 4 }, { 8, 8 }, { 5, 70 }, { 70, 9 } };
        int width = sides[trial % 6][0], height = sides[trial % 6][1], step = 1 + trial / 36;
        for (int i = 0; i < width * height * step; i++)
            samples[i] = random_signed(&random);
        abbe_filter *filter = NULL;
        const abbe_matrix mask = { width, height, samples };
        int error = step == 1 ? abbe_filter_from_mask(&mask, &filter)
                              : abbe_filter_from_gains(width, height, samples, &filter);
        assert_int_equal(error, ABBE_OK);
        for (int level = 0; level < LEVEL_COUNT; level++)
            if (core_level_present(level))
                check_samples(filter, samples, width, height, step,
                              &(struct spectrum_grid){ .width = grids[trial / 6 % 6][0],
                                                       .height = grids[trial / 6 % 6][1],
                                                       .correlate = trial % 2,
                                                       .threads = 1,
                                                       .level = level });
        abbe_filter_destroy(&filter);
    }
}

/* ---- Many notches ------------------------------------------------------------------------------------- */

enum { NOTCHES = 18 };

/* Makes a chain of notches, after a kernel whose spectrum is complex where `kernel` is not NULL. */
static abbe_filter *chain_notches(const struct formula *notches, const char *kernel)
{
    abbe_filter *filters[NOTCHES + 1], *chain = NULL;
    int count = 0;
    if (kernel)
        filters[count++] = parse(kernel);
    for (int i = 0; i < NOTCHES; i++) {
        char text[256];
        write_text(&notches[i], text, sizeof text);
        filters[count++] = parse(text);
    }
    assert_int_equal(abbe_filter_chain((const abbe_filter *const *)filters, (size_t)count, &chain), ABBE_OK);
    while (count > 0)
        abbe_filter_destroy(&filters[--count]);
    return chain;
}

/* Returns the largest error of some points, where gains are compared relative to the kernel's gain. */
static double largest_error(const struct formula *notches, const char *kernel, const double *H, int width,
                            int height)
{
    struct random random = { 6 };
    abbe_filter *before = kernel ? parse(kernel) : NULL;
    double largest = 0;
    for (int i = 0; i < 20000; i++) {
        int u = random_int(&random, 0, width / 2), v = random_int(&random, 0, height - 1);
        double fx = frequency(u, width), fy = frequency(v, height), gain[2] = { 1, 0 }, product = 1;
        const double *found = H + 2 * (v * width + u);
        for (int k = 0; k < NOTCHES; k++)
            product *= gain_of(&notches[k], fx, fy);
        if (before)
            assert_int_equal(abbe_filter_gain(before, 0, fx, fy, gain), ABBE_OK);
        largest = fmax(largest, hypot(found[0] - product * gain[0], found[1] - product * gain[1]));
    }
    abbe_filter_destroy(&before);
    return largest;
}

/* Notches of every radius and of several orders, some of them at the edges of the plane. */
static void make_notches(struct random *random, struct formula *notches, double radius)
{
    for (int i = 0; i < NOTCHES; i++)
        notches[i] = (struct formula){ "notch",
                                       "butterworth",
                                       random_int(random, 1, 3),
                                       radius * (0.5 + random_unit(random)),
                                       0.3,
                                       i == 3 ? 0.5 : 0.5 * random_signed(random),
                                       i == 5 ? -0.5 : 0.5 * random_signed(random) };
}

static void many_notches(void **state)
{
    (void)state;
    static const double radii[] = { 0.0002, 0.003, 0.01, 0.05 };
    static const char *const kernels[] = { NULL, "emboss" };
    struct random random = { 12 };
    enum { WIDTH = 1203, HEIGHT = 4000 };
    for (int i = 0; i < 4 * 2; i++) {
        struct formula notches[NOTCHES];
        make_notches(&random, notches, radii[i / 2]);
        abbe_filter *filter = chain_notches(notches, kernels[i % 2]);
        for (int level = 0; level < LEVEL_COUNT; level++) {
            if (!core_level_present(level) || (level != (int)core_level_best() && i != 4))
                continue;
            struct spectrum_grid grid = { .width = WIDTH, .height = HEIGHT, .threads = 1, .level = level };
            double *exact = sample(filter, &grid);
            grid.rounded = true;
            double *rounded = sample(filter, &grid), error;
            error = largest_error(notches, kernels[i % 2], exact, WIDTH, HEIGHT);
            if (error > 1e-12)
                fail_msg("radius %g, %s: an error of %g", radii[i / 2], core_level_name(level), error);
            error = largest_error(notches, kernels[i % 2], rounded, WIDTH, HEIGHT);
            if (error > 3e-8)
                fail_msg("radius %g, %s: an error of %g", radii[i / 2], core_level_name(level), error);
            assert_true(error > 1e-14 || i / 2 == 3); /* interpolates, except where every patch is near */
            free(rounded);
            free(exact);
        }
        abbe_filter_destroy(&filter);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_grids),
    cmocka_unit_test(grids_of_several_batches),
    cmocka_unit_test(samples_are_interpolated),
    cmocka_unit_test(many_notches),
};

TEST_MAIN(tests)
