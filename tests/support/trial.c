/* One trial: filters a random picture and compares it with the oracle within the error bound of
 * docs/maths.md. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool effort_is_brief(void)
{
    const char *effort = getenv("ABBE_TEST_EFFORT");
    return effort && (!strcmp(effort, "brief") || !strcmp(effort, "slight"));
}

bool effort_is_slight(void)
{
    const char *effort = getenv("ABBE_TEST_EFFORT");
    return effort && !strcmp(effort, "slight");
}

/* Part k of n, from "k/n" in ABBE_TEST_PART. */
bool effort_takes(int number)
{
    const char *text = getenv("ABBE_TEST_PART");
    int part = 0, parts = 1;
    if (text && (sscanf(text, "%d/%d", &part, &parts) != 2 || part < 0 || part >= parts)) {
        printf("ABBE_TEST_PART is '%s', not like 0/4\n", text);
        abort();
    }
    return number % parts == part;
}

static bool halves;

void trial_set_halves(void)
{
    halves = true;
}

double trial_tolerance(double exact)
{
    return halves ? 4e-3 : exact;
}

double trial_bound_fft(double grid_width, double grid_height)
{
    return 3e-7 * sqrt(fmax(1, log2(grid_width * grid_height)));
}

double trial_bound_taps(double taps)
{
    return 2e-7 * sqrt(taps);
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

static void fill_taps(abbe_matrix *taps, enum taps_kind kind, struct random *random)
{
    double rows[2][64], columns[2][64];
    for (int term = 0; term < 2; term++) {
        for (int i = 0; i < taps->width && kind == TAPS_SEPARABLE; i++)
            rows[term][i] = random_signed(random);
        for (int j = 0; j < taps->height && kind == TAPS_SEPARABLE; j++)
            columns[term][j] = random_signed(random);
    }
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++)
            taps->values[j * taps->width + i] = kind == TAPS_SEPARABLE
                                                    ? rows[0][i] * columns[0][j] + rows[1][i] * columns[1][j]
                                                    : random_signed(random);
    for (int j = 0; j < taps->height && kind == TAPS_MIRRORED; j++)
        for (int i = 0; i < taps->width; i++) {
            int x = i < taps->width - i ? i : taps->width - 1 - i,
                y = j < taps->height - j ? j : taps->height - 1 - j;
            taps->values[j * taps->width + i] = taps->values[y * taps->width + x];
        }
    int last = taps->width * taps->height - 1;
    for (int i = 0; i <= last / 2 && kind == TAPS_SYMMETRIC; i++)
        taps->values[last - i] = taps->values[i];
}

struct trial_kernel trial_kernel_create(int width, int height, enum taps_kind kind, bool free_centre,
                                        struct random *random)
{
    struct trial_kernel kernel = { .centre_x = width / 2, .centre_y = height / 2 };
    if (abbe_matrix_create(width, height, &kernel.taps))
        abort();
    fill_taps(&kernel.taps, kind, random);
    if (free_centre) {
        kernel.centre_x = random_int(random, 0, width - 1);
        kernel.centre_y = random_int(random, 0, height - 1);
    }
    kernel.peak = reference_peak(&kernel.taps);
    abbe_kernel_params params = { .taps = &kernel.taps,
                                  .centre = (int[]){ kernel.centre_x, kernel.centre_y } };
    if (abbe_filter_from_kernel(&params, &kernel.filter)) {
        printf("kernel: %s\n", abbe_error_text(NULL));
        abort();
    }
    return kernel;
}

void trial_kernel_free(struct trial_kernel *kernel)
{
    abbe_filter_destroy(&kernel->filter);
    abbe_matrix_free(&kernel->taps);
}

/* ---- Cases -------------------------------------------------------------------------------------------- */

/* Correlation by definition: out(x) = Σ taps(i) · in(x + i − centre). */
static struct picture correlate(const struct picture *in, const struct trial *trial,
                                const struct trial_kernel *kernel)
{
    struct picture out = picture_create(in->width, in->height, in->channels);
    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < in->width; x++)
            for (int j = 0; j < kernel->taps.height; j++)
                for (int i = 0; i < kernel->taps.width; i++)
                    for (int c = 0; c < in->channels; c++)
                        *picture_at(&out, x, y,
                                    c) += kernel->taps.values[j * kernel->taps.width + i] *
                                          reference_sample(in, trial->border, (double)trial->border_value,
                                                           (long long)x + i - kernel->centre_x,
                                                           (long long)y + j - kernel->centre_y, c);
    return out;
}

struct trial_case trial_case_create(const struct trial *trial, const struct trial_kernel *kernel)
{
    struct random random = { trial->seed };
    int padding = trial->odd_memory ? random_int(&random, 0, 7) : 0;
    struct trial_case one = {
        .source = trial->source_layout
                      ? stored_create_laid(trial->width, trial->height, trial->channels, trial->source_type,
                                           trial->source_layout)
                      : stored_create(trial->width, trial->height, trial->channels, trial->source_type,
                                      padding, trial->odd_memory && random_int(&random, 0, 1),
                                      random_int(&random, 0, 1)),
    };
    stored_randomize(&one.source, &random, false);
    struct picture in = stored_read(&one.source);
    one.norm = picture_norm(&in);
    one.expected = trial->correlate ? correlate(&in, trial, kernel)
                                    : reference_convolve(&in, trial->border, (double)trial->border_value,
                                                         &kernel->taps, kernel->centre_x, kernel->centre_y);
    picture_free(&in);
    return one;
}

void trial_case_free(struct trial_case *one)
{
    stored_free(&one->source);
    picture_free(&one->expected);
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static void print_trial(const struct trial *trial, const struct trial_kernel *kernel, const char *what)
{
    printf("%s\n  seed %llu, %d x %d x %d, types %d > %d, border %s (%g), method %s, tile %d x %d,"
           " kernel %d x %d centred at %d, %d, correlate %d, odd memory %d, layouts %d > %d\n",
           what, (unsigned long long)trial->seed, trial->width, trial->height, trial->channels,
           (int)trial->source_type, (int)trial->result_type, abbe_border_name(trial->border),
           (double)trial->border_value, abbe_method_name(trial->method), trial->tile_width,
           trial->tile_height, kernel->taps.width, kernel->taps.height, kernel->centre_x, kernel->centre_y,
           trial->correlate, trial->odd_memory, (int)trial->source_layout, (int)trial->result_layout);
    fflush(stdout);
}

/* U8 results: at most `levels` from the exact value, saturated. */
static bool compare_levels(const struct picture *got, const struct picture *exact, double levels)
{
    for (size_t i = 0; i < picture_count(got); i++)
        if (!(fabs(got->samples[i] - exact->samples[i]) * 255 <= levels)) {
            printf("sample %zu is level %g, exact is %g\n", i, got->samples[i] * 255,
                   exact->samples[i] * 255);
            return false;
        }
    return true;
}

/* The exact result, saturated to the range of the type. */
static struct picture saturated(const struct picture *expected, abbe_type type)
{
    struct picture exact = picture_create(expected->width, expected->height, expected->channels);
    double lowest = type == ABBE_I16 ? -32768 / 32767.0 : type == ABBE_I32 ? -2147483648.0 / 2147483647.0 : 0;
    for (size_t i = 0; i < picture_count(expected); i++)
        exact.samples[i] = type_levels(type) != 0 ? fmin(fmax(expected->samples[i], lowest), 1)
                                                  : expected->samples[i];
    return exact;
}

/* The allowed ‖out − ref‖₂: the bound, plus the rounding to levels for integers. */
static double allowed_distance(const struct picture *exact, abbe_type type, double scale, double bound)
{
    double level = type_levels(type) != 0 ? 0.5 / type_levels(type) : 0;
    double rounding = level * sqrt((double)picture_count(exact));
    return (type == ABBE_F16 || halves ? 2e-3 : bound) * scale + rounding;
}

static bool compare_result(const struct stored *result, const struct picture *expected, double scale,
                           double bound, double levels, const char *what)
{
    abbe_type type = result->view.type;
    struct picture got = stored_read(result), exact = saturated(expected, type);
    double distance = picture_distance(&got, &exact), allowed = allowed_distance(&exact, type, scale, bound);
    bool good = type == ABBE_U8 && !halves ? compare_levels(&got, &exact, levels) : distance <= allowed;
    if (!good)
        printf("%s: distance %g from the exact result, %g allowed\n", what, distance, allowed);
    picture_free(&got);
    picture_free(&exact);
    return good;
}

bool trial_compare(const struct stored *result, const struct picture *expected, double scale, double bound,
                   const char *what)
{
    return compare_result(result, expected, scale, bound, 1, what);
}

static double bound_of(const abbe_plan *plan, const struct trial_kernel *kernel)
{
    const abbe_candidate *chosen = abbe_plan_choice(plan);
    if (chosen->fft_width)
        return trial_bound_fft(chosen->fft_width, chosen->fft_height);
    return trial_bound_taps((double)kernel->taps.width * kernel->taps.height);
}

/* ‖in‖₂ including the outside pixels; otherwise a black picture with a white border would have no scale. */
static double scale_of(const struct trial *trial, const struct trial_kernel *kernel, double norm)
{
    double border = trial->border == ABBE_BORDER_CONSTANT ? fabs((double)trial->border_value) : 0;
    double around = (double)(trial->width + kernel->taps.width) * (trial->height + kernel->taps.height);
    return (norm + border * sqrt(around * trial->channels)) * kernel->peak;
}

bool trial_run(abbe_device *device, const struct trial *trial, const struct trial_kernel *kernel,
               const struct trial_case *one)
{
    abbe_plan *plan = NULL;
    abbe_plan_params params = {
        .width = trial->width,
        .height = trial->height,
        .channels = trial->channels,
        .source_type = trial->source_type,
        .result_type = trial->result_type,
        .filters = (const abbe_filter *const[]){ kernel->filter },
        .filter_count = 1,
        .border = trial->border,
        .border_value = trial->border_value,
        .method = trial->method,
        .tile_width = trial->tile_width,
        .tile_height = trial->tile_height,
        .correlate = trial->correlate,
        .precision = trial->precision,
    };
    if (abbe_plan_create(device, &params, &plan)) {
        print_trial(trial, kernel, abbe_error_text(device));
        return false;
    }
    struct random random = { trial->seed ^ 0x5a5a };
    struct stored result = trial->result_layout
                               ? stored_create_laid(trial->width, trial->height, trial->channels,
                                                    trial->result_type, trial->result_layout)
                               : stored_create(trial->width, trial->height, trial->channels,
                                               trial->result_type,
                                               trial->odd_memory ? random_int(&random, 0, 9) : 0,
                                               trial->odd_memory && random_int(&random, 0, 1),
                                               random_int(&random, 0, 1));
    bool good = !abbe_run(plan, &one->source.view, &result.view);
    if (!good)
        print_trial(trial, kernel, abbe_error_text(device));
    bool half = trial->precision == ABBE_PRECISION_HALF;
    if (good)
        good = compare_result(&result, &one->expected, scale_of(trial, kernel, one->norm),
                              half ? 2e-3 : bound_of(plan, kernel), half ? fmax(1, kernel->peak) : 1,
                              "result");
    if (good && !(stored_check(&result) && stored_check(&one->source))) {
        printf("bytes between the rows were written\n");
        good = false;
    }
    if (!good)
        print_trial(trial, kernel, "failed trial");
    stored_free(&result);
    abbe_plan_destroy(&plan);
    return good;
}
