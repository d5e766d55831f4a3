/* abbe-bench: times Abbe and other libraries. Selects cases and peers, runs the cases, writes the reports. */
#include "calibrate.h"
#include "files.h"
#include "papers/papers.h"
#include "progress.h"
#include "report.h"
#include "say.h"
#include "settings.h"
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The state of the benchmark. */
struct bench {
    struct settings settings;
    struct report report;
    struct result *results;
    size_t total; /* results expected in the end */
    bool table;   /* the table goes to standard output, because no report does */

    /* Of the command papers: drivers, or why there is none. */
    char gpu[64], gl[64], gpu_problem[PEER_PROBLEM], cuda_problem[PEER_PROBLEM], gl_problem[PEER_PROBLEM];
    struct count_list counts;
};

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

/* Flushes standard output; false, with a message, if it cannot be written. */
static bool flush_stdout(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return true;
    say_error("standard output: cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return false;
}

/* ---- Checks before the first case ---------------------------------------------------------------------- */

/* Reports now what would otherwise fail after minutes of work. */
static bool check_targets(const struct settings *settings)
{
    const char *paths[] = { settings->json, settings->csv, settings->markdown, settings->plot };
    for (int i = 0; i < 4; i++)
        if (paths[i] && !is_stdout(paths[i]) && !target_check(paths[i]))
            return false;
    return !settings->plot || plot_check();
}

static bool check_abbe_device(const struct settings *settings)
{
    abbe_device *device = NULL;
    if (abbe_device_open(settings->device, NULL, &device)) {
        say_error("%s", abbe_error_text(NULL));
        return false;
    }
    abbe_device_close(&device);
    return true;
}

static bool has_peer(const struct settings *settings)
{
    for (const struct peer *const *peer = settings->peers; *peer; peer++)
        if (!(*peer)->absent)
            return true;
    return false;
}

static int check_usage(const struct settings *settings)
{
    if (is_stdout(settings->plot))
        return fail_usage(NULL, "--plot: - is not a file; name one, such as chart.svg");
    if (settings->plot && !has_peer(settings))
        return fail_usage(NULL, "--plot draws ratios to peers, but no peer takes part");
    if (is_stdout(settings->json) + is_stdout(settings->csv) + is_stdout(settings->markdown) > 1)
        return fail_usage(NULL, "only one report can go to standard output; name files for the others");
    return DONE;
}

/* Leaves out the cases of a kind whose device is missing. */
static void drop_cases(struct settings *settings, enum bench_kind kind, const char *problem)
{
    const char *groups = kind == KIND_GPU ? " gpu" : kind == KIND_CUDA ? " cuda" : "s gl and frames";
    say_note("the cases of the group%s are left out: %s", groups, problem);
    for (size_t i = 0; i < settings->case_count; i++)
        settings->selected[i] = settings->selected[i] && settings->cases[i].kind != kind;
    if (!settings->named_device)
        settings->device = "cpu";
}

/* The largest picture of the papers that a software driver of OpenGL draws. */
enum { SOFTWARE_SIDE = 256 };

static bool is_software(const char *driver)
{
    return strstr(driver, "llvmpipe") || strstr(driver, "softpipe");
}

static void drop_large_pictures(struct bench *bench)
{
    struct settings *settings = &bench->settings;
    for (size_t i = 0; i < settings->case_count; i++)
        if (settings->cases[i].kind == KIND_GL && settings->cases[i].width > SOFTWARE_SIDE)
            settings->selected[i] = false;
    snprintf(bench->gl_problem, sizeof bench->gl_problem,
             "frames of more than %d x %d pixels are left to GPUs", SOFTWARE_SIDE, SOFTWARE_SIDE);
}

/* Where there is no GPU, the papers' frames are drawn by llvmpipe, the small ones only. */
static bool find_opengl(struct bench *bench, char *text, size_t size)
{
    struct settings *settings = &bench->settings;
    bool there = opengl_check(settings->gl, text, size);
    char driver[PEER_PROBLEM] = "";
    if (!there && settings->papers && !settings->named_device &&
        opengl_check("gl:llvmpipe", driver, sizeof driver)) {
        settings->gl = "gl:llvmpipe";
        snprintf(text, size, "%s", driver);
        there = true;
    }
    if (there && settings->papers && is_software(text))
        drop_large_pictures(bench);
    return there;
}

static void drop_missing_devices(struct bench *bench)
{
    struct settings *settings = &bench->settings;
    char text[PEER_PROBLEM] = "";
    if (settings_selects(settings, KIND_GPU)) {
        if (gpu_check(settings->gpu, text, sizeof text)) {
            machine_describe_device(settings->gpu, bench->gpu, sizeof bench->gpu);
        } else {
            snprintf(bench->gpu_problem, sizeof bench->gpu_problem, "%s", text);
            drop_cases(settings, KIND_GPU, text);
        }
    }
    if (settings_selects(settings, KIND_CUDA) && !cuda_check(settings->cuda, text, sizeof text)) {
        snprintf(bench->cuda_problem, sizeof bench->cuda_problem, "%s", text);
        drop_cases(settings, KIND_CUDA, text);
    }
    if (settings_selects(settings, KIND_GL)) {
        if (find_opengl(bench, text, sizeof text)) {
            snprintf(bench->gl, sizeof bench->gl, "%.*s", (int)sizeof bench->gl - 1, text);
        } else {
            snprintf(bench->gl_problem, sizeof bench->gl_problem, "%s", text);
            drop_cases(settings, KIND_GL, text);
        }
    }
}

/* Tells whether a selected case may involve the peer. An absent peer counts for all cases of its kind. */
static bool has_case(const struct settings *settings, const struct peer *peer)
{
    for (size_t i = 0; i < settings->case_count; i++)
        if (settings->selected[i] && !settings->cases[i].plans && !settings->cases[i].variant &&
            kind_is_gpu(settings->cases[i].kind) == peer->gpu &&
            (peer->absent || peer->suits(&settings->cases[i])))
            return true;
    return false;
}

/* Leaves out peers that take part in no selected case, so that reports do not mention them. */
static void drop_unused_peers(struct settings *settings)
{
    const struct peer **kept = settings->peers;
    for (const struct peer **peer = settings->peers; *peer; peer++)
        if (has_case(settings, *peer))
            *kept++ = *peer;
    *kept = NULL;
}

/* Results of a case: one per number of threads, but only one on a GPU. */
static int count_results(const struct settings *settings, size_t index)
{
    if (!settings->selected[index])
        return 0;
    return kind_is_gpu(settings->cases[index].kind) ? 1 : settings->thread_counts;
}

static bool begin_report(struct bench *bench)
{
    const struct settings *settings = &bench->settings;
    for (size_t i = 0; i < settings->case_count; i++)
        bench->total += (size_t)count_results(settings, i);
    bench->results = calloc(bench->total + 1, sizeof *bench->results);
    if (!bench->results) {
        say_error("out of memory");
        return false;
    }
    bench->table = !is_stdout(settings->json) && !is_stdout(settings->csv) && !is_stdout(settings->markdown);
    bench->report.device = settings->device;
    bench->report.machine = machine_describe(bench->settings.device);
    bench->report.seed = settings->seed;
    bench->report.seconds = settings->seconds;
    bench->report.threads = settings->threads;
    bench->report.thread_counts = settings->thread_counts;
    bench->report.peers = settings->peers;
    bench->report.results = bench->results;
    if (settings->papers) {
        bench->report.counts = &bench->counts;
        bench->report.gpu = bench->gpu;
        bench->report.gl = bench->gl;
        bench->report.gpu_problem = bench->gpu_problem;
        bench->report.cuda_problem = bench->cuda_problem;
        bench->report.gl_problem = bench->gl_problem;
        if (settings_selects(settings, KIND_GL))
            papers_count(settings->gl, &bench->counts);
    }
    return true;
}

/* ---- Running cases ------------------------------------------------------------------------------------- */

static void show_progress(void *user, const char *what, double fraction)
{
    const struct bench *bench = user;
    progress_show(what, ((double)bench->report.count + fraction) / (double)bench->total);
}

static const char *device_for(const struct settings *settings, enum bench_kind kind)
{
    switch (kind) {
    case KIND_CPU: break;
    case KIND_GPU: return settings->gpu;
    case KIND_CUDA: return settings->cuda;
    case KIND_GL: return settings->gl;
    }
    return settings->device;
}

static bool run_case(struct bench *bench, const struct bench_case *what, int threads)
{
    struct result *result = &bench->results[bench->report.count];
    struct rules rules = { .device = device_for(&bench->settings, what->kind),
                           .seconds = bench->settings.seconds,
                           .seed = bench->settings.seed,
                           .peers = bench->settings.peers,
                           .progress = show_progress,
                           .user = bench };
    if (!contest_run(what, threads, &rules, result))
        return false;
    progress_hide();
    if (result->count == 0)
        return true;
    bench->report.count++;
    if (!bench->table)
        return true;
    table_row(stdout, &bench->report, bench->report.count - 1);
    return flush_stdout();
}

static bool run_cases(struct bench *bench)
{
    bool fine = true;
    progress_begin("");
    if (bench->table)
        table_head(stdout, &bench->report);
    for (size_t i = 0; fine && i < bench->settings.case_count; i++)
        for (int j = 0; fine && j < count_results(&bench->settings, i); j++)
            fine = run_case(bench, &bench->settings.cases[i], bench->settings.threads[j]);
    progress_end();
    if (fine && bench->table)
        table_foot(stdout, &bench->report);
    return fine;
}

/* ---- Reports ------------------------------------------------------------------------------------- */

static bool write_report(const char *path, void (*writer)(FILE *, const struct report *),
                         const struct report *report)
{
    struct draft draft;
    if (!path)
        return true;
    if (!draft_open(&draft))
        return false;
    writer(draft.out, report);
    return draft_deliver(&draft, path);
}

static bool write_reports(const struct bench *bench)
{
    const struct settings *settings = &bench->settings;
    bool fine = write_report(settings->json, write_json, &bench->report);
    fine = write_report(settings->csv, write_csv, &bench->report) && fine;
    if (settings->papers)
        fine = papers_write(settings, &bench->report) && fine;
    else
        fine = write_report(settings->markdown, write_markdown, &bench->report) && fine;
    return (!settings->plot || plot_draw(settings->plot, &bench->report)) && fine;
}

/* Fails if any result of Abbe is wrong, because its figures are then worthless. */
static int check_results(const struct bench *bench)
{
    size_t wrong = 0;
    const char *first = NULL;
    for (size_t i = 0; i < bench->report.count; i++)
        if (bench->results[i].wrong && wrong++ == 0)
            first = bench->results[i].what->name;
    if (wrong)
        return fail("Abbe's results are wrong in %zu of %zu cases, first in %s", wrong, bench->report.count,
                    first);
    return DONE;
}

static int run_benchmark(struct bench *bench)
{
    say_quiet(bench->settings.quiet);
    int status = check_usage(&bench->settings);
    if (status != DONE)
        return status;
    if (!bench->report.command)
        return fail("out of memory");
    if (!check_targets(&bench->settings) || (bench->settings.papers && !papers_open(&bench->settings)))
        return FAILED;
    if (bench->settings.no_run)
        return papers_write(&bench->settings, NULL) ? DONE : FAILED;
    bool named = bench->settings.named_device || settings_selects(&bench->settings, KIND_CPU);
    if (named && !check_abbe_device(&bench->settings))
        return FAILED;
    drop_missing_devices(bench);
    drop_unused_peers(&bench->settings);
    if (!begin_report(bench) || !run_cases(bench) || !write_reports(bench))
        return FAILED;
    return check_results(bench);
}

static int run_calibration(const struct settings *settings)
{
    say_quiet(settings->quiet);
    return check_abbe_device(settings) ? calibrate(settings) : FAILED;
}

int main(int argc, char **argv)
{
    struct bench bench = { 0 };
    char *command = command_line_join(argc, argv);
    say_program("abbe-bench");
    target_watch_signals();
    int status = settings_read(argc, argv, &bench.settings);
    bench.report.command = command;
    if (status < 0)
        status = bench.settings.calibrate ? run_calibration(&bench.settings) : run_benchmark(&bench);
    papers_close();
    free(bench.results);
    free(command);
    settings_free(&bench.settings);
    return status == DONE && !flush_stdout() ? FAILED : status;
}
