/* Times the probes in turns, level by level, and fits prices to their times. */
#include "calibrate.h"

#include "files.h"
#include "fit.h"
#include "machine.h"
#include "measure.h"
#include "probes.h"
#include "progress.h"
#include "say.h"
#include "target.h"

#include <abbe/measure.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Time for one level, in units of the seconds of a case; seconds of a turn if runs are short. */
static const double LEVEL_SHARE = 2, TURN = 1e-3;
enum { TURNS_MIN = 4, SECTION = 32 };

/* A probe with its plan. */
struct trial {
    const struct probe *probe;
    abbe_device *device; /* shared by all trials on the same number of threads */
    abbe_filter *filter;
    abbe_plan *plan;
    abbe_image source, result;
    double best; /* seconds of the fastest run; 0: none yet */
};

/* The prices of one level. */
struct level_prices {
    char section[SECTION]; /* "cpu:avx2" */
    int count;
    const char *names[FIT_CHARGES_MAX];
    double expected[FIT_CHARGES_MAX], prices[FIT_CHARGES_MAX];
    double error; /* mean relative error of predicted times */
};

enum { LEVELS = 5, THREADS_MAX = 2 };
static const char *const level_names[LEVELS] = { "plain", "baseline", "avx2", "avx512", "neon" };

struct calibration {
    const struct settings *settings;
    struct machine machine;
    struct probe *probes;
    int probe_count;
    void *source, *result;                 /* pixels, shared by all trials */
    abbe_device *devices[THREADS_MAX + 1]; /* devices of the current level, by number of threads */
    struct trial *trials;
    int level_count;
    struct level_prices levels[LEVELS];
    int level_total; /* levels to calibrate */
};

/* ---- Trials -------------------------------------------------------------------------------------------- */

/* Values between 0 and 2 that are finite in every type: U8, U16, F16 and F32. */
static void *make_pixels(size_t count)
{
    uint32_t *pixels = aligned_alloc(64, count * sizeof *pixels), state = 1;
    for (size_t i = 0; pixels && i < count; i++) {
        state = state * 1664525 + 1013904223;
        pixels[i] = 0x3F000000 | (state & 0x007F0000) | (state >> 16 & 0x3BFF);
    }
    return pixels;
}

static int make_probe_filter(const struct probe *probe, abbe_filter **filter)
{
    char text[96];
    double sigma = probe->kernel_side / 6.0;
    if (probe->kernel == PROBE_LOWPASS)
        return abbe_filter_parse("lowpass", NULL, filter);
    if (probe->kernel == PROBE_GAUSSIAN) {
        snprintf(text, sizeof text, "gaussian:sigma=%.9g:truncate=%.9g", sigma,
                 (probe->kernel_side / 2) / sigma);
        return abbe_filter_parse(text, NULL, filter);
    }
    abbe_matrix taps = { 0 };
    int error = abbe_matrix_create(probe->kernel_side, probe->kernel_side, &taps);
    uint32_t state = 1;
    for (int i = 0; !error && i < probe->kernel_side * probe->kernel_side; i++) {
        state = state * 1664525 + 1013904223;
        taps.values[i] = 1 + (state >> 8) * 0x1p-24;
    }
    if (!error)
        error = abbe_filter_from_kernel(&(abbe_kernel_params){ .taps = &taps, .normalize = true }, filter);
    abbe_matrix_free(&taps);
    return error;
}

static int make_trial_plan(struct trial *trial)
{
    const struct probe *probe = trial->probe;
    const abbe_filter *const bank[] = { trial->filter };
    int tile = probe->transform ? probe->transform - probe->kernel_side + 1 : 0;
    return abbe_plan_create(trial->device,
                            &(abbe_plan_params){ .width = probe->side,
                                                 .height = probe->side,
                                                 .channels = probe->channels,
                                                 .source_type = probe->type,
                                                 .result_type = probe->type,
                                                 .filters = bank,
                                                 .filter_count = 1,
                                                 .border = probe->kernel == PROBE_LOWPASS
                                                               ? ABBE_BORDER_WRAP
                                                               : ABBE_BORDER_REFLECT,
                                                 .method = probe->method,
                                                 .tile_width = tile,
                                                 .tile_height = tile,
                                                 .linear_light = probe->linear_light },
                            &trial->plan);
}

/* A probe that the device refuses is skipped; it is not a failure. */
static bool is_refusal(int error)
{
    return error == ABBE_ERR_SIZE || error == ABBE_ERR_UNSUPPORTED || error == ABBE_ERR_MEMORY;
}

static bool open_trial(struct calibration *all, const char *device, const struct probe *probe,
                       struct trial *trial)
{
    abbe_device_params params = { .threads = probe->threads };
    abbe_device **shared = &all->devices[probe->threads];
    abbe_image view = { .width = probe->side,
                        .height = probe->side,
                        .channels = probe->channels,
                        .stride = (ptrdiff_t)((size_t)probe->side * probe->channels *
                                              abbe_type_size(probe->type)),
                        .type = probe->type };
    *trial = (struct trial){ .probe = probe, .source = view, .result = view };
    trial->source.data = all->source;
    trial->result.data = all->result;
    bool opened = *shared || !abbe_device_open(device, &params, shared);
    trial->device = *shared;
    int error = opened ? make_probe_filter(probe, &trial->filter) : ABBE_ERR_DEVICE;
    if (!error)
        error = make_trial_plan(trial);
    if (!error || (opened && trial->filter && is_refusal(error)))
        return true;
    say_error("%s: %s", device, abbe_error_text(opened && trial->filter ? trial->device : NULL));
    return false;
}

static void close_trials(struct calibration *all)
{
    for (int i = 0; i < all->probe_count; i++) {
        abbe_plan_destroy(&all->trials[i].plan);
        abbe_filter_destroy(&all->trials[i].filter);
    }
    for (int i = 0; i <= THREADS_MAX; i++)
        abbe_device_close(&all->devices[i]);
}

/* ---- Timing -------------------------------------------------------------------------------------------- */

/* The clock of a trial: processor time of the calling thread
 * if it works alone, so that other programs do not count. */
static double read_trial_clock(const struct trial *trial)
{
    struct timespec time;
    bool alone = trial->probe->threads == 1 && !strcmp(abbe_device_name(trial->device), "cpu");
    clock_gettime(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Keeps the minimum of all runs, because other load on the machine only adds to it. The first run of a turn
 * finds the caches filled with data of other trials and does not count. */
static bool time_trial(struct trial *trial)
{
    double arrival = read_trial_clock(trial), start = 0, now = arrival;
    for (int run = 0; run < 2 || now - arrival < TURN; run++) {
        start = now;
        if (abbe_run(trial->plan, &trial->source, &trial->result))
            return false;
        now = read_trial_clock(trial);
        if (run > 0 && (trial->best <= 0 || now - start < trial->best))
            trial->best = now - start;
    }
    return true;
}

static bool time_trials(struct calibration *all, const char *device)
{
    double limit = all->settings->seconds * LEVEL_SHARE, start = seconds_now(), spent = 0;
    for (int turn = 0; turn < TURNS_MIN || spent < limit; turn++) {
        for (int i = 0; i < all->probe_count; i++)
            if (all->trials[i].plan && !time_trial(&all->trials[i])) {
                say_error("%s: %s", device, abbe_error_text(all->trials[i].device));
                return false;
            }
        spent = seconds_now() - start;
        double done = spent < limit ? spent / limit : 1;
        progress_show("calibrating", (all->level_count + done) / all->level_total);
    }
    return true;
}

/* ---- Prices -------------------------------------------------------------------------------------------- */

/* Tells whether two probes differ in the number of threads only. */
static bool is_same_work(const struct probe *a, const struct probe *b)
{
    return a->method == b->method && a->type == b->type && a->channels == b->channels && a->side == b->side &&
           a->kernel == b->kernel && a->kernel_side == b->kernel_side && a->transform == b->transform &&
           a->linear_light == b->linear_light;
}

/* A trial whose two threads took longer than one was disturbed by other programs, and is discarded. */
static bool was_disturbed(const struct calibration *all, const struct trial *trial)
{
    for (int i = 0; i < all->probe_count && trial->probe->threads > 1; i++)
        if (all->trials[i].probe->threads == 1 && is_same_work(all->trials[i].probe, trial->probe) &&
            trial->best > all->trials[i].best)
            return true;
    return false;
}

static bool fit_level(const struct calibration *all, struct level_prices *level)
{
    struct fit_run *runs = calloc((size_t)all->probe_count, sizeof *runs);
    int count = 0;
    if (!runs) {
        say_error("out of memory");
        return false;
    }
    for (int i = 0; i < all->probe_count; i++) {
        const abbe_plan *plan = all->trials[i].plan;
        size_t terms = 0;
        const abbe_charge *charges = plan ? abbe_plan_charges(plan, abbe_plan_choice(plan)->method, &terms)
                                          : NULL;
        if (!charges || terms > FIT_CHARGES_MAX || was_disturbed(all, &all->trials[i]))
            continue;
        level->count = (int)terms;
        for (int j = 0; j < level->count; j++) {
            level->names[j] = charges[j].name;
            level->expected[j] = charges[j].seconds;
            runs[count].units[j] = charges[j].units;
        }
        runs[count++].seconds = all->trials[i].best;
    }
    level->error = fit_prices(runs, count, level->count, level->expected, level->prices);
    free(runs);
    return true;
}

/* ---- Planning ------------------------------------------------------------------------------------------ */

/* The time of making a plan of a low pass, and the time that its chosen method predicts. */
static int time_plan_once(abbe_device *device, const abbe_filter *filter, double *seconds, double *predicted)
{
    enum { SIDE = 2048 };
    const struct trial alone = { .probe = &(struct probe){ .threads = 1 }, .device = device };
    abbe_plan *plan = NULL;
    double start = read_trial_clock(&alone);
    int error = abbe_plan_create(device,
                                 &(abbe_plan_params){ .width = SIDE,
                                                      .height = SIDE,
                                                      .channels = 1,
                                                      .source_type = ABBE_F32,
                                                      .filters = &filter,
                                                      .filter_count = 1,
                                                      .border = ABBE_BORDER_REFLECT },
                                 &plan);
    *seconds = read_trial_clock(&alone) - start;
    *predicted = error ? 0 : abbe_plan_choice(plan)->planning;
    abbe_plan_destroy(&plan);
    return error;
}

/* Measures the price of sampling spectra, of which the probes have no units (they keep their spectra): the fit cannot
 * determine it. */
static bool measure_planning(const struct calibration *all, struct level_prices *level)
{
    enum { PLANS = 8 };
    abbe_filter *filter = NULL;
    double best = 0, seconds, predicted = 0;
    int error = abbe_filter_parse("lowpass", NULL, &filter);
    for (int i = 0; i < PLANS && !error; i++) {
        error = time_plan_once(all->devices[1], filter, &seconds, &predicted);
        best = i == 0 || seconds < best ? seconds : best;
    }
    abbe_filter_destroy(&filter);
    for (int i = 0; i < level->count && !error; i++)
        if (!strcmp(level->names[i], "spectrum"))
            level->prices[i] = level->expected[i] * best / predicted;
    if (error && !is_refusal(error))
        say_error("%s: %s", level->section, abbe_error_text(all->devices[1]));
    return !error || is_refusal(error);
}

static bool calibrate_level(struct calibration *all, const char *device)
{
    struct level_prices *level = &all->levels[all->level_count];
    memset(all->trials, 0, (size_t)all->probe_count * sizeof *all->trials);
    bool fine = true;
    for (int i = 0; fine && i < all->probe_count; i++)
        fine = open_trial(all, device, &all->probes[i], &all->trials[i]);
    snprintf(level->section, sizeof level->section, "%s", abbe_device_section(all->devices[1]));
    fine = fine && time_trials(all, device) && fit_level(all, level) && measure_planning(all, level);
    close_trials(all);
    all->level_count += fine;
    return fine;
}

/* ---- Output ------------------------------------------------------------------------------------ */

static void print_level(const struct level_prices *level)
{
    printf("\n%s: mean error of predicted times %.0f%%\n%-16s %12s %12s\n", level->section,
           100 * level->error, "seconds per", "built in", "measured");
    for (int i = 0; i < level->count; i++)
        printf("%-16s %12.3g %12.3g  x %.2f\n", level->names[i], level->expected[i], level->prices[i],
               level->prices[i] / level->expected[i]);
}

static void write_prices(FILE *out, const struct calibration *all)
{
    fprintf(out, "abbe-prices 1\n# Seconds per unit, measured by abbe-bench --calibrate, Abbe %s\n# on %s.\n",
            abbe_version(), all->machine.cpu);
    for (int i = 0; i < all->level_count; i++) {
        fprintf(out, "\n[%s]\n", all->levels[i].section);
        for (int j = 0; j < all->levels[i].count; j++)
            fprintf(out, "%s %.4g\n", all->levels[i].names[j], all->levels[i].prices[j]);
    }
}

static bool is_measured(const struct calibration *all, const char *line)
{
    for (int i = 0; i < all->level_count; i++) {
        size_t length = strlen(all->levels[i].section);
        if (!strncmp(line + 1, all->levels[i].section, length) && line[1 + length] == ']')
            return true;
    }
    return false;
}

/* Copies the sections of other devices from the existing file. */
static void copy_other_sections(FILE *out, const struct calibration *all, const char *path)
{
    char line[256];
    bool keep = false;
    FILE *old = fopen(path, "r");
    while (old && fgets(line, sizeof line, old)) {
        if (line[0] == '[') {
            keep = !is_measured(all, line);
            fputs(keep ? "\n" : "", out);
        }
        if (keep && line[0] != '\n')
            fputs(line, out);
    }
    if (old)
        fclose(old);
}

static bool save_prices(const struct calibration *all, const char *path)
{
    struct draft draft;
    if (!draft_open(&draft))
        return false;
    write_prices(draft.out, all);
    copy_other_sections(draft.out, all, path);
    return draft_deliver(&draft, path);
}

/* ---- Calibration --------------------------------------------------------------------------------------- */

static bool can_open(const char *device)
{
    abbe_device *opened = NULL;
    bool fine = !abbe_device_open(device, NULL, &opened);
    abbe_device_close(&opened);
    return fine;
}

/* Lists the levels of "cpu" that this machine supports. Any other device stands for itself. */
static int list_levels(const char *device, char list[LEVELS][SECTION])
{
    int count = 0;
    if (strcmp(device, "cpu") != 0) {
        snprintf(list[0], SECTION, "%s", device);
        return 1;
    }
    for (int i = 0; i < LEVELS; i++) {
        snprintf(list[count], SECTION, "cpu:%s", level_names[i]);
        count += can_open(list[count]);
    }
    return count;
}

static bool measure_levels(struct calibration *all)
{
    char devices[LEVELS][SECTION];
    size_t samples = (size_t)PROBE_SIDE_MAX * PROBE_SIDE_MAX;
    all->machine = machine_describe(all->settings->device);
    all->probes = probes_create(all->machine.processors, &all->probe_count);
    all->trials = calloc((size_t)all->probe_count + 1, sizeof *all->trials);
    all->source = make_pixels(samples);
    all->result = make_pixels(samples);
    if (!all->probes || !all->trials || !all->source || !all->result) {
        say_error("out of memory");
        return false;
    }
    all->level_total = list_levels(all->settings->device, devices);
    bool fine = true;
    progress_begin("");
    for (int i = 0; fine && i < all->level_total; i++)
        fine = calibrate_level(all, devices[i]);
    progress_end();
    return fine;
}

int calibrate(const struct settings *settings)
{
    struct calibration all = { .settings = settings };
    char *path = cache_path("prices");
    bool overridden = getenv("ABBE_PRICES") && *getenv("ABBE_PRICES");
    if (!path)
        return fail("there is no cache folder: set XDG_CACHE_HOME or HOME to an absolute path");
    /* With the built-in prices, every calibration times the
     * same plans and starts from the same expectations. */
    setenv("ABBE_PRICES", "builtin", 1);
    bool fine = target_check(path) && measure_levels(&all);
    for (int i = 0; fine && i < all.level_count; i++)
        print_level(&all.levels[i]);
    fine = fine && save_prices(&all, path);
    if (fine)
        printf("\nwritten to %s%s\n", path,
               overridden ? "; the library does not read this file while ABBE_PRICES is set"
                          : ", where the library finds them");
    free(all.probes);
    free(all.trials);
    free(all.source);
    free(all.result);
    free(path);
    return fine ? DONE : FAILED;
}
