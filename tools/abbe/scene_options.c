/* Options of scene and view that choose what is drawn, and files of the light that was drawn. */
#include "scene_options.h"

#include "samples.h"

/* ---- Options ------------------------------------------------------------------------------------------- */

static int take_number(const char *command, const struct option *option, double low, double high,
                       double *value)
{
    double number;
    if (option_number(option->value, &number) && number >= low && number <= high) {
        *value = number;
        return 1;
    }
    say_usage_error(command, "%s needs a number from %g to %g, not '%s'", option->name, low, high,
                    option->value);
    return -1;
}

static int take_material(struct scene_params *params, const char *command, const char *name)
{
    int material = option_choice(name, scene_materials());
    const char *nearest = option_nearest(name, scene_materials());
    if (material >= 0) {
        params->material = material;
        return 1;
    }
    if (nearest)
        say_usage_error(command, "unknown material '%s'; did you mean '%s'?", name, nearest);
    else
        say_usage_error(command,
                        "unknown material '%s'; use one of: ceramic, porcelain, clay, copper, silver, iron",
                        name);
    return -1;
}

static int take_size(struct scene_params *params, const char *command, const char *text)
{
    if (option_size(text, &params->width, &params->height))
        return 1;
    say_usage_error(command, "--size '%s' is not a size; write width x height, such as 640x480", text);
    return -1;
}

static int take_samples(struct scene_params *params, const char *command, const char *text)
{
    long long samples;
    if (option_integer(text, 1, SCENE_SAMPLES_MAX, &samples)) {
        params->samples = (int)samples;
        return 1;
    }
    say_usage_error(command, "--samples needs a whole number from 1 to %d, not '%s'", SCENE_SAMPLES_MAX,
                    text);
    return -1;
}

int scene_take(struct scene_params *params, const char *command, const struct option *option)
{
    switch (option->id) {
    case SCENE_SIZE: return take_size(params, command, option->value);
    case SCENE_ANGLE: return take_number(command, option, -360, 360, &params->angle);
    case SCENE_ELEVATION: return take_number(command, option, 0, 90, &params->elevation);
    case SCENE_ZOOM: return take_number(command, option, 0.1, 10, &params->zoom);
    case SCENE_MATERIAL: return take_material(params, command, option->value);
    case SCENE_SAMPLES: return take_samples(params, command, option->value);
    default: return 0;
    }
}

bool scene_size_fits(const struct scene_params *params, const struct settings *settings)
{
    if ((long long)params->width * params->height <= settings->reading.max_pixels)
        return true;
    say_error("--size %dx%d has more than %lld pixels; --max-pixels raises the limit", params->width,
              params->height, settings->reading.max_pixels);
    return false;
}

/* ---- Light --------------------------------------------------------------------------------------------- */

bool light_write(const struct picture *light, struct destination *destination, double from, double to)
{
    const abbe_image *view = &light->view;
    struct picture shown = { 0 };
    abbe_type type = destination->path ? destination_type(destination, ABBE_F32) : ABBE_U16;
    if (type == ABBE_F32)
        return picture_write(light, destination, NULL, from, to);
    if (!picture_create(view->width, view->height, view->channels, type, NULL, &shown))
        return false;
    for (size_t i = 0; i < sample_count(view); i++)
        sample_store(&shown.view, i, scene_tone((double)((const float *)view->data)[i]));
    bool done = picture_write(&shown, destination, NULL, from, to);
    picture_free(&shown);
    return done;
}
