/* abbe view: a window with the teapot or a picture, its spectrum and the filtered result. */
#include "command.h"
#include "samples.h"
#include "scene_options.h"
#include "single.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <viewer.h>

enum { WINDOW = 1, FRAMES };

static const struct option_spec specs[] = {
    { OPTION_FILTER, 'f', "filter", "FILTER", "filter to start with; keys choose others" },
    { OPTION_BORDER, 'b', "border", "NAME", HELP_BORDER },
    { SCENE_SIZE, 0, "size", "WxH", "size of the scene in pixels (512x512)" },
    SCENE_OPTIONS,
    { SCENE_SAMPLES, 0, "samples", "N", "average of N drawings for each frame, 1 to 1024 (4)" },
    { WINDOW, 0, "window", "WxH", "size of the window (1280x600)" },
    { FRAMES, 0, "frames", "N", "end after N frames, for measurements" },
    SINGLE_OPTIONS,
};

static const char usage[] = "abbe view [IN] [-f FILTER] [options]";
static const char summary[] =
    "Opens a window that shows the turning teapot, or a picture, its spectrum and the filtered result, "
    "live.\n"
    "The mouse paints on the spectrum, which removes the painted frequencies or keeps only them; strokes "
    "can\n"
    "be undone. Keys choose filters, the wheel zooms, and a picture that is dropped is opened. s saves the\n"
    "result and the mask, and prints the command line that repeats it. h shows all keys. Alpha is ignored.";
static const char examples[] = "  abbe view\n"
                               "  abbe view photo.jpg\n"
                               "  abbe view scan.tif -f notch:x=0.31:y=0.12:radius=0.03 --border wrap\n"
                               "  abbe view --material copper --size 768x512 --samples 8\n";

struct view {
    struct single single;
    struct viewer_params params;
    struct picture picture; /* as it was read */
    abbe_filter *filter;
};

/* ---- The command line ---------------------------------------------------------------------------------- */

static int take_option(void *own, const struct option *option)
{
    struct view *view = own;
    long long frames;
    switch (option->id) {
    case WINDOW:
        if (option_size(option->value, &view->params.window_width, &view->params.window_height))
            return DONE;
        return fail_usage("view", "--window '%s' is not a size; write width x height, such as 1280x600",
                          option->value);
    case FRAMES:
        if (!settings_take_integer("view", option, 1, INT_MAX, &frames))
            return WRONG_USAGE;
        view->params.frames = (long)frames;
        return DONE;
    case OPTION_FILTER:
        if (view->params.filter)
            return fail_usage("view",
                              "-f may be given once (use commas to chain filters), but '%s' and '%s' are two",
                              view->params.filter, option->value);
        view->params.filter = option->value;
        return DONE;
    default: return scene_take(&view->params.scene, "view", option) < 0 ? WRONG_USAGE : DONE;
    }
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

/* Converts colours to floats, without alpha. */
static bool convert_picture(const struct picture *picture, const char *name, struct viewer_picture *floats)
{
    const abbe_image *from = &picture->view;
    int colours = from->channels - picture->has_alpha;
    if (colours != 1 && colours != 3) {
        say_error("%s: has %d channels; only grey and RGB pictures can be viewed", name, from->channels);
        return false;
    }
    size_t pixels = (size_t)from->width * (size_t)from->height;
    float *to = pixels <= SIZE_MAX / sizeof *to / 3 ? malloc(pixels * (size_t)colours * sizeof *to) : NULL;
    if (!to) {
        say_error("%s: memory does not suffice for %d x %d pixels", name, from->width, from->height);
        return false;
    }
    *floats = (struct viewer_picture){ from->width, from->height, colours, to };
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < colours; c++)
            *to++ = sample_load(from, i * (size_t)from->channels + (size_t)c);
    return true;
}

/* Reads a picture in place of the present one. */
static bool open_picture(void *user, const char *name, struct viewer_picture *floats)
{
    struct view *view = user;
    struct picture picture = { 0 };
    if (!picture_read(name, &view->single.settings.reading, 0, 1, &picture))
        return false;
    if (!convert_picture(&picture, name, floats)) {
        picture_free(&picture);
        return false;
    }
    picture_free(&view->picture);
    view->picture = picture;
    return true;
}

/* Saves a result as abbe filter does: in the type of the source, with its metadata. */
static bool save_samples(const struct view *view, const struct viewer_save *save,
                         struct destination *destination)
{
    struct picture stored = { 0 };
    abbe_type type = destination_type(destination, view->picture.view.type);
    const abbe_image *result = save->result;
    if (!picture_create(result->width, result->height, result->channels, type, &view->picture, &stored))
        return false;
    for (size_t i = 0; i < sample_count(result); i++)
        sample_store(&stored.view, i, (double)((const float *)result->data)[i]);
    bool done = picture_write(&stored, destination, NULL, 0, 1);
    picture_free(&stored);
    return done;
}

static bool save_mask(const struct viewer_save *save)
{
    struct picture stored = { 0 };
    const abbe_image *mask = save->mask;
    if (!picture_create(mask->width, mask->height, 1, ABBE_U8, NULL, &stored))
        return false;
    memcpy(stored.view.data, mask->data, sample_count(mask));
    struct destination destination;
    bool done = destination_parse(save->mask_name, &destination) && destination_check(&destination) &&
                picture_write(&stored, &destination, NULL, 0, 1);
    destination_free(&destination);
    picture_free(&stored);
    return done;
}

/* Saves the result and the mask, and prints the command line that repeats them to standard output. */
static bool save_result(void *user, const struct viewer_save *save)
{
    const struct view *view = user;
    struct picture light = { .view = *save->result, .orientation = 1, .pages = 1, .held = 1 };
    struct destination destination;
    bool done = destination_parse(save->result_name, &destination) && destination_check(&destination) &&
                (save->is_light ? light_write(&light, &destination, 0, 1)
                                : save_samples(view, save, &destination));
    destination_free(&destination);
    if (done && save->mask_name)
        done = save_mask(save);
    if (done) {
        print_shell_line(save->command);
    }
    return done;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int open_viewer(struct view *view)
{
    struct viewer_params *params = &view->params;
    const struct settings *settings = &view->single.settings;
    char reason[SCENE_REASON];
    int status = params->filter ? settings_make_filter(params->filter, &settings->reading, &view->filter)
                                : DONE;
    if (status != DONE)
        return status;
    params->picture_name = view->single.input;
    if (view->single.input && !open_picture(view, view->single.input, &params->picture))
        return FAILED;
    progress_end();
    params->own = view->filter;
    params->border = settings->border;
    params->border_value = (float)settings->border_value;
    params->device = settings->device;
    params->threads = settings->threads;
    params->user = view;
    params->open = open_picture;
    params->save = save_result;
    if (viewer_run(params, reason))
        return DONE;
    return fail("the window cannot be opened: %s", reason);
}

int command_view(int argc, char **argv)
{
    struct view view = { .single = { .command = "view" }, .params = { .scene = scene_defaults() } };
    view.params.scene.width = view.params.scene.height = 512;
    view.params.scene.samples = 4;
    int status = single_read(&view.single, specs, argc, argv, take_option, &view);
    if (status == DONE && view.single.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (status == DONE && !scene_size_fits(&view.params.scene, &view.single.settings))
        status = FAILED;
    if (status != DONE)
        return status;
    if (!picture_begin("abbe", view.single.settings.threads))
        return FAILED;
    progress_begin(view.single.input ? view.single.input : "scene");
    status = open_viewer(&view);
    progress_end();
    picture_free(&view.picture);
    abbe_filter_destroy(&view.filter);
    picture_end();
    return status;
}
