/* The catalogue of named filters: keys, ranges, defaults and builders. A new filter is a builder, an
 * enumerator, and an entry in each of the two tables. */
#include "filter/catalogue.h"

#include "filter/matrix.h"
#include "filter/shapes.h"
#include "filter/transfer.h"

/* ---- Builders: from values in the order of the keys to a filter --------------------------------------- */

/* Completes a filter that consists of one kernel, and passes on the error of making that kernel. */
static int finish_kernel(int error, struct abbe_filter *filter)
{
    filter->components = error ? 0 : 1;
    return error;
}

#define FIRST_KERNEL (&filter->component[0].kernel)

static int build_identity(const struct arguments *arguments, struct abbe_filter *filter)
{
    (void)arguments;
    return finish_kernel(shape_identity(FIRST_KERNEL), filter);
}

static int build_box(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_box((int)arguments->value[0], FIRST_KERNEL), filter);
}

static int build_gaussian(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_gaussian(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_disk(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_disk(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_motion(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_motion(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_sharpen(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_sharpen(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_unsharp(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_unsharp(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_laplacian(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_laplacian(arguments->value[0] == 1.0, FIRST_KERNEL), filter);
}

static int build_log(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_log(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_dog(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_dog(arguments->value[0], arguments->value[1], FIRST_KERNEL), filter);
}

static int build_emboss(const struct arguments *arguments, struct abbe_filter *filter)
{
    return finish_kernel(shape_emboss(arguments->value[0], FIRST_KERNEL), filter);
}

static int build_gabor(const struct arguments *arguments, struct abbe_filter *filter)
{
    double period = arguments->value[0], angle = arguments->value[1], sigma = arguments->value[2];
    if (10.0 * sigma < period)
        return ABBE_ERR_RANGE;
    return finish_kernel(shape_gabor(period, angle, sigma, FIRST_KERNEL), filter);
}

static int build_kernel(const struct arguments *arguments, struct abbe_filter *filter)
{
    const abbe_matrix *taps = arguments->matrix;
    int error = shape_from_taps(taps->values, taps->width, taps->height, FIRST_KERNEL);
    if (!error && arguments->value[1] == 1.0)
        shape_normalize(
            FIRST_KERNEL); /* a kernel that sums to zero, such as an edge detector, stays as it is */
    return finish_kernel(error, filter);
}

enum { AXIS_BOTH, AXIS_X, AXIS_Y };

static int build_gradient(const struct arguments *arguments, double side, double middle,
                          struct abbe_filter *filter)
{
    int axis = (int)arguments->value[0];
    int error = shape_gradient(side, middle, axis != AXIS_Y, FIRST_KERNEL);
    if (!error && axis == AXIS_BOTH)
        error = shape_gradient(side, middle, false, &filter->component[1].kernel);
    if (error)
        filter_clear(filter);
    else
        filter->components = axis == AXIS_BOTH ? 2 : 1;
    return error;
}

#undef FIRST_KERNEL

static int build_sobel(const struct arguments *arguments, struct abbe_filter *filter)
{
    return build_gradient(arguments, 1.0, 2.0, filter);
}

static int build_prewitt(const struct arguments *arguments, struct abbe_filter *filter)
{
    return build_gradient(arguments, 1.0, 1.0, filter);
}

static int build_scharr(const struct arguments *arguments, struct abbe_filter *filter)
{
    return build_gradient(arguments, 3.0, 10.0, filter);
}

static int build_lowpass(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    return filter_set_transfer(transfer_lowpass((enum falloff)value[1], value[2], value[0]), filter);
}

static int build_highpass(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    return filter_set_transfer(transfer_highpass((enum falloff)value[1], value[2], value[0]), filter);
}

static int build_bandpass(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    if (value[0] >= value[1])
        return ABBE_ERR_RANGE;
    return filter_set_transfer(transfer_bandpass((enum falloff)value[2], value[3], value[0], value[1]),
                               filter);
}

static int build_bandreject(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    if (value[0] >= value[1])
        return ABBE_ERR_RANGE;
    return filter_set_transfer(transfer_bandreject((enum falloff)value[2], value[3], value[0], value[1]),
                               filter);
}

static int build_notch(const struct arguments *arguments, struct abbe_filter *filter)
{
    const double *value = arguments->value;
    return filter_set_transfer(transfer_notch((enum falloff)value[3], value[4], value[0], value[1], value[2]),
                               filter);
}

static int build_streak(const struct arguments *arguments, struct abbe_filter *filter)
{
    return filter_set_transfer(transfer_streak(arguments->value[0], arguments->value[1]), filter);
}

static int build_power(const struct arguments *arguments, struct abbe_filter *filter)
{
    return filter_set_transfer(transfer_power(arguments->value[0]), filter);
}

static int build_mask(const struct arguments *arguments, struct abbe_filter *filter)
{
    abbe_matrix copy;
    int error = matrix_copy(arguments->matrix, &copy);
    return error ? error : filter_set_transfer(transfer_mask(copy), filter);
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

/* clang-format off */

enum {
    IDENTITY, BOX, GAUSSIAN, DISK, MOTION, SHARPEN, UNSHARP, LAPLACIAN, LOG, DOG, SOBEL, PREWITT, SCHARR,
    EMBOSS, GABOR, KERNEL, LOWPASS, HIGHPASS, BANDPASS, BANDREJECT, NOTCH, STREAK, POWER, MASK, FILTERS
};

static const abbe_filter_entry entries[FILTERS] = {
    [IDENTITY] = { "identity", "leaves the picture unchanged", "" },
    [BOX] = { "box", "mean of a square", "radius=2" },
    [GAUSSIAN] = { "gaussian", "Gaussian blur", "sigma=2 truncate=4" },
    [DISK] = { "disk", "blur of an unfocused lens", "radius=5" },
    [MOTION] = { "motion", "blur along a line", "length=15 angle=0" },
    [SHARPEN] = { "sharpen", "the picture minus its Laplacian", "amount=1" },
    [UNSHARP] = { "unsharp", "the picture plus the detail that a Gaussian blur removes", "sigma=2 amount=1" },
    [LAPLACIAN] = { "laplacian", "sum of second differences", "connect=4" },
    [LOG] = { "log", "Laplacian of a Gaussian", "sigma=2" },
    [DOG] = { "dog", "difference of two Gaussians", "sigma=2 ratio=1.6" },
    [SOBEL] = { "sobel", "gradient, smoothed by 1 2 1; its magnitude with axis=both", "axis=both" },
    [PREWITT] = { "prewitt", "gradient, smoothed by 1 1 1; its magnitude with axis=both", "axis=both" },
    [SCHARR] = { "scharr", "gradient, smoothed by 3 10 3; its magnitude with axis=both", "axis=both" },
    [EMBOSS] = { "emboss", "relief lit from an angle", "angle=135" },
    [GABOR] = { "gabor", "waves of one period and direction", "period=8 angle=0 sigma=4" },
    [KERNEL] = { "kernel", "taps from an image or a text matrix", "file= normalize=1" },
    [LOWPASS] = { "lowpass", "keeps frequencies below a cut-off",
                  "cutoff=0.25 shape=butterworth order=2" },
    [HIGHPASS] = { "highpass", "keeps frequencies above a cut-off",
                   "cutoff=0.25 shape=butterworth order=2" },
    [BANDPASS] = { "bandpass", "keeps frequencies between two cut-offs",
                   "low=0.1 high=0.3 shape=butterworth order=2" },
    [BANDREJECT] = { "bandreject", "removes frequencies between two cut-offs",
                     "low=0.1 high=0.3 shape=butterworth order=2" },
    [NOTCH] = { "notch", "removes one frequency and its opposite",
                "x= y= radius=0.02 shape=gaussian order=2" },
    [STREAK] = { "streak", "keeps a wedge of directions: strokes along an angle", "angle=0 width=20" },
    [POWER] = { "power", "gain by a power of the frequency, for textures", "exponent=-1" },
    [MASK] = { "mask", "gains painted over the centred frequency plane", "file=" },
};

static const char *const FALLOFFS[] = { "butterworth", "ideal", "gaussian", NULL };
static const char *const CONNECT[] = { "4", "8", NULL };
static const char *const AXES[] = { "both", "x", "y", NULL };

/* The ranges: blurs of 10,000 pixels are separable and cheap; kernels that are stored densely are limited to
 * some megabytes. */
#define NUMBER(key, value, low, high) { key, PARAMETER_NUMBER, value, low, high, NULL, false }
#define INTEGER(key, value, low, high) { key, PARAMETER_INTEGER, value, low, high, NULL, false }
#define FREQUENCY(key, value, low, high) { key, PARAMETER_FREQUENCY, value, low, high, NULL, false }
#define POSITION(key) { key, PARAMETER_FREQUENCY, 0, -1, 1, NULL, true }
#define WORD(key, value, words) { key, PARAMETER_WORD, value, 0, 0, words, false }
#define FILE_NAME { "file", PARAMETER_FILE, 0, 0, 0, NULL, true }
#define SIGMA NUMBER("sigma", 2, 0.01, 10000)
#define ANGLE(value) NUMBER("angle", value, -360, 360)
#define AMOUNT NUMBER("amount", 1, -1000, 1000)
#define AXIS WORD("axis", AXIS_BOTH, AXES)
#define CUTOFF FREQUENCY("cutoff", 0.25, 0.0001, 1.5)
#define BAND FREQUENCY("low", 0.1, 0.0001, 1.5), FREQUENCY("high", 0.3, 0.0001, 1.5)
#define FALLOFF(falloff) WORD("shape", falloff, FALLOFFS), NUMBER("order", 2, 0.5, 64)
#define LOW_BELOW_HIGH "low must be below high"

static const struct definition definitions[FILTERS] = {
    [IDENTITY] = { &entries[IDENTITY], { { 0 } }, build_identity, NULL },
    [BOX] = { &entries[BOX], { INTEGER("radius", 2, 0, 65535) }, build_box, NULL },
    [GAUSSIAN] = { &entries[GAUSSIAN], { SIGMA, NUMBER("truncate", 4, 0.5, 20) }, build_gaussian, NULL },
    [DISK] = { &entries[DISK], { NUMBER("radius", 5, 0.1, 2000) }, build_disk, NULL },
    [MOTION] = { &entries[MOTION], { NUMBER("length", 15, 1, 4000), ANGLE(0) }, build_motion, NULL },
    [SHARPEN] = { &entries[SHARPEN], { AMOUNT }, build_sharpen, NULL },
    [UNSHARP] = { &entries[UNSHARP], { SIGMA, AMOUNT }, build_unsharp, NULL },
    [LAPLACIAN] = { &entries[LAPLACIAN], { WORD("connect", 0, CONNECT) }, build_laplacian, NULL },
    /* Below 0.3 a Laplacian of a Gaussian has a single tap. */
    [LOG] = { &entries[LOG], { NUMBER("sigma", 2, 0.3, 10000) }, build_log, NULL },
    [DOG] = { &entries[DOG], { SIGMA, NUMBER("ratio", 1.6, 1.001, 100) }, build_dog, NULL },
    [SOBEL] = { &entries[SOBEL], { AXIS }, build_sobel, NULL },
    [PREWITT] = { &entries[PREWITT], { AXIS }, build_prewitt, NULL },
    [SCHARR] = { &entries[SCHARR], { AXIS }, build_scharr, NULL },
    [EMBOSS] = { &entries[EMBOSS], { ANGLE(135) }, build_emboss, NULL },
    [GABOR] = { &entries[GABOR],
                { NUMBER("period", 8, 2, 10000), ANGLE(0), NUMBER("sigma", 4, 0.2, 10000) }, build_gabor,
                "sigma must be at least a tenth of the period" },
    [KERNEL] = { &entries[KERNEL], { FILE_NAME, INTEGER("normalize", 1, 0, 1) }, build_kernel, NULL },
    [LOWPASS] = { &entries[LOWPASS], { CUTOFF, FALLOFF(FALLOFF_BUTTERWORTH) }, build_lowpass, NULL },
    [HIGHPASS] = { &entries[HIGHPASS], { CUTOFF, FALLOFF(FALLOFF_BUTTERWORTH) }, build_highpass, NULL },
    [BANDPASS] = { &entries[BANDPASS], { BAND, FALLOFF(FALLOFF_BUTTERWORTH) }, build_bandpass, LOW_BELOW_HIGH },
    [BANDREJECT] = { &entries[BANDREJECT], { BAND, FALLOFF(FALLOFF_BUTTERWORTH) }, build_bandreject,
                     LOW_BELOW_HIGH },
    [NOTCH] = { &entries[NOTCH],
                { POSITION("x"), POSITION("y"), FREQUENCY("radius", 0.02, 0.0001, 1), FALLOFF(FALLOFF_GAUSSIAN) },
                build_notch, NULL },
    [STREAK] = { &entries[STREAK], { ANGLE(0), NUMBER("width", 20, 0.1, 360) }, build_streak, NULL },
    /* Exponents within ±4 keep the gains of the largest picture within the range of a float. */
    [POWER] = { &entries[POWER], { NUMBER("exponent", -1, -4, 4) }, build_power, NULL },
    [MASK] = { &entries[MASK], { FILE_NAME }, build_mask, NULL },
};

/* clang-format on */

const struct definition *catalogue_definition(size_t i)
{
    return i < FILTERS ? &definitions[i] : NULL;
}

const abbe_filter_entry *abbe_filter_catalogue(size_t *count)
{
    if (count)
        *count = FILTERS;
    return entries;
}
