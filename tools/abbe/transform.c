/* abbe transform: the packed spectrum of a picture in a float TIFF, and the picture back from it.
 *
 * The image description of the file begins with one line that identifies the spectrum:
 *
 *     abbe packed spectrum 1; source u8; 640 x 480; channels 3; alpha no; orientation 1
 *
 * 1 is the version of the layout: eq. 9 and 10 of Moreland & Angel 2003, 1/(MN) on the forward side. */
#include "command.h"
#include "single.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVERSE = 1 };

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT",
      "output file: a .tif for the spectrum, any format for the inverse" },
    { INVERSE, 'i', "inverse", NULL, "restore the picture from its spectrum" },
    SINGLE_OPTIONS,
};

static const char usage[] = "abbe transform IN -o SPECTRUM.tif [options]\n"
                            "       abbe transform --inverse SPECTRUM.tif -o OUT [options]";
static const char summary[] =
    "Writes the packed spectrum of a picture: one float for each sample of the picture, in the layout of\n"
    "equations 9 and 10 of Moreland & Angel 2003. --inverse restores the picture in its original type. "
    "Other\n"
    "programs may change the numbers in between; they must keep the image description, which identifies "
    "them.";
static const char examples[] = "  abbe transform photo.png -o photo-spectrum.tif\n"
                               "  abbe transform photo.jpg -o 'small.tif[compression=deflate]'\n"
                               "  abbe transform --inverse photo-spectrum.tif -o again.png\n"
                               "  abbe transform photo.png -o - | abbe transform --inverse - -o again.png\n";

/* Where reading and transforming end, as fractions of the progress. */
static const double read_end = 0.4, run_end = 0.6;

static int take_inverse(void *own, const struct option *option)
{
    if (option->id == INVERSE)
        *(bool *)own = true;
    return DONE;
}

/* ---- The note in the file ------------------------------------------------------------------------------ */

/* The picture that was transformed. */
struct packed_note {
    abbe_type type;
    int width, height, channels;
    bool has_alpha;
    int orientation;
};

enum { LINE = 160 };

static const char *const type_names[] = { [ABBE_U8] = "u8", [ABBE_U16] = "u16", [ABBE_F32] = "float" };

static const char *type_name(abbe_type type)
{
    return type == ABBE_U8 || type == ABBE_U16 ? type_names[type] : type_names[ABBE_F32];
}

static void print_line(const struct packed_note *note, char line[LINE])
{
    snprintf(line, LINE, "abbe packed spectrum 1; source %s; %d x %d; channels %d; alpha %s; orientation %d",
             type_name(note->type), note->width, note->height, note->channels, note->has_alpha ? "yes" : "no",
             note->orientation);
}

/* The image description of the spectrum file: the note, then on separate lines the description of the
 * picture, which may be NULL. The caller frees it; NULL without memory. */
static char *write_note(const struct packed_note *note, const char *description)
{
    char line[LINE];
    print_line(note, line);
    if (!description)
        description = "";
    size_t size = strlen(line) + strlen(description) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", line, *description ? "\n" : "", description);
    return text;
}

/* Reads the fields without checking the rest of the line; read_note does that. */
static bool scan_line(const char *line, struct packed_note *note)
{
    char type[8], alpha[4];
    *note = (struct packed_note){ .type = ABBE_F32 };
    int fields = sscanf(line,
                        "abbe packed spectrum 1; source %7[a-z0-9]; %9d x %9d; channels %3d; alpha %3[a-z];"
                        " orientation %1d",
                        type, &note->width, &note->height, &note->channels, alpha, &note->orientation);
    if (fields != 6)
        return false;
    if (!strcmp(type, type_names[ABBE_U8]))
        note->type = ABBE_U8;
    if (!strcmp(type, type_names[ABBE_U16]))
        note->type = ABBE_U16;
    note->has_alpha = !strcmp(alpha, "yes");
    return note->orientation >= 1 && note->orientation <= 8;
}

/* Reads the note back. A first line that differs in any way from what write_note writes is not a note. `rest`
 * points to the picture's description inside the text, "" without one. */
static bool read_note(const char *description, struct packed_note *note, const char **rest)
{
    char line[LINE], expected[LINE];
    size_t length = description ? strcspn(description, "\n") : 0;
    if (!length || length >= LINE)
        return false;
    *rest = description + length + (description[length] == '\n');
    /* Programs that copy a description may add blanks at its end. */
    while (length && isspace((unsigned char)description[length - 1]))
        length--;
    snprintf(line, sizeof line, "%.*s", (int)length, description);
    if (!scan_line(line, note))
        return false;
    print_line(note, expected);
    return !strcmp(line, expected);
}

/* ---- Forward ------------------------------------------------------------------------------------------- */

static bool write_spectrum(struct single *single, const struct picture *source, const struct picture *packed)
{
    const abbe_image *view = &source->view;
    struct packed_note note = { view->type,     view->width,       view->height,
                                view->channels, source->has_alpha, source->orientation };
    char *description = write_note(&note, picture_description(source));
    bool done = false;
    if (description)
        done = picture_write(packed, &single->destination, description, run_end, 1);
    else
        say_error("out of memory");
    free(description);
    return done;
}

static bool run_forward(struct single *single)
{
    struct picture source = { 0 }, packed = { 0 };
    const abbe_image *view = &source.view;
    bool done = single_read_picture(single, single->input, read_end, &source) &&
                picture_create(view->width, view->height, view->channels, ABBE_F32, &source, &packed);
    if (done) {
        progress_show("transforming", read_end);
        /* The spectrum is stored upright; the note keeps the orientation of the picture. */
        packed.orientation = 1;
        if (abbe_spectrum_forward(single->device, view, &packed.view))
            done = single_error(single->input);
    }
    done = done && write_spectrum(single, &source, &packed);
    picture_free(&packed);
    picture_free(&source);
    return done;
}

/* ---- Inverse ------------------------------------------------------------------------------------------- */

static bool check_spectrum(const char *name, const struct picture *packed, struct packed_note *note,
                           const char **description)
{
    const abbe_image *view = &packed->view;
    if (!read_note(picture_description(packed), note, description))
        say_error("%s: is a picture, not a packed spectrum; --inverse needs a file that 'abbe transform' "
                  "wrote, with its "
                  "image description",
                  name);
    else if (view->type != ABBE_F32)
        say_error("%s: the spectrum was saved as integers, which destroyed it; save it as a float TIFF",
                  name);
    else if (view->width != note->width || view->height != note->height || view->channels != note->channels)
        say_error(
            "%s: is %d x %d with %d channels, but its description states %d x %d with %d; it was cropped or "
            "scaled",
            name, view->width, view->height, view->channels, note->width, note->height, note->channels);
    else
        return true;
    return false;
}

static bool restore_picture(const struct single *single, const struct picture *packed,
                            const struct packed_note *note, struct picture *result)
{
    abbe_type type = destination_type(&single->destination, note->type);
    if (!picture_create(note->width, note->height, note->channels, type, packed, result))
        return false;
    result->has_alpha = note->has_alpha;
    result->orientation = note->orientation;
    progress_show("transforming", read_end);
    return !abbe_spectrum_inverse(single->device, &packed->view, &result->view) ||
           single_error(single->input);
}

static bool run_inverse(struct single *single)
{
    struct picture packed = { 0 }, result = { 0 };
    struct packed_note note;
    const char *description = NULL;
    bool done = single_read_picture(single, single->input, read_end, &packed) &&
                check_spectrum(single->input, &packed, &note, &description) &&
                restore_picture(single, &packed, &note, &result) &&
                picture_write(&result, &single->destination, description, run_end, 1);
    picture_free(&result);
    picture_free(&packed);
    return done;
}

int command_transform(int argc, char **argv)
{
    struct single single = { .command = "transform", .needs_cpu = true };
    bool inverse = false;
    int status = single_read(&single, specs, argc, argv, take_inverse, &inverse);
    if (status != DONE)
        return status;
    if (single.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (!single.input)
        return fail_usage("transform", "no input given: name %s", inverse ? "a spectrum.tif" : "a picture");
    if (!single.output)
        return fail_usage("transform", "no output given: -o %s", inverse ? "OUT" : "SPECTRUM.tif");
    single.needs_tiff = !inverse;
    status = single_begin(&single);
    if (status == DONE && !(inverse ? run_inverse(&single) : run_forward(&single)))
        status = FAILED;
    single_end(&single);
    return status;
}
