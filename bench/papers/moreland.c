/* Moreland & Angel 2003: the FFT as fragment programs. */
#include "papers/page.h"

#include <math.h>
#include <string.h>

/* Tables 1 and 2 of the paper, with the file of our engine that does the same. Invocations are for M = N = 1024. */
static const struct program {
    const char *name, *file;
    int arithmetic, texture;
    double invocations, operations, read, written; /* megabytes of 2^20 bytes */
} programs[] = {
    { "FFT", "moreland_fft.frag", 27, 3, 41943040, 1132462080, 1920, 640 },
    { "Untangle", "moreland_untangle.frag", 4, 2, 1048572, 4194288, 32, 16 },
    { "Scale", "moreland_scale.frag", 1, 1, 1050624, 1050624, 16, 16 },
    { "Tangle", "moreland_tangle.frag", 1, 2, 1048572, 1048572, 32, 16 },
    { "Pass", "moreland_pass.frag", 0, 1, 1050624, 0, 16, 16 },
    { "Multiply", "moreland_multiply.frag", 66, 4, 1048576, 69206016, 64, 16 },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };
static const double total_2003[3] = { 1207961580, 2080, 720 };

/* Table 3: frames per second, seconds of arithmetic and of look-ups. */
enum { SIZES = 4 };
static const int sizes[SIZES] = { 128, 256, 512, 1024 };
static const double rates_2003[SIZES] = { 25, 6.7, 1.6, 0.37 };
static const double arithmetic_2003[SIZES] = { 0.01, 0.09, 0.44, 1.9 };
static const double lookups_2003[SIZES] = { 0.007, 0.03, 0.13, 0.60 };

/* Seconds for four planes of 1024²: FFTW on a Xeon of 1.7 GHz, and the GPU. */
static const double fftw_2003 = 0.625, gpu_2003 = 2.7;

static const char *const engines[] = { "moreland", "fialka", "fast" };
enum { ENGINES = 3 };

static const char text[] = "\n## Moreland & Angel 2003: the FFT on a GPU\n\n"
                           "*The FFT on a GPU.* A GeForce FX 5800 Ultra draws a teapot and filters it by "
                           "fragment programs. `gl:moreland` is that "
                           "system as published, `gl:fialka` that of 2006, `gl:fast` ours.\n\n"
                           "Tables 1 and 2: what filtering 1024² RGBA takes. Ours are counted by the "
                           "program: fragments from the rectangles that the "
                           "engine draws, instructions from its shaders, compiled to SPIR-V and optimised by "
                           "`spirv-opt`; the paper's are those of "
                           "its GPU. An instruction on four components counts as one, moving components is "
                           "free, and both sides of a branch count. "
                           "As in the paper, a look-up is 16 bytes (those of tables and of H are fewer) and "
                           "so is each texel that is written. Our "
                           "FFT looks sines up, which makes four look-ups of three. `load.frag` and "
                           "`finish.frag` read and write the application's "
                           "textures, with every border, type and alpha as branches; the engine `fast` reads "
                           "the source in its first step. Totals "
                           "leave these two out, because the paper has no such programs.\n";

/* ---- Tables 1 and 2 ------------------------------------------------------------------------------------ */

/* The counts of the first machine that has any; NULL if none has. */
static const struct value *find_counts(const struct page *page)
{
    for (int i = 0; i < page->count; i++) {
        const struct value *counts = document_get(page->reports[i], "counts");
        if (counts && counts->first)
            return counts->first;
    }
    return NULL;
}

static const struct program *find_program(const char *file)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (!strcmp(programs[i].file, file))
            return &programs[i];
    return NULL;
}

static void put_range(FILE *out, const struct value *row, const char *low, const char *high)
{
    double a = document_number(row, low), b = document_number(row, high);
    if (a < b)
        fprintf(out, " %.0f to %.0f |", a, b);
    else
        fprintf(out, " %.0f |", a);
}

static void write_table_1(const struct page *page, const struct value *counts)
{
    fputs("\n| program of the engine | variants | arithmetic | look-ups | fragments | 2003: program | "
          "arithmetic | texture | "
          "invocations |\n|---|--:|--:|--:|--:|---|--:|--:|--:|\n",
          page->out);
    for (const struct value *row = counts; row; row = row->next) {
        const struct program *then = find_program(document_text(row, "program"));
        fprintf(page->out, "| %s: `%s` | %.0f |", document_text(row, "engine"), document_text(row, "program"),
                document_number(row, "variants"));
        put_range(page->out, row, "arithmetic_least", "arithmetic_most");
        put_range(page->out, row, "lookups_least", "lookups_most");
        fprintf(page->out, " %.0f |", document_number(row, "fragments"));
        if (then)
            fprintf(page->out, " %s | %d | %d | %.0f |\n", then->name, then->arithmetic, then->texture,
                    then->invocations);
        else
            fputs(" | | | |\n", page->out);
    }
}

static const double MEGABYTE = 1024 * 1024;
static const double TEXEL = 16;

static void put_work(FILE *out, double operations, double fetched, double written)
{
    fprintf(out, " %.0f | %.0f | %.0f |", operations, fetched * TEXEL / MEGABYTE, written * TEXEL / MEGABYTE);
}

/* Programs that read and write the application's textures, which the system of 2003 drew itself. */
static bool is_outside(const char *file)
{
    return !strcmp(file, "load.frag") || !strcmp(file, "finish.frag");
}

/* The sums of an engine over its programs, without those outside. */
static void add_up(const struct value *counts, const char *engine, double sums[3])
{
    sums[0] = sums[1] = sums[2] = 0;
    for (const struct value *row = counts; row; row = row->next) {
        if (strcmp(document_text(row, "engine"), engine) || is_outside(document_text(row, "program")))
            continue;
        sums[0] += document_number(row, "operations");
        sums[1] += document_number(row, "lookups");
        sums[2] += document_number(row, "texels");
    }
}

static void write_table_2(const struct page *page, const struct value *counts)
{
    fputs("\n| program of the engine | operations | MB read | MB written | 2003: operations | MB read | MB "
          "written |\n"
          "|---|--:|--:|--:|--:|--:|--:|\n",
          page->out);
    for (const struct value *row = counts; row; row = row->next) {
        const struct program *then = find_program(document_text(row, "program"));
        fprintf(page->out, "| %s: `%s` |", document_text(row, "engine"), document_text(row, "program"));
        put_work(page->out, document_number(row, "operations"), document_number(row, "lookups"),
                 document_number(row, "texels"));
        if (then)
            fprintf(page->out, " %.0f | %.0f | %.0f |\n", then->operations, then->read, then->written);
        else
            fputs(" | | |\n", page->out);
    }
    for (int i = 0; i < ENGINES; i++) {
        double sums[3];
        add_up(counts, engines[i], sums);
        fprintf(page->out, "| **%s: total without load and finish** |", engines[i]);
        put_work(page->out, sums[0], sums[1], sums[2]);
        if (i == 0)
            fprintf(page->out, " %.0f | %.0f | %.0f |\n", total_2003[0], total_2003[1], total_2003[2]);
        else
            fputs(" | | |\n", page->out);
    }
}

/* ---- Table 3 ------------------------------------------------------------------------------------------- */

enum { COLUMNS = 7 };

/* Milliseconds of a frame's parts: whole, scene, passes, arithmetic, look-ups. */
static void put_shares(const struct page *page, int machine, const char *engine, int size, double rate_2003)
{
    char blind[64], idle[64];
    snprintf(blind, sizeof blind, "%s, no look-ups", engine);
    snprintf(idle, sizeof idle, "%s, outputs only", engine);
    double whole = seconds_of(page, machine, engine, "shares-%d", size);
    double without = seconds_of(page, machine, blind, "shares-%d", size);
    double passes = seconds_of(page, machine, idle, "shares-%d", size);
    double scene = seconds_of(page, machine, "scene alone", "shares-%d", size);
    put_row(page->out,
            (double[]){ rate(whole), 1e3 * whole, 1e3 * scene, 1e3 * (passes - scene),
                        1e3 * (without - passes), 1e3 * (whole - without), ratio(rate(whole), rate_2003) },
            COLUMNS, "%d², %c: %s", size, machine_letter(machine), engine);
}

static void write_table_3(const struct page *page)
{
    static const char *const names[COLUMNS] = { "frames/s",       "ms",           "scene, ms", "passes, ms",
                                                "arithmetic, ms", "look-ups, ms", "× 2003" };
    fputs("\nTable 3: frames of the scene, drawn and filtered. The paper removed texture and arithmetic from "
          "its programs and saw "
          "what remained, and so does this page: a frame whose shaders take coordinates for texels, one "
          "whose shaders only write "
          "zeros, and the scene alone; *passes* is what writing and switching cost. A difference that noise "
          "makes negative is "
          "left empty. *cpu* downloads the scene and filters it in memory.\n",
          page->out);
    put_head(page->out, "picture", names, COLUMNS);
    for (int i = 0; i < SIZES; i++) {
        put_row(page->out,
                (double[]){ rates_2003[i], 1e3 / rates_2003[i], 0, 0, 1e3 * arithmetic_2003[i],
                            1e3 * lookups_2003[i], 0 },
                COLUMNS, "%d², 2003", sizes[i]);
        for (int machine = 0; machine < page->count; machine++) {
            put_shares(page, machine, "gl:moreland", sizes[i], rates_2003[i]);
            put_shares(page, machine, "gl:fast", sizes[i], rates_2003[i]);
            double cpu = seconds_of(page, machine, "cpu", "shares-%d", sizes[i]);
            put_row(page->out,
                    (double[]){ rate(cpu), 1e3 * cpu, 0, 0, 0, 0, ratio(rate(cpu), rates_2003[i]) }, COLUMNS,
                    "%d², %c: cpu", sizes[i], machine_letter(machine));
        }
    }
}

static void draw_frames(struct page *page)
{
    static const char *const contenders[] = { "gl:moreland", "gl:fast", "cpu" };
    struct chart chart = { .title = "Frames of the scene, drawn and filtered",
                           .x_title = "side of the picture",
                           .y_title = "frames per second" };
    struct chart_line *line = chart_add(&chart, 1, "2003: GeForce FX 5800 Ultra");
    for (int i = 0; i < SIZES; i++)
        chart_point(line, sizes[i], rates_2003[i]);
    for (int machine = 0; machine < page->count; machine++)
        for (int j = 0; j < 3; j++) {
            line = chart_add(&chart, 0, "%c: %s", machine_letter(machine), contenders[j]);
            for (int i = 0; i < SIZES; i++)
                chart_point(line, sizes[i],
                            rate(seconds_of(page, machine, contenders[j], "shares-%d", sizes[i])));
            if (line && line->count == 0)
                chart.count--;
        }
    put_chart(page, "moreland", "Frames per second over the side of the picture, in 2003 and now", &chart);
}

/* ---- The text's figures -------------------------------------------------------------------------------- */

static void write_comparison(const struct page *page)
{
    static const char *const names[] = { "ms", "× FFTW of 2003" };
    static const struct {
        const char *label, *contender, *name;
    } rows[] = { { "Abbe, CPU", "Abbe", "moreland-1024" },
                 { "FFTW", "FFTW", "moreland-1024" },
                 { "Abbe, GPU", "Abbe", "moreland-gpu-1024" },
                 { "cuFFT", "cuFFT", "moreland-gpu-1024" },
                 { "VkFFT", "VkFFT", "moreland-gpu-1024" },
                 { "`gl:moreland`, with the scene", "gl:moreland", "shares-1024" },
                 { "`gl:fast`, with the scene", "gl:fast", "shares-1024" } };
    fputs("\nTheir comparison with FFTW: forward transform, multiplication and inverse transform of four "
          "float planes of 1024².\n",
          page->out);
    put_head(page->out, "contender", names, 2);
    put_row(page->out, (double[]){ 1e3 * fftw_2003, 1 }, 2, "2003: FFTW, Xeon of 1.7 GHz");
    put_row(page->out, (double[]){ 1e3 * gpu_2003, ratio(fftw_2003, gpu_2003) }, 2,
            "2003: GPU, with the scene");
    for (int i = 0; i < page->count; i++)
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
            double seconds = seconds_of(page, i, rows[j].contender, "%s", rows[j].name);
            put_row(page->out, (double[]){ 1e3 * seconds, ratio(fftw_2003, seconds) }, 2, "%c: %s",
                    machine_letter(i), rows[j].label);
        }
}

static void write_throughput(const struct page *page, const struct value *counts)
{
    fputs("\nThey reckoned 2.5 GFLOPS, an instruction being four operations, and 3.4 GB/s of texture reads "
          "from tables 2 and 3",
          page->out);
    for (int i = 0; i < page->count && counts; i++) {
        double sums[3];
        double seconds = seconds_of(page, i, "gl:moreland", "shares-1024") -
                         seconds_of(page, i, "scene alone", "shares-1024");
        add_up(counts, "moreland", sums);
        if (seconds > 0)
            fprintf(page->out, "; machine %c runs the same engine at %.3g GFLOPS and %.3g GB/s",
                    machine_letter(i), 4e-9 * sums[0] / seconds, 1e-9 * TEXEL * sums[1] / seconds);
    }
    fputs(". Their figures 1 to 3 are drawings; figures 4 and 5 are in the [gallery](gallery.md).\n",
          page->out);
}

void write_moreland(struct page *page)
{
    const struct value *counts = find_counts(page);
    fputs(text, page->out);
    if (counts) {
        write_table_1(page, counts);
        write_table_2(page, counts);
    }
    write_table_3(page);
    draw_frames(page);
    write_comparison(page);
    write_throughput(page, counts);
}
