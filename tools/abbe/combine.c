/* abbe combine: adds pictures, such as a low pass and what it left of its picture.
 *
 * The sum of (sample − offset) / gain in double precision; offsets are whole levels of integers. */
#include "command.h"
#include "outputs.h"
#include "settings.h"
#include "sum.h"

#include "finish.h"
#include "samples.h"

#include <stdlib.h>

/* ---- The command line ---------------------------------------------------------------------------------- */

enum { PICTURES_MAX = 256 };

struct combination {
    struct settings settings;
    int count;
    const char *names[PICTURES_MAX];
    struct finish finishes[PICTURES_MAX]; /* with which the pictures were written */
    struct picture pictures[PICTURES_MAX];
    struct finish finish; /* of the sum: its depth */
    const char *output;
    bool wants_help;
};

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "output file" },
    { FINISH_DEPTH, 0, "depth", "BITS", "samples of the sum: 8, 16 or float (as the first picture)" },
    { FINISH_GAIN, 0, "gain", "VALUE", "gain that the picture before was written with (1)" },
    { FINISH_OFFSET, 0, "offset", "VALUE",
      "offset that the picture before was written with (0 for the first picture and for floats, else 0.5)" },
    { OPTION_QUIET, 'q', "quiet", NULL, HELP_QUIET },
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N", HELP_MAX_PIXELS },
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, HELP_UNTRUSTED },
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe combine LOW HIGH... -o OUT [options]";
static const char summary[] =
    "Adds pictures that abbe filter separated: low frequencies and detail. Each picture stands for\n"
    "(sample - offset) / gain, so give it the --gain and --offset that it was written with.\n"
    "What --rest wrote, or highpass beside lowpass, restores the picture exactly, also in 8 bits.";
static const char examples[] =
    "  abbe filter face.png -f gaussian:sigma=9 -o low.png --rest high.png\n"
    "  abbe combine low.png high.png -o face-again.png\n"
    "  abbe filter face.png -f lowpass:cutoff=40px -o low.png -f highpass:cutoff=40px -o high.png --offset "
    "0.5\n"
    "  abbe combine retouched-low.tif high.tif -o face-retouched.tif\n"
    "  abbe combine low.tif middle.tif high.tif --gain 0.5 -o stronger-detail.tif\n";

static int take_picture(struct combination *combination, const char *name)
{
    if (combination->count == PICTURES_MAX)
        return fail_usage("combine", "there are more than %d pictures", PICTURES_MAX);
    combination->names[combination->count] = name;
    combination->finishes[combination->count++] = finish_default();
    return DONE;
}

static int take_option(struct combination *combination, const struct option *option)
{
    bool is_depth = option->id == FINISH_DEPTH,
         describes = option->id == FINISH_GAIN || option->id == FINISH_OFFSET;
    struct finish *last = combination->count ? &combination->finishes[combination->count - 1] : NULL;
    switch (option->id) {
    case OPTION_WRONG: return WRONG_USAGE;
    case OPTION_HELP: combination->wants_help = true; return DONE;
    case OPTION_ARGUMENT: return take_picture(combination, option->value);
    case OPTION_OUTPUT:
        if (combination->output)
            return fail_usage("combine", "combine takes one output, but '%s' and '%s' are two",
                              combination->output, option->value);
        combination->output = option->value;
        return DONE;
    default: break;
    }
    if (describes && !last)
        return fail_usage("combine", "%s stands after the picture that it describes", option->name);
    int taken = finish_take(is_depth || !last ? &combination->finish : last, "combine", option);
    if (!taken)
        taken = settings_take(&combination->settings, "combine", option);
    return taken < 0 ? WRONG_USAGE : DONE;
}

static int read_options(struct combination *combination, int argc, char **argv)
{
    struct option_reader reader = {
        .command = "combine", .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    int status = DONE;
    while (status == DONE && !combination->wants_help) {
        struct option option = option_next(&reader);
        if (option.id == OPTION_END)
            break;
        status = take_option(combination, &option);
    }
    if (status != DONE || combination->wants_help)
        return status;
    if (combination->count < 2)
        return fail_usage("combine", "combine adds two pictures or more: abbe combine LOW HIGH -o OUT");
    return combination->output ? DONE : fail_usage("combine", "no output given: -o OUT");
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

/* Where reading and adding end, as fractions of the progress. */
static const double read_end = 0.6, add_end = 0.7;

/* Whether a picture can be added to the first one, and its file is not lost by replacing it. */
static bool check_picture(const struct combination *combination, const struct destination *destination, int i)
{
    const struct picture *first = combination->pictures, *picture = first + i;
    const char *name = combination->names[i];
    if (picture->view.width != first->view.width || picture->view.height != first->view.height)
        say_error("%s: is %d x %d pixels, but %s is %d x %d", name, picture->view.width, picture->view.height,
                  combination->names[0], first->view.width, first->view.height);
    else if (sum_colours(picture) != sum_colours(first))
        say_error("%s: has %d channels without alpha, but %s has %d", name, sum_colours(picture),
                  combination->names[0], sum_colours(first));
    else if (picture->pages > 1 && destination->path && output_is_input(destination->path, name))
        say_error("%s: the sum would replace %d pages by one; choose another output", name, picture->pages);
    else
        return true;
    return false;
}

static bool read_pictures(struct combination *combination, const struct destination *destination)
{
    for (int i = 0; i < combination->count; i++) {
        double from = read_end * i / combination->count, to = read_end * (i + 1) / combination->count;
        progress_subject(combination->names[i]);
        if (!picture_read(combination->names[i], &combination->settings.reading, from, to,
                          &combination->pictures[i]) ||
            !check_picture(combination, destination, i))
            return false;
    }
    return true;
}

/* The last picture with alpha, whose alpha the sum gets: detail has that of the picture that it was made
 * from, and a low pass a blurred one. NULL where no picture has alpha. */
static const struct picture *find_alpha(const struct combination *combination)
{
    for (int i = combination->count - 1; i >= 0; i--)
        if (combination->pictures[i].has_alpha)
            return &combination->pictures[i];
    return NULL;
}

static void find_terms(const struct combination *combination, struct term *terms)
{
    for (int i = 0; i < combination->count; i++) {
        const struct finish *finish = &combination->finishes[i];
        const struct picture *picture = &combination->pictures[i];
        double offset = i ? sum_default_offset(picture->view.type) : 0;
        if (finish->has_offset)
            offset = finish_offset(finish->offset, picture->view.type);
        terms[i] = (struct term){ picture, finish->gain, offset };
    }
}

static bool add_pictures(const struct combination *combination, abbe_type type, struct picture *sum)
{
    struct term terms[PICTURES_MAX];
    const struct picture *first = combination->pictures, *alpha = find_alpha(combination);
    int width = first->view.width, height = first->view.height, colours = sum_colours(first),
        channels = colours + (alpha != NULL);
    /* The metadata is that of the first picture. */
    if (!picture_create(width, height, channels, type, first, sum))
        return false;
    sum->has_alpha = alpha != NULL;
    find_terms(combination, terms);
    progress_show("adding", read_end);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        for (int c = 0; c < colours; c++)
            sample_store(&sum->view, i * (size_t)channels + (size_t)c,
                         sum_sample(terms, combination->count, i, c));
        if (alpha)
            sample_store(&sum->view, (i + 1) * (size_t)channels - 1,
                         (double)sample_load(&alpha->view, (i + 1) * (size_t)alpha->view.channels - 1));
    }
    return true;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static bool combine_pictures(struct combination *combination, const struct destination *destination)
{
    struct picture sum = { 0 };
    bool done = destination_check(destination) && finish_type(&combination->finish, destination, ABBE_U8) &&
                read_pictures(combination, destination) &&
                add_pictures(
                    combination,
                    finish_type(&combination->finish, destination, combination->pictures[0].view.type),
                    &sum) &&
                picture_write(&sum, destination, NULL, add_end, 1);
    picture_free(&sum);
    for (int i = 0; i < combination->count; i++)
        picture_free(&combination->pictures[i]);
    return done;
}

static int run_combination(struct combination *combination)
{
    struct destination destination = { 0 };
    if (!picture_begin("abbe", 0))
        return FAILED;
    bool done = destination_parse(combination->output, &destination);
    if (done) {
        progress_begin(combination->names[0]);
        done = combine_pictures(combination, &destination);
        progress_end();
    }
    destination_free(&destination);
    picture_end();
    return done ? DONE : FAILED;
}

int command_combine(int argc, char **argv)
{
    struct combination *combination = calloc(1, sizeof *combination);
    if (!combination)
        return fail("out of memory");
    combination->settings = settings_default();
    combination->finish = finish_default();
    int status = read_options(combination, argc, argv);
    if (status == DONE && combination->wants_help)
        option_help(usage, summary, specs, examples);
    else if (status == DONE)
        status = run_combination(combination);
    free(combination);
    return status;
}
