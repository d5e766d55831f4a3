/* Writes the report as JSON, for programs: every figure of every contender, in seconds. */
#include "report.h"

#include <math.h>

/* Length of the UTF-8 sequence at `text`, or 0 if it is not
 * well formed. Unassigned code points are accepted. */
static size_t utf8_length(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    size_t bytes = first < 0x80   ? 1
                   : first < 0xC2 ? 0
                   : first < 0xE0 ? 2
                   : first < 0xF0 ? 3
                   : first < 0xF5 ? 4
                                  : 0;
    for (size_t i = 1; i < bytes; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    unsigned char second = bytes > 1 ? (unsigned char)text[1] : 0;
    bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : bytes;
}

/* Writes a quoted string. JSON is UTF-8 but file names need not be: other bytes become U+FFFD. */
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        bytes = utf8_length(text);
        if (bytes == 0)
            fputs("\\ufffd", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, bytes, out);
    }
    fputc('"', out);
}

static void write_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    write_string(out, text);
}

/* JSON has neither infinities nor NaN; both become null. */
static void write_number(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, "\"%s\": %.9g", name, value);
    else
        fprintf(out, "\"%s\": null", name);
}

/* Fields that follow another one. */
static void write_next_text(FILE *out, const char *name, const char *text)
{
    fputs(", ", out);
    write_text(out, name, text);
}

static void write_next_number(FILE *out, const char *name, double value)
{
    fputs(", ", out);
    write_number(out, name, value);
}

static void write_json_machine(FILE *out, const struct report *report)
{
    const struct machine *machine = &report->machine;
    fputs("  \"machine\": { ", out);
    write_text(out, "cpu", machine->cpu);
    fprintf(out, ", \"processors\": %d, ", machine->processors);
    write_text(out, "instructions", machine->instructions);
    write_next_text(out, "device", machine->device);
    write_next_text(out, "compiler", machine->compiler);
    write_next_text(out, "flags", machine->flags);
    write_next_number(out, "load", machine->load);
    if (report->counts) {
        write_next_text(out, "vulkan", report->gpu);
        write_next_text(out, "gl", report->gl);
    }
    fputs(" },\n", out);
}

static void write_json_peers(FILE *out, const struct report *report)
{
    fputs("  \"peers\": [", out);
    for (const struct peer *const *peer = report->peers; *peer; peer++) {
        char version[48] = "";
        if (!(*peer)->absent)
            (*peer)->version(version, sizeof version);
        fputs(peer == report->peers ? " { " : ", { ", out);
        write_text(out, "name", (*peer)->name);
        fprintf(out, ", \"present\": %s, ", (*peer)->absent ? "false" : "true");
        write_text(out, "version", version);
        fputs(" }", out);
    }
    fputs(" ],\n", out);
}

static void write_json_figures(FILE *out, const struct figures *figures)
{
    fprintf(out, ", \"runs\": %zu, ", figures->runs);
    write_number(out, "median", figures->median);
    write_next_number(out, "minimum", figures->minimum);
    write_next_number(out, "lower_quartile", figures->lower);
    write_next_number(out, "upper_quartile", figures->upper);
}

static void write_json_contender(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    fputs("\n      { ", out);
    write_text(out, "name", contender->peer->name);
    write_next_text(out, "detail", contender->note.detail);
    if (contender->figures.runs) {
        write_json_figures(out, &contender->figures);
        write_next_number(out, "prepare", contender->prepare);
        write_next_number(out, "error", contender->error);
        write_next_number(out, "difference", contender->difference);
        fprintf(out, ", \"agrees\": %s", contender->differs ? "false" : "true");
    } else {
        fputs(", \"runs\": 0", out);
    }
    if (contender->peer->own) {
        write_next_text(out, "method", abbe_method_name(contender->note.method));
        write_next_number(out, "predicted", contender->note.predicted);
    }
    if (result_ratio(result, index) > 0)
        write_next_number(out, "ratio", result_ratio(result, index));
    fputs(" }", out);
}

static void write_json_result(FILE *out, const struct result *result)
{
    const struct bench_case *what = result->what;
    fputs("\n    { ", out);
    write_text(out, "case", what->name);
    write_next_text(out, "group", what->group);
    fprintf(out, ", \"threads\": %d, \"width\": %d, \"height\": %d, \"channels\": %d, ", result->threads,
            what->width, what->height, what->channels);
    write_text(out, "type", abbe_type_name(what->type));
    write_next_text(out, "border", abbe_border_name(what->border));
    fprintf(out, ", \"kernel\": %d", what->side);
    if (what->every_method) {
        int best = result_best(result);
        write_next_text(out, "chosen", abbe_method_name(result->chosen));
        write_next_text(out, "best", best < 0 ? "" : abbe_method_name(result->contenders[best].note.method));
        write_next_number(out, "regret", result_regret(result));
    }
    fputs(",\n      \"contenders\": [", out);
    for (int i = 0; i < result->count; i++) {
        fputs(i ? "," : "", out);
        write_json_contender(out, result, i);
    }
    fputs(" ] }", out);
}

static void write_json_planner(FILE *out, const struct report *report)
{
    bool first = true;
    fputs("  \"planner\": [", out);
    for (int i = 0; i < report->thread_counts; i++) {
        struct planner_summary summary = planner_summarise(report, report->threads[i]);
        if (summary.cells == 0)
            continue;
        fprintf(out, "%s { \"threads\": %d, \"cells\": %zu, \"within\": %zu, ", first ? "" : ",",
                summary.threads, summary.cells, summary.within);
        write_number(out, "bound", PLANNER_BOUND);
        write_next_number(out, "mean", summary.mean);
        write_next_number(out, "worst", summary.worst);
        write_next_text(out, "worst_case", summary.worst_cell->what->name);
        fputs(" }", out);
        first = false;
    }
    fputs(" ],\n", out);
}

/* ---- For the page about the papers --------------------------------------------------------------------- */

static void write_reason(FILE *out, bool *first, const char *what, const char *reason)
{
    if (!*reason)
        return;
    fprintf(out, "%s { ", *first ? "" : ",");
    write_text(out, "what", what);
    write_next_text(out, "reason", reason);
    fputs(" }", out);
    *first = false;
}

static void write_json_counts(FILE *out, const struct report *report)
{
    const struct count_list *counts = report->counts;
    bool first = true;
    fputs("  \"left_out\": [", out);
    write_reason(out, &first, "cases on a GPU", report->gpu_problem);
    write_reason(out, &first, "cases of CUDA", report->cuda_problem);
    write_reason(out, &first, "cases of OpenGL", report->gl_problem);
    write_reason(out, &first, "counts of instructions", counts->problem);
    fputs(" ],\n  \"counts\": [", out);
    for (int i = 0; i < counts->count; i++) {
        const struct count_row *row = &counts->rows[i];
        fprintf(out, "%s\n    { ", i ? "," : "");
        write_text(out, "engine", row->engine);
        write_next_text(out, "program", row->program);
        fprintf(out,
                ", \"variants\": %d, \"arithmetic_least\": %d, \"arithmetic_most\": %d, "
                "\"lookups_least\": %d, \"lookups_most\": %d, \"fragments\": %.0f, "
                "\"operations\": %.0f, \"lookups\": %.0f, \"texels\": %.0f }",
                row->variants, row->arithmetic[0], row->arithmetic[1], row->lookups[0], row->lookups[1],
                row->fragments, row->operations, row->fetched, row->written);
    }
    fputs(" ],\n", out);
}

void write_json(FILE *out, const struct report *report)
{
    fputs("{\n  ", out);
    write_text(out, "program", "abbe-bench");
    fputs(",\n  ", out);
    write_text(out, "version", abbe_version());
    fputs(",\n  ", out);
    write_text(out, "command", report->command);
    fputs(",\n  ", out);
    write_text(out, "device", report->device);
    fprintf(out, ",\n  \"seed\": %llu,\n  ", (unsigned long long)report->seed);
    write_number(out, "seconds_per_case", report->seconds);
    fputs(",\n", out);
    write_json_machine(out, report);
    write_json_peers(out, report);
    write_json_planner(out, report);
    if (report->counts)
        write_json_counts(out, report);
    fputs("  \"results\": [", out);
    for (size_t i = 0; i < report->count; i++) {
        fputs(i ? "," : "", out);
        write_json_result(out, &report->results[i]);
    }
    fputs(" ]\n}\n", out);
}
