/* Commands with at most one input picture and one output: command line, start and errors. */
#include "single.h"

#include "outputs.h"

#include <string.h>

static int take_once(const struct single *single, const char *what, const char *value, const char **place)
{
    if (*place)
        return fail_usage(single->command, "%s takes one %s, but '%s' and '%s' are two", single->command,
                          what, *place, value);
    *place = value;
    return DONE;
}

static int take_option(struct single *single, const struct option *option, single_take take, void *own)
{
    switch (option->id) {
    case OPTION_WRONG: return WRONG_USAGE;
    case OPTION_HELP: single->wants_help = true; return DONE;
    case OPTION_ARGUMENT: return take_once(single, "input", option->value, &single->input);
    case OPTION_OUTPUT: return take_once(single, "output", option->value, &single->output);
    default: break;
    }
    int taken = settings_take(&single->settings, single->command, option);
    return taken ? (taken < 0 ? WRONG_USAGE : DONE) : take(own, option);
}

int single_read(struct single *single, const struct option_spec *specs, int argc, char **argv,
                single_take take, void *own)
{
    struct option_reader reader = {
        .command = single->command, .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    single->settings = settings_default();
    int status = DONE;
    while (status == DONE && !single->wants_help) {
        struct option option = option_next(&reader);
        if (option.id == OPTION_END)
            break;
        status = take_option(single, &option, take, own);
    }
    return status;
}

static bool open_single_device(struct single *single)
{
    if (!settings_open_device(&single->settings, &single->device))
        return false;
    if (!single->needs_cpu || !strcmp(abbe_device_name(single->device), "cpu"))
        return true;
    say_error("--device %s: spectra are computed by the CPU; use --device cpu or auto",
              single->settings.device);
    return false;
}

static bool check_output(struct single *single)
{
    if (!destination_parse(single->output, &single->destination))
        return false;
    if (!single->needs_tiff || destination_is_tiff(&single->destination))
        return destination_check(&single->destination);
    say_error("%s: a packed spectrum is written as a TIFF of floats; use the extension .tif",
              single->destination.name);
    return false;
}

int single_begin(struct single *single)
{
    if (!picture_begin("abbe", single->settings.threads))
        return FAILED;
    if (single->output && !check_output(single))
        return FAILED;
    if (!single->opens_device && !open_single_device(single))
        return FAILED;
    progress_begin(single->input ? single->input : single->output);
    return DONE;
}

void single_end(struct single *single)
{
    progress_end();
    abbe_device_close(&single->device);
    destination_free(&single->destination);
    picture_end();
}

bool single_read_picture(const struct single *single, const char *path, double read_end,
                         struct picture *picture)
{
    if (!picture_read(path, &single->settings.reading, 0, read_end, picture))
        return false;
    if (picture->pages == 1 || !output_is_input(single->destination.path, path))
        return true;
    say_error("%s: its result would replace %d pages by one; choose another output", path, picture->pages);
    return false;
}

bool single_error(const char *subject)
{
    say_error("%s: %s", subject, abbe_last_error());
    return false;
}
