/* Draws a test picture, filters it in many ways through the public API, and writes the results as PNG files.
 *
 *     first_picture [FOLDER]          default: out */
#include "png.h"
#include "sheet.h"
#include "test_picture.h"

#include <abbe/abbe.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { WIDTH = TEST_PICTURE_WIDTH, HEIGHT = TEST_PICTURE_HEIGHT, SAMPLES = WIDTH * HEIGHT * 3, RUNS = 3 };

/* Filters, and how their results are shown: offset + gain · result, so that negative values are visible. */
static const struct {
    const char *filter;
    float gain, offset;
} shows[] = {
    { "gaussian:sigma=12", 1, 0 },
    { "disk:radius=9", 1, 0 },
    { "motion:length=41:angle=30", 1, 0 },
    { "unsharp:sigma=3:amount=1.5", 1, 0 },
    { "sobel", 0.5f, 0 },
    { "laplacian", 1, 0.5f },
    { "emboss", 1, 0 },
    { "gabor:period=8:angle=0:sigma=4", 3, 0.5f },
    { "lowpass:cutoff=0.08", 1, 0 },
    { "highpass:cutoff=0.05", 1, 0.5f },
    { "streak:angle=20", 1, 0 },
};

/* The last BANK filters also run as one plan. */
enum { SHOWS = sizeof shows / sizeof shows[0], BANK = 3 };

/* Everything that must be released at the end. */
struct gallery {
    const char *folder;
    abbe_device *device;
    abbe_filter *filters[SHOWS];
    uint8_t *picture; /* the source */
    uint8_t *shown;   /* a result as bytes */
    float *results;   /* BANK pictures */
    struct sheet sheet;
    double milliseconds; /* of the last BANK filters, run one by one */
};

static int complain(const char *what, const char *reason)
{
    fprintf(stderr, "first_picture: %s: %s\n", what, reason);
    return -1;
}

static double now_milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static abbe_image view_pixels(void *data, abbe_type type)
{
    return (abbe_image){ .data = data,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = 3,
                         .stride = (ptrdiff_t)(WIDTH * 3 * abbe_type_size(type)),
                         .type = type };
}

/* Prints one line of the table: the chosen method and the time of a run. */
static void print_result(const char *name, const abbe_plan *plan, double milliseconds)
{
    const abbe_candidate *choice = abbe_plan_choice(plan);
    char size[32] = "-";
    if (choice->fft_width)
        snprintf(size, sizeof size, "%d x %d", choice->fft_width, choice->fft_height);
    printf("%-31s %-10s %-12s %7.1f\n", name, abbe_method_name(choice->method), size, milliseconds);
}

/* Runs `count` filters from index `first` on as one plan, at most BANK
 * of them. Returns the best of RUNS times in milliseconds, or −1. */
static double run_bank(struct gallery *gallery, size_t first, size_t count, const char *name)
{
    abbe_image source = view_pixels(gallery->picture, ABBE_U8), results[BANK];
    const abbe_filter *bank[BANK];
    abbe_plan *plan = NULL;
    double best = -1;
    for (size_t i = 0; i < count; i++) {
        bank[i] = gallery->filters[first + i];
        results[i] = view_pixels(gallery->results + i * SAMPLES, ABBE_F32);
    }
    abbe_plan_params params = { .width = WIDTH,
                                .height = HEIGHT,
                                .channels = 3,
                                .source_type = ABBE_U8,
                                .result_type = ABBE_F32,
                                .filters = bank,
                                .filter_count = count };
    if (abbe_plan_create(gallery->device, &params, &plan))
        return complain(name, abbe_error_text(gallery->device));
    for (int i = 0; i < RUNS; i++) {
        double begin = now_milliseconds();
        if (abbe_run(plan, &source, results)) {
            complain(name, abbe_error_text(gallery->device));
            abbe_plan_destroy(&plan);
            return -1;
        }
        double lasted = now_milliseconds() - begin;
        if (best < 0 || lasted < best)
            best = lasted;
    }
    print_result(name, plan, best);
    abbe_plan_destroy(&plan);
    return best;
}

/* Writes a PNG file that is named after the filter, up to its first colon. */
static int save_picture(const struct gallery *gallery, const char *filter, int width, int height,
                        const uint8_t *rgb)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%.*s.png", gallery->folder, (int)strcspn(filter, ":"),
                          filter);
    if (length < 0 || (size_t)length >= sizeof path)
        return complain(gallery->folder, "the name is too long");
    const char *reason = png_write(path, width, height, rgb);
    return reason ? complain(path, reason) : 0;
}

/* Runs filter `index`, and puts the result into its file and on the sheet. */
static int show_filter(struct gallery *gallery, size_t index)
{
    const char *filter = shows[index].filter;
    double milliseconds = run_bank(gallery, index, 1, filter);
    if (milliseconds < 0)
        return -1;
    if (index >= SHOWS - BANK)
        gallery->milliseconds += milliseconds;
    for (size_t i = 0; i < SAMPLES; i++) {
        float value = shows[index].offset + shows[index].gain * gallery->results[i];
        value = value < 0 ? 0 : value > 1 ? 1 : value;
        gallery->shown[i] = (uint8_t)(value * 255 + 0.5f);
    }
    sheet_place(&gallery->sheet, (int)index + 1, gallery->shown, filter);
    return save_picture(gallery, filter, WIDTH, HEIGHT, gallery->shown);
}

static int prepare_gallery(struct gallery *gallery)
{
    if (mkdir(gallery->folder, 0777) && errno != EEXIST)
        return complain(gallery->folder, strerror(errno));
    if (abbe_device_open("auto", NULL, &gallery->device))
        return complain("device", abbe_error_text(NULL));
    for (size_t i = 0; i < SHOWS; i++)
        if (abbe_filter_parse(shows[i].filter, NULL, &gallery->filters[i]))
            return complain("filter", abbe_error_text(NULL));
    gallery->picture = malloc(SAMPLES);
    gallery->shown = malloc(SAMPLES);
    gallery->results = malloc(BANK * SAMPLES * sizeof(float));
    if (!gallery->picture || !gallery->shown || !gallery->results ||
        sheet_create(4, (SHOWS + 4) / 4, WIDTH, HEIGHT, 2, &gallery->sheet))
        return complain("pictures", "out of memory");
    return 0;
}

static int fill_gallery(struct gallery *gallery)
{
    test_picture_draw(gallery->picture);
    sheet_place(&gallery->sheet, 0, gallery->picture, "the picture");
    if (save_picture(gallery, "picture", WIDTH, HEIGHT, gallery->picture))
        return -1;

    printf("abbe %s, device %s, %d x %d RGB, best of %d runs\n\n", abbe_version(),
           abbe_device_name(gallery->device), WIDTH, HEIGHT, RUNS);
    printf("%-31s %-10s %-12s %7s\n", "filter", "method", "transform", "ms");
    for (size_t i = 0; i < SHOWS; i++)
        if (show_filter(gallery, i))
            return -1;
    printf("%-31s %-10s %-12s %7.1f\n", "the last three, one by one", "", "", gallery->milliseconds);
    if (run_bank(gallery, SHOWS - BANK, BANK, "the last three, as one bank") < 0)
        return -1;

    if (save_picture(gallery, "sheet", gallery->sheet.width, gallery->sheet.height, gallery->sheet.rgb))
        return -1;
    printf("\n%d pictures in %s; %s/sheet.png shows all of them\n", SHOWS + 2, gallery->folder,
           gallery->folder);
    return 0;
}

int main(int count, char **arguments)
{
    struct gallery gallery = { .folder = count > 1 ? arguments[1] : "out" };
    if (count > 2) {
        fputs("usage: first_picture [FOLDER]\n", stderr);
        return 2;
    }
    int failed = prepare_gallery(&gallery) || fill_gallery(&gallery);
    sheet_free(&gallery.sheet);
    free(gallery.results);
    free(gallery.shown);
    free(gallery.picture);
    for (size_t i = 0; i < SHOWS; i++)
        abbe_filter_destroy(&gallery.filters[i]);
    abbe_device_close(&gallery.device);
    return failed ? 1 : 0;
}
