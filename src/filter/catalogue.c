/* The catalogue of named filters as data: names, keys, types, defaults, ranges and units. builders.c makes
 * the filters. */
#include "filter/catalogue.h"

#include <math.h>

/* clang-format off */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Keys --------------------------------------------------------------------------------------------- */

/* The ranges: blurs of 10,000 pixels are separable and cheap; kernels that are stored densely are limited to
 * some megabytes. */
#define NUMBER(name, summary, value, min, max, unit) \
    { name, summary, ABBE_KEY_NUMBER, value, NULL, min, max, unit, NULL, 0 }
#define INTEGER(name, summary, value, min, max, unit) \
    { name, summary, ABBE_KEY_INTEGER, value, NULL, min, max, unit, NULL, 0 }
#define FREQUENCY(name, summary, value, min, max) \
    { name, summary, ABBE_KEY_FREQUENCY, value, NULL, min, max, "of Nyquist", NULL, 0 }
#define CHOICE(name, summary, value, words) \
    { name, summary, ABBE_KEY_CHOICE, value, NULL, 0, 0, NULL, words, COUNT(words) }
#define FOLLOWING(type, name, summary, key, min, max, unit) \
    { name, summary, type, NULL, key, min, max, unit, NULL, 0 }
#define LIST(name, summary, value) \
    { name, summary, ABBE_KEY_LIST, value, NULL, -INFINITY, INFINITY, NULL, NULL, 0 }
#define FILE_NAME(summary) { "file", summary, ABBE_KEY_FILE, NULL, NULL, 0, 0, NULL, NULL, 0 }

#define KEY static const abbe_filter_key

static const char *const FALLOFFS[] = { "butterworth", "ideal", "gaussian" };
static const char *const CONNECT[] = { "4", "8" };
static const char *const AXES[] = { "both", "x", "y" };

KEY box_radius = INTEGER("radius", "pixels to each side of the middle", "2", 0, 65535, "pixels");
KEY box_width = FOLLOWING(ABBE_KEY_INTEGER, "width", "width; 2 * radius + 1 unless given", "radius",
                          1, ABBE_KERNEL_SIDE_MAX, "pixels");
KEY box_height = FOLLOWING(ABBE_KEY_INTEGER, "height", "height; 2 * radius + 1 unless given", "radius",
                           1, ABBE_KERNEL_SIDE_MAX, "pixels");
KEY sigma = NUMBER("sigma", "standard deviation", "2", 0.01, 10000, "pixels");
KEY sigma_x = FOLLOWING(ABBE_KEY_NUMBER, "sigma_x",
                        "standard deviation along x; sigma unless given, 0 for no blur", "sigma", 0, 10000,
                        "pixels");
KEY sigma_y = FOLLOWING(ABBE_KEY_NUMBER, "sigma_y",
                        "standard deviation along y; sigma unless given, 0 for no blur", "sigma", 0, 10000,
                        "pixels");
KEY truncate_at = NUMBER("truncate", "where the Gaussian is cut off", "4", 0.5, 20, "standard deviations");
KEY order_x = INTEGER("order_x", "order of the derivative along x", "1", 0, 3, NULL);
KEY order_y = INTEGER("order_y", "order of the derivative along y, downwards", "0", 0, 3, NULL);
KEY disk_radius = NUMBER("radius", "radius of the disk", "5", 0.1, 2000, "pixels");
KEY motion_length = NUMBER("length", "length of the line", "15", 1, 4000, "pixels");
KEY angle = NUMBER("angle", "direction, counter-clockwise from x", "0", -360, 360, "degrees");
KEY light_angle = NUMBER("angle", "direction of the light, counter-clockwise from x", "135", -360, 360,
                         "degrees");
KEY amount = NUMBER("amount", "strength", "1", -1000, 1000, NULL);
KEY connect = CHOICE("connect", "number of neighbours", "4", CONNECT);
/* Below 0.3 a Laplacian of a Gaussian has a single tap. */
KEY log_sigma = NUMBER("sigma", "standard deviation", "2", 0.3, 10000, "pixels");
KEY ratio = NUMBER("ratio", "standard deviation of the wider Gaussian over that of the narrower", "1.6",
                   1.001, 100, NULL);
KEY axis = CHOICE("axis", "derivative along x, along y, or the magnitude of both", "both", AXES);
KEY period = NUMBER("period", "period of the waves", "8", 2, 10000, "pixels");
KEY gabor_sigma = NUMBER("sigma", "standard deviation", "4", 0.2, 10000, "pixels");
KEY row = LIST("x", "taps along x", "1");
KEY column = LIST("y", "taps along y", "1");
KEY normalize = INTEGER("normalize", "1: divides by the magnitude of the taps' sum, unless it is nearly 0", "1",
                        0, 1, NULL);
KEY kernel_file = FILE_NAME("image or text matrix with the taps");
KEY cutoff = FREQUENCY("cutoff", "frequency of gain 1/2", "0.25", 0.0001, 1.5);
KEY low = FREQUENCY("low", "lower cut-off", "0.1", 0.0001, 1.5);
KEY high = FREQUENCY("high", "upper cut-off", "0.3", 0.0001, 1.5);
KEY shape = CHOICE("shape", "how the gain falls", "butterworth", FALLOFFS);
KEY notch_shape = CHOICE("shape", "how the gain falls", "gaussian", FALLOFFS);
KEY order = NUMBER("order", "steepness of the shape butterworth", "2", 0.5, 64, NULL);
KEY notch_x = FREQUENCY("x", "frequency along x", NULL, -1, 1);
KEY notch_y = FREQUENCY("y", "frequency along y, downwards", NULL, -1, 1);
KEY notch_radius = FREQUENCY("radius", "distance of gain 1/2", "0.02", 0.0001, 1);
KEY wedge = NUMBER("width", "angle between the directions of gain 1/2", "20", 0.1, 360, "degrees");
/* Exponents within ±4 keep the gains of the largest picture within the range of a float. */
KEY exponent = NUMBER("exponent", "power of the frequency", "-1", -4, 4, NULL);
KEY mask_file = FILE_NAME("image or text matrix with the gains");

/* ---- Filters ------------------------------------------------------------------------------------------ */

#define KEYS(...) \
    (const abbe_filter_key *const[]){ __VA_ARGS__ }, COUNT(((const abbe_filter_key *const[]){ __VA_ARGS__ }))
#define SPACE(name, summary, rule, ...) \
    &(const abbe_filter_entry){ name, summary, false, rule, KEYS(__VA_ARGS__) }
#define GAINS(name, summary, rule, ...) \
    &(const abbe_filter_entry){ name, summary, true, rule, KEYS(__VA_ARGS__) }
#define LOW_BELOW_HIGH "low must be below high"

static const abbe_filter_entry *const entries[FILTERS] = {
    [FILTER_IDENTITY] = &(const abbe_filter_entry){ "identity", "leaves the picture unchanged", false, NULL,
                                                    NULL, 0 },
    [FILTER_BOX] = SPACE("box", "mean of a square or rectangle", NULL, &box_radius, &box_width, &box_height),
    [FILTER_GAUSSIAN] = SPACE("gaussian", "Gaussian blur", NULL, &sigma, &truncate_at, &sigma_x, &sigma_y),
    [FILTER_DERIVATIVE] = SPACE("derivative", "derivative of a Gaussian blur",
                                "a derivative needs taps beside the centre: sigma or truncate must be larger",
                                &sigma, &order_x, &order_y, &truncate_at),
    [FILTER_DISK] = SPACE("disk", "blur of an unfocused lens", NULL, &disk_radius),
    [FILTER_MOTION] = SPACE("motion", "blur along a line", NULL, &motion_length, &angle),
    [FILTER_SHARPEN] = SPACE("sharpen", "the picture minus its Laplacian", NULL, &amount),
    [FILTER_UNSHARP] = SPACE("unsharp", "the picture plus the detail that a Gaussian blur removes", NULL,
                             &sigma, &amount),
    [FILTER_LAPLACIAN] = SPACE("laplacian", "sum of second differences", NULL, &connect),
    [FILTER_LOG] = SPACE("log", "Laplacian of a Gaussian", NULL, &log_sigma),
    [FILTER_DOG] = SPACE("dog", "difference of two Gaussians", NULL, &sigma, &ratio),
    [FILTER_SOBEL] = SPACE("sobel", "gradient, smoothed by 1 2 1; its magnitude with axis=both", NULL, &axis),
    [FILTER_PREWITT] = SPACE("prewitt", "gradient, smoothed by 1 1 1; its magnitude with axis=both", NULL,
                             &axis),
    [FILTER_SCHARR] = SPACE("scharr", "gradient, smoothed by 3 10 3; its magnitude with axis=both", NULL,
                            &axis),
    [FILTER_EMBOSS] = SPACE("emboss", "relief lit from an angle", NULL, &light_angle),
    [FILTER_GABOR] = SPACE("gabor", "waves of one period and direction",
                           "sigma must be at least a tenth of the period", &period, &angle, &gabor_sigma),
    [FILTER_SEPARABLE] = SPACE("separable", "taps as the product of a row and a column",
                               "the products of the taps must stay within the range of a float", &row,
                               &column, &normalize),
    [FILTER_KERNEL] = SPACE("kernel", "taps from an image or a text matrix", NULL, &kernel_file, &normalize),
    [FILTER_LOWPASS] = GAINS("lowpass", "keeps frequencies below a cut-off", NULL, &cutoff, &shape, &order),
    [FILTER_HIGHPASS] = GAINS("highpass", "keeps frequencies above a cut-off", NULL, &cutoff, &shape, &order),
    [FILTER_BANDPASS] = GAINS("bandpass", "keeps frequencies between two cut-offs", LOW_BELOW_HIGH, &low,
                              &high, &shape, &order),
    [FILTER_BANDREJECT] = GAINS("bandreject", "removes frequencies between two cut-offs", LOW_BELOW_HIGH,
                                &low, &high, &shape, &order),
    [FILTER_NOTCH] = GAINS("notch", "removes one frequency and its opposite", NULL, &notch_x, &notch_y,
                           &notch_radius, &notch_shape, &order),
    [FILTER_STREAK] = GAINS("streak", "keeps a wedge of directions: strokes along an angle", NULL, &angle,
                            &wedge),
    [FILTER_POWER] = GAINS("power", "gain by a power of the frequency, for textures", NULL, &exponent),
    [FILTER_MASK] = GAINS("mask", "gains painted over the centred frequency plane", NULL, &mask_file),
};

/* clang-format on */

const abbe_filter_entry *const *abbe_filter_catalogue(size_t *count)
{
    if (count)
        *count = FILTERS;
    return entries;
}
