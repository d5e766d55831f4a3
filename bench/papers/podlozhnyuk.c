/* Podlozhnyuk 2007: convolution by CUFFT, over the size of the transform. */
#include "papers/page.h"

enum { SIZES = 8 };

static const int sizes[SIZES] = { 256, 512, 1024, 1536, 2048, 2560, 3072, 3584 };

/* The table under "Performance": milliseconds, and millions of pixels per second, padding included. */
static const double milliseconds[SIZES] = { 0.75, 2.08, 6.73, 28, 42, 89, 146, 178 };
static const double rates[SIZES] = { 87, 125, 155, 85, 98, 73, 64, 71 };

static const char text[] = "\n## Podlozhnyuk 2007: convolution by CUFFT\n\n"
                           "*FFT-based 2D convolution* (NVIDIA). A plane is transformed, multiplied by the "
                           "kernel's spectrum and transformed back. "
                           "The paper names neither its GPU nor its kernel; with a transform of a given size "
                           "the time does not depend on the "
                           "kernel, which is a disk of 7×7 here. Its rates count the pixels of the "
                           "transform, padding included, and so do ours. "
                           "FFTW takes part with measured plans.\n";

/* Rows of one contender: milliseconds, rate, and how many times faster than in 2007. */
static void put_contender(const struct page *page, int machine, const char *label, const char *contender,
                          const char *series)
{
    double times[SIZES], speeds[SIZES], ratios[SIZES];
    for (int i = 0; i < SIZES; i++) {
        double seconds = seconds_of(page, machine, contender, "%s-%d", series, sizes[i]);
        times[i] = 1e3 * seconds;
        speeds[i] = 1e-6 * sizes[i] * sizes[i] * rate(seconds);
        ratios[i] = ratio(milliseconds[i], times[i]);
    }
    char letter = machine_letter(machine);
    put_row(page->out, times, SIZES, "%c: %s, ms", letter, label);
    put_row(page->out, speeds, SIZES, "%c: %s, MPix/s", letter, label);
    put_row(page->out, ratios, SIZES, "%c: %s, × 2007", letter, label);
}

static void draw_speeds(struct page *page)
{
    static const char *const series[][3] = { { "podlozhnyuk", "Abbe", "Abbe, CPU" },
                                             { "podlozhnyuk", "FFTW", "FFTW" },
                                             { "podlozhnyuk-gpu", "Abbe", "Abbe, GPU" },
                                             { "podlozhnyuk-cuda", "Abbe", "Abbe, CUDA" } };
    struct chart chart = { .title = "Convolution of a plane by FFT",
                           .x_title = "side of the transform",
                           .y_title = "millions of pixels per second" };
    struct chart_line *line = chart_add(&chart, 1, "2007: CUFFT");
    for (int i = 0; i < SIZES; i++)
        chart_point(line, sizes[i], rates[i]);
    for (int machine = 0; machine < page->count; machine++)
        for (size_t j = 0; j < sizeof series / sizeof *series; j++) {
            line = chart_add(&chart, 0, "%c: %s", machine_letter(machine), series[j][2]);
            for (int i = 0; i < SIZES; i++)
                chart_point(
                    line, sizes[i],
                    1e-6 * sizes[i] * sizes[i] *
                        rate(seconds_of(page, machine, series[j][1], "%s-%d", series[j][0], sizes[i])));
            if (line && line->count == 0)
                chart.count--;
        }
    put_chart(page, "podlozhnyuk", "Millions of pixels per second over the side of the transform", &chart);
}

void write_podlozhnyuk(struct page *page)
{
    static const char *const names[SIZES] = { "256²",  "512²",  "1024²", "1536²",
                                              "2048²", "2560²", "3072²", "3584²" };
    fputs(text, page->out);
    put_head(page->out, "transform", names, SIZES);
    put_row(page->out, milliseconds, SIZES, "2007, ms");
    put_row(page->out, rates, SIZES, "2007, MPix/s");
    for (int i = 0; i < page->count; i++) {
        put_contender(page, i, "Abbe, CPU", "Abbe", "podlozhnyuk");
        put_contender(page, i, "FFTW", "FFTW", "podlozhnyuk");
        put_contender(page, i, "Abbe, GPU", "Abbe", "podlozhnyuk-gpu");
        put_contender(page, i, "Abbe, CUDA", "Abbe", "podlozhnyuk-cuda");
        put_contender(page, i, "cuFFT", "cuFFT", "podlozhnyuk-gpu");
        put_contender(page, i, "VkFFT", "VkFFT", "podlozhnyuk-gpu");
    }
    draw_speeds(page);
    fputs("\nThe paper pads to powers of two up to 1024 and to multiples of 512 above. Abbe prices the "
          "lengths that a device "
          "transforms quickly, and tiles, and takes the cheapest. Its figures 1 to 7 are drawings of "
          "padding.\n",
          page->out);
}
