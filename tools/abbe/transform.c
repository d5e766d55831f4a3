/* abbe transform: a picture's packed spectrum in a float TIFF, and the picture back from it. */
#include "errand.h"
#include "packed_note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { INVERSE = 1 };

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "where to: a .tif for the spectrum, any picture for the inverse" },
    { INVERSE, 'i', "inverse", NULL, "from a spectrum back to its picture" },
    ERRAND_OPTIONS,
};

static const char usage[] = "abbe transform IN -o SPECTRUM.tif [options]\n"
                            "       abbe transform --inverse SPECTRUM.tif -o OUT [options]";
static const char summary[] =
    "Writes the packed spectrum of a picture: real floats, as many as the picture has samples, laid out as\n"
    "equations 9 and 10 of Moreland & Angel 2003 say. --inverse restores the picture in its own type; "
    "programs\n"
    "may change the numbers in between, and keep the image description, which says what they are.";
static const char examples[] = "  abbe transform photo.png -o photo-spectrum.tif\n"
                               "  abbe transform photo.jpg -o 'small.tif[compression=deflate]'\n"
                               "  abbe transform --inverse photo-spectrum.tif -o again.png\n"
                               "  abbe transform photo.png -o - | abbe transform --inverse - -o again.png\n";

/* Where reading and transforming end, as parts of the progress. */
static const double read_end = 0.4, run_end = 0.6;

static int take(void *own, const struct option *option)
{
    if (option->id == INVERSE)
        *(bool *)own = true;
    return DONE;
}

/* ---- There --------------------------------------------------------------------------------------------- */

/* Where the options in brackets begin, or the name ends. */
static size_t name_length(const char *path)
{
    size_t length = strlen(path);
    const char *bracket = length && path[length - 1] == ']' ? strrchr(path, '[') : NULL;
    return bracket ? (size_t)(bracket - path) : length;
}

/* Standard output, or a name in .tif or .tiff. */
static bool is_tiff(const char *path)
{
    size_t length = name_length(path);
    return !strcmp(path, "-") || (length > 4 && !strncasecmp(path + length - 4, ".tif", 4)) ||
           (length > 5 && !strncasecmp(path + length - 5, ".tiff", 5));
}

static bool write_spectrum(const struct errand *errand, const struct picture *source,
                           const struct picture *packed)
{
    const abbe_image *view = &source->view;
    struct packed_note note = { view->type,     view->width,       view->height,
                                view->channels, source->has_alpha, source->orientation };
    char *description = packed_note_write(&note, picture_description(source));
    bool done = false;
    if (description)
        done = picture_write(packed, errand->output, description, run_end, 1);
    else
        say_error("out of memory");
    free(description);
    return done;
}

static bool run_forward(const struct errand *errand)
{
    struct picture source = { 0 }, packed = { 0 };
    const abbe_image *view = &source.view;
    bool done = picture_read(errand->input, &errand->settings.reading, 0, read_end, &source) &&
                picture_create(view->width, view->height, view->channels, ABBE_F32, &source, &packed);
    if (done) {
        progress_show("transforming", read_end);
        /* The numbers lie as the formula says, not turned as a camera was held; the note keeps how. */
        packed.orientation = 1;
        if (abbe_spectrum_forward(errand->device, view, &packed.view))
            done = errand_error(errand, errand->input);
    }
    done = done && write_spectrum(errand, &source, &packed);
    picture_free(&packed);
    picture_free(&source);
    return done;
}

/* ---- And back ------------------------------------------------------------------------------------------ */

static bool check_spectrum(const char *name, const struct picture *packed, struct packed_note *note,
                           const char **description)
{
    const abbe_image *view = &packed->view;
    if (!packed_note_read(picture_description(packed), note, description))
        say_error(
            "%s: a picture, not a packed spectrum; --inverse takes what 'abbe transform' wrote, with its "
            "image description",
            name);
    else if (view->type != ABBE_F32)
        say_error("%s: its spectrum was stored as integers, which lost it; save it as a float TIFF", name);
    else if (view->width != note->width || view->height != note->height || view->channels != note->channels)
        say_error(
            "%s: %d x %d with %d channels, but the spectrum it describes is %d x %d with %d; it was cut or "
            "scaled",
            name, view->width, view->height, view->channels, note->width, note->height, note->channels);
    else
        return true;
    return false;
}

static bool restore(const struct errand *errand, const struct picture *packed, const struct packed_note *note,
                    struct picture *result)
{
    abbe_type type = picture_storable(errand->output, note->type);
    if (!type || !picture_create(note->width, note->height, note->channels, type, packed, result))
        return false;
    result->has_alpha = note->has_alpha;
    result->orientation = note->orientation;
    progress_show("transforming", read_end);
    return !abbe_spectrum_inverse(errand->device, &packed->view, &result->view) ||
           errand_error(errand, errand->input);
}

static bool run_inverse(const struct errand *errand)
{
    struct picture packed = { 0 }, result = { 0 };
    struct packed_note note;
    const char *description = NULL;
    bool done = picture_read(errand->input, &errand->settings.reading, 0, read_end, &packed) &&
                check_spectrum(errand->input, &packed, &note, &description) &&
                restore(errand, &packed, &note, &result) &&
                picture_write(&result, errand->output, description, run_end, 1);
    picture_free(&result);
    picture_free(&packed);
    return done;
}

int command_transform(int argc, char **argv)
{
    struct errand errand = { .command = "transform" };
    bool inverse = false;
    int status = errand_read(&errand, specs, argc, argv, take, &inverse);
    if (status != DONE)
        return status;
    if (errand.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (!errand.input)
        return fail_usage("transform", "no input given: %s", inverse ? "a spectrum.tif" : "a picture");
    if (!errand.output)
        return fail_usage("transform", "no output given: -o %s", inverse ? "OUT" : "SPECTRUM.tif");
    if (!inverse && !is_tiff(errand.output))
        return fail("%s: a packed spectrum needs a float TIFF, which loses nothing; name it .tif",
                    errand.output);
    status = errand_begin(&errand);
    if (status == DONE && !(inverse ? run_inverse(&errand) : run_forward(&errand)))
        status = FAILED;
    errand_end(&errand);
    return status;
}
