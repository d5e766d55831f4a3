/* Transfer functions: the catalogue's formulas in frequency, painted masks and callers' functions. */
#include "filter/transfer.h"

#include "filter/angle.h"
#include "filter/matrix.h"
#include "filter/places.h"

#include <math.h>
#include <string.h>

/* Indices of the formulas' parameters in struct transfer. */
enum { ALONG_X, ALONG_Y, HALF_WIDTH };
enum { EXPONENT };

/* square^order. Small whole orders are the usual case and are multiplied out. */
static double raise_square(double square, double order)
{
    if (!order_is_small(order))
        return pow(square, order);
    double power = 1.0;
    for (int i = 0; i < (int)order; i++)
        power *= square;
    return power;
}

/* The low-pass L at a squared distance: butterworth 1 / (1 + (f/fc)^(2·order)), ideal 1 for f ≤ fc, gaussian
 * 2^(−(f/fc)²). */
static double lowpass_at(const struct factor *factor, double square)
{
    double ratio = square / (factor->cutoff * factor->cutoff);
    switch (factor->falloff) {
    case FALLOFF_BUTTERWORTH: return 1.0 / (1.0 + raise_square(ratio, factor->order));
    case FALLOFF_IDEAL: return sqrt(square) <= factor->cutoff ? 1.0 : 0.0;
    case FALLOFF_GAUSSIAN: return exp2(-ratio);
    }
    return 0.0;
}

static void set_real_gain(double gain[2], double value)
{
    gain[0] = value;
    gain[1] = 0.0;
}

/* The product of the factors, or 1 − the product. */
static void product_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    double product = 1.0;
    for (int i = 0; i < transfer->factors; i++) {
        const struct factor *factor = &transfer->factor[i];
        double dx = distance_to_whole(fx - factor->x), dy = distance_to_whole(fy - factor->y);
        double value = lowpass_at(factor, dx * dx + dy * dy);
        product *= factor->complement ? 1.0 - value : value;
    }
    set_real_gain(gain, transfer->complement ? 1.0 - product : product);
}

/* 2^(−(δ / (width/2))²), where δ is the angle between f and the perpendicular of the streaks; 1 at f = 0. */
static void streak_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    const double *p = transfer->parameters;
    double along = fabs(fx * p[ALONG_X] + fy * p[ALONG_Y]);
    double across = fabs(fx * p[ALONG_Y] - fy * p[ALONG_X]);
    double delta = atan2(along, across) * (180.0 / M_PI) / p[HALF_WIDTH];
    set_real_gain(gain, exp2(-delta * delta));
}

void transfer_streak_parameters(const struct transfer *transfer, double *along_x, double *along_y,
                                double *scale)
{
    *along_x = transfer->parameters[ALONG_X];
    *along_y = transfer->parameters[ALONG_Y];
    *scale = 180.0 / M_PI / transfer->parameters[HALF_WIDTH];
}

double transfer_exponent(const struct transfer *transfer)
{
    return transfer->parameters[EXPONENT];
}

/* (|f| / ½)^exponent: 1 at Nyquist, and 1 at f = 0 to keep the mean. */
static void power_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    double f = sqrt(fx * fx + fy * fy);
    set_real_gain(gain, f > 0.0 ? pow(f / 0.5, transfer->parameters[EXPONENT]) : 1.0);
}

/* Interpolates bilinearly between rows of samples that are `step` doubles apart. */
static double interpolate_samples(const double *above, const double *below, size_t step, struct place x,
                                  double y)
{
    double top = interpolate_line(above, step, x), bottom = interpolate_line(below, step, x);
    return top + y * (bottom - top);
}

/* Interpolates samples. A mask has frequency 0 in the middle: its column m holds fx = (m − width/2) / width,
 * and its row m holds fy = (m − height/2) / height. Complex gains begin with frequency 0. */
static void samples_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    size_t row = (size_t)transfer->mask.width, step = (size_t)transfer->step;
    struct place x = transfer_place_x(transfer, fx), y = transfer_place_y(transfer, fy);
    const double *above = transfer->mask.values + y.index * row;
    const double *below = transfer->mask.values + y.next * row;
    gain[0] = interpolate_samples(above, below, step, x, y.fraction);
    gain[1] = transfer->is_even ? 0.0 : interpolate_samples(above + 1, below + 1, step, x, y.fraction);
}

static void callback_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    gain[0] = gain[1] = 0.0;
    transfer->callback(transfer->user, fx, fy, gain);
}

/* ---- Making ------------------------------------------------------------------------------------------- */

/* A product of two factors, or of one where `second` is NULL. Their squares of distances are even in fx
 * and fy where they are about frequency 0. */
static struct transfer make_product(struct factor first, const struct factor *second, double detail)
{
    return (struct transfer){
        .gain = product_gain,
        .is_even = true,
        .is_hermitian = true,
        .is_mirrored = true,
        .factors = second ? 2 : 1,
        .factor = { first, second ? *second : first },
        .bound = 1.0,
        .detail = detail,
    };
}

struct transfer transfer_lowpass(enum falloff falloff, double order, double cutoff)
{
    return make_product((struct factor){ falloff, order, cutoff, 0.0, 0.0, false }, NULL, cutoff);
}

struct transfer transfer_highpass(enum falloff falloff, double order, double cutoff)
{
    return make_product((struct factor){ falloff, order, cutoff, 0.0, 0.0, true }, NULL, cutoff);
}

struct transfer transfer_bandpass(enum falloff falloff, double order, double low, double high)
{
    const struct factor above = { falloff, order, low, 0.0, 0.0, true };
    /* Only the ideal shape has edges, between which a narrow band has no width to spare. */
    double detail = falloff == FALLOFF_IDEAL ? fmin(low, high - low) : low;
    return make_product((struct factor){ falloff, order, high, 0.0, 0.0, false }, &above, detail);
}

struct transfer transfer_bandreject(enum falloff falloff, double order, double low, double high)
{
    struct transfer transfer = transfer_bandpass(falloff, order, low, high);
    transfer.complement = true;
    return transfer;
}

/* Whether points (x, y) and (−x, −y) are also (−x, y) and (x, −y), where the plane has period 1. */
static bool pair_is_mirrored(double x, double y)
{
    return 2.0 * x == floor(2.0 * x) || 2.0 * y == floor(2.0 * y);
}

/* (1 − L(|f − c|)) · (1 − L(|f + c|)). */
struct transfer transfer_notch(enum falloff falloff, double order, double x, double y, double radius)
{
    const struct factor opposite = { falloff, order, radius, -x, -y, true };
    struct transfer transfer = make_product((struct factor){ falloff, order, radius, x, y, true }, &opposite,
                                            radius);
    transfer.is_mirrored = pair_is_mirrored(x, y);
    return transfer;
}

struct transfer transfer_streak(double angle, double width)
{
    struct transfer transfer = {
        .gain = streak_gain,
        .is_streak = true,
        .is_even = true,
        .bound = 1.0,
        .parameters = { [HALF_WIDTH] = 0.5 * width },
        .detail = 1.0,
    };
    angle_vector(angle, &transfer.parameters[ALONG_X], &transfer.parameters[ALONG_Y]);
    transfer.is_mirrored = transfer.parameters[ALONG_X] == 0.0 || transfer.parameters[ALONG_Y] == 0.0;
    return transfer;
}

struct transfer transfer_power(double exponent)
{
    return (struct transfer){
        .gain = power_gain,
        .is_power = true,
        .is_even = true,
        .bound = INFINITY,
        .is_mirrored = true,
        .parameters = { [EXPONENT] = exponent },
        .detail = 1.0,
    };
}

/* The index of frequency −f on an axis of `length` samples, of which number `zero` has frequency 0. */
static size_t opposite_index(size_t index, int length, int zero)
{
    return (size_t)((2 * zero - (int)index + length) % length);
}

/* Replaces m(f) by ½ (m(f) + m(−f)). Interpolation between the samples keeps this symmetry. */
static void make_mask_even(abbe_matrix *mask)
{
    size_t width = (size_t)mask->width, height = (size_t)mask->height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double *here = mask->values + y * width + x;
            double *there = mask->values + opposite_index(y, mask->height, mask->height / 2) * width +
                            opposite_index(x, mask->width, mask->width / 2);
            if (there > here)
                *here = *there = 0.5 * (*here + *there);
        }
}

/* The largest sum of the magnitudes of `step` neighbouring numbers; infinite where one is not finite. */
static double largest_sum(const abbe_matrix *samples, int step)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)samples->width * (size_t)samples->height; i += (size_t)step) {
        double sum = fabs(samples->values[i]) + (step == 2 ? fabs(samples->values[i + 1]) : 0.0);
        if (!(sum <= largest))
            largest = isfinite(sum) ? sum : INFINITY;
    }
    return largest;
}

/* Whether rows of frequencies fy and −fy are equal; row `zero` has frequency 0. */
static bool rows_are_mirrored(const abbe_matrix *gains, int zero)
{
    size_t row = (size_t)gains->width;
    for (size_t y = 0; y < (size_t)gains->height; y++) {
        const double *here = gains->values + y * row,
                     *there = gains->values + opposite_index(y, gains->height, zero) * row;
        for (size_t x = 0; x < row; x++)
            if (here[x] != there[x])
                return false;
    }
    return true;
}

struct transfer transfer_mask(abbe_matrix mask)
{
    int side = mask.width > mask.height ? mask.width : mask.height;
    make_mask_even(&mask);
    return (struct transfer){ .gain = samples_gain,
                              .is_even = true,
                              .is_hermitian = true,
                              .is_mirrored = rows_are_mirrored(&mask, mask.height / 2),
                              .mask = mask,
                              .step = 1,
                              .bound = largest_sum(&mask, 1),
                              .detail = 2.0 / side };
}

/* ---- Painting on a mask ---- */

bool transfer_is_mask(const struct transfer *transfer)
{
    return transfer->step == 1;
}

/* The gain of column x, row y; `opposite`: of the opposite frequency. */
static double *mask_at(const struct transfer *mask, int x, int y, bool opposite)
{
    const abbe_matrix *of = &mask->mask;
    size_t column = opposite ? opposite_index((size_t)x, of->width, of->width / 2) : (size_t)x;
    size_t row = opposite ? opposite_index((size_t)y, of->height, of->height / 2) : (size_t)y;
    return of->values + row * (size_t)of->width + column;
}

void transfer_paint_mask(struct transfer *mask, const abbe_matrix *gains, int x, int y)
{
    const double *gain = gains->values;
    for (int j = 0; j < gains->height; j++)
        for (int i = 0; i < gains->width; i++, gain++) {
            *mask_at(mask, x + i, y + j, false) = *gain;
            mask->bound = fmax(mask->bound, fabs(*gain));
        }
    for (int j = 0; j < gains->height; j++)
        for (int i = 0; i < gains->width; i++) {
            double *here = mask_at(mask, x + i, y + j, false), *there = mask_at(mask, x + i, y + j, true);
            int place = (int)(there - mask->mask.values), row = place / mask->mask.width - y;
            int column = place % mask->mask.width - x;
            bool painted = column >= 0 && column < gains->width && row >= 0 && row < gains->height;
            *here = *there = painted ? 0.5 * (*here + *there) : *here;
        }
}

void transfer_copy_mask(const struct transfer *mask, int x, int y, abbe_matrix *gains)
{
    size_t bytes = (size_t)gains->width * sizeof *gains->values;
    for (int j = 0; j < gains->height; j++)
        memcpy(gains->values + (size_t)j * (size_t)gains->width, mask_at(mask, x, y + j, false), bytes);
}

double transfer_mask_constant(const struct transfer *mask)
{
    return *mask_at(mask, mask->mask.width / 2, mask->mask.height / 2, false);
}

struct frequency_span transfer_mask_span(const struct transfer *mask, int x, int width)
{
    double length = mask->mask.width, zero = mask->mask.width / 2;
    double left = (x - 1 - zero) / length, right = (x + width - zero) / length;
    double low = left <= 0 && right >= 0 ? 0 : fmin(fabs(left), fabs(right)),
           high = fmax(fabs(left), fabs(right));
    if (high > 0.5) /* beyond ½, frequencies come back from the other side */
        low = fmin(low, 1 - high);
    return (struct frequency_span){ fmax(low, 0), fmin(high, 0.5) };
}

/* Replaces G(u, v) by ½ (G(u, v) + G*(−u, −v)). Returns whether all gains are real. */
static bool make_hermitian(abbe_matrix *gains)
{
    size_t width = (size_t)gains->width / 2, height = (size_t)gains->height;
    bool real = true;
    for (size_t v = 0; v < height; v++)
        for (size_t u = 0; u < width; u++) {
            size_t opposite = (height - v) % height * width + (width - u) % width;
            double *here = gains->values + 2 * (v * width + u), *there = gains->values + 2 * opposite;
            if (there < here)
                continue; /* done with its partner */
            here[0] = there[0] = 0.5 * (here[0] + there[0]);
            double im = 0.5 * (here[1] - there[1]);
            there[1] = -im;
            here[1] = here == there ? 0.0 : im;
            real &= here[1] == 0.0;
        }
    return real;
}

int transfer_gains(int width, int height, const double *gains, struct transfer *out)
{
    /* Twice the largest width of a matrix still fits an int; matrix_copy only multiplies the sides. */
    const abbe_matrix given = { 2 * width, height, (double *)gains };
    abbe_matrix copy;
    int error = matrix_copy(&given, &copy);
    if (error)
        return error;
    bool real = make_hermitian(&copy);
    *out = (struct transfer){
        .gain = samples_gain,
        .is_hermitian = true,
        .is_even = real,
        .is_mirrored = real && rows_are_mirrored(&copy, 0),
        .mask = copy,
        .step = 2,
        .bound = largest_sum(&copy, 2),
        .detail = 2.0 / (width > height ? width : height),
    };
    return ABBE_OK;
}

struct transfer transfer_callback(abbe_transfer callback, void *user)
{
    return (struct transfer){
        .gain = callback_gain,
        .bound = INFINITY,
        .callback = callback,
        .user = user,
        .detail = 1.0 / 256, /* an assumption that abbe_filter_reach documents */
    };
}

void transfer_free(struct transfer *transfer)
{
    abbe_matrix_free(&transfer->mask);
}

int transfer_copy(const struct transfer *transfer, struct transfer *out)
{
    struct transfer copy = *transfer;
    copy.mask = (abbe_matrix){ 0 };
    int error = transfer->mask.values ? matrix_copy(&transfer->mask, &copy.mask) : ABBE_OK;
    if (!error)
        *out = copy;
    return error;
}

/* The equivalent frequency within −½ ≤ f < ½. */
static double principal_frequency(double f)
{
    return f - floor(f + 0.5);
}

/* −f on a grid of even size, where the reflection of −½ is −½ itself. */
static double reflected_frequency(double f)
{
    return f > -0.5 ? -f : f;
}

void transfer_gain_within(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    double opposite[2];
    transfer->gain(transfer, fx, fy, gain);
    /* An even function equals its reflection, except at −½, whose reflection on the grid is −½ and not ½. */
    if (transfer->is_hermitian || (transfer->is_even && fx > -0.5 && fy > -0.5))
        return;
    transfer->gain(transfer, reflected_frequency(fx), reflected_frequency(fy), opposite);
    gain[0] = 0.5 * (gain[0] + opposite[0]);
    gain[1] = 0.5 * (gain[1] - opposite[1]);
}

void transfer_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    transfer_gain_within(transfer, principal_frequency(fx), principal_frequency(fy), gain);
}
