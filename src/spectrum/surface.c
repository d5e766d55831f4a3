/* The amplitudes of a tapered picture over frequency.
 *
 * The transform takes a picture as periodic: jumps between opposite edges become a cross through frequency 0,
 * and a sinusoid that does not fit becomes a cross through its frequency. The picture less its mean is
 * therefore multiplied by a taper t(x)·t(y) that falls to 0 at the edges: the 4-term cosine sum with
 * continuous first derivative of Nuttall, "Some windows with very good sidelobe behavior", 1981. A sinusoid
 * of amplitude A then has |F| = A/2 · Σt/(MN) at its frequency, is 4 frequencies wide to each side, and is
 * below 2.2 · 10⁻⁵ of that (−93.3 decibels) beyond. */
#include "spectrum/surface.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "fft/size.h"

#include <math.h>
#include <string.h>

/* What the surface is made from. */
struct tapering {
    abbe_device *cpu;
    const abbe_image *picture;
    double *taper_x, *taper_y; /* one weight per column and per row */
    double sum;                /* of all weights */
    double *row;               /* one row of the picture */
    float *plane;              /* the grid, interleaved { re, im } */
    double unit;               /* samples are divided by it */
    double means[ABBE_CHANNELS_MAX];
};

static double *make_taper(int n, double *sum)
{
    double *taper = core_alloc((size_t)n, sizeof *taper);
    *sum = 0;
    for (int i = 0; taper && i < n; i++) {
        double phase = 2 * M_PI * (i + 0.5) / n;
        taper[i] = 0.355768 - 0.487396 * cos(phase) + 0.144232 * cos(2 * phase) - 0.012604 * cos(3 * phase);
        *sum += taper[i];
    }
    return taper;
}

static void tapering_free(struct tapering *tapering)
{
    core_free(tapering->plane);
    core_free(tapering->row);
    core_free(tapering->taper_y);
    core_free(tapering->taper_x);
}

static int tapering_create(const struct surface *surface, struct tapering *tapering)
{
    const abbe_image *picture = tapering->picture;
    double sum_x, sum_y;
    size_t samples;
    if (!core_multiply((size_t)surface->width * (size_t)surface->height, 2 * sizeof(float), &samples))
        return core_fail(tapering->cpu, ABBE_ERR_SIZE, "picture: %d x %d is too large to be addressed",
                         picture->width, picture->height);
    tapering->taper_x = make_taper(picture->width, &sum_x);
    tapering->taper_y = make_taper(picture->height, &sum_y);
    tapering->sum = sum_x * sum_y;
    tapering->row = core_alloc((size_t)picture->width * (size_t)picture->channels, sizeof *tapering->row);
    tapering->plane = core_alloc(1, samples);
    if (tapering->taper_x && tapering->taper_y && tapering->row && tapering->plane)
        return ABBE_OK;
    tapering_free(tapering);
    return core_fail_memory(tapering->cpu);
}

/* Finds the unit, the largest magnitude of a sample, and the mean of each channel under the taper in that
 * unit. Loading doubles keeps small differences of large samples. */
static int measure_channels(struct tapering *tapering)
{
    const abbe_image *picture = tapering->picture;
    size_t width = (size_t)picture->width, channels = (size_t)picture->channels;
    for (int y = 0; y < picture->height; y++) {
        core_load_pixels_f64(picture, 0, y, picture->width, NULL, tapering->row);
        for (size_t i = 0; i < width * channels; i++) {
            double value = fabs(tapering->row[i]);
            if (!isfinite(value))
                return core_fail(tapering->cpu, ABBE_ERR_NONFINITE,
                                 "picture: row %d contains a NaN or an infinity", y);
            tapering->unit = fmax(tapering->unit, value);
        }
    }
    if (!(tapering->unit > 0))
        return ABBE_OK;
    for (int y = 0; y < picture->height; y++) {
        core_load_pixels_f64(picture, 0, y, picture->width, NULL, tapering->row);
        double weight = tapering->taper_y[y] / tapering->sum;
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < channels; c++)
                tapering->means[c] += weight * tapering->taper_x[x] *
                                      (tapering->row[x * channels + c] / tapering->unit);
    }
    return ABBE_OK;
}

/* Fills the plane with channel c as real and channel c + 1, if there is one, as imaginary parts. */
static void fill_tapered(const struct surface *surface, struct tapering *tapering, int c)
{
    const abbe_image *picture = tapering->picture;
    bool is_pair = c + 1 < picture->channels;
    size_t row_bytes = (size_t)surface->width * 2 * sizeof(float);
    for (int y = 0; y < surface->height; y++) {
        float *to = tapering->plane + 2 * (size_t)y * (size_t)surface->width;
        memset(to, 0, row_bytes);
        if (y >= picture->height)
            continue;
        core_load_pixels_f64(picture, 0, y, picture->width, NULL, tapering->row);
        for (size_t x = 0; x < (size_t)picture->width; x++) {
            const double *from = tapering->row + x * (size_t)picture->channels + (size_t)c;
            double weight = tapering->taper_x[x] * tapering->taper_y[y];
            to[2 * x] = (float)(weight * (from[0] / tapering->unit - tapering->means[c]));
            if (is_pair)
                to[2 * x + 1] = (float)(weight * (from[1] / tapering->unit - tapering->means[c + 1]));
        }
    }
}

/* Adds |F|² + |G|² of the two channels of the plane, which is ½ (|Z(u, v)|² + |Z(−u, −v)|²). */
static void add_powers(struct surface *surface, const float *plane)
{
    size_t width = (size_t)surface->width;
    for (int v = 0; v < surface->height; v++) {
        const float *row = plane + 2 * (size_t)v * width;
        const float *mirrored = plane + 2 * (size_t)(v ? surface->height - v : 0) * width;
        float *to = surface->values + (size_t)v * (size_t)surface->columns;
        for (size_t u = 0; u < (size_t)surface->columns; u++) {
            const float *z = row + 2 * u, *y = mirrored + 2 * (u ? width - u : 0);
            to[u] += 0.5f * (z[0] * z[0] + z[1] * z[1] + y[0] * y[0] + y[1] * y[1]);
        }
    }
}

static void powers_to_amplitudes(struct surface *surface, const struct tapering *tapering)
{
    size_t count = (size_t)surface->columns * (size_t)surface->height;
    double area = (double)surface->width * surface->height;
    float scale = (float)(2 * area / (tapering->sum * sqrt(tapering->picture->channels)));
    for (size_t i = 0; i < count; i++) {
        surface->values[i] = scale * sqrtf(surface->values[i]);
        surface->strongest = fmaxf(surface->strongest, surface->values[i]);
    }
}

static int fill_surface(struct surface *surface, struct tapering *tapering)
{
    int error = measure_channels(tapering);
    surface->unit = tapering->unit;
    for (int c = 0; !error && tapering->unit > 0 && c < tapering->picture->channels; c += 2) {
        fill_tapered(surface, tapering, c);
        error = abbe_fft_forward(tapering->cpu, surface->width, surface->height, tapering->plane,
                                 tapering->plane);
        if (!error)
            add_powers(surface, tapering->plane);
    }
    if (!error)
        powers_to_amplitudes(surface, tapering);
    return error;
}

int surface_create(abbe_device *cpu, const abbe_image *picture, struct surface *surface)
{
    struct surface made = { .width = fft_good_size(picture->width),
                            .height = fft_good_size(picture->height) };
    struct tapering tapering = { .cpu = cpu, .picture = picture };
    made.columns = made.width / 2 + 1;
    made.stretch_x = (double)made.width / picture->width;
    made.stretch_y = (double)made.height / picture->height;
    int error = tapering_create(&made, &tapering);
    if (error)
        return error;
    made.values = core_alloc_zero((size_t)made.columns * (size_t)made.height, sizeof *made.values);
    error = made.values ? fill_surface(&made, &tapering) : core_fail_memory(cpu);
    tapering_free(&tapering);
    if (error)
        surface_free(&made);
    else
        *surface = made;
    return error;
}

void surface_free(struct surface *surface)
{
    core_free(surface->values);
    surface->values = NULL;
}
