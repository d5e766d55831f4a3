/* abbe texture: random-phase textures, with the magnitudes of a filter (Moreland & Angel 2003, figure 5) or
 * of an example (Galerne, Gousseau & Morel 2011).
 *
 *     spectrum   e^(jθ), or the example's spectrum times e^(jθ); one θ for all channels keeps the colours
 *     inverse    a field of mean 0 that tiles without a seam
 *     filter     a plan with border wrap
 *     store      mean and contrast are set, samples saturated */
#include "command.h"
#include "samples.h"
#include "single.h"
#include "texture_spectrum.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SIZE = 1, SEED, LIKE };

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "output file" },
    { OPTION_FILTER, 'f', "filter", "FILTER", "strength of each frequency: the gain of this filter" },
    { LIKE, 'l', "like", "IN", "take frequencies and colours from an example picture" },
    { SIZE, 0, "size", "WxH",
      "size in pixels, such as 640x480; required without --like (size of the example)" },
    { SEED, 0, "seed", "N", "whole number that chooses the random phases (1)" },
    SINGLE_OPTIONS,
};

static const char usage[] =
    "abbe texture -o OUT --size WxH -f FILTER [--seed N] [options]\n"
    "       abbe texture -o OUT --like IN [--size WxH] [-f FILTER] [--seed N] [options]";
static const char summary[] = "Makes a texture that tiles: frequencies of chosen strength with random "
                              "phases. With -f alone it is grey,\n"
                              "with mean 0.5 and three standard deviations to black and to white. With "
                              "--like it has the mean colour, the\n"
                              "variation of colours and the grain of the example, but none of its shapes; -f "
                              "then filters it. Alpha is\n"
                              "ignored.";
static const char examples[] =
    "  abbe texture --size 512x512 -f power:exponent=-1.5 -o clouds.png\n"
    "  abbe texture --size 512x512 -f bandpass:low=0.05:high=0.1 -o cells.png --seed 7\n"
    "  abbe texture --size 512x512 -f streak:angle=30,lowpass:cutoff=0.2 -o fur.png\n"
    "  abbe texture --like sand.jpg -o more-sand.jpg --size 2048x2048\n";

/* Three standard deviations on either side of the mean reach 0 and 1. */
static const double mean_of_filtered = 0.5, deviation_of_filtered = 1.0 / 6.0;

/* A filter that leaves a smaller fraction of white noise leaves only the rounding of floats. */
static const double least_deviation = 1e-6;

static const double read_end = 0.3, run_end = 0.6;

struct texture {
    struct single single;
    const char *filter_text, *like; /* NULL if not given */
    int width, height;              /* 0 if not given */
    long long seed;
    abbe_filter *filter;
    struct picture example;
    struct picture field;           /* F32; first the spectrum, then the unscaled texture */
    abbe_device *cpu;               /* for spectra */
    double mean[ABBE_CHANNELS_MAX]; /* of the result, per channel */
};

/* ---- The command line ---------------------------------------------------------------------------------- */

static int take_text(const char *value, const char *what, const char **place)
{
    if (*place)
        return fail_usage("texture", "%s may be given once, but '%s' and '%s' are two", what, *place, value);
    *place = value;
    return DONE;
}

static int take_option(void *own, const struct option *option)
{
    struct texture *texture = own;
    switch (option->id) {
    case OPTION_FILTER:
        return take_text(option->value, "-f (use commas to chain filters)", &texture->filter_text);
    case LIKE: return take_text(option->value, "--like", &texture->like);
    case SIZE:
        if (option_size(option->value, &texture->width, &texture->height))
            return DONE;
        return fail_usage("texture", "--size '%s' is not a size; write width x height, such as 640x480",
                          option->value);
    case SEED:
        if (option_integer(option->value, 0, LLONG_MAX, &texture->seed))
            return DONE;
        return fail_usage("texture", "--seed needs a whole number from 0 to %lld, not '%s'", LLONG_MAX,
                          option->value);
    default: return DONE;
    }
}

/* Checks the command line as a whole. */
static int check_options(const struct texture *texture)
{
    if (texture->single.input)
        return fail_usage("texture", "unexpected argument '%s'; use --like for an example",
                          texture->single.input);
    if (!texture->single.output)
        return fail_usage("texture", "no output given: -o OUT");
    if (!texture->filter_text && !texture->like)
        return fail_usage("texture", "no kind of texture given: -f FILTER or --like IN");
    if (!texture->like && !texture->width)
        return fail_usage("texture", "no size given: --size WxH, such as --size 512x512");
    return DONE;
}

static bool check_size(const struct texture *texture)
{
    long long limit = texture->single.settings.reading.max_pixels;
    if ((long long)texture->width * texture->height <= limit)
        return true;
    say_error("--size %dx%d has more than %lld pixels; --max-pixels raises the limit", texture->width,
              texture->height, limit);
    return false;
}

/* ---- The device for spectra ------------------------------------------------------------------------------ */

/* The device itself, or the CPU beside a GPU, on which only the filter runs. */
static bool open_cpu(struct texture *texture)
{
    struct settings *settings = &texture->single.settings;
    texture->cpu = texture->single.device;
    if (!strcmp(abbe_device_name(texture->cpu), "cpu"))
        return true;
    const char *named = settings->device;
    texture->cpu = NULL;
    settings->device = "cpu";
    bool opened = settings_open_device(settings, &texture->cpu);
    settings->device = named;
    return opened;
}

static void close_cpu(struct texture *texture)
{
    if (texture->cpu != texture->single.device)
        abbe_device_close(&texture->cpu);
}

/* ---- The field ----------------------------------------------------------------------------------------- */

/* Multiplies the spectrum of the example by the phases; without an example, the phases are the spectrum. */
static bool make_spectrum(struct texture *texture, struct picture *phases)
{
    int channels = texture->like ? example_colours(&texture->example) : 1;
    if (!texture->like) {
        texture->field = *phases;
        *phases = (struct picture){ 0 };
        texture->mean[0] = mean_of_filtered;
        return true;
    }
    if (!picture_create(texture->width, texture->height, channels, ABBE_F32, NULL, &texture->field))
        return false;
    const abbe_image *view = &texture->field.view;
    int error = example_spectrum(texture->cpu, &texture->example, view, texture->mean);
    if (error == ABBE_ERR_MEMORY) {
        say_error("%s: out of memory", texture->like);
        return false;
    }
    if (error)
        return single_error(texture->like);
    return !abbe_spectrum_multiply(view, &phases->view, view) || single_error(texture->like);
}

static bool make_field(struct texture *texture)
{
    struct picture phases = { 0 };
    if (!picture_create(texture->width, texture->height, 1, ABBE_F32, NULL, &phases))
        return false;
    random_phase_fill((uint64_t)texture->seed, texture->width, texture->height, phases.view.data);
    bool done = make_spectrum(texture, &phases);
    picture_free(&phases);
    progress_show("transforming", read_end);
    const abbe_image *view = &texture->field.view;
    return done && (!abbe_spectrum_inverse(texture->cpu, view, view) || single_error(texture->single.output));
}

static bool filter_field(struct texture *texture)
{
    abbe_plan *plan = NULL;
    const abbe_image *view = &texture->field.view;
    int error = abbe_plan_create(
        texture->single.device,
        &(abbe_plan_params){ .width = view->width,
                             .height = view->height,
                             .channels = view->channels,
                             .source_type = ABBE_F32,
                             .result_type = ABBE_F32,
                             .filters = (const abbe_filter *const[]){ texture->filter },
                             .filter_count = 1,
                             .border = ABBE_BORDER_WRAP },
        &plan);
    if (!error)
        error = abbe_run(plan, view, view);
    abbe_plan_destroy(&plan);
    return !error || single_error(texture->filter_text);
}

/* ---- Mean and contrast --------------------------------------------------------------------------------- */

static double channel_mean(const abbe_image *field, int channel)
{
    const float *values = field->data;
    double sum = 0;
    for (size_t i = (size_t)channel; i < sample_count(field); i += (size_t)field->channels)
        sum += values[i];
    return sum * field->channels / (double)sample_count(field);
}

static double channel_deviation(const abbe_image *field, int channel)
{
    const float *values = field->data;
    double mean = channel_mean(field, channel), sum = 0;
    for (size_t i = (size_t)channel; i < sample_count(field); i += (size_t)field->channels)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum * field->channels / (double)sample_count(field));
}

/* The factor for the field: 1 with an example, whose contrast is kept. */
static bool find_scale(const struct texture *texture, double noise, double *scale)
{
    *scale = 1.0;
    if (texture->like)
        return true;
    double deviation = channel_deviation(&texture->field.view, 0);
    *scale = deviation > 0 ? deviation_of_filtered / deviation : 0;
    if (isfinite(deviation) && (deviation > least_deviation * noise || noise == 0))
        return true;
    say_error("filter '%s' %s a texture of %d x %d; use a %s", texture->filter_text,
              isfinite(deviation) ? "leaves nothing of" : "is too strong for", texture->width,
              texture->height, isfinite(deviation) ? "wider band or a larger --size" : "gentler one");
    return false;
}

/* Without an example, the type is U16, because the texture lies between 0 and 1. */
static bool store_texture(struct texture *texture, double scale)
{
    const abbe_image *field = &texture->field.view;
    const struct picture *like = texture->like ? &texture->example : NULL;
    struct picture result = { 0 };
    abbe_type type = destination_type(&texture->single.destination, like ? like->view.type : ABBE_U16);
    if (!picture_create(field->width, field->height, field->channels, type, like, &result))
        return false;
    result.has_alpha = false;
    result.orientation = 1;
    for (int c = 0; c < field->channels; c++) {
        double offset = texture->mean[c] - scale * channel_mean(field, c);
        for (size_t i = (size_t)c; i < sample_count(field); i += (size_t)field->channels)
            sample_store(&result.view, i, offset + scale * ((const float *)field->data)[i]);
    }
    bool done = picture_write(&result, &texture->single.destination, NULL, run_end, 1);
    picture_free(&result);
    return done;
}

static int make_texture(struct texture *texture)
{
    const struct reading *reading = &texture->single.settings.reading;
    int status = texture->filter_text ? settings_make_filter(texture->filter_text, reading, &texture->filter)
                                      : DONE;
    if (status != DONE)
        return status;
    if (texture->like && !single_read_picture(&texture->single, texture->like, read_end, &texture->example))
        return FAILED;
    if (!texture->width) {
        texture->width = texture->example.view.width;
        texture->height = texture->example.view.height;
    }
    if (!check_size(texture) || !make_field(texture))
        return FAILED;
    double noise = channel_deviation(&texture->field.view, 0), scale;
    if (texture->filter && !filter_field(texture))
        return FAILED;
    return find_scale(texture, noise, &scale) && store_texture(texture, scale) ? DONE : FAILED;
}

int command_texture(int argc, char **argv)
{
    struct texture texture = { .single = { .command = "texture" }, .seed = 1 };
    int status = single_read(&texture.single, specs, argc, argv, take_option, &texture);
    if (status == DONE && texture.single.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (status == DONE)
        status = check_options(&texture);
    if (status != DONE)
        return status;
    status = single_begin(&texture.single);
    if (status == DONE)
        status = open_cpu(&texture) ? make_texture(&texture) : FAILED;
    close_cpu(&texture);
    picture_free(&texture.field);
    picture_free(&texture.example);
    abbe_filter_destroy(&texture.filter);
    single_end(&texture.single);
    return status;
}
