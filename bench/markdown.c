/* The report as the page docs/results/cpu.md. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { WORST_SHOWN = 12 };

static void write_preface(FILE *out, const struct report *report)
{
    const struct machine *machine = &report->machine;
    fprintf(out, "# Results\n\nWritten by\n\n```sh\n%s\n```\n\n", report->command);
    fprintf(out, "on %s (%d processor%s, %s), Abbe %s on its device `%s` (%s), built by %s %s", machine->cpu,
            machine->processors, machine->processors == 1 ? "" : "s", machine->instructions, abbe_version(),
            report->device, machine->device, machine->compiler, machine->flags);
    if (machine->load >= 0)
        fprintf(out, "; load average before: %.1f", machine->load);
    fputs(".\n\n", out);
    fprintf(
        out,
        "Every case has its own pixels (seed %llu), the same for everyone. Results are checked against the "
        "formula and against each other first; then contenders run in turns for %g s. Times are medians, "
        "± is half the distance between the quartiles, × how much longer the peer takes than Abbe.\n\n",
        (unsigned long long)report->seed, report->seconds);
}

static void write_peers(FILE *out, const struct report *report)
{
    if (!*report->peers)
        return;
    fputs("| peer | |\n|---|---|\n", out);
    for (const struct peer *const *peer = report->peers; *peer; peer++) {
        char version[48] = "";
        if ((*peer)->absent)
            snprintf(version, sizeof version, "not in this build");
        else
            (*peer)->version(version, sizeof version);
        fprintf(out, "| %s | %s |\n", (*peer)->name, version);
    }
    if (report->peers[0] == &peer_fftw)
        fputs("\nFFTW's version names the instruction sets it was built for: Debian's has SSE2 and AVX, "
              "neither "
              "AVX2 nor "
              "AVX-512.\n",
              out);
}

/* ---- Against the peers --------------------------------------------------------------------------------- */

static void write_peer_cells(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    fprintf(out, " %s, %s | %.3f ±%.0f %% | **%.2f ×**", contender->peer->name, contender->note.detail,
            1e3 * contender->figures.median, 100 * figures_spread(&contender->figures),
            result_ratio(result, index));
    if (contender->differs)
        fprintf(out, ", off by %.2g%s", contender_deviation(contender),
                result->what->type == ABBE_U8 ? " levels" : "");
    fputs(" |", out);
}

static void write_row(FILE *out, const struct result *result)
{
    const struct contender *abbe = &result->contenders[0];
    for (int i = result->count > 1; i < result->count; i++) {
        fprintf(out, "| `%s` | %d | %s | %.3f ±%.0f %% | %.2f |", result->what->name, result->threads,
                abbe->note.detail, 1e3 * abbe->figures.median, 100 * figures_spread(&abbe->figures),
                figures_per_pixel(&abbe->figures, result->what));
        if (i > 0)
            write_peer_cells(out, result, i);
        else
            fputs(" | | |", out);
        fputs("\n", out);
    }
}

static bool was_run(const struct report *report, const char *group)
{
    for (size_t i = 0; i < report->count; i++)
        if (!strcmp(report->results[i].what->group, group))
            return true;
    return false;
}

static void write_group(FILE *out, const struct report *report, const struct bench_group *group)
{
    fprintf(out, "\n## %s\n\n", group->title);
    fputs("| case | threads | method | Abbe, ms | ns/pixel | peer | peer, ms | |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        if (!strcmp(report->results[i].what->group, group->name))
            write_row(out, &report->results[i]);
}

/* ---- The GPU ------------------------------------------------------------------------------------------- */

static void write_gpu_row(FILE *out, const struct result *result, int index)
{
    const struct contender *abbe = &result->contenders[0], *other = &result->contenders[index];
    fprintf(out, "| `%s` | %s | %.1f ±%.0f %% | %s, %s | %.1f ±%.0f %% | **%.2f ×**%s |\n",
            result->what->name, abbe->note.detail, 1e6 * abbe->figures.median,
            100 * figures_spread(&abbe->figures), other->peer->name, other->note.detail,
            1e6 * other->figures.median, 100 * figures_spread(&other->figures), result_ratio(result, index),
            other->differs ? ", off" : "");
}

static void write_gpu(FILE *out, const struct report *report, const struct bench_group *group)
{
    fprintf(out, "\n## %s\n\n", group->title);
    fputs("Microseconds of one filtering: the mean of as many as fill a millisecond (64 at most) in one "
          "command "
          "buffer between two timestamps, the median of these means. Peers have no pixels to interleave: "
          "their four "
          "planes are split before and joined after. *copy* is a plain copy of the picture as floats, times "
          "what a "
          "filter of this shape moves at least: the floor. *Abbe plain* is one filter in full "
          "precision.\n\n"
          "| case | method | Abbe, µs | beside it | µs | |\n|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        for (int j = 1; j < report->results[i].count && report->results[i].what->kind == KIND_GPU; j++)
            write_gpu_row(out, &report->results[i], j);
}

/* ---- The planner --------------------------------------------------------------------------------------- */

static int by_regret(const void *a, const void *b)
{
    double x = result_regret(*(const struct result *const *)a),
           y = result_regret(*(const struct result *const *)b);
    return (x < y) - (x > y);
}

static void write_cell(FILE *out, const struct result *result)
{
    int best = result_best(result);
    fprintf(out, "| `%s` | %d | %s | %s | %.0f %% |\n", result->what->name, result->threads,
            abbe_method_name(result->chosen),
            best < 0 ? "" : abbe_method_name(result->contenders[best].note.method),
            100 * result_regret(result));
}

static void write_worst(FILE *out, const struct report *report)
{
    const struct result **cells = calloc(report->count, sizeof *cells);
    size_t count = 0;
    if (!cells)
        return;
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].what->every_method)
            cells[count++] = &report->results[i];
    qsort(cells, count, sizeof *cells, by_regret);
    fputs("\nThe worst choices:\n\n| case | threads | chosen | best | regret |\n|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < count && i < WORST_SHOWN; i++)
        write_cell(out, cells[i]);
    free(cells);
}

static void write_planner(FILE *out, const struct report *report, const struct bench_group *group)
{
    fprintf(out, "\n## %s\n\n", group->title);
    fputs("Names are picture, kernel, side of the picture, side of the kernel. Regret is the least "
          "time of the chosen method over that of the best one, less one. Methods priced twenty times above "
          "the choice are not "
          "run.\n\n"
          "| threads | choices | within 15 % | mean regret | worst regret |\n|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < report->thread_counts; i++) {
        struct planner_summary summary = planner_summarise(report, report->threads[i]);
        if (summary.cells)
            fprintf(out, "| %d | %zu | %.0f %% | %.1f %% | %.0f %% |\n", summary.threads, summary.cells,
                    100.0 * (double)summary.within / (double)summary.cells, 100 * summary.mean,
                    100 * summary.worst);
    }
    write_worst(out, report);
}

void write_markdown(FILE *out, const struct report *report)
{
    write_preface(out, report);
    write_peers(out, report);
    for (const struct bench_group *group = bench_groups; group->name; group++) {
        if (!was_run(report, group->name))
            continue;
        if (!strcmp(group->name, "planner"))
            write_planner(out, report, group);
        else if (!strcmp(group->name, "gpu"))
            write_gpu(out, report, group);
        else if (!strcmp(group->name, "gl") || !strcmp(group->name, "frames"))
            write_gl_group(out, report, group);
        else
            write_group(out, report, group);
    }
}
