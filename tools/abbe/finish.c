/* From filtered floats to results as they are stored: threshold, gain, offset, channels, mask, depth. */
#include "finish.h"

#include "samples.h"
#include "say.h"

#include <math.h>
#include <string.h>

/* ---- Options ------------------------------------------------------------------------------------------- */

struct finish finish_default(void)
{
    return (struct finish){ .gain = 1 };
}

bool finish_take_depth(const char *command, const struct option *option, abbe_type *type)
{
    static const char *const names[] = { "8", "16", "float", NULL };
    static const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F32 };
    int choice = option_choice(option->value, names);
    if (choice < 0) {
        say_usage_error(command, "--depth is 8, 16 or float, not '%s'", option->value);
        return false;
    }
    *type = types[choice];
    return true;
}

int finish_take(struct finish *finish, const char *command, const struct option *option)
{
    double number;
    switch (option->id) {
    case FINISH_DEPTH: return finish_take_depth(command, option, &finish->type) ? 1 : -1;
    case FINISH_GAIN:
        if (option_number(option->value, &number) && isnormal((float)number)) {
            finish->gain = number;
            return 1;
        }
        say_usage_error(command, "--gain needs a number other than 0, such as 4, not '%s'", option->value);
        return -1;
    case FINISH_OFFSET:
        if (option_number(option->value, &number) && isfinite((float)number)) {
            finish->offset = number;
            finish->has_offset = true;
            return 1;
        }
        say_usage_error(command, "--offset needs a number such as 0.5, not '%s'", option->value);
        return -1;
    case FINISH_THRESHOLD:
        if (option_number(option->value, &number) && number >= 0 && isfinite((float)number)) {
            finish->threshold = number;
            return 1;
        }
        say_usage_error(command, "--threshold needs a number from 0 on, such as 0.02, not '%s'",
                        option->value);
        return -1;
    default: return 0;
    }
}

/* ---- Types and offsets --------------------------------------------------------------------------------- */

abbe_type finish_type(const struct finish *finish, const struct destination *destination, abbe_type source)
{
    abbe_type type = destination_type(destination, finish->type ? finish->type : source);
    if (!finish->type || type == finish->type)
        return type;
    say_error("%s: its format cannot hold samples of --depth %s; TIFF can", destination->name,
              finish->type == ABBE_U8    ? "8"
              : finish->type == ABBE_U16 ? "16"
                                         : "float");
    return 0;
}

double finish_top(abbe_type type)
{
    return type == ABBE_U8 ? 255 : 65535;
}

double finish_offset(double offset, abbe_type type)
{
    return type == ABBE_F32 ? offset : floor(offset * finish_top(type) + 0.5) / finish_top(type);
}

bool finish_is_plain(const struct finish *finish)
{
    return finish->gain == 1 && finish->threshold == 0;
}

bool finish_blends(const struct blend *blend)
{
    return blend->channels->kind != CHANNELS_ALL || blend->where->weights;
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

static void load_pixel(const abbe_image *view, size_t pixel, double *samples)
{
    for (int c = 0; c < view->channels; c++)
        samples[c] = (double)sample_load(view, pixel * (size_t)view->channels + (size_t)c);
}

static void store_pixel(const abbe_image *view, size_t pixel, const double *samples)
{
    for (int c = 0; c < view->channels; c++)
        sample_store(view, pixel * (size_t)view->channels + (size_t)c, samples[c]);
}

static double soften(double change, double threshold)
{
    return fabs(change) > threshold ? change - copysign(threshold, change) : 0;
}

/* Finishes the filtered samples of a pixel: threshold, gain, offset. `part` has those of the source. */
static void finish_samples(const struct finish *finish, double offset, const double *part, int colours,
                           double *filtered)
{
    for (int c = 0; c < colours; c++) {
        if (finish->threshold > 0)
            filtered[c] = part[c] + soften(filtered[c] - part[c], finish->threshold);
        filtered[c] = finish->gain * filtered[c] + offset;
    }
}

void finish_row(const struct finish *finish, bool has_alpha, const abbe_image *from, const abbe_image *to)
{
    double samples[ABBE_CHANNELS_MAX];
    double offset = finish_offset(finish->offset, to->type);
    for (size_t i = 0; i < (size_t)from->width; i++) {
        load_pixel(from, i, samples);
        finish_samples(finish, offset, NULL, from->channels - has_alpha, samples);
        store_pixel(to, i, samples);
    }
}

bool finish_picture(const struct finish *finish, abbe_type type, const struct blend *blend,
                    struct picture *filtered)
{
    const struct picture *source = blend->source;
    const abbe_image *from = &filtered->view, *kept = &source->view;
    double pixel[ABBE_CHANNELS_MAX], part[ABBE_CHANNELS_MAX] = { 0 }, samples[ABBE_CHANNELS_MAX],
                                     mixed[ABBE_CHANNELS_MAX];
    struct picture result;
    bool blends = finish_blends(blend);
    if (type == ABBE_F32 && finish_is_plain(finish) && finish->offset == 0 && !blends)
        return true;
    if (!picture_create(kept->width, kept->height, kept->channels, type, source, &result))
        return false;
    int colours = channels_are_alpha(blend->channels) ? 0 : from->channels - filtered->has_alpha;
    double offset = finish_offset(finish->offset, type);
    for (size_t i = 0; i < (size_t)kept->width * (size_t)kept->height; i++) {
        load_pixel(from, i, samples);
        if (blends || finish->threshold > 0)
            load_pixel(kept, i, pixel);
        if (finish->threshold > 0)
            channels_split(blend->channels, source, pixel, part);
        finish_samples(finish, offset, part, colours, samples);
        if (blends) {
            memcpy(mixed, pixel, (size_t)kept->channels * sizeof *mixed);
            channels_merge(blend->channels, source, samples, mixed);
            if (blend->where->weights)
                where_mix((double)blend->where->weights[i], pixel, kept->channels, blend->by_alpha, mixed);
        }
        store_pixel(&result.view, i, blends ? mixed : samples);
    }
    picture_free(filtered);
    *filtered = result;
    return true;
}
