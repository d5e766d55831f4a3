/* The common part of transform, spectrum, texture and scene: their command line, their device, their errors. */
#include "errand.h"

#include <string.h>

static int take_once(const struct errand *errand, const char *what, const char *value, const char **place)
{
    if (*place)
        return fail_usage(errand->command, "%s takes one %s; '%s' and '%s' are two", errand->command, what,
                          *place, value);
    *place = value;
    return DONE;
}

static int take_option(struct errand *errand, const struct option *option, errand_own take, void *own)
{
    switch (option->id) {
    case OPTION_WRONG: return WRONG_USAGE;
    case OPTION_HELP: errand->wants_help = true; return DONE;
    case OPTION_PLAIN: return take_once(errand, "input", option->value, &errand->input);
    case OPTION_OUTPUT: return take_once(errand, "output", option->value, &errand->output);
    default: break;
    }
    int taken = settings_take(&errand->settings, errand->command, option);
    return taken ? (taken < 0 ? WRONG_USAGE : DONE) : take(own, option);
}

int errand_read(struct errand *errand, const struct option_spec *specs, int argc, char **argv,
                errand_own take, void *own)
{
    struct option_reader reader = {
        .command = errand->command, .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    errand->settings = settings_default();
    int status = DONE;
    while (status == DONE && !errand->wants_help) {
        struct option option = option_next(&reader);
        if (option.id == OPTION_END)
            break;
        status = take_option(errand, &option, take, own);
    }
    return status;
}

int errand_begin(struct errand *errand)
{
    if (!picture_begin("abbe", errand->settings.threads))
        return FAILED;
    if (!picture_writable(errand->output))
        return FAILED;
    if (!errand->opens_device && !settings_open(&errand->settings, &errand->device))
        return FAILED;
    progress_begin(errand->input ? errand->input : errand->output);
    return DONE;
}

void errand_end(struct errand *errand)
{
    progress_end();
    abbe_device_close(&errand->device);
    picture_end();
}

bool errand_error(const struct errand *errand, const char *subject)
{
    say_error("%s: %s", subject, abbe_error_text(errand->device));
    return false;
}
