/* Prints the table on the terminal. */
#include "report.h"

#include <string.h>

/* Load per processor above which threads wait for each other because of other programs. */
static const double BUSY = 0.5;

void table_head(FILE *out, const struct report *report)
{
    const struct machine *machine = &report->machine;
    char text[128];
    describe_peer(&peer_abbe, text, sizeof text);
    fprintf(out, "%s (%s) on %s, %d processor%s, %s; built by %s %s\n", text, machine->device, machine->cpu,
            machine->processors, machine->processors == 1 ? "" : "s", machine->instructions,
            machine->compiler, machine->flags);
    for (const struct peer *const *peer = report->peers; *peer; peer++) {
        describe_peer(*peer, text, sizeof text);
        fprintf(out, "%s%s", peer == report->peers ? "against " : "; ", text);
    }
    fprintf(out, "%sseed %llu, %g s per case", *report->peers ? "; " : "", (unsigned long long)report->seed,
            report->seconds);
    if (machine->load >= 0)
        fprintf(out, ", load %.1f before", machine->load);
    fputs("\n", out);
    if (machine->load > BUSY * machine->processors)
        fputs(
            "the machine is busy: ratios on one thread are rough, those on several threads are meaningless\n",
            out);
}

/* Writes three digits and the unit: "1.23 ms". */
static void format_time(char *text, size_t size, double seconds)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = { { 1, "s " }, { 1e3, "ms" }, { 1e6, "us" }, { 1e9, "ns" } };
    int i = 0;
    while (i < 3 && seconds * units[i].scale < 1)
        i++;
    double value = seconds * units[i].scale;
    snprintf(text, size, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[i].unit);
}

/* ---- Comparison with the peers ------------------------------------------------------------------------- */

static void print_contender(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    const struct figures *figures = &contender->figures;
    char median[16], minimum[16], threads[16] = "", name[PEER_DETAIL + 32];
    format_time(median, sizeof median, figures->median);
    format_time(minimum, sizeof minimum, figures->minimum);
    snprintf(name, sizeof name, "%s, %s", contender->peer->name, contender->note.detail);
    if (index == 0 && kind_is_gpu(result->what->kind))
        snprintf(threads, sizeof threads, "gpu");
    else if (index == 0)
        snprintf(threads, sizeof threads, "%d", result->threads);
    fprintf(out, "%-20s %7s  %-32s %9s %9s  ±%3.0f%% %9.2f", index ? "" : result->what->name, threads, name,
            median, minimum, 100 * figures_spread(figures),
            result->what->frames ? 1 / figures->median : figures_per_pixel(figures, result->what));
    double ratio = result_ratio(result, index);
    if (ratio > 0)
        fprintf(out, "  %6.2f x", ratio);
    if (contender->differs)
        fprintf(out, "  ! off by %.2g%s", contender_deviation(contender),
                result->what->type == ABBE_U8 ? " levels" : "");
    fputs("\n", out);
}

/* ---- The planner's grid -------------------------------------------------------------------------------- */

static const struct contender *find_contender(const struct result *result, abbe_method method)
{
    for (int i = 0; i < result->count; i++)
        if (result->contenders[i].note.method == method)
            return &result->contenders[i];
    return NULL;
}

/* Prints "-" for a method that cannot do the work and "..." for one that was not run because of its price. */
static void print_cell(FILE *out, const struct result *result)
{
    int best = result_best(result);
    bool wrong = false;
    fprintf(out, "%-30s %7d ", result->what->name, result->threads);
    for (abbe_method method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        const struct contender *contender = find_contender(result, method);
        char text[16] = "-";
        if (contender && contender->figures.runs)
            format_time(text, sizeof text, contender->figures.minimum);
        else if (contender)
            snprintf(text, sizeof text, "...");
        wrong |= contender && contender->differs;
        fprintf(out, " %9s", text);
    }
    fprintf(out, "  %-9s  %-9s %5.0f%%%s%s\n", abbe_method_name(result->chosen),
            best < 0 ? "-" : abbe_method_name(result->contenders[best].note.method),
            100 * result_regret(result), result_regret(result) > PLANNER_BOUND ? " <" : "",
            wrong ? "  ! methods differ" : "");
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static void print_column_names(FILE *out, const struct bench_case *what)
{
    if (what->every_method)
        fprintf(out, "\n%-30s %7s  %9s %9s %9s %9s  %-9s  %-9s %6s\n", "case", "threads", "direct",
                "separable", "fft", "tiles", "chosen", "best", "regret");
    else
        fprintf(out, "\n%-20s %7s  %-32s %9s %9s  %5s %9s  %8s\n", "case", "threads", "contender", "median",
                "minimum", "spread", what->frames ? "frames/s" : "ns/pixel",
                what->kind == KIND_GL ? "to fast" : "to Abbe");
}

static bool has_same_columns(const struct bench_case *a, const struct bench_case *b)
{
    return a->every_method == b->every_method && a->frames == b->frames &&
           (a->kind == KIND_GL) == (b->kind == KIND_GL);
}

void table_row(FILE *out, const struct report *report, size_t index)
{
    const struct result *result = &report->results[index];
    bool cell = result->what->every_method;
    if (index == 0 || !has_same_columns(report->results[index - 1].what, result->what))
        print_column_names(out, result->what);
    if (cell)
        print_cell(out, result);
    for (int i = 0; i < result->count && !cell; i++)
        print_contender(out, result, i);
}

/* Lists the cells whose regret exceeds PLANNER_BOUND. */
static void print_worst_cells(FILE *out, const struct report *report, int threads)
{
    const char *before = "  above that: ";
    for (size_t i = 0; i < report->count; i++) {
        const struct result *result = &report->results[i];
        if (!result->what->every_method || result->threads != threads ||
            result_regret(result) <= PLANNER_BOUND)
            continue;
        fprintf(out, "%s%s %.0f%%", before, result->what->name, 100 * result_regret(result));
        before = ", ";
    }
    if (before[0] == ',')
        fputs("\n", out);
}

static void print_planner_summary(FILE *out, const struct report *report,
                                  const struct planner_summary *summary)
{
    fprintf(
        out,
        "\nplanner, %d thread%s: %zu of %zu choices (%.0f%%) cost at most %.0f%% more than the best method; "
        "mean regret %.1f%%, worst %.0f%% (%s)\n",
        summary->threads, summary->threads == 1 ? "" : "s", summary->within, summary->cells,
        100.0 * (double)summary->within / (double)summary->cells, 100 * PLANNER_BOUND, 100 * summary->mean,
        100 * summary->worst, summary->worst_cell->what->name);
    print_worst_cells(out, report, summary->threads);
}

void table_foot(FILE *out, const struct report *report)
{
    if (report->count && report->results[report->count - 1].what->every_method)
        fputs("(minima; - the method cannot do it, ... not run because its price is twenty times that of the "
              "choice)\n",
              out);
    for (int i = 0; i < report->thread_counts; i++) {
        struct planner_summary summary = planner_summarise(report, report->threads[i]);
        if (summary.cells)
            print_planner_summary(out, report, &summary);
    }
}
