/* Begins and ends the page, and writes the cells of its tables. */
#include "papers/page.h"

#include "cases.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Figures ------------------------------------------------------------------------------------------- */

char machine_letter(int machine)
{
    return (char)('A' + machine);
}

static const struct value *find_result(const struct value *report, const char *name)
{
    const struct value *results = document_get(report, "results");
    const struct value *result = results ? results->first : NULL;
    while (result && strcmp(document_text(result, "case"), name))
        result = result->next;
    return result;
}

/* The contender whose item `key` is `word`. */
static const struct value *find_contender(const struct value *result, const char *key, const char *word)
{
    const struct value *list = document_get(result, "contenders");
    const struct value *contender = list ? list->first : NULL;
    while (contender && strcmp(document_text(contender, key), word))
        contender = contender->next;
    return contender;
}

/* The contender of a case of a machine; a macro, because functions cannot share the arguments of printf. */
#define FIND(out, key, word)                                                        \
    do {                                                                            \
        char text[CASE_NAME];                                                       \
        va_list arguments;                                                          \
        va_start(arguments, name);                                                  \
        vsnprintf(text, sizeof text, name, arguments);                              \
        va_end(arguments);                                                          \
        out = find_contender(find_result(page->reports[machine], text), key, word); \
    } while (0)

double seconds_of(const struct page *page, int machine, const char *contender, const char *name, ...)
{
    const struct value *found;
    FIND(found, "name", contender);
    return document_number(found, "median");
}

double method_seconds(const struct page *page, int machine, const char *method, const char *name, ...)
{
    const struct value *found;
    FIND(found, "method", method);
    return document_number(found, "median");
}

const char *detail_of(const struct page *page, int machine, const char *contender, const char *name, ...)
{
    const struct value *found;
    FIND(found, "name", contender);
    return document_text(found, "detail");
}

double rate(double seconds)
{
    return seconds > 0 ? 1 / seconds : 0;
}

double ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : 0;
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

void put_cell(FILE *out, double value)
{
    if (!(value > 0))
        fputs(" |", out);
    else if (value < 1)
        fprintf(out, " %.3g |", value);
    else
        fprintf(out, " %.*f |", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

void put_row(FILE *out, const double *values, int count, const char *format, ...)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || values[i] > 0;
    if (!any)
        return;
    va_list arguments;
    fputs("| ", out);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputs(" |", out);
    for (int i = 0; i < count; i++)
        put_cell(out, values[i]);
    fputs("\n", out);
}

void put_head(FILE *out, const char *first, const char *const *names, int count)
{
    fprintf(out, "\n| %s |", first);
    for (int i = 0; i < count; i++)
        fprintf(out, " %s |", names[i]);
    fputs("\n|---|", out);
    for (int i = 0; i < count; i++)
        fputs("--:|", out);
    fputs("\n", out);
}

void put_chart(struct page *page, const char *name, const char *text, const struct chart *chart)
{
    if (!chart_has_figures(chart))
        return;
    page->failed = !page->draw(page->user, name, chart) || page->failed;
    fprintf(page->out, "\n![%s](%s/%s.svg)\n", text, page->charts, name);
}

/* ---- The beginning ------------------------------------------------------------------------------------- */

static bool is_software(const char *driver)
{
    return strstr(driver, "llvmpipe") || strstr(driver, "softpipe") || strstr(driver, "SwiftShader");
}

static void write_machine(const struct page *page, int i)
{
    const struct value *report = page->reports[i], *machine = document_get(report, "machine");
    const struct value *results = document_get(report, "results");
    double threads = document_number(results ? results->first : NULL, "threads");
    const char *gpu = document_text(machine, "vulkan"), *gl = document_text(machine, "gl");
    fprintf(page->out,
            "| **%c** | %s, %.0f processor%s, %s; %.0f thread%s | %s | %s | Abbe %s, %s %s; load %.1f |\n",
            machine_letter(i), document_text(machine, "cpu"), document_number(machine, "processors"),
            document_number(machine, "processors") > 1 ? "s" : "", document_text(machine, "instructions"),
            threads, threads > 1 ? "s" : "", *gpu ? gpu : "none", *gl ? gl : "none",
            document_text(report, "version"), document_text(machine, "compiler"),
            document_text(machine, "flags"), document_number(machine, "load"));
}

/* Load per processor above which other programs disturb the figures. */
static const double BUSY = 0.5;

static void write_software_note(const struct page *page, int machine, const char *interface,
                                const char *driver)
{
    if (is_software(driver))
        fprintf(page->out,
                "\nOn machine %c %s runs on the processor (llvmpipe). **Its figures mislead**: it computes "
                "every texel "
                "in software, so passes that are nearly free on a GPU cost as much as arithmetic. They say "
                "which work "
                "is done, not how fast a GPU does it.\n",
                machine_letter(machine), interface);
}

static void write_warnings(const struct page *page)
{
    for (int i = 0; i < page->count; i++) {
        const char *gl = document_text(document_get(page->reports[i], "machine"), "gl");
        const struct value *machine = document_get(page->reports[i], "machine");
        if (document_number(machine, "load") > BUSY * document_number(machine, "processors"))
            fprintf(page->out,
                    "\nMachine %c was busy with other work (see its load): **its figures are rough**, and "
                    "those of some "
                    "cells may be several times too slow.\n",
                    machine_letter(i));
        write_software_note(page, i, "OpenGL", gl);
        write_software_note(page, i, "Vulkan", document_text(machine, "vulkan"));
        if (strstr(gl, "H200"))
            fprintf(page->out,
                    "\nOn machine %c OpenGL draws with 2 of the 66 processor clusters of an H200, so its "
                    "figures of "
                    "`gl` are a small part of the GPU's might; the fragment engines are for browsers and "
                    "small GPUs. "
                    "The device `vulkan` computes with all of them.\n",
                    machine_letter(i));
    }
}

static void write_commands(const struct page *page)
{
    fputs("\n```sh\n", page->out);
    for (int i = 0; i < page->count; i++)
        fprintf(page->out, "%s    # machine %c\n", document_text(page->reports[i], "command"),
                machine_letter(i));
    fputs("```\n", page->out);
}

static void write_start(const struct page *page)
{
    fputs("# The papers' figures beside ours\n\n"
          "Four papers are the reason for Abbe. This page has every table and chart of theirs that holds "
          "measurements, with "
          "today's figures beside them. `abbe-bench papers` measures and writes it whole; `scripts/bench "
          "--papers` does so "
          "from a fresh build. Figures of the papers are typed from their tables, or from their text where "
          "only a chart "
          "shows them. All others are medians of the JSON reports named below.\n",
          page->out);
    write_commands(page);
    fputs("\n| machine | processor and threads | Vulkan | OpenGL | build; load average before the start |\n"
          "|---|---|---|---|---|\n",
          page->out);
    for (int i = 0; i < page->count; i++)
        write_machine(page, i);
    write_warnings(page);
    fputs(
        "\nPictures are in memory and stay there; on a GPU they stay in its memory. Plans are made in "
        "advance. Before the "
        "timing, 32 pixels of each result are compared with the convolution formula if the filter is a "
        "kernel, and all of its "
        "pixels with those of the first contender; `agrees` in the JSON reports tells whether both differ by "
        "rounding only. Copies and "
        "frames without a filter have nothing to compare, and Payne's loops are not checked where all of the "
        "picture would "
        "take them long: they are timed on a part of it. *×* is how many times faster.\n",
        page->out);
}

/* ---- What is missing ----------------------------------------------------------------------------------- */

static bool is_measured(const struct page *page, const char *name)
{
    for (int i = 0; i < page->count; i++) {
        const struct value *list = document_get(find_result(page->reports[i], name), "contenders");
        if (list && list->first)
            return true;
    }
    return false;
}

/* Length of a case's name without the numbers at its end: "fialka7" of "fialka7-512-33". */
static size_t series_length(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = length; i > 0 && (isdigit((unsigned char)name[i - 1]) || name[i - 1] == '-'); i--)
        if (name[i - 1] == '-')
            length = i - 1;
    return length;
}

/* Lists the cases of the group papers that no machine has measured, a series a line. */
static void write_missing(const struct page *page)
{
    size_t count = 0;
    struct bench_case *cases = cases_create(&count);
    bool any = false;
    for (size_t i = 0; cases && i < count;) {
        size_t length = series_length(cases[i].name), next = i, missing = 0;
        for (; next < count && series_length(cases[next].name) == length &&
               !strncmp(cases[next].name, cases[i].name, length);
             next++)
            missing += cases[next].papers && !is_measured(page, cases[next].name);
        if (missing && !any)
            fputs("\n## Not measured\n\nNo machine of this page has run these cases of `abbe-bench "
                  "--list`:\n\n",
                  page->out);
        if (missing)
            fprintf(page->out, "- `%.*s`: %zu of %zu\n", (int)length, cases[i].name, missing, next - i);
        any = any || missing;
        i = next;
    }
    free(cases);
    for (int i = 0; i < page->count; i++) {
        const struct value *reasons = document_get(page->reports[i], "left_out");
        for (const struct value *one = reasons ? reasons->first : NULL; one; one = one->next)
            fprintf(page->out, "\nMachine %c, %s: %s.\n", machine_letter(i), document_text(one, "what"),
                    document_text(one, "reason"));
    }
}

void page_write(struct page *page)
{
    write_start(page);
    write_moreland(page);
    write_payne(page);
    write_fialka(page);
    write_podlozhnyuk(page);
    write_missing(page);
}
