/* Fialka & Čadík 2006: when the FFT is faster than convolution in space. */
#include "papers/page.h"

#include <math.h>
#include <string.h>

enum { SIZES = 3, SIDES = 11, BANKS = 4, SHOWN = 1 }; /* SHOWN: the size of the chart, 512 */

static const int sizes[SIZES] = { 256, 512, 1024 };
static const int sides[SIDES] = { 3, 5, 9, 15, 21, 27, 33, 41, 51, 65, 101 };
static const int banks[BANKS] = { 1, 2, 4, 8 };

/* From the text of the paper; the text gives no more of its charts. Sides of separable kernels at which the FFT of
 * one channel overtakes: over all sizes, and in figure 8 with one filter and with eight. */
static const double crossover_low = 31, crossover_high = 41;
static const double crossover_banks[BANKS] = { 33, 0, 0, 21 };

/* Milliseconds at 256 × 256: complex FFT and multiplication, on the GPU and on the CPU. */
static const double fft_2006[2] = { 5.9, 20 }, multiply_2006[2] = { 0.1, 20 };

static const char text[] = "\n## Fialka & Čadík 2006: FFT or convolution\n\n"
                           "*FFT and Convolution Performance in Image Filtering on GPU.* A GeForce 6600 GT "
                           "and a Celeron D of 2.6 GHz. Pictures have "
                           "one channel here; the paper's are monochrome unless it says otherwise. Its "
                           "charts have no numbers, so the table has the "
                           "numbers of its text.\n";

/* ---- Figure 6 ------------------------------------------------------------------------------------------ */

enum { SPACES = 3 };

/* Frames per second of the three kernels on a device with a type of samples. */
static void spatial_rates(const struct page *page, int machine, const char *where, int bits, int size,
                          double rates[SPACES])
{
    for (int i = 0; i < 2; i++)
        rates[i] = rate(
            seconds_of(page, machine, "Abbe", "fialka6%sf%d-separable-%d-%d", where, bits, size, i ? 33 : 9));
    rates[2] = rate(seconds_of(page, machine, "Abbe", "fialka6%sf%d-direct-%d", where, bits, size));
}

static void put_quotients(const struct page *page, const double *a, const double *b, const char *label)
{
    double values[SPACES];
    for (int i = 0; i < SPACES; i++)
        values[i] = ratio(a[i], b[i]);
    put_row(page->out, values, SPACES, "%s", label);
}

static void write_figure_6(const struct page *page)
{
    static const char *const names[SPACES] = { "separable, 9", "separable, 33", "not separable, 9×9" };
    static const char *const where[2] = { "-", "-gpu-" }, *const devices[2] = { "CPU", "GPU" };
    fputs("\nFigure 6, convolution in space, frames per second. In 2006 the GPU with 32 bits was 3 times as "
          "fast as the CPU, with "
          "16 bits 7.4 times on average; 16 bits brought the CPU nothing.\n",
          page->out);
    put_head(page->out, "picture, samples", names, SPACES);
    for (int size = 0; size < 2; size++)
        for (int i = 0; i < page->count; i++) {
            double rates[2][2][SPACES];
            for (int device = 0; device < 2; device++)
                for (int half = 0; half < 2; half++) {
                    spatial_rates(page, i, where[device], half ? 16 : 32, sizes[size], rates[device][half]);
                    put_row(page->out, rates[device][half], SPACES, "%d², %c: %s, %d bits", sizes[size],
                            machine_letter(i), devices[device], half ? 16 : 32);
                }
            put_quotients(page, rates[0][1], rates[0][0], "× on the CPU, 16 over 32 bits");
            put_quotients(page, rates[1][0], rates[0][0], "× GPU over CPU, 32 bits");
            put_quotients(page, rates[1][1], rates[0][0], "× GPU with 16 over CPU with 32 bits");
        }
}

static void write_basic(const struct page *page)
{
    static const char *const names[] = { "ms", "×" };
    static const char *const series[] = { "podlozhnyuk-gpu", "podlozhnyuk" };
    fputs("\nForward transform, multiplication and inverse transform at 256². The paper prints one transform "
          "and the "
          "multiplication; two transforms and the multiplication are meant here.\n",
          page->out);
    put_head(page->out, "device", names, 2);
    for (int device = 0; device < 2; device++) {
        double then = 2 * fft_2006[device] + multiply_2006[device];
        put_row(page->out, (double[]){ then, 0 }, 2, "2006: %s", device ? "CPU, FFTW" : "GPU");
        for (int i = 0; i < page->count; i++) {
            double now = 1e3 * seconds_of(page, i, "Abbe", "%s-256", series[device]);
            put_row(page->out, (double[]){ now, ratio(then, now) }, 2, "%c: Abbe, %s", machine_letter(i),
                    device ? "CPU" : "GPU");
        }
    }
}

/* ---- Figure 7 ------------------------------------------------------------------------------------------ */

enum method { SEPARABLE, DIRECT, FFT, METHODS };

static const char *const methods[METHODS] = { "separable", "direct", "fft" };
static const char *const method_names[METHODS] = { "separable", "not separable", "FFT" };

/* Seconds of a method at one size and side. On a GPU the time of the FFT is measured for one side. */
static double method_time(const struct page *page, int machine, bool gpu, enum method method, int size,
                          int side)
{
    if (!gpu)
        return method_seconds(page, machine, methods[method], "fialka7-%d-%d", size, side);
    if (method == FFT)
        return seconds_of(page, machine, "Abbe", "fialka7-gpu-fft-%d", size);
    return seconds_of(page, machine, "Abbe", "fialka7-gpu-%s-%d-%d", methods[method], size, side);
}

/* The side from which on the FFT is faster than n passes of a method in space, interpolated between the measured
 * sides. 0: nothing was measured; 1: always faster; 1000: never. */
static double find_crossover(const struct page *page, int machine, bool gpu, enum method method, int size,
                             double n, double fft_seconds)
{
    double previous = 0, previous_side = 0, crossover = 0;
    for (int i = 0; i < SIDES; i++) {
        double space = method_time(page, machine, gpu, method, size, sides[i]);
        double fft = fft_seconds > 0 ? fft_seconds : method_time(page, machine, gpu, FFT, size, sides[i]);
        if (!(space > 0) || !(fft > 0))
            continue;
        double advantage = log(n * space / fft); /* of the FFT */
        if (advantage <= 0)
            crossover = 1000;
        else if (crossover <= 0)
            crossover = 1;
        else if (crossover >= 1000)
            crossover = previous_side + (sides[i] - previous_side) * -previous / (advantage - previous);
        previous = advantage;
        previous_side = sides[i];
    }
    return crossover;
}

/* Writes a crossover as a cell. */
static void put_crossover(FILE *out, double side)
{
    if (!(side > 0))
        fputs(" |", out);
    else if (side <= 1)
        fprintf(out, " below %d |", sides[0]);
    else if (side >= 1000)
        fputs(" none |", out);
    else
        fprintf(out, " %.0f |", side);
}

static void write_kernels(const struct page *page)
{
    static const char *const names[SIDES] = {
        "3", "5", "9", "15", "21", "27", "33", "41", "51", "65", "101"
    };
    fputs("\nFigure 7, frames per second over the side of the kernel. Methods are forced; *not separable* "
          "adds every tap. A "
          "method that is predicted to take 20 times as long as the best is not run.\n",
          page->out);
    put_head(page->out, "side of the kernel", names, SIDES);
    for (int size = 0; size < SIZES; size++)
        for (int i = 0; i < page->count; i++)
            for (int device = 0; device < 2; device++)
                for (int method = 0; method < METHODS; method++) {
                    double values[SIDES];
                    for (int side = 0; side < SIDES; side++)
                        values[side] = rate(
                            method_time(page, i, device, (enum method)method, sizes[size], sides[side]));
                    put_row(page->out, values, SIDES, "%d², %c: %s, %s", sizes[size], machine_letter(i),
                            device ? "GPU" : "CPU", method_names[method]);
                }
}

static void write_crossovers(const struct page *page)
{
    fprintf(page->out,
            "\nThe crossover: the side of the kernel from which on the FFT is faster. In 2006 it lay between "
            "%g and %g pixels for "
            "separable kernels and one channel, at 51 for three or four channels; kernels that are not "
            "separable ended at "
            "9×9, where the shader's instructions did.\n",
            crossover_low, crossover_high);
    fputs("\n| crossover | 256² | 512² | 1024² |\n|---|--:|--:|--:|\n", page->out);
    fprintf(page->out, "| 2006: GPU, separable | %g to %g | %g to %g | %g to %g |\n", crossover_low,
            crossover_high, crossover_low, crossover_high, crossover_low, crossover_high);
    for (int i = 0; i < page->count; i++)
        for (int device = 0; device < 2; device++)
            for (int method = SEPARABLE; method <= DIRECT; method++) {
                double values[SIZES], any = 0;
                for (int size = 0; size < SIZES; size++)
                    any += values[size] = find_crossover(page, i, device, (enum method)method, sizes[size], 1,
                                                         0);
                if (!(any > 0))
                    continue;
                fprintf(page->out, "| %c: %s, %s |", machine_letter(i), device ? "GPU" : "CPU",
                        method_names[method]);
                for (int size = 0; size < SIZES; size++)
                    put_crossover(page->out, values[size]);
                fputs("\n", page->out);
            }
}

static void draw_kernels(struct page *page)
{
    struct chart chart = { .title = "FFT and convolution in space, 512×512, one channel",
                           .x_title = "side of the kernel",
                           .y_title = "frames per second",
                           .band_low = crossover_low,
                           .band_high = crossover_high,
                           .band_name = "2006" };
    for (int i = 0; i < page->count; i++)
        for (int device = 0; device < 2; device++) {
            double side = find_crossover(page, i, device, SEPARABLE, sizes[SHOWN], 1, 0);
            if (chart.mark <= 0 && side > 1 && side < 1000) {
                chart.mark = side;
                snprintf(chart.mark_name, sizeof chart.mark_name, "%c: %.0f", machine_letter(i), side);
            }
            for (int method = 0; method < METHODS; method++) {
                struct chart_line *line = chart_add(&chart, 0, "%c: %s, %s", machine_letter(i),
                                                    device ? "GPU" : "CPU", method_names[method]);
                for (int j = 0; j < SIDES; j++)
                    chart_point(
                        line, sides[j],
                        rate(method_time(page, i, device, (enum method)method, sizes[SHOWN], sides[j])));
                if (line && line->count == 0)
                    chart.count--;
            }
        }
    put_chart(page, "fialka-kernels", "Frames per second of the three methods over the side of the kernel",
              &chart);
}

/* ---- Figure 8 ------------------------------------------------------------------------------------------ */

static double bank_time(const struct page *page, int machine, bool gpu, int n)
{
    return seconds_of(page, machine, "Abbe", gpu ? "fialka8-gpu-%d" : "fialka8-%d", n);
}

static void write_banks(const struct page *page)
{
    static const char *const names[BANKS] = { "1 filter", "2", "4", "8" };
    fputs("\nFigure 8, several filters of one picture of 256², frames per second: one forward transform and "
          "n inverse ones, "
          "against n convolutions in space, whose time is n times that of figure 7.\n",
          page->out);
    put_head(page->out, "filters", names, BANKS);
    for (int i = 0; i < page->count; i++)
        for (int device = 0; device < 2; device++) {
            double fft[BANKS], space[2][BANKS];
            for (int j = 0; j < BANKS; j++) {
                fft[j] = rate(bank_time(page, i, device, banks[j]));
                for (int k = 0; k < 2; k++)
                    space[k][j] = rate(banks[j] * method_time(page, i, device, SEPARABLE, 256, k ? 33 : 21));
            }
            const char *name = device ? "GPU" : "CPU";
            put_row(page->out, fft, BANKS, "%c: %s, FFT", machine_letter(i), name);
            put_row(page->out, space[0], BANKS, "%c: %s, separable, 21", machine_letter(i), name);
            put_row(page->out, space[1], BANKS, "%c: %s, separable, 33", machine_letter(i), name);
        }
    fputs("\nThe separable kernel that n filters by FFT are as fast as:\n", page->out);
    put_head(page->out, "side of the kernel", names, BANKS);
    put_row(page->out, crossover_banks, BANKS, "2006: GPU");
    for (int i = 0; i < page->count; i++)
        for (int device = 0; device < 2; device++) {
            if (!(bank_time(page, i, device, 1) > 0))
                continue;
            fprintf(page->out, "| %c: %s |", machine_letter(i), device ? "GPU" : "CPU");
            for (int j = 0; j < BANKS; j++)
                put_crossover(page->out, find_crossover(page, i, device, SEPARABLE, 256, banks[j],
                                                        bank_time(page, i, device, banks[j])));
            fputs("\n", page->out);
        }
}

static void draw_banks(struct page *page)
{
    struct chart chart = { .title = "Several filters of one picture, 256×256, one channel",
                           .x_title = "filters",
                           .y_title = "frames per second",
                           .linear_x = 1 };
    for (int i = 0; i < page->count; i++)
        for (int device = 0; device < 2; device++)
            for (int k = 0; k < 3; k++) {
                static const int shown[3] = { 0, 21, 33 };
                const char *name = device ? "GPU" : "CPU";
                struct chart_line *line = k ? chart_add(&chart, 0, "%c: %s, separable, %d", machine_letter(i),
                                                        name, shown[k])
                                            : chart_add(&chart, 0, "%c: %s, FFT", machine_letter(i), name);
                for (int j = 0; j < BANKS; j++)
                    chart_point(line, banks[j],
                                rate(k ? banks[j] * method_time(page, i, device, SEPARABLE, 256, shown[k])
                                       : bank_time(page, i, device, banks[j])));
                if (line && line->count == 0)
                    chart.count--;
            }
    put_chart(page, "fialka-filters", "Frames per second over the number of filters", &chart);
}

/* ---- Table 1 ------------------------------------------------------------------------------------------- */

static const char answers[] =
    "\nTable 1, the pros and cons, and what became of them:\n\n"
    "| 2006 | Abbe |\n|---|---|\n"
    "| FFT: the same time for all filters; convolution: depends on the kernel | Still so, as figure 7 shows. "
    "The planner prices both "
    "for the kernel at hand, and tiles bound the cost where kernels are much smaller than the picture. |\n"
    "| FFT: no hardware restrictions; convolution: kernels are limited by the hardware | Neither is limited: "
    "larger kernels take "
    "several passes in space (`kernels.c` in the device `gl`). |\n"
    "| FFT: works with all filters of frequency; convolution: some have no kernel | Still so: transfer "
    "functions always take the "
    "Fourier plane. |\n"
    "| FFT: several filters cost less than as many convolutions | Still so, figure 8: banks share the "
    "forward transform. |\n"
    "| FFT: time consuming; convolution: very fast for small kernels | Still so below the crossover, which "
    "moves with the device and "
    "the number of channels. |\n"
    "| FFT: needs 16 bits a channel; convolution: 8 are enough | Pictures of 8 bits are read and written as "
    "they are on both roads; "
    "between passes there are floats, or halves on request; docs/maths.md has the error bound of each. |\n"
    "| FFT: RGBA needs quaternions or two transforms | Two complex planes, R + iG and B + iA, in one "
    "transform: nothing is "
    "untangled. |\n"
    "| FFT: only powers of two; others are filled with zeros | Any size: several radices and Bluestein's "
    "algorithm; borders are "
    "exact and not only zeros. |\n"
    "\nFigures 1 to 5 are a picture and drawings of the algorithm. The bit depths 8, 16 and 32 had speeds of "
    "4:2:1 in 2006; figure 6 "
    "has today's 16 and 32.\n";

void write_fialka(struct page *page)
{
    fputs(text, page->out);
    write_figure_6(page);
    write_basic(page);
    write_kernels(page);
    write_crossovers(page);
    draw_kernels(page);
    write_banks(page);
    draw_banks(page);
    fputs(answers, page->out);
}
