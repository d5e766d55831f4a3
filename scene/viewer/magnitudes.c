/* Computes and renders magnitudes. */
#include "magnitudes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The side of the part that is transformed for an estimate. */
enum { ESTIMATE_SIDE = 1024 };

void magnitudes_free(struct magnitudes *spectrum)
{
    for (int i = 0; i < spectrum->count; i++)
        free(spectrum->levels[i].values);
    *spectrum = (struct magnitudes){ 0 };
}

/* ---- Computing ----------------------------------------------------------------------------------------- */

/* Luminance of a part of a picture, clipped to white as on the screen: the spectrum
 * of highlights far brighter would cover everything. */
static void take_luminance(const float *values, int stride, int channels, int width, int height, float *plane)
{
    const float weights[] = { 0.2126f, 0.7152f, 0.0722f };
    for (int y = 0; y < height; y++) {
        const float *from = values + (size_t)y * (size_t)stride * (size_t)channels;
        for (int x = 0; x < width; x++, from += channels) {
            float sum = channels == 1 ? from[0]
                                      : weights[0] * from[0] + weights[1] * from[1] + weights[2] * from[2];
            *plane++ = sum < 1 ? sum > -1 ? sum : -1 : sum >= 1 ? 1 : 0;
        }
    }
}

/* Moves zero frequency from the first corner to the middle. */
static void compute_magnitudes(int width, int height, const float *complex, uint8_t *magnitudes)
{
    const float decades = 5;
    size_t count = (size_t)width * (size_t)height;
    float strongest = 1e-30f;
    for (size_t i = 1; i < count; i++)
        strongest = fmaxf(strongest,
                          complex[2 * i] * complex[2 * i] + complex[2 * i + 1] * complex[2 * i + 1]);
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            const float *at = complex + 2 * ((size_t)v * (size_t)width + (size_t)u);
            float square = (at[0] * at[0] + at[1] * at[1]) / strongest;
            float level = 1 + 0.5f * log10f(square + 1e-20f) / decades;
            size_t row = (size_t)((v + height / 2) % height), column = (size_t)((u + width / 2) % width);
            magnitudes[row * (size_t)width + column] = (uint8_t)(255 * fminf(fmaxf(level, 0), 1));
        }
}

static int transform_plane(abbe_device *cpu, int width, int height, float *plane, uint8_t *magnitudes)
{
    abbe_image view = { .data = plane, .width = width, .height = height, .channels = 1, .type = ABBE_F32 };
    int error = abbe_spectrum_forward(cpu, &view, &view);
    if (error)
        return error;
    float *complex = malloc((size_t)width * (size_t)height * 2 * sizeof *complex);
    if (!complex)
        return ABBE_ERR_MEMORY;
    error = abbe_spectrum_unpack(width, height, plane, complex);
    if (!error)
        compute_magnitudes(width, height, complex, magnitudes);
    free(complex);
    return error;
}

/* A coarser copy: the maximum of LEVEL_FACTOR² values each. */
static bool make_coarser(const struct bytes *from, struct bytes *to)
{
    to->width = (from->width + LEVEL_FACTOR - 1) / LEVEL_FACTOR;
    to->height = (from->height + LEVEL_FACTOR - 1) / LEVEL_FACTOR;
    to->values = calloc((size_t)to->width, (size_t)to->height);
    if (!to->values)
        return false;
    for (int y = 0; y < from->height; y++)
        for (int x = 0; x < from->width; x++) {
            uint8_t value = from->values[(size_t)y * (size_t)from->width + (size_t)x];
            uint8_t *at =
                &to->values[(size_t)(y / LEVEL_FACTOR) * (size_t)to->width + (size_t)(x / LEVEL_FACTOR)];
            *at = value > *at ? value : *at;
        }
    return true;
}

static void make_levels(struct magnitudes *spectrum)
{
    while (spectrum->count < LEVELS_MAX) {
        const struct bytes *last = &spectrum->levels[spectrum->count - 1];
        if ((last->width <= 256 && last->height <= 256) ||
            !make_coarser(last, &spectrum->levels[spectrum->count]))
            return;
        spectrum->count++;
    }
}

/* Computes the spectrum of a part, whose rows are `stride` pixels apart. */
static int compute_part(struct magnitudes *spectrum, abbe_device *cpu, int width, int height, int channels,
                        const float *values, int stride)
{
    size_t count = (size_t)width * (size_t)height;
    struct bytes bytes = { width, height, malloc(count) };
    float *plane = malloc(count * sizeof *plane);
    int error = bytes.values && plane ? ABBE_OK : ABBE_ERR_MEMORY;
    if (!error) {
        take_luminance(values, stride, channels, width, height, plane);
        error = transform_plane(cpu, width, height, plane, bytes.values);
    }
    free(plane);
    if (error) {
        free(bytes.values);
        return error;
    }
    magnitudes_free(spectrum);
    *spectrum = (struct magnitudes){ .levels = { bytes }, .count = 1 };
    make_levels(spectrum);
    return ABBE_OK;
}

int magnitudes_compute(struct magnitudes *spectrum, abbe_device *cpu, int width, int height, int channels,
                       const float *values)
{
    int error = compute_part(spectrum, cpu, width, height, channels, values, width);
    if (error)
        return error;
    spectrum->plane_width = width;
    spectrum->plane_height = height;
    return ABBE_OK;
}

int magnitudes_estimate(struct magnitudes *spectrum, abbe_device *cpu, int width, int height, int channels,
                        const float *values)
{
    int w = width < ESTIMATE_SIDE ? width : ESTIMATE_SIDE;
    int h = height < ESTIMATE_SIDE ? height : ESTIMATE_SIDE;
    size_t corner = (size_t)((height - h) / 2) * (size_t)width + (size_t)((width - w) / 2);
    int error = compute_part(spectrum, cpu, w, h, channels, values + corner * (size_t)channels, width);
    if (error)
        return error;
    spectrum->plane_width = width;
    spectrum->plane_height = height;
    return ABBE_OK;
}

/* ---- Rendering ----------------------------------------------------------------------------------------- */

/* From pixels of the plane to those of a level: position · scale + shift. Zero frequency is in the middle of
 * a pixel in both. */
struct scaling {
    double scale, shift;
};

static struct scaling scaling_of(int plane, int base, int level)
{
    double across = (double)base / plane, down = pow(LEVEL_FACTOR, -level);
    return (struct scaling){ across * down, (base / 2 + 0.5 - (plane / 2 + 0.5) * across) * down };
}

struct run {
    int first, end;
};

/* The pixels of a level that an output pixel covers, at least one; none outside the plane. */
static struct run covered(struct scaling scaling, double start, double step, int size, int plane)
{
    if (start + step <= 0 || start >= plane)
        return (struct run){ 0, 0 };
    double from = start * scaling.scale + scaling.shift, end = from + step * scaling.scale;
    int first = (int)floor(fmax(end - from < 1 ? (from + end) / 2 : from + 0.5, 0));
    int last = (int)floor(end - from < 1 ? first + 1 : end + 0.5);
    first = first < size - 1 ? first : size - 1;
    last = last < size ? last : size;
    return (struct run){ first, last > first ? last : first + 1 };
}

static uint8_t strongest(const struct bytes *level, struct run columns, struct run rows)
{
    uint8_t most = 0;
    for (int y = rows.first; y < rows.end; y++) {
        const uint8_t *row = level->values + (size_t)y * (size_t)level->width;
        for (int x = columns.first; x < columns.end; x++)
            most = row[x] > most ? row[x] : most;
    }
    return most;
}

/* What is removed is dark red, with the magnitudes faintly visible. */
static void tint(uint8_t value, uint8_t gain, uint8_t rgba[4])
{
    static const int ground[3] = { 92, 16, 22 };
    for (int c = 0; c < 3; c++) {
        int removed = ground[c] + value * 3 / 10;
        rgba[c] = (uint8_t)((removed * (255 - gain) + value * gain + 127) / 255);
    }
    rgba[3] = 255;
}

void magnitudes_render(const struct magnitudes *spectrum, const struct excerpt *excerpt,
                       const struct mask *mask, bool keep, uint8_t *rgba)
{
    memset(rgba, 0, (size_t)excerpt->width * (size_t)excerpt->height * 4);
    if (!spectrum->count)
        return;
    const struct bytes *base = &spectrum->levels[0];
    double step = fmin(excerpt->step_x * base->width / spectrum->plane_width,
                       excerpt->step_y * base->height / spectrum->plane_height);
    int chosen = 0;
    while (chosen + 1 < spectrum->count && step >= pow(LEVEL_FACTOR, chosen + 1))
        chosen++;
    const struct bytes *level = &spectrum->levels[chosen];
    struct scaling across = scaling_of(spectrum->plane_width, base->width, chosen);
    struct scaling down = scaling_of(spectrum->plane_height, base->height, chosen);
    for (int y = 0; y < excerpt->height; y++) {
        struct run rows = covered(down, excerpt->y + y * excerpt->step_y, excerpt->step_y, level->height,
                                  spectrum->plane_height);
        for (int x = 0; x < excerpt->width && rows.end; x++) {
            struct run columns = covered(across, excerpt->x + x * excerpt->step_x, excerpt->step_x,
                                         level->width, spectrum->plane_width);
            size_t at = (size_t)y * (size_t)excerpt->width + (size_t)x;
            if (columns.end)
                tint(strongest(level, columns, rows), mask_gain(mask->amounts[at], keep), rgba + 4 * at);
        }
    }
}
