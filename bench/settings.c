/* Reads the command line of the benchmark. */
#include "settings.h"

#include "options.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    OPTION_HELP = 1,
    OPTION_VERSION,
    OPTION_LIST,
    OPTION_THREADS,
    OPTION_TIME,
    OPTION_PEERS,
    OPTION_DEVICE,
    OPTION_SEED,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
    OPTION_PLOT,
    OPTION_CALIBRATE,
    OPTION_QUIET,
};

static const struct option_spec specs[] = {
    { OPTION_LIST, 'l', "list", NULL, "the cases there are" },
    { OPTION_THREADS, 't', "threads", "N[,N…]", "run every case on so many threads each (1)" },
    { OPTION_TIME, 0, "time", "SECONDS", "for all contenders of a case together (1)" },
    { OPTION_PEERS, 0, "peers", "NAME[,NAME…]", "only these: fftw, opencv, cufft, vkfft; or none (all)" },
    { OPTION_DEVICE, 0, "device", "NAME",
      "where Abbe works (cpu; for gpu alone vulkan, for gl and frames gl)" },
    { OPTION_SEED, 0, "seed", "N", "of the random pixels (another one every time)" },
    { OPTION_JSON, 0, "json", "FILE", "every figure, for programs; - is standard output" },
    { OPTION_CSV, 0, "csv", "FILE", "the same as a table of values" },
    { OPTION_MARKDOWN, 0, "markdown", "FILE", "a page of tables" },
    { OPTION_PLOT, 0, "plot", "FILE.svg", "a chart of the ratios, drawn by gnuplot" },
    { OPTION_CALIBRATE, 0, "calibrate", NULL, "measure this machine for the planner; runs no case" },
    { OPTION_QUIET, 'q', "quiet", NULL, "no progress bar and no notes" },
    { OPTION_HELP, 'h', "help", NULL, "this text" },
    { OPTION_VERSION, 'V', "version", NULL, "versions of abbe-bench and of the peers" },
    { 0, 0, NULL, NULL, NULL },
};

/* ---- Answers that need no run -------------------------------------------------------------------------- */

static int print_help(void)
{
    option_help(
        "abbe-bench [options] [CASE…]",
        "Times Abbe against the libraries people would use instead, in turns and on the same pixels.\n"
        "A CASE is a name of the list, a group of it, a pattern ('gaussian-*'), quick or all.\n"
        "Without one: quick.",
        specs,
        "  abbe-bench                                  a first impression\n"
        "  abbe-bench plane --threads 1,2              against FFTW, on one thread and on two\n"
        "  abbe-bench 'gaussian-rgba-*' --plot g.svg   against OpenCV, as a chart\n"
        "  abbe-bench planner --csv planner.csv        how good the planner's choices are\n"
        "  abbe-bench plans --device vulkan            how long it takes to make a plan\n"
        "  abbe-bench gpu                              on the GPU, by its own clock\n"
        "  abbe-bench gl frames --device gl:llvmpipe   OpenGL's engines, in software\n"
        "  abbe-bench --calibrate                      better ones on this machine, from the user's cache "
        "folder");
    return DONE;
}

static int print_version(void)
{
    printf("abbe-bench %s\n", abbe_version());
    for (const struct peer *const *peer = bench_peers; *peer; peer++) {
        char version[48] = "";
        if (!(*peer)->absent)
            (*peer)->version(version, sizeof version);
        printf("%s %s%s%s\n", (*peer)->name, version, (*peer)->absent ? "not in this build; needs " : "",
               (*peer)->absent ? (*peer)->absent : "");
    }
    return DONE;
}

static int print_list(const struct settings *settings)
{
    for (const struct bench_group *group = bench_groups; group->name; group++) {
        printf("%s%s: %s\n", group == bench_groups ? "" : "\n", group->name, group->title);
        for (size_t i = 0; i < settings->case_count; i++)
            if (!strcmp(settings->cases[i].group, group->name))
                printf("  %s%s\n", settings->cases[i].name,
                       case_is_meant(&settings->cases[i], "quick") ? "  (quick)" : "");
    }
    return DONE;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* Calls take() with every part of "a,b,c"; false when one is refused. */
static bool each_part(struct settings *settings, const char *list,
                      bool (*take)(struct settings *, const char *))
{
    char *copy = strdup(list), *rest = copy;
    bool fine = copy != NULL;
    for (char *part; fine && (part = strsep(&rest, ","));)
        fine = take(settings, part);
    free(copy);
    return fine;
}

static bool take_thread_count(struct settings *settings, const char *text)
{
    long long number = 0;
    if (settings->thread_counts == THREAD_COUNTS_MAX) {
        say_usage_error(NULL, "--threads: more than %d numbers", THREAD_COUNTS_MAX);
        return false;
    }
    if (!option_integer(text, 1, 1024, &number)) {
        say_usage_error(NULL, "--threads: '%s' is no number of threads from 1 to 1024; write --threads 1,2",
                        text);
        return false;
    }
    for (int i = 0; i < settings->thread_counts; i++)
        if (settings->threads[i] == number)
            return true;
    settings->threads[settings->thread_counts++] = (int)number;
    return true;
}

static bool take_threads(struct settings *settings, const char *list)
{
    settings->thread_counts = 0;
    return each_part(settings, list, take_thread_count);
}

static bool add_peer(struct settings *settings, const struct peer *peer)
{
    int count = 0;
    while (settings->peers[count] && settings->peers[count] != peer)
        count++;
    settings->peers[count] = peer;
    return true;
}

static bool take_peer(struct settings *settings, const char *text)
{
    const char *names[PEERS_MAX + 2] = { "none" };
    if (!strcmp(text, "none"))
        return true;
    for (int i = 0; bench_peers[i]; i++) {
        if (!strcasecmp(text, bench_peers[i]->name))
            return add_peer(settings, bench_peers[i]);
        names[i + 1] = bench_peers[i]->name;
    }
    const char *nearest = option_nearest(text, names);
    say_usage_error(NULL, "--peers: no peer '%s'%s%s%s", text,
                    nearest ? "; did you mean '" : "; there are fftw, opencv, cufft and vkfft",
                    nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

static bool take_peers(struct settings *settings, const char *list)
{
    memset(settings->peers, 0, sizeof settings->peers);
    return each_part(settings, list, take_peer);
}

static bool take_time(struct settings *settings, const char *text)
{
    if (option_number(text, &settings->seconds) && settings->seconds > 0 && settings->seconds <= 3600)
        return true;
    say_usage_error(NULL, "--time: '%s' is no number of seconds above 0 and up to 3600", text);
    return false;
}

static bool take_seed(struct settings *settings, const char *text)
{
    long long number = 0;
    if (!option_integer(text, 0, INT64_MAX, &number)) {
        say_usage_error(NULL, "--seed: '%s' is no whole number from 0", text);
        return false;
    }
    settings->seed = (uint64_t)number;
    return true;
}

/* A name, group, pattern or set. */
static bool take_case(struct settings *settings, const char *word)
{
    bool any = false;
    for (size_t i = 0; i < settings->case_count; i++)
        if (case_is_meant(&settings->cases[i], word))
            any = settings->meant[i] = true;
    if (any)
        return true;
    const char *nearest = case_nearest(settings->cases, settings->case_count, word);
    if (nearest)
        say_usage_error(NULL, "no case '%s'; did you mean '%s'?", word, nearest);
    else
        say_usage_error(NULL, "no case '%s'; 'abbe-bench --list' shows them", word);
    return false;
}

/* ---- The whole line ------------------------------------------------------------------------------------ */

enum { RUN = -1 };

/* RUN to go on. */
static int take(struct settings *settings, const struct option *option)
{
    bool fine = true;
    switch (option->id) {
    case OPTION_HELP: return print_help();
    case OPTION_VERSION: return print_version();
    case OPTION_LIST: return print_list(settings);
    case OPTION_THREADS: fine = take_threads(settings, option->value); break;
    case OPTION_PEERS: fine = take_peers(settings, option->value); break;
    case OPTION_TIME: fine = take_time(settings, option->value); break;
    case OPTION_SEED: fine = take_seed(settings, option->value); break;
    case OPTION_DEVICE: settings->device = option->value; break;
    case OPTION_JSON: settings->json = option->value; break;
    case OPTION_CSV: settings->csv = option->value; break;
    case OPTION_MARKDOWN: settings->markdown = option->value; break;
    case OPTION_PLOT: settings->plot = option->value; break;
    case OPTION_CALIBRATE: settings->calibrate = true; break;
    case OPTION_QUIET: settings->quiet = true; break;
    case OPTION_PLAIN: fine = take_case(settings, option->value); break;
    default: fine = false; /* OPTION_WRONG, which has been said */
    }
    return fine ? RUN : WRONG_USAGE;
}

static bool set_defaults(struct settings *settings)
{
    *settings = (struct settings){ .threads = { 1 }, .thread_counts = 1, .seconds = 1 };
    for (int i = 0; bench_peers[i]; i++)
        settings->peers[i] = bench_peers[i];
    uint32_t chance = 1;
    if (getrandom(&chance, sizeof chance, 0) == sizeof chance)
        settings->seed = chance;
    settings->cases = cases_create(&settings->case_count);
    settings->meant = calloc(settings->case_count + 1, sizeof *settings->meant);
    return settings->cases && settings->meant;
}

bool settings_mean(const struct settings *settings, enum bench_kind kind)
{
    for (size_t i = 0; i < settings->case_count; i++)
        if (settings->meant[i] && settings->cases[i].kind == kind)
            return true;
    return false;
}

static bool is_any_meant(const struct settings *settings)
{
    for (enum bench_kind kind = KIND_CPU; kind <= KIND_GL; kind++)
        if (settings_mean(settings, kind))
            return true;
    return false;
}

/* The device that most of the work is about. */
static const char *usual_device(const struct settings *settings)
{
    bool gpu = settings_mean(settings, KIND_GPU), gl = settings_mean(settings, KIND_GL);
    if (settings_mean(settings, KIND_CPU) || gpu == gl)
        return "cpu";
    return gpu ? "vulkan" : "gl";
}

static const char *device_or(const struct settings *settings, const char *name)
{
    return strncmp(settings->device, name, strlen(name)) ? name : settings->device;
}

/* Where Abbe works when nobody has said it, and where a GPU's cases and OpenGL's do. */
static void choose_device(struct settings *settings)
{
    settings->named_device = settings->device;
    if (!settings->device)
        settings->device = usual_device(settings);
    settings->gpu = device_or(settings, "vulkan");
    settings->gl = device_or(settings, "gl");
}

int settings_read(int argc, char **argv, struct settings *settings)
{
    struct option_reader reader = { .specs = specs, .argc = argc, .argv = argv };
    if (!set_defaults(settings))
        return fail("out of memory");
    int status = RUN;
    for (struct option option; status == RUN && (option = option_next(&reader)).id != OPTION_END;)
        status = take(settings, &option);
    if (status == RUN && settings->calibrate && is_any_meant(settings))
        status = fail_usage(NULL, "--calibrate runs no cases");
    if (status == RUN && settings->calibrate &&
        (settings->json || settings->csv || settings->markdown || settings->plot))
        status = fail_usage(NULL, "--calibrate writes no report");
    if (status == RUN && !is_any_meant(settings) && !take_case(settings, "quick"))
        status = FAILED;
    choose_device(settings);
    return status;
}

void settings_free(struct settings *settings)
{
    free(settings->meant);
    free(settings->cases);
}
