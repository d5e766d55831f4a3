/* Reads the command line of the benchmark, and answers --help, --list and --version. */
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
    OPTION_FROM,
    OPTION_NO_RUN,
};

static const struct option_spec specs[] = {
    { OPTION_LIST, 'l', "list", NULL, "list all cases by group and exit" },
    { OPTION_THREADS, 't', "threads", "N[,N…]", "run each case on each of these numbers of threads (1)" },
    { OPTION_TIME, 0, "time", "SECONDS", "time for all contenders of a case together (1)" },
    { OPTION_PEERS, 0, "peers", "NAME[,NAME…]",
      "compare with these only: fftw, opencv, cufft, vkfft; or none (all)" },
    { OPTION_DEVICE, 0, "device", "NAME",
      "device of Abbe (cpu; vulkan for gpu alone, cuda for cuda, gl for gl and frames)" },
    { OPTION_SEED, 0, "seed", "N", "seed of the random pixels (different each time)" },
    { OPTION_JSON, 0, "json", "FILE", "write every figure as JSON; - is standard output" },
    { OPTION_CSV, 0, "csv", "FILE", "write every figure as comma-separated values" },
    { OPTION_MARKDOWN, 0, "markdown", "FILE", "write a page of tables in Markdown" },
    { OPTION_PLOT, 0, "plot", "FILE.svg", "draw a chart of the ratios to the peers, by gnuplot" },
    { OPTION_FROM, 0, "from", "FILE", "papers: show the figures of this JSON, too; may be repeated" },
    { OPTION_NO_RUN, 0, "no-run", NULL, "papers: run no case, show the figures of --from only" },
    { OPTION_CALIBRATE, 0, "calibrate", NULL, "measure the planner's prices on this machine; run no case" },
    { OPTION_QUIET, 'q', "quiet", NULL, "print no progress bar and no notes" },
    { OPTION_HELP, 'h', "help", NULL, "show this help and exit" },
    { OPTION_VERSION, 'V', "version", NULL, "show the versions of abbe-bench and of the peers and exit" },
    { 0, 0, NULL, NULL, NULL },
};

/* ---- --help, --version, --list ------------------------------------------------------------------------- */

static int print_help(void)
{
    option_help("abbe-bench [options] [CASE…]\n"
                "       abbe-bench papers [options] [CASE…]",
                "Times Abbe and other libraries in turns, on the same pixels.\n"
                "A CASE is a name or a group shown by --list, a pattern ('gaussian-*'), quick or all.\n"
                "Without a CASE, quick runs.\n"
                "papers measures what four papers measured, and writes the page docs/papers.md with charts.",
                specs,
                "  abbe-bench                                  a few cases of each kind\n"
                "  abbe-bench plane --threads 1,2              against FFTW, on one thread and on two\n"
                "  abbe-bench 'gaussian-rgba-*' --plot g.svg   against OpenCV, as a chart\n"
                "  abbe-bench planner --csv planner.csv        every method, to judge the planner's choices\n"
                "  abbe-bench plans --device vulkan            time to create a plan\n"
                "  abbe-bench gpu                              on the GPU, timed by its clock\n"
                "  abbe-bench gl frames --device gl:llvmpipe   engines of the device gl, in software\n"
                "  abbe-bench papers --json here.json          the papers' figures beside this machine's\n"
                "  abbe-bench --calibrate                      prices for better choices on this machine");
    return DONE;
}

static int print_version(void)
{
    printf("abbe-bench %s\n", abbe_version());
    for (const struct peer *const *peer = bench_peers; *peer; peer++) {
        char version[48] = "";
        if (!(*peer)->absent)
            (*peer)->version(version, sizeof version);
        printf("%s %s%s%s\n", (*peer)->name, version, (*peer)->absent ? "not in this build; install " : "",
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
                       case_matches(&settings->cases[i], "quick") ? "  (quick)" : "");
    }
    return DONE;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* Calls set_part() with each part of "a,b,c"; false as soon as it refuses one. */
static bool for_each_part(struct settings *settings, const char *list,
                          bool (*set_part)(struct settings *, const char *))
{
    char *copy = strdup(list), *rest = copy;
    bool fine = copy != NULL;
    for (char *part; fine && (part = strsep(&rest, ","));)
        fine = set_part(settings, part);
    free(copy);
    return fine;
}

static bool add_thread_count(struct settings *settings, const char *text)
{
    long long number = 0;
    if (settings->thread_counts == THREAD_COUNTS_MAX) {
        say_usage_error(NULL, "--threads: more than %d numbers of threads", THREAD_COUNTS_MAX);
        return false;
    }
    if (!option_integer(text, 1, 1024, &number)) {
        say_usage_error(NULL, "--threads: '%s' is not a number from 1 to 1024; write --threads 1,2", text);
        return false;
    }
    for (int i = 0; i < settings->thread_counts; i++)
        if (settings->threads[i] == number)
            return true;
    settings->threads[settings->thread_counts++] = (int)number;
    return true;
}

static bool set_threads(struct settings *settings, const char *list)
{
    settings->thread_counts = 0;
    return for_each_part(settings, list, add_thread_count);
}

static bool add_peer(struct settings *settings, const struct peer *peer)
{
    int count = 0;
    while (settings->peers[count] && settings->peers[count] != peer)
        count++;
    settings->peers[count] = peer;
    return true;
}

static bool add_named_peer(struct settings *settings, const char *text)
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

static bool set_peers(struct settings *settings, const char *list)
{
    memset(settings->peers, 0, sizeof settings->peers);
    return for_each_part(settings, list, add_named_peer);
}

static bool set_time(struct settings *settings, const char *text)
{
    if (option_number(text, &settings->seconds) && settings->seconds > 0 && settings->seconds <= 3600)
        return true;
    say_usage_error(NULL, "--time: '%s' is not a number of seconds above 0 and up to 3600", text);
    return false;
}

static bool set_seed(struct settings *settings, const char *text)
{
    long long number = 0;
    if (!option_integer(text, 0, INT64_MAX, &number)) {
        say_usage_error(NULL, "--seed: '%s' is not a whole number from 0", text);
        return false;
    }
    settings->seed = (uint64_t)number;
    return true;
}

static bool add_from(struct settings *settings, const char *path)
{
    if (settings->from_count == FROM_MAX) {
        say_usage_error(NULL, "--from: more than %d files", FROM_MAX);
        return false;
    }
    settings->from[settings->from_count++] = path;
    return true;
}

/* Selects the cases of a name, group, pattern or set. */
static bool select_cases(struct settings *settings, const char *word)
{
    bool any = false;
    for (size_t i = 0; i < settings->case_count; i++)
        if (case_matches(&settings->cases[i], word))
            any = settings->selected[i] = true;
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

/* Returns RUN to continue, or the exit status. */
static int apply_option(struct settings *settings, const struct option *option)
{
    bool fine = true;
    switch (option->id) {
    case OPTION_HELP: return print_help();
    case OPTION_VERSION: return print_version();
    case OPTION_LIST: return print_list(settings);
    case OPTION_THREADS: fine = set_threads(settings, option->value); break;
    case OPTION_PEERS: fine = set_peers(settings, option->value); break;
    case OPTION_TIME: fine = set_time(settings, option->value); break;
    case OPTION_SEED: fine = set_seed(settings, option->value); break;
    case OPTION_DEVICE: settings->device = option->value; break;
    case OPTION_JSON: settings->json = option->value; break;
    case OPTION_CSV: settings->csv = option->value; break;
    case OPTION_MARKDOWN: settings->markdown = option->value; break;
    case OPTION_PLOT: settings->plot = option->value; break;
    case OPTION_CALIBRATE: settings->calibrate = true; break;
    case OPTION_QUIET: settings->quiet = true; break;
    case OPTION_FROM: fine = add_from(settings, option->value); break;
    case OPTION_NO_RUN: settings->no_run = true; break;
    case OPTION_ARGUMENT: fine = select_cases(settings, option->value); break;
    default: fine = false; /* OPTION_WRONG: option_next printed a message */
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
    settings->selected = calloc(settings->case_count + 1, sizeof *settings->selected);
    return settings->cases && settings->selected;
}

bool settings_selects(const struct settings *settings, enum bench_kind kind)
{
    for (size_t i = 0; i < settings->case_count; i++)
        if (settings->selected[i] && settings->cases[i].kind == kind)
            return true;
    return false;
}

static bool is_any_selected(const struct settings *settings)
{
    for (enum bench_kind kind = KIND_CPU; kind <= KIND_GL; kind++)
        if (settings_selects(settings, kind))
            return true;
    return false;
}

/* The default device, by the kinds of the selected cases. */
static const char *default_device(const struct settings *settings)
{
    if (settings->papers)
        return "cpu";
    bool gpu = settings_selects(settings, KIND_GPU), cuda = settings_selects(settings, KIND_CUDA),
         gl = settings_selects(settings, KIND_GL);
    if (settings_selects(settings, KIND_CPU) || gpu + cuda + gl != 1)
        return "cpu";
    return gpu ? "vulkan" : cuda ? "cuda" : "gl";
}

/* settings->device if it is of the kind `name`, else `name`. */
static const char *device_or(const struct settings *settings, const char *name)
{
    return strncmp(settings->device, name, strlen(name)) ? name : settings->device;
}

static void choose_devices(struct settings *settings)
{
    settings->named_device = settings->device;
    if (!settings->device)
        settings->device = default_device(settings);
    settings->gpu = device_or(settings, "vulkan");
    settings->cuda = device_or(settings, "cuda");
    settings->gl = device_or(settings, "gl");
    /* The papers' cases on the CPU run there whatever GPU was named. */
    if (settings->papers && strncmp(settings->device, "cpu", 3) != 0)
        settings->device = "cpu";
}

/* Completes the line of the command papers, and refuses its options elsewhere. Returns as settings_read. */
static int check_papers(struct settings *settings)
{
    if (!settings->papers)
        return settings->from_count || settings->no_run
                   ? fail_usage(NULL, "--from and --no-run need the command: abbe-bench papers")
                   : RUN;
    if (settings->no_run && !settings->from_count)
        return fail_usage(NULL, "--no-run shows the figures of --from; name a file");
    if (settings->no_run && (is_any_selected(settings) || settings->json || settings->csv))
        return fail_usage(NULL, "--no-run measures nothing; leave out cases, --json and --csv");
    if (settings->plot || settings->calibrate || settings->thread_counts > 1)
        return fail_usage(NULL, "papers draws its own charts, on one number of threads; leave out --plot, "
                                "--calibrate and further numbers of --threads");
    if (settings->markdown && !strcmp(settings->markdown, "-"))
        return fail_usage(NULL, "papers: --markdown needs a file, beside which the charts are");
    if (!settings->markdown)
        settings->markdown = "docs/papers.md";
    if (!settings->no_run && !is_any_selected(settings) && !select_cases(settings, "papers"))
        return FAILED;
    return RUN;
}

int settings_read(int argc, char **argv, struct settings *settings)
{
    struct option_reader reader = { .specs = specs, .argc = argc, .argv = argv };
    if (!set_defaults(settings))
        return fail("out of memory");
    /* The command is the first word of the line. */
    settings->papers = argc > 1 && !strcmp(argv[1], "papers");
    if (settings->papers) {
        reader.argc--;
        reader.argv++;
    }
    int status = RUN;
    for (struct option option; status == RUN && (option = option_next(&reader)).id != OPTION_END;)
        status = apply_option(settings, &option);
    if (status == RUN && settings->calibrate && is_any_selected(settings))
        status = fail_usage(NULL, "--calibrate runs no cases; give either --calibrate or cases");
    if (status == RUN && settings->calibrate &&
        (settings->json || settings->csv || settings->markdown || settings->plot))
        status = fail_usage(NULL,
                            "--calibrate writes no report; leave out --json, --csv, --markdown and --plot");
    if (status == RUN)
        status = check_papers(settings);
    if (status == RUN && !settings->papers && !is_any_selected(settings) && !select_cases(settings, "quick"))
        status = FAILED;
    choose_devices(settings);
    return status;
}

void settings_free(struct settings *settings)
{
    free(settings->selected);
    free(settings->cases);
}

/* ---- The line as text ---------------------------------------------------------------------------------- */

static bool needs_no_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    return *word && strspn(word, plain) == strlen(word);
}

/* Between single quotes only the single quote itself is special; it is written outside them as \'. */
static void write_quoted(FILE *out, const char *word)
{
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *command_line_join(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return NULL;
    fputs("abbe-bench", out);
    for (int i = 1; i < argc; i++) {
        fputc(' ', out);
        if (needs_no_quotes(argv[i]))
            fputs(argv[i], out);
        else
            write_quoted(out, argv[i]);
    }
    bool complete = !ferror(out);
    if (fclose(out) || !complete) {
        free(line);
        return NULL;
    }
    return line;
}
