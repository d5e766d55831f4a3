/* The report as JSON, for programs: every figure of every contender, in seconds. */
#include "report.h"

#include <math.h>

/* Bytes of the character that begins here, 0 where none does. What is well formed need not be assigned. */
static size_t character(const char *text)
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

/* JSON is UTF-8, and a name of a file need not be. */
static void string(FILE *out, const char *text)
{
    fputc('"', out);
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        bytes = character(text);
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

static void text_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    string(out, text);
}

/* JSON has no infinities and no NaN. */
static void number_field(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, "\"%s\": %.9g", name, value);
    else
        fprintf(out, "\"%s\": null", name);
}

/* Fields behind others. */
static void more_text(FILE *out, const char *name, const char *text)
{
    fputs(", ", out);
    text_field(out, name, text);
}

static void more_number(FILE *out, const char *name, double value)
{
    fputs(", ", out);
    number_field(out, name, value);
}

static void write_machine(FILE *out, const struct report *report)
{
    const struct machine *machine = &report->machine;
    fputs("  \"machine\": { ", out);
    text_field(out, "cpu", machine->cpu);
    fprintf(out, ", \"processors\": %d, ", machine->processors);
    text_field(out, "instructions", machine->instructions);
    more_text(out, "device", machine->device);
    more_text(out, "compiler", machine->compiler);
    more_text(out, "flags", machine->flags);
    more_number(out, "load", machine->load);
    fputs(" },\n", out);
}

static void write_peers(FILE *out, const struct report *report)
{
    fputs("  \"peers\": [", out);
    for (const struct peer *const *peer = report->peers; *peer; peer++) {
        char version[48] = "";
        if (!(*peer)->absent)
            (*peer)->version(version, sizeof version);
        fputs(peer == report->peers ? " { " : ", { ", out);
        text_field(out, "name", (*peer)->name);
        fprintf(out, ", \"present\": %s, ", (*peer)->absent ? "false" : "true");
        text_field(out, "version", version);
        fputs(" }", out);
    }
    fputs(" ],\n", out);
}

static void write_figures(FILE *out, const struct figures *figures)
{
    fprintf(out, ", \"runs\": %zu, ", figures->runs);
    number_field(out, "median", figures->median);
    more_number(out, "minimum", figures->minimum);
    more_number(out, "lower_quartile", figures->lower);
    more_number(out, "upper_quartile", figures->upper);
}

static void write_contender(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    fputs("\n      { ", out);
    text_field(out, "name", contender->peer->name);
    more_text(out, "detail", contender->note.detail);
    if (contender->figures.runs) {
        write_figures(out, &contender->figures);
        more_number(out, "prepare", contender->prepare);
        more_number(out, "error", contender->error);
        more_number(out, "difference", contender->difference);
        fprintf(out, ", \"agrees\": %s", contender->differs ? "false" : "true");
    } else {
        fputs(", \"runs\": 0", out);
    }
    if (contender->peer->own) {
        more_text(out, "method", abbe_method_name(contender->note.method));
        more_number(out, "predicted", contender->note.predicted);
    }
    if (result_ratio(result, index) > 0)
        more_number(out, "ratio", result_ratio(result, index));
    fputs(" }", out);
}

static void write_result(FILE *out, const struct result *result)
{
    const struct bench_case *what = result->what;
    fputs("\n    { ", out);
    text_field(out, "case", what->name);
    more_text(out, "group", what->group);
    fprintf(out, ", \"threads\": %d, \"width\": %d, \"height\": %d, \"channels\": %d, ", result->threads,
            what->width, what->height, what->channels);
    text_field(out, "type", type_name(what->type));
    more_text(out, "border", abbe_border_name(what->border));
    fprintf(out, ", \"kernel\": %d", what->side);
    if (what->every_method) {
        int best = result_best(result);
        more_text(out, "chosen", abbe_method_name(result->chosen));
        more_text(out, "best", best < 0 ? "" : abbe_method_name(result->contenders[best].note.method));
        more_number(out, "regret", result_regret(result));
    }
    fputs(",\n      \"contenders\": [", out);
    for (int i = 0; i < result->count; i++) {
        fputs(i ? "," : "", out);
        write_contender(out, result, i);
    }
    fputs(" ] }", out);
}

static void write_planner(FILE *out, const struct report *report)
{
    bool first = true;
    fputs("  \"planner\": [", out);
    for (int i = 0; i < report->thread_counts; i++) {
        struct planner_summary summary = planner_summarise(report, report->threads[i]);
        if (summary.cells == 0)
            continue;
        fprintf(out, "%s { \"threads\": %d, \"cells\": %zu, \"within\": %zu, ", first ? "" : ",",
                summary.threads, summary.cells, summary.within);
        number_field(out, "bound", PLANNER_BOUND);
        more_number(out, "mean", summary.mean);
        more_number(out, "worst", summary.worst);
        more_text(out, "worst_case", summary.worst_cell->what->name);
        fputs(" }", out);
        first = false;
    }
    fputs(" ],\n", out);
}

void write_json(FILE *out, const struct report *report)
{
    fputs("{\n  ", out);
    text_field(out, "program", "abbe-bench");
    fputs(",\n  ", out);
    text_field(out, "version", abbe_version());
    fputs(",\n  ", out);
    text_field(out, "command", report->command);
    fputs(",\n  ", out);
    text_field(out, "device", report->device);
    fprintf(out, ",\n  \"seed\": %llu,\n  ", (unsigned long long)report->seed);
    number_field(out, "seconds_per_case", report->seconds);
    fputs(",\n", out);
    write_machine(out, report);
    write_peers(out, report);
    write_planner(out, report);
    fputs("  \"results\": [", out);
    for (size_t i = 0; i < report->count; i++) {
        fputs(i ? "," : "", out);
        write_result(out, &report->results[i]);
    }
    fputs(" ]\n}\n", out);
}
