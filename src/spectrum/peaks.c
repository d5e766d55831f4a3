/* Periodic components of a picture: the summits of its surface, with frequencies between the bins, radii for
 * notches, and harmonics. */
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/pixels.h"
#include "core/view.h"
#include "spectrum/packed.h"
#include "spectrum/summits.h"

#include <math.h>
#include <stdlib.h>

enum {
    RING = 64, /* amplitudes on a circle */
    HARMONIC_MAX = 8,
    MOST_MAX = 1024,
    MOST_DEFAULT = 64,
};

static const double default_prominence = 7;

/* Fractions of Nyquist: the default of `notch`, and its smallest. */
static const double default_radius = 0.02, least_radius = 1e-4;

/* The taper leaves 2.2 · 10⁻⁵ of every component at other frequencies. */
static const double least_share = 5e-5;

/* Rounding to the steps of an integer type makes components of up to 1/π of a step. */
static const double least_step = 0.5;

/* A list that the application receives: pointers first, the peaks behind them. */
struct found_peaks {
    const abbe_peak **pointers;
    abbe_peak *peaks;
    size_t count;
};

/* ---- From summits to peaks------------------------------------------------------------------------------ */

/* The maximum of a parabola through the logarithms of three amplitudes, the second being the largest: its
 * place, −½ … ½, and how far it lies above the second. A tapered sinusoid is nearly a Gaussian, whose
 * logarithm is a parabola. */
static double vertex(double before, double at, double after, double *rise)
{
    *rise = 0;
    if (!(before > 0 && after > 0))
        return 0;
    double left = log(before / at), right = log(after / at), curvature = left + right;
    if (!(curvature < 0))
        return 0;
    double place = 0.5 * (left - right) / curvature;
    *rise = 0.25 * (right - left) * place;
    return place;
}

/* Half of all frequencies: x > 0, or x = 0 and y ≥ 0; the other half has the same components. */
static void set_frequency(abbe_peak *peak, double x, double y)
{
    x -= 2 * floor((x + 1) / 2);
    y -= 2 * floor((y + 1) / 2);
    bool mirrored = x < 0 || (x == 0 && y < 0);
    peak->x = mirrored ? 0 - x : x;
    peak->y = mirrored ? 0 - y : y; /* not −0 */
}

static abbe_peak refine_peak(const struct surface *surface, const struct summit *summit)
{
    int u = summit->u, v = summit->v;
    double rise_x, rise_y, at = summit->amplitude;
    double du = surface->width < 3
                    ? rise_x = 0
                    : vertex(surface_at(surface, u - 1, v), at, surface_at(surface, u + 1, v), &rise_x);
    double dv = surface->height < 3
                    ? rise_y = 0
                    : vertex(surface_at(surface, u, v - 1), at, surface_at(surface, u, v + 1), &rise_y);
    abbe_peak peak = { .amplitude = at * exp(rise_x + rise_y) * surface->unit, .harmonic = 1 };
    set_frequency(&peak, 2 * (u + du) / surface->width, 2 * (v + dv) / surface->height);
    /* Without a partner, a component has all of its amplitude in one frequency. */
    if ((u == 0 || 2 * u == surface->width) && (v == 0 || 2 * v == surface->height))
        peak.amplitude /= 2;
    peak.prominence = at / fmax(summit_background(surface, u, v), 1e-3 * least_share * surface->strongest);
    return peak;
}

/* The distance between two frequencies, in fractions of Nyquist. Frequencies repeat with period 2. */
static double wrapped(double distance)
{
    return fabs(distance - 2 * round(distance / 2));
}

/* ---- Harmonics ---------------------------------------------------------------------------------------- */

/* The smallest n from 2 on for which `peak` is at n times the frequency of `first`, within one cycle across
 * the picture, seen through the sampling of the picture; 0 if there is none. */
static int find_harmonic(const abbe_image *picture, const abbe_peak *first, const abbe_peak *peak)
{
    for (int n = 2; n <= HARMONIC_MAX; n++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (hypot(wrapped(n * first->x + sign * peak->x) * picture->width / 2,
                      wrapped(n * first->y + sign * peak->y) * picture->height / 2) < 1)
                return n;
    return 0;
}

static void mark_harmonics(const abbe_image *picture, struct found_peaks *found)
{
    for (size_t i = 0; i < found->count; i++) {
        abbe_peak *peak = &found->peaks[i];
        peak->fundamental = i;
        for (size_t j = 0; j < i && peak->harmonic == 1; j++) {
            int n = found->peaks[j].harmonic == 1 ? find_harmonic(picture, &found->peaks[j], peak) : 0;
            if (!n)
                continue;
            peak->harmonic = n;
            peak->fundamental = j;
        }
    }
}

/* ---- Radii -------------------------------------------------------------------------------------------- */

/* The distance of a peak to frequency 0 or to the nearest peak in front of it, all of which are stronger. */
static double find_room(const abbe_peak *peaks, size_t i)
{
    double room = hypot(peaks[i].x, peaks[i].y);
    for (size_t j = 0; j < i; j++)
        for (int sign = -1; sign <= 1; sign += 2)
            room = fmin(room, hypot(wrapped(peaks[i].x + sign * peaks[j].x),
                                    wrapped(peaks[i].y + sign * peaks[j].y)));
    return room;
}

/* The median amplitude on a circle around a peak. */
static float ring_level(const struct surface *surface, const abbe_peak *peak, double radius)
{
    float ring[RING];
    for (int i = 0; i < RING; i++) {
        double angle = 2 * M_PI * i / RING;
        int u = (int)lround(0.5 * (peak->x + radius * cos(angle)) * surface->width);
        int v = (int)lround(0.5 * (peak->y + radius * sin(angle)) * surface->height);
        ring[i] = surface_at(surface, u, v);
    }
    qsort(ring, RING, sizeof *ring, summit_compare);
    return ring[RING / 2];
}

/* The pattern of a print is modulated by its picture, so that a copy of the picture's spectrum surrounds each
 * peak, and the copies of two peaks meet in the middle. A peak ends where the amplitude around it has fallen
 * to 1.25 times that in the middle: a pure component ends at once. A gaussian notch of 0.3 of the way to
 * frequency 0 dims the picture by 1/1000. */
static double suggest_radius(const abbe_image *picture, const struct surface *surface, const abbe_peak *peaks,
                             size_t i)
{
    int shorter = picture->width < picture->height ? picture->width : picture->height;
    int side = shorter < SURFACE_THIN ? picture->width + picture->height - shorter : shorter;
    double room = find_room(peaks, i), lobe = 2.0 * SURFACE_LOBE / side;
    double radius = fmax(default_radius, lobe / 2);
    float middle = ring_level(surface, &peaks[i], 0.45 * room);
    for (double r = fmax(lobe, 0.01 * room); r < 0.45 * room; r *= 1.1) {
        if (ring_level(surface, &peaks[i], r) <= 1.25f * middle)
            break;
        radius = fmax(radius, r);
    }
    return fmax(least_radius, fmin(radius, 0.3 * room));
}

/* ---- The list ----------------------------------------------------------------------------------------- */

static int compare_peaks(const void *a, const void *b)
{
    const abbe_peak *left = a, *right = b;
    if (left->amplitude != right->amplitude)
        return left->amplitude < right->amplitude ? 1 : -1;
    return left->x != right->x ? (left->x > right->x) - (left->x < right->x)
                               : (left->y > right->y) - (left->y < right->y);
}

/* Whether a stronger peak is less than SURFACE_LOBE cycles across the picture away, or has a notch that
 * covers this one. */
static bool is_covered(const abbe_image *picture, const abbe_peak *peaks, size_t i)
{
    for (size_t j = 0; j < i; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double x = wrapped(peaks[i].x + sign * peaks[j].x), y = wrapped(peaks[i].y + sign * peaks[j].y);
            if (hypot(x * picture->width / 2, y * picture->height / 2) < SURFACE_LOBE ||
                hypot(x, y) < 0.5 * peaks[j].radius)
                return true;
        }
    return false;
}

/* The peaks of all summits, the strongest first: bins between which a frequency lies have less of its amplitude,
 * so that the order of the summits is another one. Release them with core_free; NULL without memory. */
static abbe_peak *refine_peaks(const struct surface *surface, const struct summits *summits)
{
    abbe_peak *peaks = core_alloc(summits->count, sizeof *peaks);
    for (size_t i = 0; peaks && i < summits->count; i++)
        peaks[i] = refine_peak(surface, &summits->items[i]);
    if (peaks && summits->count)
        qsort(peaks, summits->count, sizeof *peaks, compare_peaks);
    return peaks;
}

/* Takes at most `most` of the refined peaks, which no stronger one covers. */
static size_t choose_peaks(const abbe_image *picture, const struct surface *surface, const abbe_peak *refined,
                           size_t refined_count, size_t most, abbe_peak *peaks)
{
    size_t count = 0;
    for (size_t i = 0; i < refined_count && count < most; i++) {
        peaks[count] = refined[i];
        if (is_covered(picture, peaks, count))
            continue;
        peaks[count].radius = suggest_radius(picture, surface, peaks, count);
        count++;
    }
    return count;
}

static bool list_peaks(const abbe_image *picture, const struct surface *surface,
                       const struct summits *summits, size_t most, struct found_peaks *found)
{
    size_t room = summits->count < most ? summits->count : most;
    size_t pointers = (room + 1) * sizeof *found->pointers;
    abbe_peak *refined = refine_peaks(surface, summits);
    char *memory = refined ? core_alloc(1, pointers + room * sizeof *found->peaks) : NULL;
    if (!memory) {
        core_free(refined);
        return false;
    }
    found->pointers = (const abbe_peak **)(void *)memory;
    found->peaks = (abbe_peak *)(void *)(memory + pointers);
    found->count = choose_peaks(picture, surface, refined, summits->count, most, found->peaks);
    core_free(refined);
    for (size_t i = 0; i < found->count; i++)
        found->pointers[i] = &found->peaks[i];
    mark_harmonics(picture, found);
    return true;
}

/* The smallest amplitude that is looked at, in units of the surface. */
static float find_floor(const abbe_image *picture, const struct surface *surface)
{
    double step = core_type_has_nonfinite(picture->type) ? 0 : 1 / core_type_white(picture->type);
    double quantised = surface->unit > 0 ? least_step * step / surface->unit : 0;
    return (float)fmax(least_share * surface->strongest, quantised);
}

static int find_peaks(abbe_device *cpu, const abbe_image *picture, const abbe_peak_params *params,
                      struct found_peaks *found)
{
    struct surface surface;
    int error = surface_create(cpu, picture, &surface);
    if (error)
        return error;
    struct summits summits = { 0 };
    double prominence = params->prominence > 0 ? params->prominence : default_prominence;
    bool done = summits_find(&surface, prominence, find_floor(picture, &surface), &summits) &&
                list_peaks(picture, &surface, &summits, params->most ? (size_t)params->most : MOST_DEFAULT,
                           found);
    core_free(summits.items);
    surface_free(&surface);
    return done ? ABBE_OK : core_fail_memory(cpu);
}

/* ---- Public functions --------------------------------------------------------------------------------- */

static int read_peak_params(abbe_device *cpu, const abbe_peak_params *given, abbe_peak_params *params)
{
    static const struct core_params about = { "abbe_peaks_find: params", PEAK_PARAMS_0_2, sizeof *params };
    *params = (abbe_peak_params){ 0 };
    int error = given ? core_read_params(cpu, &about, given, params) : ABBE_OK;
    if (error)
        return error;
    if (params->most < 0 || params->most > MOST_MAX)
        return core_fail(cpu, ABBE_ERR_INVALID, "abbe_peaks_find: most is %d; it must be 0 to %d",
                         params->most, MOST_MAX);
    if (params->prominence != 0 && !(params->prominence >= 2 && params->prominence <= 1e6))
        return core_fail(cpu, ABBE_ERR_RANGE,
                         "abbe_peaks_find: prominence is %g; it must be 2 to 1000000, or 0 for %g",
                         params->prominence, default_prominence);
    return ABBE_OK;
}

int abbe_peaks_find(abbe_device *cpu, const abbe_image *picture, const abbe_peak_params *params,
                    const abbe_peak *const **peaks, size_t *count)
{
    if (!peaks || !count)
        return core_fail(cpu, ABBE_ERR_INVALID, "abbe_peaks_find: %s is NULL", peaks ? "count" : "peaks");
    abbe_peak_params known;
    int error = packed_check_host(cpu, "abbe_peaks_find");
    if (!error)
        error = read_peak_params(cpu, params, &known);
    if (!error)
        error = core_check_view(cpu, picture, "picture");
    struct found_peaks found = { 0 };
    if (!error)
        error = find_peaks(cpu, picture, &known, &found);
    if (error)
        return error;
    *peaks = found.pointers;
    *count = found.count;
    return ABBE_OK;
}

void abbe_peaks_free(const abbe_peak *const **peaks)
{
    if (!peaks)
        return;
    core_free((void *)*peaks);
    *peaks = NULL;
}
