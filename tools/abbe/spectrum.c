/* abbe spectrum: draws a spectrum with zero frequency in the middle, as log magnitude or as phase, and prints
 * its peaks.
 *
 * Column i and row j show the frequency (i − width/2, j − height/2), halves rounded down, as in masks. */
#include "command.h"
#include "peaks.h"
#include "samples.h"
#include "single.h"

#include <math.h>
#include <string.h>

enum { PHASE = 1, PEAKS, CHAIN, MOST };

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "output file" },
    { PHASE, 'p', "phase", NULL, "draw the phase, -pi to pi as black to white, instead of the magnitude" },
    { PEAKS, 0, "peaks", NULL, "print the strongest periodic components, one notch in a line" },
    { CHAIN, 0, "chain", NULL, "print their notches as one filter, for the -f of abbe filter" },
    { MOST, 0, "most", "N", "print at most N components, 32 by default" },
    SINGLE_OPTIONS,
};

static const char usage[] = "abbe spectrum IN -o OUT [--phase] [options]\n"
                            "       abbe spectrum IN --peaks|--chain [--most N] [-o OUT] [options]";
static const char summary[] =
    "Draws the spectrum of a picture: low frequencies in the middle, the logarithm of the magnitude as\n"
    "brightness, each colour channel separately, without alpha; in 16 bits if the format has them. Use it as "
    "a\n"
    "guide for masks: on a white picture of the same size, paint black over frequencies to remove and grey\n"
    "over frequencies to weaken. Then: abbe filter IN -f mask:file=PAINTED --border wrap -o OUT\n"
    "--peaks and --chain print the periodic components that stand out, such as the screen of a print, as\n"
    "notches that remove them. Without any, --chain prints identity.";
static const char examples[] =
    "  abbe spectrum photo.jpg -o spectrum.png\n"
    "  abbe spectrum scan.tif -o phase.png --phase\n"
    "  abbe filter scan.tif -f mask:file=painted.png --border wrap -o clean.tif\n"
    "  abbe spectrum scan.tif --peaks\n"
    "  abbe filter scan.tif -f \"$(abbe spectrum scan.tif --chain)\" -o clean.tif\n";

/* A magnitude is drawn as log(1 + K r) / log(1 + K), r = |F| / white.
 *
 * White is the strongest frequency except zero. Zero frequency is the mean brightness of the picture, usually
 * many times stronger than all others. K maps the geometric mean of the other magnitudes (the grain of a
 * photograph) to log(1 + 4), a dark grey, so that stronger frequencies stand out in every picture, whatever
 * its size, exposure, contrast or unit. At most 120 decibels are shown; weaker values are rounding errors. */
static const double middle = 4.0, most_range = 1e6;

/* White is at least this fraction of the magnitude at zero frequency: in a flat picture all other magnitudes
 * are rounding, which must not be stretched to white. */
static const double least_white = 1.0 / 16.0;

static const double read_end = 0.4, run_end = 0.7;

struct drawing {
    struct single *single;
    bool phase;
    enum peaks_form peaks;
    int most;    /* peaks that are printed; 0 until given */
    int used;    /* channels of the picture without alpha */
    int colours; /* channels that are drawn: 1 or 3 */
    struct picture packed;
    struct picture values; /* magnitudes or phases, centred, F32 */
    struct picture result;
};

static int take_form(struct drawing *drawing, const struct option *option)
{
    if (drawing->peaks)
        return fail_usage("spectrum", "%s: give --peaks or --chain, once", option->name);
    drawing->peaks = option->id == PEAKS ? PEAKS_LINES : PEAKS_CHAIN;
    return DONE;
}

static int take_own(void *own, const struct option *option)
{
    struct drawing *drawing = own;
    long long most = 0;
    if (option->id == PHASE)
        drawing->phase = true;
    if (option->id == PEAKS || option->id == CHAIN)
        return take_form(drawing, option);
    if (option->id == MOST && !option_integer(option->value, 1, PEAKS_MOST, &most))
        return fail_usage("spectrum", "--most '%s': expected a number from 1 to %d", option->value,
                          PEAKS_MOST);
    if (option->id == MOST)
        drawing->most = (int)most;
    return DONE;
}

/* F(u, v) of a colour that is drawn. A picture that is neither grey nor RGB (CMYK, many bands) is drawn as
 * the mean of its channels. */
static void find_coefficient(const struct drawing *drawing, int colour, int u, int v, float value[2])
{
    if (drawing->colours == drawing->used) {
        abbe_spectrum_at(&drawing->packed.view, colour, u, v, value);
        return;
    }
    float sum[2] = { 0 };
    for (int channel = 0; channel < drawing->used; channel++) {
        abbe_spectrum_at(&drawing->packed.view, channel, u, v, value);
        sum[0] += value[0];
        sum[1] += value[1];
    }
    value[0] = sum[0] / (float)drawing->used;
    value[1] = sum[1] / (float)drawing->used;
}

/* Maps −π … π to 0 … 1. Adding 0 removes the sign of a negative zero, so that a real F has one phase. */
static float phase_of(const float value[2])
{
    return 0.5f + atan2f(value[1] + 0.0f, value[0]) / (2.0f * (float)M_PI);
}

/* Column i shows frequency i − n/2, which the transform stores at (i − n/2) mod n. */
static int frequency_at(int i, int n)
{
    int u = i - n / 2;
    return u < 0 ? u + n : u;
}

static void fill_values(struct drawing *drawing)
{
    const abbe_image *view = &drawing->values.view;
    float *to = view->data;
    for (int j = 0; j < view->height; j++)
        for (int i = 0; i < view->width; i++)
            for (int colour = 0; colour < view->channels; colour++) {
                float value[2];
                find_coefficient(drawing, colour, frequency_at(i, view->width), frequency_at(j, view->height),
                                 value);
                *to++ = drawing->phase ? phase_of(value) : hypotf(value[0], value[1]);
            }
}

/* Mapping of magnitudes to brightness, the same for all colours, so that grey stays grey. */
struct scale {
    double white, range;
};

static struct scale find_scale(const abbe_image *magnitudes)
{
    size_t channels = (size_t)magnitudes->channels, counted = 0;
    size_t zeroth = (size_t)(magnitudes->height / 2) * (size_t)magnitudes->width +
                    (size_t)(magnitudes->width / 2);
    double white = 0, brightness = 0, logarithms = 0;
    for (size_t i = 0; i < sample_count(magnitudes); i++) {
        float value = ((const float *)magnitudes->data)[i];
        if (i / channels == zeroth) {
            brightness = fmax(brightness, value);
        } else if (value > 0) {
            white = fmax(white, value);
            logarithms += logf(value);
            counted++;
        }
    }
    white = fmax(white, least_white * brightness);
    double grain = counted ? exp(logarithms / (double)counted) : 0;
    return (struct scale){ white, grain > 0 ? fmin(middle * white / grain, most_range) : most_range };
}

static void draw_values(struct drawing *drawing)
{
    const abbe_image *values = &drawing->values.view;
    struct scale scale = drawing->phase ? (struct scale){ 0 } : find_scale(values);
    double gain = scale.white > 0 ? scale.range / scale.white : 0, full = log1p(scale.range);
    for (size_t i = 0; i < sample_count(values); i++) {
        double value = ((const float *)values->data)[i];
        sample_store(&drawing->result.view, i, drawing->phase ? value : log1p(gain * value) / full);
    }
}

static bool draw_spectrum(struct drawing *drawing, struct picture *source)
{
    struct single *single = drawing->single;
    const abbe_image view = source->view;
    drawing->used = view.channels - (source->has_alpha && view.channels > 1);
    drawing->colours = drawing->used == 3 ? 3 : 1;
    bool done = picture_create(view.width, view.height, view.channels, ABBE_F32, NULL, &drawing->packed) &&
                (!abbe_spectrum_forward(single->device, &view, &drawing->packed.view) ||
                 single_error(single->input));
    picture_free(source);
    /* Profile and metadata of the photograph do not apply to the drawing. */
    if (!done ||
        !picture_create(view.width, view.height, drawing->colours, ABBE_F32, NULL, &drawing->values) ||
        !picture_create(view.width, view.height, drawing->colours,
                        destination_type(&single->destination, ABBE_U16), NULL, &drawing->result))
        return false;
    fill_values(drawing);
    draw_values(drawing);
    return picture_write(&drawing->result, &single->destination, NULL, run_end, 1);
}

static bool run_spectrum(struct drawing *drawing)
{
    struct single *single = drawing->single;
    struct picture source = { 0 };
    if (!single_read_picture(single, single->input, read_end, &source))
        return false;
    progress_show("transforming", read_end);
    bool done = !drawing->peaks ||
                peaks_print(single, &source, drawing->peaks, drawing->most ? drawing->most : PEAKS_DEFAULT);
    done = done && (!single->output || draw_spectrum(drawing, &source));
    picture_free(&source);
    return done;
}

/* DONE, or WRONG_USAGE after printing what is missing. */
static int check_request(const struct drawing *drawing)
{
    const struct single *single = drawing->single;
    if (!single->input)
        return fail_usage("spectrum", "no input given: name a picture");
    if (!single->output && !drawing->peaks)
        return fail_usage("spectrum", "no output given: -o OUT, --peaks or --chain");
    if (drawing->peaks && single->output && destination_is_stdout(single->output))
        return fail_usage("spectrum", "standard output is for the peaks; name a file with -o");
    if (drawing->most && !drawing->peaks)
        return fail_usage("spectrum", "--most is for --peaks and --chain");
    return DONE;
}

int command_spectrum(int argc, char **argv)
{
    struct single single = { .command = "spectrum", .needs_cpu = true };
    struct drawing drawing = { .single = &single };
    int status = single_read(&single, specs, argc, argv, take_own, &drawing);
    if (status != DONE)
        return status;
    if (single.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    status = check_request(&drawing);
    if (status != DONE)
        return status;
    status = single_begin(&single);
    if (status == DONE && !run_spectrum(&drawing))
        status = FAILED;
    picture_free(&drawing.result);
    picture_free(&drawing.values);
    picture_free(&drawing.packed);
    single_end(&single);
    return status;
}
