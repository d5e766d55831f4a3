/* Pixels between their stored form and floats ready to filter. */
#include "core/sample.h"
#include "core/view.h"
#include "cpu/cpu.h"
#include "device/outside.h"

#include <math.h>

/* Below half a level of 16 bits a pixel is transparent and has no colour of its own. */
static const float transparent = 0.5f / 65535;

/* Channels the light curve and alpha act on. */
static int colours(const struct work *work)
{
    return work->alpha == ABBE_ALPHA_NONE ? work->channels : work->channels - 1;
}

static void replace_nonfinite(float *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(row[i]))
            row[i] = 0;
}

static void decode(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] = core_srgb_decode(row[(size_t)x * work->channels + c]);
}

static void encode(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] = core_srgb_encode(row[(size_t)x * work->channels + c]);
}

static void multiply_alpha(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++) {
        float *pixel = row + (size_t)x * work->channels;
        for (int c = 0; c < colours(work); c++)
            pixel[c] *= pixel[work->channels - 1];
    }
}

/* Filtered alpha is freed of the filter's gain, so that it stays a coverage and colours keep the gain. */
static void divide_alpha(const struct work *work, float gain, float *row, int count)
{
    for (int x = 0; x < count; x++) {
        float *pixel = row + (size_t)x * work->channels;
        float alpha = pixel[work->channels - 1] / gain;
        for (int c = 0; c < colours(work); c++)
            pixel[c] = alpha > transparent ? pixel[c] / alpha : 0;
        pixel[work->channels - 1] = alpha;
    }
}

static void take_alpha(const struct work *work, const float *from, float *row, int count)
{
    for (int x = 0; x < count; x++) {
        size_t alpha = (size_t)x * work->channels + work->channels - 1;
        row[alpha] = isfinite(from[alpha]) ? from[alpha] : 0;
    }
}

static void add_offset(const struct work *work, float *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] += work->offset;
}

static void prepare(const struct work *work, float *row, int count)
{
    if (work->linear_light)
        decode(work, row, count);
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        multiply_alpha(work, row, count);
}

static char *address(const abbe_image *view, int x, int y)
{
    return (char *)core_row(view, y) + (size_t)x * view->channels * abbe_type_size(view->type);
}

void cpu_load_pixels(const struct work *work, const abbe_image *source, int x, int y, int count, float *row)
{
    size_t samples = (size_t)count * work->channels;
    core_load_samples(source->type, address(source, x, y), row, samples);
    if (work->nonfinite == ABBE_NONFINITE_ZERO)
        replace_nonfinite(row, samples);
    prepare(work, row, count);
}

void cpu_magnitude(float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = (float)sqrt((double)a[i] * (double)a[i] + (double)b[i] * (double)b[i]);
}

static void restore_alpha(const struct work *work, int r, float *row, const abbe_image *source, int x, int y,
                          int count, float *line)
{
    float gain = work->results[r].alpha_gain;
    if (gain != 0) {
        divide_alpha(work, gain, row, count);
        return;
    }
    core_load_samples(source->type, address(source, x, y), line, (size_t)count * work->channels);
    take_alpha(work, line, row, count);
}

void cpu_store_pixels(const struct work *work, int r, float *row, const abbe_image *source,
                      const abbe_image *result, int x, int y, int count, float *line)
{
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        restore_alpha(work, r, row, source, x, y, count, line);
    if (work->linear_light)
        encode(work, row, count);
    if (work->offset != 0)
        add_offset(work, row, count);
    core_store_samples(result->type, row, address(result, x, y), (size_t)count * work->channels);
}

void cpu_outside_pixel(const struct work *work, float *pixel)
{
    struct outside_pixel outside = outside_pixel(work);
    for (int c = 0; c < work->channels; c++)
        pixel[c] = c < colours(work) ? outside.colour : outside.alpha;
}
