/* --channels of abbe filter: which part of a picture is filtered; the rest of it stays as it is. */
#include "channels.h"

#include "options.h"
#include "samples.h"
#include "say.h"

#include <math.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------------------------------------- */

enum { RED, GREEN, BLUE, ALPHA };
static const char *const names[] = { "red", "green", "blue", "alpha", NULL };

static bool take_list(const char *text, struct channels *channels)
{
    for (;; text++) {
        char name[8];
        size_t length = strcspn(text, ",");
        if (length >= sizeof name)
            return false;
        memcpy(name, text, length);
        name[length] = '\0';
        int channel = option_choice(name, names);
        if (channel < 0)
            return false;
        if (channel == ALPHA)
            channels->alpha = true;
        else
            channels->colours[channel] = true;
        text += length;
        if (!*text)
            return true;
    }
}

bool channels_take(const char *command, const char *text, struct channels *channels)
{
    *channels = (struct channels){ .text = text, .kind = CHANNELS_LIST };
    if (!strcmp(text, "luminance"))
        channels->kind = CHANNELS_LUMINANCE;
    else if (!strcmp(text, "chroma"))
        channels->kind = CHANNELS_CHROMA;
    else if (!take_list(text, channels)) {
        say_usage_error(command, "--channels is luminance, chroma, or some of red,green,blue,alpha, not '%s'",
                        text);
        return false;
    }
    return true;
}

static int colour_count(const struct picture *picture)
{
    return picture->view.channels - picture->has_alpha;
}

bool channels_are_alpha(const struct channels *channels)
{
    return channels->kind == CHANNELS_LIST && !channels->colours[RED] && !channels->colours[GREEN] &&
           !channels->colours[BLUE];
}

bool channels_fit(const struct channels *channels, const char *name, const struct picture *picture)
{
    if (channels->kind == CHANNELS_ALL)
        return true;
    if (!channels_are_alpha(channels) && colour_count(picture) != 3)
        say_error("%s: has %d channel%s without alpha; --channels %s needs red, green and blue", name,
                  colour_count(picture), colour_count(picture) == 1 ? "" : "s", channels->text);
    else if (channels->kind == CHANNELS_LIST && channels->alpha && !picture->has_alpha)
        say_error("%s: has no alpha, which --channels %s names", name, channels->text);
    else
        return true;
    return false;
}

/* ---- Light --------------------------------------------------------------------------------------------- */

/* The curve of sRGB (IEC 61966-2-1), continued to negative numbers, as the library has it. */
static double decode_light(double coded)
{
    double size = fabs(coded);
    return copysign(size <= 0.04045 ? size / 12.92 : pow((size + 0.055) / 1.055, 2.4), coded);
}

static double encode_light(double light)
{
    double size = fabs(light);
    return copysign(size <= 0.0031308 ? size * 12.92 : 1.055 * pow(size, 1 / 2.4) - 0.055, light);
}

/* The luminance of ITU-R BT.709, whose primaries sRGB has. */
static double luminance(const double *rgb)
{
    return 0.2126 * rgb[RED] + 0.7152 * rgb[GREEN] + 0.0722 * rgb[BLUE];
}

/* The three samples as Y is computed from them. */
static void load_light(const struct channels *channels, const double *pixel, double *light)
{
    for (int c = 0; c < 3; c++)
        light[c] = channels->is_linear ? decode_light(pixel[c]) : pixel[c];
}

/* Stores light plus the same amount in each channel. */
static void store_light(const struct channels *channels, const double *light, double more, double *pixel)
{
    for (int c = 0; c < 3; c++)
        pixel[c] = channels->is_linear ? encode_light(light[c] + more) : light[c] + more;
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

int channels_split(const struct channels *channels, const struct picture *source, const double *pixel,
                   double *part)
{
    int count = 0, colours = colour_count(source);
    double light[3];
    switch (channels->kind) {
    case CHANNELS_LUMINANCE:
        load_light(channels, pixel, light);
        part[count++] = channels->is_linear ? encode_light(luminance(light)) : luminance(light);
        break;
    case CHANNELS_LIST:
        for (int c = 0; c < 3; c++)
            if (channels->colours[c])
                part[count++] = pixel[c];
        break;
    case CHANNELS_ALL:
    case CHANNELS_CHROMA:
        for (int c = 0; c < colours; c++)
            part[count++] = pixel[c];
        break;
    }
    if (source->has_alpha)
        part[count++] = pixel[colours];
    return count;
}

void channels_merge(const struct channels *channels, const struct picture *source, const double *filtered,
                    double *pixel)
{
    double light[3], changed[3];
    int colours = colour_count(source), next = 0;
    switch (channels->kind) {
    case CHANNELS_ALL: memcpy(pixel, filtered, (size_t)source->view.channels * sizeof *pixel); break;
    case CHANNELS_LUMINANCE:
        load_light(channels, pixel, light);
        changed[0] = channels->is_linear ? decode_light(filtered[0]) : filtered[0];
        store_light(channels, light, changed[0] - luminance(light), pixel);
        break;
    case CHANNELS_CHROMA:
        load_light(channels, pixel, light);
        load_light(channels, filtered, changed);
        store_light(channels, changed, luminance(light) - luminance(changed), pixel);
        break;
    case CHANNELS_LIST:
        for (int c = 0; c < 3; c++)
            if (channels->colours[c])
                pixel[c] = filtered[next++];
        if (channels->alpha)
            pixel[colours] = filtered[next];
        break;
    }
}

bool channels_extract(const struct channels *channels, const struct picture *source, struct picture *part)
{
    const abbe_image *from = &source->view;
    double pixel[ABBE_CHANNELS_MAX] = { 0 }, samples[ABBE_CHANNELS_MAX];
    int count = channels_split(channels, source, pixel, samples);
    /* Luminance is no whole number of levels. */
    abbe_type type = channels->kind == CHANNELS_LUMINANCE ? ABBE_F32 : from->type;
    if (!picture_create(from->width, from->height, count, type, NULL, part))
        return false;
    /* Alpha by itself is filtered like a grey picture. */
    part->has_alpha = source->has_alpha && count > 1;
    for (size_t i = 0; i < (size_t)from->width * (size_t)from->height; i++) {
        for (int c = 0; c < from->channels; c++)
            pixel[c] = (double)sample_load(from, i * (size_t)from->channels + (size_t)c);
        channels_split(channels, source, pixel, samples);
        for (int c = 0; c < count; c++)
            sample_store(&part->view, i * (size_t)count + (size_t)c, samples[c]);
    }
    return true;
}
