/* The page of OpenGL's cases: engines beside each other, and frames per second. */
#include "report.h"

#include <string.h>

/* Frames per second of Moreland & Angel 2003, table 3, on a GeForce FX 5800 Ultra; 0 for other sizes. */
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

static void write_start(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    fprintf(out, "| `%s` | %d | %s, %s |", result->what->name, result->threads, contender->peer->name,
            contender->note.detail);
}

static void write_end(FILE *out, const struct result *result, int index)
{
    if (index > 0)
        fprintf(out, " **%.2f ×**", result_ratio(result, index));
    if (result->contenders[index].differs)
        fprintf(out, ", off by %.2g", contender_deviation(&result->contenders[index]));
    fputs(" |\n", out);
}

static void write_filtering(FILE *out, const struct result *result, int index)
{
    const struct figures *figures = &result->contenders[index].figures;
    write_start(out, result, index);
    fprintf(out, " %.3f ±%.0f %% | %.2f |", 1e3 * figures->median, 100 * figures_spread(figures),
            figures_per_pixel(figures, result->what));
    write_end(out, result, index);
}

static void write_frame(FILE *out, const struct result *result, int index)
{
    const struct contender *contender = &result->contenders[index];
    double published = contender->peer == &peer_frames_moreland ? published_rate(result->what->width) : 0;
    write_start(out, result, index);
    fprintf(out, " %.1f | %.3f ±%.0f %% |", 1 / contender->figures.median, 1e3 * contender->figures.median,
            100 * figures_spread(&contender->figures));
    if (published > 0)
        fprintf(out, " %g |", published);
    else
        fputs(" |", out);
    write_end(out, result, index);
}

static const char filtering_head[] = "The engines filter from texture to texture, RGBA floats, in the "
                                     "benchmark's own context: the mean of as many "
                                     "filterings as fill a millisecond (64 at most), by the host's clock, "
                                     "which is read after glFinish. *+ copies* is a "
                                     "picture in the host's memory, brought to the driver, filtered and "
                                     "taken back. The CPU and FFTW have theirs where they "
                                     "need it, on as many threads as the table says; a software driver takes "
                                     "every processor. FFTW filters four planes, "
                                     "which are split before and joined after. Whoever uses OpenGL has "
                                     "worked for 0.15 s before any clock runs. × is how "
                                     "much longer it takes than `gl:fast`.\n\n"
                                     "| case | threads | by | ms | ns/pixel | |\n|---|---|---|---|---|---|\n";

static const char frames_head[] =
    "Table 3 of Moreland & Angel 2003: the scene is drawn anew for every frame, one sample a pixel, turned "
    "by a degree, "
    "and filtered. With the engines of `gl` it stays on the card: it is drawn into a texture, filtered into "
    "another, and "
    "over when glFinish returns. *cpu* reads it back and has its result in memory; *scene alone* is drawn "
    "and not filtered. "
    "*2003* is what the paper reports for its engine on a GeForce FX 5800 Ultra.\n\n"
    "| case | threads | by | frames/s | ms | 2003, frames/s | |\n|---|---|---|---|---|---|---|\n";

void write_gl_group(FILE *out, const struct report *report, const struct bench_group *group)
{
    bool frames = !strcmp(group->name, "frames");
    fprintf(out, "\n## %s\n\n%s", group->title, frames ? frames_head : filtering_head);
    for (size_t i = 0; i < report->count; i++) {
        const struct result *result = &report->results[i];
        for (int j = 0; j < result->count && !strcmp(result->what->group, group->name); j++)
            (frames ? write_frame : write_filtering)(out, result, j);
    }
}
