/* Fuzz target: load, filter, save. An input is a picture file of any format. The command's reader loads it, a
 * Gaussian filters it, and the command's writer stores it in one of several formats.
 *
 * Only the command and the library are instrumented. libvips and its decoders come from the distribution:
 * their branches do not guide the search, and only mistakes of theirs that crash are found. */
#define _GNU_SOURCE /* memfd_create */
#include "picture.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct reading READING = { .max_pixels = 1 << 14, .page = PAGES_ALL };

/* The output names, selected by the length of the input. */
static const char *const NAMES[] = { "out.png",       "out.jpg", "out.tif", "out.webp[lossless]",
                                     "out.tif[tile]", "out.gif", "out.bmp", "out.pfm" };
enum { NAMES_COUNT = sizeof NAMES / sizeof NAMES[0] };

static abbe_device *device;
static abbe_filter *blur;
static int input = -1;
static char input_name[64], folder[] = "/tmp/abbe-fuzz-XXXXXX";

static void remove_folder(void)
{
    if (chdir("/") == 0)
        rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    input = memfd_create("picture", MFD_CLOEXEC);
    snprintf(input_name, sizeof input_name, "/proc/self/fd/%d", input);
    if (input < 0 || !mkdtemp(folder) || chdir(folder) != 0 || atexit(remove_folder) != 0)
        abort();
    if (!picture_begin("fuzz_picture", 1) || abbe_filter_parse("gaussian", NULL, &blur) ||
        abbe_device_open("cpu", &(abbe_device_params){ .threads = 1 }, &device))
        abort();
    /* Nearly every input is refused with a message. The fuzzer and the sanitizers keep the original
     * stream. */
    stderr = fopen("/dev/null", "w");
    return 0;
}

/* Filters a picture. Every picture that the reader accepts meets the conditions of a plan, so only memory may
 * run out. */
static bool filter(const struct picture *source, struct picture *result)
{
    const abbe_image *view = &source->view;
    abbe_plan *plan = NULL;
    abbe_plan_params params = { .width = view->width,
                                .height = view->height,
                                .channels = view->channels,
                                .source_type = view->type,
                                .result_type = result->view.type,
                                .filters = (const abbe_filter *const[]){ blur },
                                .filter_count = 1,
                                .alpha = source->has_alpha ? ABBE_ALPHA_PREMULTIPLY : ABBE_ALPHA_NONE,
                                .nonfinite = ABBE_NONFINITE_ZERO };
    int error = abbe_plan_create(device, &params, &plan);
    if (!error)
        error = abbe_run(plan, view, &result->view);
    abbe_plan_destroy(&plan);
    if (error && error != ABBE_ERR_MEMORY) {
        printf("%s: %s\n", abbe_error_name(error), abbe_error_text(device));
        abort();
    }
    return !error;
}

/* Checks that the command can read the file it wrote, with the same size. */
static void check_written(const char *path, const abbe_image *view)
{
    struct picture again;
    if (!picture_read(path, &READING, 0, 0, &again))
        abort();
    bool turned = again.view.width == view->height && again.view.height == view->width;
    if (!turned && (again.view.width != view->width || again.view.height != view->height))
        abort();
    picture_free(&again);
    unlink(path);
}

/* Filters all pages; false when memory runs out. */
static bool filter_pages(const struct picture *source, abbe_type type, struct picture *results)
{
    *results = (struct picture){ 0 };
    for (int page = 0; page < source->held; page++) {
        struct picture from = picture_page(source, page), result;
        if (!picture_create(from.view.width, from.view.height, from.view.channels, type, &from, &result))
            return false;
        bool done = filter(&from, &result) && picture_append(results, &result);
        picture_free(&result);
        if (!done)
            return false;
    }
    return true;
}

static void filter_and_save(const struct picture *source, const char *name)
{
    struct picture results;
    struct destination destination;
    if (!destination_parse(name, &destination) || !destination_check(&destination))
        abort();
    abbe_type type = destination_type(&destination, source->view.type);
    if (filter_pages(source, type, &results) && picture_write(&results, &destination, NULL, 0, 1))
        check_written(destination.path, &source->view);
    destination_free(&destination);
    picture_free(&results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct picture source;
    if (ftruncate(input, 0) != 0 || pwrite(input, data, size, 0) != (ssize_t)size)
        abort();
    if (picture_read(input_name, &READING, 0, 0, &source)) {
        filter_and_save(&source, NAMES[size % NAMES_COUNT]);
        picture_free(&source);
    }
    return 0;
}
