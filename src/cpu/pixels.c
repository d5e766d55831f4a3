/* Rows of pixels between their stored form and floats ready to filter. */
#include "core/pixels.h"
#include "core/sample.h"
#include "cpu/cpu.h"
#include "device/outside.h"
#include "device/pedestal.h"

#include <math.h>
#include <string.h>

/* Below half a step of 16 bits a pixel is transparent and has no colour. */
static const float transparent = 0.5f / 65535;

/* Channels that the light curve and alpha act on. */
static int colours(const struct work *work)
{
    return work->alpha == ABBE_ALPHA_NONE ? work->channels : work->channels - 1;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

/* Replaces nonfinite samples by 0, less the pedestal. */
static void replace_nonfinite(const struct work *work, const double *pedestal, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < work->channels; c++) {
            float *sample = row + (size_t)x * work->channels + c;
            if (!isfinite(*sample))
                *sample = pedestal ? (float)-pedestal[c] : 0;
        }
}

static void decode_light(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] = core_srgb_decode(row[(size_t)x * work->channels + c]);
}

static void multiply_by_alpha(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++) {
        float *pixel = row + (size_t)x * work->channels;
        for (int c = 0; c < colours(work); c++)
            pixel[c] *= pixel[work->channels - 1];
    }
}

static void load_less_pedestal(const struct work *work, const abbe_image *source, const double *pedestal,
                               int x, int y, int count, float *row)
{
    core_load_pixels(source, x, y, count, pedestal, row);
    if (work->nonfinite == ABBE_NONFINITE_ZERO)
        replace_nonfinite(work, pedestal, row, count);
    if (work->linear_light)
        decode_light(work, row, count);
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        multiply_by_alpha(work, row, count);
}

void cpu_load_pixels(const struct work *work, const abbe_image *source, int x, int y, int count, float *row)
{
    load_less_pedestal(work, source, NULL, x, y, count, row);
}

/* How many coordinates from i on stand for consecutive pixels. */
static int consecutive_pixels(const struct border_map *x, int i)
{
    int length = 1;
    while (i + length < x->count && x->index[i + length] == x->index[i] + length)
        length++;
    return length;
}

void cpu_gather_row(const struct engine *engine, const abbe_image *source, const struct pedestal *pedestal,
                    const struct border_map *x, int y, float *line, float *row)
{
    const struct work *work = engine->work;
    size_t channels = (size_t)work->channels, pixel = channels * sizeof *row;
    bool inside = y >= 0 && x->low <= x->high, less = pedestal && pedestal->used;
    const float *outside = less ? pedestal->outside : engine->outside;
    if (inside)
        load_less_pedestal(work, source, less ? pedestal->level : NULL, x->low, y, x->high - x->low + 1,
                           line);
    for (int i = 0, length; i < x->count; i += length) {
        bool held = inside && x->index[i] >= 0;
        const float *from = held ? line + (size_t)(x->index[i] - x->low) * channels : outside;
        length = held ? consecutive_pixels(x, i) : 1;
        memcpy(row + (size_t)i * channels, from, (size_t)length * pixel);
    }
}

void cpu_outside_pixel(const struct work *work, float *pixel)
{
    struct outside_pixel outside = outside_pixel(work);
    for (int c = 0; c < work->channels; c++)
        pixel[c] = c < colours(work) ? outside.colour : outside.alpha;
}

/* ---- Storing ------------------------------------------------------------------------------------------ */

void cpu_magnitude(float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = (float)sqrt((double)a[i] * (double)a[i] + (double)b[i] * (double)b[i]);
}

/* Divides filtered alpha by the filter's gain, so that it remains a coverage, and colours by that coverage;
 * colours keep the gain. */
static void divide_by_alpha(const struct work *work, float gain, float *row, int count)
{
    for (int x = 0; x < count; x++) {
        float *pixel = row + (size_t)x * work->channels;
        float alpha = pixel[work->channels - 1] / gain;
        for (int c = 0; c < colours(work); c++)
            pixel[c] = alpha > transparent ? pixel[c] / alpha : 0;
        pixel[work->channels - 1] = alpha;
    }
}

/* Takes alpha from the source. */
static void copy_alpha(const struct work *work, const struct pixel_row *where, float *row, float *line)
{
    core_load_pixels(where->source, where->x, where->y, where->count, NULL, line);
    for (int x = 0; x < where->count; x++) {
        size_t alpha = (size_t)x * work->channels + work->channels - 1;
        row[alpha] = isfinite(line[alpha]) ? line[alpha] : 0;
    }
}

static void encode_light(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] = core_srgb_encode(row[(size_t)x * work->channels + c]);
}

static void add_offset(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] += work->offset;
}

bool cpu_result_offsets(const struct work *work, const struct pedestal *pedestal, int r, double *offsets)
{
    bool any = false;
    pedestal_filter(work, pedestal, r, offsets);
    for (int c = 0; c < work->channels; c++) {
        offsets[c] += c < colours(work) ? (double)work->offset : 0;
        any = any || offsets[c] != 0;
    }
    return any;
}

void cpu_store_pixels(const struct work *work, const struct pedestal *pedestal, int r,
                      const struct pixel_row *where, float *row, float *line)
{
    double offsets[ABBE_CHANNELS_MAX];
    bool less = pedestal && pedestal->used;
    const abbe_image *result = &where->results[r];
    float gain = work->results[r].alpha_gain;
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY && gain != 0)
        divide_by_alpha(work, gain, row, where->count);
    else if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        copy_alpha(work, where, row, line);
    if (work->linear_light)
        encode_light(work, row, where->count);
    if (less)
        cpu_result_offsets(work, pedestal, r, offsets);
    else if (work->offset != 0)
        add_offset(work, row, where->count);
    core_store_pixels(result, where->x, where->y, where->count, less ? offsets : NULL, row);
}
