/* Transfer functions: the catalogue's formulas in frequency, painted masks and callers' functions. */
#include "filter/transfer.h"

#include "filter/angle.h"
#include "filter/matrix.h"

#include <math.h>

/* Indices of the formulas' parameters in struct transfer. */
enum { FALLOFF, ORDER, CUTOFF, LOW = CUTOFF, HIGH, RADIUS = CUTOFF, X, Y };
enum { ALONG_X, ALONG_Y, HALF_WIDTH };
enum { EXPONENT };

/* The distance from zero frequency. Frequencies are small numbers and cannot overflow, so hypot is not
 * needed. */
static double frequency_radius(double fx, double fy)
{
    return sqrt(fx * fx + fy * fy);
}

/* square^order. Small whole orders are the usual case and are multiplied out, because spectra have many
 * samples. */
static double raise_square(double square, double order)
{
    enum { MULTIPLIED = 8 };
    if (order > MULTIPLIED || order != floor(order))
        return pow(square, order);
    double power = 1.0;
    for (int i = 0; i < (int)order; i++)
        power *= square;
    return power;
}

/* The low-pass L(f): butterworth 1 / (1 + (f/fc)^(2·order)), ideal 1 for f ≤ fc, gaussian 2^(−(f/fc)²). */
static double lowpass_at(const struct transfer *transfer, double f, double cutoff)
{
    double ratio = f / cutoff;
    switch ((enum falloff)transfer->parameters[FALLOFF]) {
    case FALLOFF_BUTTERWORTH: return 1.0 / (1.0 + raise_square(ratio * ratio, transfer->parameters[ORDER]));
    case FALLOFF_IDEAL: return f <= cutoff ? 1.0 : 0.0;
    case FALLOFF_GAUSSIAN: return exp2(-ratio * ratio);
    }
    return 0.0;
}

static void set_real_gain(double gain[2], double value)
{
    gain[0] = value;
    gain[1] = 0.0;
}

/* L(f). */
static void lowpass_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    set_real_gain(gain, lowpass_at(transfer, frequency_radius(fx, fy), transfer->parameters[CUTOFF]));
}

/* 1 − L(f). */
static void highpass_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    set_real_gain(gain, 1.0 - lowpass_at(transfer, frequency_radius(fx, fy), transfer->parameters[CUTOFF]));
}

/* L(f; high) · (1 − L(f; low)). */
static double bandpass_at(const struct transfer *transfer, double f)
{
    return lowpass_at(transfer, f, transfer->parameters[HIGH]) *
           (1.0 - lowpass_at(transfer, f, transfer->parameters[LOW]));
}

static void bandpass_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    set_real_gain(gain, bandpass_at(transfer, frequency_radius(fx, fy)));
}

static void bandreject_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    set_real_gain(gain, 1.0 - bandpass_at(transfer, frequency_radius(fx, fy)));
}

/* The distance to the nearest whole number, for |d| < 1.5. */
static double distance_to_whole(double d)
{
    d = fabs(d);
    return d <= 0.5 ? d : fabs(d - 1);
}

/* 1 − L(|f|; radius) for the nearest copy of a frequency: the plane of a sampled picture has period 1. Chains
 * of notches are sampled where nearly all of them are 1, so that is found without an exponential: beyond 7.5
 * radii a gaussian is below 2⁻⁵⁶, and 1 less that is 1. */
static double notch_at(const struct transfer *transfer, double fx, double fy)
{
    double radius = transfer->parameters[RADIUS], far = 7.5 * radius;
    double dx = distance_to_whole(fx), dy = distance_to_whole(fy);
    if (transfer->parameters[FALLOFF] == FALLOFF_GAUSSIAN && (dx > far || dy > far))
        return 1;
    return 1.0 - lowpass_at(transfer, frequency_radius(dx, dy), radius);
}

/* (1 − L(|f − c|)) · (1 − L(|f + c|)). */
static void notch_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    double x = transfer->parameters[X], y = transfer->parameters[Y];
    set_real_gain(gain, notch_at(transfer, fx - x, fy - y) * notch_at(transfer, fx + x, fy + y));
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

/* (|f| / ½)^exponent: 1 at Nyquist, and 1 at f = 0 to keep the mean. */
static void power_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    double f = frequency_radius(fx, fy);
    set_real_gain(gain, f > 0.0 ? pow(f / 0.5, transfer->parameters[EXPONENT]) : 1.0);
}

/* The samples of a periodic axis on both sides of a frequency. */
struct place {
    size_t index, next;
    double fraction; /* of the way from one to the other */
};

/* Finds a frequency, −½ ≤ f ≤ ½, on an axis of `length` samples, of which number `zero` has frequency 0.
 * Frequencies k / length are exactly on a sample, whatever rounding has done to them. Calls no functions,
 * because spectra have many samples. */
static struct place find_place(double f, int length, int zero)
{
    double at = (f < 0.0 ? f + 1.0 : f) * length;
    int below = (int)at, nearest = (int)(at + 0.5), index = below + zero;
    if (fabs(at - nearest) < 1e-9) {
        at = nearest;
        index = nearest + zero;
        below = nearest;
    }
    while (index >= length)
        index -= length;
    return (struct place){ (size_t)index, (size_t)(index + 1 < length ? index + 1 : 0), at - below };
}

/* Interpolates bilinearly between rows of samples that are `step` doubles apart. */
static double interpolate_samples(const double *above, const double *below, size_t step, struct place x,
                                  double y)
{
    size_t left = step * x.index, right = step * x.next;
    double top = above[left] + x.fraction * (above[right] - above[left]);
    double bottom = below[left] + x.fraction * (below[right] - below[left]);
    return top + y * (bottom - top);
}

/* Interpolates a mask at (fx, fy). Column m holds fx = (m − width/2) / width, and row m holds fy = (m −
 * height/2) / height, so row 0 is fy = −½. */
static double mask_at(const abbe_matrix *mask, double fx, double fy)
{
    struct place x = find_place(fx, mask->width, mask->width / 2);
    struct place y = find_place(fy, mask->height, mask->height / 2);
    size_t width = (size_t)mask->width;
    return interpolate_samples(mask->values + y.index * width, mask->values + y.next * width, 1, x,
                               y.fraction);
}

/* Interpolates complex gains, which lie side by side in rows of `mask.width` doubles. */
static void gains_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    size_t row = (size_t)transfer->mask.width;
    struct place x = find_place(fx, transfer->mask.width / 2, 0);
    struct place y = find_place(fy, transfer->mask.height, 0);
    const double *above = transfer->mask.values + y.index * row,
                 *below = transfer->mask.values + y.next * row;
    gain[0] = interpolate_samples(above, below, 2, x, y.fraction);
    gain[1] = transfer->is_even ? 0.0 : interpolate_samples(above + 1, below + 1, 2, x, y.fraction);
}

static void mask_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    set_real_gain(gain, mask_at(&transfer->mask, fx, fy));
}

static void callback_gain(const struct transfer *transfer, double fx, double fy, double gain[2])
{
    gain[0] = gain[1] = 0.0;
    transfer->callback(transfer->user, fx, fy, gain);
}

struct transfer transfer_lowpass(enum falloff falloff, double order, double cutoff)
{
    return (struct transfer){
        .gain = lowpass_gain,
        .is_even = true,
        .is_mirrored = true,
        .parameters = { [FALLOFF] = falloff, [ORDER] = order, [CUTOFF] = cutoff },
        .detail = cutoff,
    };
}

struct transfer transfer_highpass(enum falloff falloff, double order, double cutoff)
{
    struct transfer transfer = transfer_lowpass(falloff, order, cutoff);
    transfer.gain = highpass_gain;
    return transfer;
}

struct transfer transfer_bandpass(enum falloff falloff, double order, double low, double high)
{
    return (struct transfer){
        .gain = bandpass_gain,
        .is_even = true,
        .is_mirrored = true,
        .parameters = { [FALLOFF] = falloff, [ORDER] = order, [LOW] = low, [HIGH] = high },
        /* Only the ideal shape has edges, between which a narrow band has no width to spare. */
        .detail = falloff == FALLOFF_IDEAL ? fmin(low, high - low) : low,
    };
}

struct transfer transfer_bandreject(enum falloff falloff, double order, double low, double high)
{
    struct transfer transfer = transfer_bandpass(falloff, order, low, high);
    transfer.gain = bandreject_gain;
    return transfer;
}

/* Whether points (x, y) and (−x, −y) are also (−x, y) and (x, −y), where the plane has period 1. */
static bool pair_is_mirrored(double x, double y)
{
    return 2.0 * x == floor(2.0 * x) || 2.0 * y == floor(2.0 * y);
}

struct transfer transfer_notch(enum falloff falloff, double order, double x, double y, double radius)
{
    return (struct transfer){
        .gain = notch_gain,
        .is_even = true,
        .is_hermitian = true,
        .is_mirrored = pair_is_mirrored(x, y),
        .parameters = { [FALLOFF] = falloff, [ORDER] = order, [RADIUS] = radius, [X] = x, [Y] = y },
        .detail = radius,
    };
}

struct transfer transfer_streak(double angle, double width)
{
    struct transfer transfer = {
        .gain = streak_gain,
        .is_even = true,
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
        .is_even = true,
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
    return (struct transfer){ .gain = mask_gain,
                              .is_even = true,
                              .is_hermitian = true,
                              .is_mirrored = rows_are_mirrored(&mask, mask.height / 2),
                              .mask = mask,
                              .detail = 2.0 / side };
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
        .gain = gains_gain,
        .is_hermitian = true,
        .is_even = real,
        .is_mirrored = real && rows_are_mirrored(&copy, 0),
        .mask = copy,
        .detail = 2.0 / (width > height ? width : height),
    };
    return ABBE_OK;
}

struct transfer transfer_callback(abbe_transfer callback, void *user)
{
    return (struct transfer){
        .gain = callback_gain,
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
