/* Payne, Belkasim, Owen, Weeks & Zhu 2005: averaging masks in space against FFTW. */
#include "papers/page.h"

enum { SIZES = 6, SIDES = 8, SHOWN = 3 }; /* SHOWN: the size of the chart, 512 */

static const int sizes[SIZES] = { 64, 128, 256, 512, 1024, 2048 };
static const char *const size_names[SIZES] = { "64²", "128²", "256²", "512²", "1024²", "2048²" };
static const int sides[SIDES] = { 3, 5, 7, 9, 15, 17, 19, 29 };

/* Table 1 of the paper, frames per second: a GeForce 6800, and the naive loops on a Pentium 4 of 2.8 GHz. */
static const double gpu_2005[SIDES][SIZES] = {
    { 2493, 2272, 1630, 784, 240, 62.9 }, { 2293, 1877, 1019, 358, 96.7, 23.6 },
    { 2008, 1433, 634, 193, 50.1, 12.3 }, { 1739, 1099, 422, 120, 30.3, 7.2 },
    { 1077, 534, 166, 44.3, 11, 2.59 },   { 929, 437, 131, 34.1, 9.6, 2.06 },
    { 796, 360, 100, 27.5, 6.8, 1.65 },   { 415, 168, 46.6, 11.9, 2.98, 0.72 },
};
static const double naive_2005[SIDES][SIZES] = {
    { 388, 111, 29.7, 7.27, 1.9, 0.48 },      { 299, 85.8, 22.3, 5.56, 1.4, 0.35 },
    { 169, 45.6, 11.5, 2.93, 0.73, 0.18 },    { 108, 28.2, 7.21, 1.79, 0.45, 0.11 },
    { 35.9, 9.92, 2.52, 0.62, 0.15, 0.038 },  { 30.5, 7.73, 1.95, 0.48, 0.12, 0.029 },
    { 24.3, 6.18, 1.55, 0.38, 0.095, 0.024 }, { 10, 2.53, 0.63, 0.16, 0.039, 0.009 },
};
static const double fftw_2005[SIZES] = { 667, 143, 33, 8.2, 1.9, 0.45 };

/* Table 2: the GPU over the naive loops and over FFTW. */
static const int speedup_2005[SIDES][SIZES][2] = {
    { { 6, 4 }, { 20, 16 }, { 55, 49 }, { 108, 96 }, { 126, 130 }, { 132, 139 } },
    { { 8, 3 }, { 22, 13 }, { 46, 31 }, { 64, 44 }, { 69, 52 }, { 68, 52 } },
    { { 12, 3 }, { 31, 10 }, { 55, 19 }, { 66, 24 }, { 69, 27 }, { 68, 27 } },
    { { 16, 3 }, { 39, 8 }, { 59, 13 }, { 67, 15 }, { 68, 16 }, { 66, 16 } },
    { { 30, 2 }, { 54, 4 }, { 66, 5 }, { 71, 5 }, { 71, 6 }, { 68, 6 } },
    { { 30, 1 }, { 57, 3 }, { 67, 4 }, { 70, 4 }, { 80, 5 }, { 71, 5 } },
    { { 33, 1 }, { 58, 3 }, { 65, 3 }, { 71, 3 }, { 71, 4 }, { 69, 4 } },
    { { 42, 1 }, { 66, 1 }, { 74, 1 }, { 76, 1 }, { 76, 2 }, { 73, 2 } },
};

static const char text[] =
    "\n## Payne, Belkasim, Owen, Weeks & Zhu 2005: masks in space\n\n"
    "*Accelerated 2D Image Processing on GPUs.* A GeForce 6800 convolves RGB pictures with averaging masks; "
    "a dual Pentium 4 "
    "of 2.8 GHz does the same by the loop of their figure 3 (*naive*: `bench/peers/naive.c` is that loop for "
    "any mask) and by "
    "FFTW 3.0.1. The border wraps around. `naive` and FFTW run on one thread. Large masks are timed on a "
    "part of the picture, "
    "because each sample takes the same number of steps. An averaging mask is separable, which neither the "
    "GPU of 2005 nor "
    "the loop uses and which Abbe's planner finds from the taps; *direct* adds every tap.\n\n"
    "Their table 1 and figures 4 and 5, frames per second:\n";

static void put_rates(const struct page *page, int machine, int side, const char *label,
                      const char *contender, const char *series)
{
    double values[SIZES];
    for (int i = 0; i < SIZES; i++)
        values[i] = rate(seconds_of(page, machine, contender, "%s-%d-%d", series, sizes[i], sides[side]));
    put_row(page->out, values, SIZES, "%d×%d, %c: %s", sides[side], sides[side], machine_letter(machine),
            label);
}

static void put_ratios(const struct page *page, int machine, int side, const char *label, const char *series)
{
    double values[SIZES];
    for (int i = 0; i < SIZES; i++)
        values[i] = ratio(rate(seconds_of(page, machine, "Abbe", "%s-%d-%d", series, sizes[i], sides[side])),
                          gpu_2005[side][i]);
    put_row(page->out, values, SIZES, "%d×%d, %c: %s, × the GPU of 2005", sides[side], sides[side],
            machine_letter(machine), label);
}

static void write_rates(const struct page *page)
{
    put_head(page->out, "mask, frames per second", size_names, SIZES);
    for (int side = 0; side < SIDES; side++) {
        put_row(page->out, gpu_2005[side], SIZES, "%d×%d, 2005: GPU", sides[side], sides[side]);
        put_row(page->out, naive_2005[side], SIZES, "%d×%d, 2005: naive", sides[side], sides[side]);
        for (int i = 0; i < page->count; i++) {
            put_rates(page, i, side, "naive", "naive", "payne");
            put_rates(page, i, side, "Abbe, CPU", "Abbe", "payne");
            put_ratios(page, i, side, "Abbe, CPU", "payne");
            put_rates(page, i, side, "Abbe, GPU, direct", "Abbe", "payne-gpu");
            put_rates(page, i, side, "Abbe, GPU, planned", "Abbe", "payne-gpu-auto");
            put_ratios(page, i, side, "Abbe, GPU, planned", "payne-gpu-auto");
        }
    }
    put_row(page->out, fftw_2005, SIZES, "any mask, 2005: FFTW");
    for (int i = 0; i < page->count; i++) {
        double values[SIZES];
        for (int size = 0; size < SIZES; size++)
            values[size] = rate(seconds_of(page, i, "FFTW", "payne-%d-3", sizes[size]));
        put_row(page->out, values, SIZES, "any mask, %c: FFTW", machine_letter(i));
    }
}

static void write_choices(const struct page *page, int machine, const char *device, const char *series)
{
    bool any = false;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < SIZES; i++)
            any = any || *detail_of(page, machine, "Abbe", "%s-%d-%d", series, sizes[i], sides[side]);
    if (!any)
        return;
    fprintf(page->out, "\nThe planner's choice on machine %c, %s:\n", machine_letter(machine), device);
    put_head(page->out, "mask", size_names, SIZES);
    for (int side = 0; side < SIDES; side++) {
        fprintf(page->out, "| %d×%d |", sides[side], sides[side]);
        for (int i = 0; i < SIZES; i++)
            fprintf(page->out, " %s |",
                    detail_of(page, machine, "Abbe", "%s-%d-%d", series, sizes[i], sides[side]));
        fputs("\n", page->out);
    }
}

/* One machine's table of speed-ups of a series over the naive loops and FFTW. */
static void put_speedups(const struct page *page, int machine, int side, const char *label,
                         const char *series)
{
    double naive[SIZES], fftw[SIZES];
    for (int i = 0; i < SIZES; i++) {
        double own = seconds_of(page, machine, "Abbe", "%s-%d-%d", series, sizes[i], sides[side]);
        naive[i] = ratio(seconds_of(page, machine, "naive", "payne-%d-%d", sizes[i], sides[side]), own);
        fftw[i] = ratio(seconds_of(page, machine, "FFTW", "payne-%d-%d", sizes[i], sides[side]), own);
    }
    put_row(page->out, naive, SIZES, "%d×%d, %c: %s over naive", sides[side], sides[side],
            machine_letter(machine), label);
    put_row(page->out, fftw, SIZES, "%d×%d, %c: %s over FFTW", sides[side], sides[side],
            machine_letter(machine), label);
}

static void write_speedups(const struct page *page)
{
    fputs("\nTheir table 2 and figure 6, speed-ups: in 2005 of the GPU over the CPU, naive / FFTW; today of "
          "Abbe over the same "
          "two on the machine's processor.\n",
          page->out);
    put_head(page->out, "mask, speed-up", size_names, SIZES);
    for (int side = 0; side < SIDES; side++) {
        fprintf(page->out, "| %d×%d, 2005: GPU over naive / FFTW |", sides[side], sides[side]);
        for (int i = 0; i < SIZES; i++)
            fprintf(page->out, " %d / %d |", speedup_2005[side][i][0], speedup_2005[side][i][1]);
        fputs("\n", page->out);
        for (int i = 0; i < page->count; i++) {
            put_speedups(page, i, side, "Abbe, CPU", "payne");
            put_speedups(page, i, side, "Abbe, GPU, direct", "payne-gpu");
        }
    }
}

static void draw_rates(struct page *page)
{
    struct chart chart = { .title = "Averaging masks on 512×512 RGB",
                           .x_title = "side of the mask",
                           .y_title = "frames per second" };
    struct chart_line *gpu = chart_add(&chart, 1, "2005: GPU"), *naive = chart_add(&chart, 1, "2005: naive"),
                      *fftw = chart_add(&chart, 1, "2005: FFTW");
    for (int side = 0; side < SIDES; side++) {
        chart_point(gpu, sides[side], gpu_2005[side][SHOWN]);
        chart_point(naive, sides[side], naive_2005[side][SHOWN]);
        chart_point(fftw, sides[side], fftw_2005[SHOWN]);
    }
    static const char *const series[][3] = { { "payne", "naive", "naive" },
                                             { "payne", "FFTW", "FFTW" },
                                             { "payne", "Abbe", "Abbe, CPU" },
                                             { "payne-gpu", "Abbe", "Abbe, GPU, direct" },
                                             { "payne-gpu-auto", "Abbe", "Abbe, GPU, planned" } };
    for (int i = 0; i < page->count; i++)
        for (int j = 0; j < 5; j++) {
            struct chart_line *line = chart_add(&chart, 0, "%c: %s", machine_letter(i), series[j][2]);
            for (int side = 0; side < SIDES; side++)
                chart_point(line, sides[side],
                            rate(seconds_of(page, i, series[j][1], "%s-%d-%d", series[j][0], sizes[SHOWN],
                                            sides[side])));
            if (line && line->count == 0)
                chart.count--;
        }
    put_chart(page, "payne", "Frames per second over the side of the mask, in 2005 and now", &chart);
}

void write_payne(struct page *page)
{
    fputs(text, page->out);
    write_rates(page);
    draw_rates(page);
    for (int i = 0; i < page->count; i++) {
        write_choices(page, i, "CPU", "payne");
        write_choices(page, i, "GPU", "payne-gpu-auto");
    }
    write_speedups(page);
    fputs("\nTheir averages were 59:1 over the naive loop and 18:1 over FFTW. FFTW overtook their GPU at "
          "about 29×29, the largest "
          "mask that its compiler accepted; Abbe has no largest mask, and takes the Fourier plane itself "
          "where that is "
          "cheaper. Their figure 1 shows pictures, their figures 2 and 3 code.\n",
          page->out);
}
