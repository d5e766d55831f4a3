/* Writes the report as a page of tables; those in docs/results are written this way. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { WORST_SHOWN = 12 };

static void write_preface(FILE *out, const struct report *report)
{
    const struct machine *machine = &report->machine;
    fprintf(out, "# Results\n\nThis page was written by\n\n```sh\n%s\n```\n\n", report->command);
    fprintf(out, "on %s (%d processor%s, %s), Abbe %s on its device `%s` (%s), built by %s %s", machine->cpu,
            machine->processors, machine->processors == 1 ? "" : "s", machine->instructions, abbe_version(),
            report->device, machine->device, machine->compiler, machine->flags);
    if (machine->load >= 0)
        fprintf(out, "; load average before the start: %.1f", machine->load);
    fputs(".\n\n", out);
    fprintf(out,
            "All contenders of a case filter the same random pixels (seed %llu). First 32 pixels of a result "
            "are compared with "
            "the convolution formula, if the filter is a kernel, and all pixels with those of the first "
            "contender; then they run in turns for %g s. Times are medians, ± is "
            "half the interquartile range, and × is the time of the peer divided by the time of Abbe.\n\n",
            (unsigned long long)report->seed, report->seconds);
}

static void write_peer_table(FILE *out, const struct report *report)
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
        fputs("\nThe version of FFTW names the instruction sets it was built for: Debian's package has SSE2 "
              "and AVX, "
              "but neither AVX2 nor AVX-512.\n",
              out);
}

/* ---- Comparison with the peers ------------------------------------------------------------------------- */

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

static void write_result_rows(FILE *out, const struct result *result)
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

static bool has_results(const struct report *report, const char *group)
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
            write_result_rows(out, &report->results[i]);
}

/* ---- GPU ------------------------------------------------------------------------------------------- */

static void write_gpu_row(FILE *out, const struct result *result, int index)
{
    const struct contender *abbe = &result->contenders[0], *other = &result->contenders[index];
    fprintf(out, "| `%s` | %s | %.1f ±%.0f %% | %s, %s | %.1f ±%.0f %% | **%.2f ×**%s |\n",
            result->what->name, abbe->note.detail, 1e6 * abbe->figures.median,
            100 * figures_spread(&abbe->figures), other->peer->name, other->note.detail,
            1e6 * other->figures.median, 100 * figures_spread(&other->figures), result_ratio(result, index),
            other->differs ? ", off" : "");
}

static void write_gpu_group(FILE *out, const struct report *report, const struct bench_group *group)
{
    fprintf(out, "\n## %s\n\n", group->title);
    fputs("Times are microseconds per run: the median of means over enough runs to fill a millisecond (64 at "
          "most), in "
          "one command buffer (CUDA: one graph) between two timestamps. The peers work on four planes; "
          "splitting the pixels "
          "into planes "
          "and joining them is not timed. *copy* is the lower bound: the time to copy the picture as floats, "
          "times the "
          "number of copies that move as many bytes as the filter must. *Abbe basic* runs one filter in full "
          "precision.\n\n"
          "| case | method | Abbe, µs | contender | µs | |\n|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        for (int j = 1; j < report->results[i].count && !strcmp(report->results[i].what->group, group->name);
             j++)
            write_gpu_row(out, &report->results[i], j);
}

/* ---- OpenGL ------------------------------------------------------------------------------------------- */

/* Frames per second in Moreland & Angel 2003, table 3, on a GeForce FX 5800 Ultra; 0 for other sizes. */
static double published_rate(int side)
{
    switch (side) {
    case 128: return 25;
    case 256: return 6.7;
    case 512: return 1.6;
    case 1024: return 0.37;
    default: return 0;
    }
}

static void write_gl_start(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    fprintf(out, "| `%s` | %d | %s, %s |", result->what->name, result->threads, contender->peer->name,
            contender->note.detail);
}

static void write_gl_end(FILE *out, const struct result *result, int index)
{
    if (index > 0)
        fprintf(out, " **%.2f ×**", result_ratio(result, index));
    if (result->contenders[index].differs)
        fprintf(out, ", off by %.2g", contender_deviation(&result->contenders[index]));
    fputs(" |\n", out);
}

static void write_gl_run(FILE *out, const struct result *result, int index)
{
    const struct figures *figures = &result->contenders[index].figures;
    write_gl_start(out, result, index);
    fprintf(out, " %.3f ±%.0f %% | %.2f |", 1e3 * figures->median, 100 * figures_spread(figures),
            figures_per_pixel(figures, result->what));
    write_gl_end(out, result, index);
}

static void write_gl_frame(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    double published = contender->peer == &peer_frames_moreland ? published_rate(result->what->width) : 0;
    write_gl_start(out, result, index);
    fprintf(out, " %.1f | %.3f ±%.0f %% |", 1 / contender->figures.median, 1e3 * contender->figures.median,
            100 * figures_spread(&contender->figures));
    if (published > 0)
        fprintf(out, " %g |", published);
    else
        fputs(" |", out);
    write_gl_end(out, result, index);
}

static const char filtering_head[] =
    "The engines filter from texture to texture, RGBA floats, in a context of the benchmark. A time is the "
    "mean of "
    "enough runs to fill a millisecond (64 at most), by the host's clock, which is read after glFinish. *+ "
    "copies* "
    "uploads the picture from the host's memory, filters it and downloads the result. The CPU and FFTW work "
    "in the "
    "host's memory on the number of threads in the table; a software driver uses every processor. FFTW "
    "filters four "
    "planes; splitting the pixels into planes and joining them is timed. Contenders that use OpenGL run for "
    "0.15 s "
    "before they are timed. × is the time divided by that of `gl:fast`.\n\n"
    "| case | threads | contender | ms | ns/pixel | |\n|---|---|---|---|---|---|\n";

static const char frames_head[] =
    "As in table 3 of Moreland & Angel 2003, each frame draws the scene, one sample per pixel and turned by "
    "one degree "
    "more, and filters it. The engines of `gl` draw into a texture and filter it into another one; the frame "
    "ends when "
    "glFinish returns. *cpu* downloads the drawn picture and filters it in memory. *scene alone* draws "
    "without "
    "filtering. The column *2003* has the figures of the paper for its engine on a GeForce FX 5800 Ultra.\n\n"
    "| case | threads | contender | frames/s | ms | 2003, frames/s | |\n|---|---|---|---|---|---|---|\n";

/* What the driver lets the figures say. */
static void write_driver_note(FILE *out, const char *driver)
{
    if (strstr(driver, "llvmpipe"))
        fputs("\nllvmpipe draws on the processor. **Its figures mislead**: passes that are nearly free on a "
              "GPU cost as "
              "much as arithmetic there.\n",
              out);
    if (strstr(driver, "H200"))
        fputs("\nAn H200 draws with 2 of its 66 processor clusters, so these figures are a small part of its "
              "might; the "
              "fragment engines are for browsers and small GPUs.\n",
              out);
}

static void write_gl_group(FILE *out, const struct report *report, const struct bench_group *group)
{
    bool frames = !strcmp(group->name, "frames");
    fprintf(out, "\n## %s\n\n%s", group->title, frames ? frames_head : filtering_head);
    for (size_t i = 0; i < report->count; i++) {
        const struct result *result = &report->results[i];
        for (int j = 0; j < result->count && !strcmp(result->what->group, group->name); j++)
            (frames ? write_gl_frame : write_gl_run)(out, result, j);
    }
    write_driver_note(out, report->machine.device);
}

/* ---- Planner --------------------------------------------------------------------------------------- */

static int compare_regret(const void *a, const void *b)
{
    double x = result_regret(*(const struct result *const *)a),
           y = result_regret(*(const struct result *const *)b);
    return (x < y) - (x > y);
}

static void write_planner_cell(FILE *out, const struct result *result)
{
    int best = result_best(result);
    fprintf(out, "| `%s` | %d | %s | %s | %.0f %% |\n", result->what->name, result->threads,
            abbe_method_name(result->chosen),
            best < 0 ? "" : abbe_method_name(result->contenders[best].note.method),
            100 * result_regret(result));
}

static void write_worst_cells(FILE *out, const struct report *report)
{
    const struct result **cells = calloc(report->count, sizeof *cells);
    size_t count = 0;
    if (!cells)
        return;
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].what->every_method)
            cells[count++] = &report->results[i];
    qsort(cells, count, sizeof *cells, compare_regret);
    fputs("\nThe worst choices:\n\n| case | threads | chosen | best | regret |\n|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < count && i < WORST_SHOWN; i++)
        write_planner_cell(out, cells[i]);
    free(cells);
}

static void write_planner_group(FILE *out, const struct report *report, const struct bench_group *group)
{
    fprintf(out, "\n## %s\n\n", group->title);
    fputs("A name consists of picture, kernel, side of the picture and side of the kernel. Regret is the "
          "minimum time of "
          "the chosen method divided by that of the best method, minus one. Methods whose price is twenty "
          "times that "
          "of the choice are not run.\n\n"
          "| threads | choices | within 15 % | mean regret | worst regret |\n|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < report->thread_counts; i++) {
        struct planner_summary summary = planner_summarise(report, report->threads[i]);
        if (summary.cells)
            fprintf(out, "| %d | %zu | %.0f %% | %.1f %% | %.0f %% |\n", summary.threads, summary.cells,
                    100.0 * (double)summary.within / (double)summary.cells, 100 * summary.mean,
                    100 * summary.worst);
    }
    write_worst_cells(out, report);
}

void write_markdown(FILE *out, const struct report *report)
{
    write_preface(out, report);
    write_peer_table(out, report);
    for (const struct bench_group *group = bench_groups; group->name; group++) {
        if (!has_results(report, group->name))
            continue;
        if (!strcmp(group->name, "planner"))
            write_planner_group(out, report, group);
        else if (!strcmp(group->name, "gpu") || !strcmp(group->name, "cuda"))
            write_gpu_group(out, report, group);
        else if (!strcmp(group->name, "gl") || !strcmp(group->name, "frames"))
            write_gl_group(out, report, group);
        else
            write_group(out, report, group);
    }
}
