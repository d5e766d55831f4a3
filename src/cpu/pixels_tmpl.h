/* Template: rows of pixels between their stored form and REAL numbers ready to filter. pixels_f32.c and
 * pixels_f64.c instantiate it, each defining
 *     REAL      float or double
 *     NAME      NAME(x) is x or x_f64
 *     OUTSIDE   OUTSIDE(engine, pedestal) is the outside pixel, less the pedestal unless that is NULL
 * and cpu_magnitude itself. */
#include "core/pixels.h"
#include "core/sample.h"
#include "cpu/run.h"
#include "device/outside.h"
#include "device/pedestal.h"

#include <math.h>
#include <string.h>

/* Below half a step of 16 bits a pixel is transparent and has no colour. */
static const REAL transparent = (REAL)0.5 / 65535;

/* Channels that the light curve and alpha act on. */
static int colours(const struct work *work)
{
    return work->alpha == ABBE_ALPHA_NONE ? work->channels : work->channels - 1;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

/* Replaces nonfinite samples by 0, less the pedestal. */
static void replace_nonfinite(const struct work *work, const double *pedestal, REAL *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < work->channels; c++) {
            REAL *sample = row + (size_t)x * work->channels + c;
            if (!isfinite(*sample))
                *sample = pedestal ? (REAL)-pedestal[c] : 0;
        }
}

static void decode_light(const struct work *work, REAL *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] = NAME(core_srgb_decode)(row[(size_t)x * work->channels + c]);
}

static void multiply_by_alpha(const struct work *work, REAL *row, int count)
{
    for (int x = 0; x < count; x++) {
        REAL *pixel = row + (size_t)x * work->channels;
        for (int c = 0; c < colours(work); c++)
            pixel[c] *= pixel[work->channels - 1];
    }
}

static void load_less_pedestal(const struct work *work, const abbe_image *source, const double *pedestal,
                               int x, int y, int count, REAL *row)
{
    NAME(core_load_pixels)(source, x, y, count, pedestal, row);
    if (work->nonfinite == ABBE_NONFINITE_ZERO)
        replace_nonfinite(work, pedestal, row, count);
    if (work->linear_light)
        decode_light(work, row, count);
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        multiply_by_alpha(work, row, count);
}

void NAME(cpu_load_pixels)(const struct work *work, const abbe_image *source, int x, int y, int count,
                           REAL *row)
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

void NAME(cpu_gather_row)(const struct engine *engine, const abbe_image *source,
                          const struct pedestal *pedestal, const struct border_map *x, int y, REAL *line,
                          REAL *row)
{
    const struct work *work = engine->work;
    size_t channels = (size_t)work->channels, pixel = channels * sizeof *row;
    bool inside = y >= 0 && x->low <= x->high, less = pedestal && pedestal->used;
    const REAL *outside = OUTSIDE(engine, less ? pedestal : NULL);
    if (inside)
        load_less_pedestal(work, source, less ? pedestal->level : NULL, x->low, y, x->high - x->low + 1,
                           line);
    for (int i = 0, length; i < x->count; i += length) {
        bool held = inside && x->index[i] >= 0;
        const REAL *from = held ? line + (size_t)(x->index[i] - x->low) * channels : outside;
        length = held ? consecutive_pixels(x, i) : 1;
        memcpy(row + (size_t)i * channels, from, (size_t)length * pixel);
    }
}

void NAME(cpu_outside_pixel)(const struct work *work, REAL *pixel)
{
    struct outside_pixel outside = outside_pixel(work);
    for (int c = 0; c < work->channels; c++)
        pixel[c] = (REAL)(c < colours(work) ? outside.colour : outside.alpha);
}

/* ---- Storing ------------------------------------------------------------------------------------------ */

/* Divides filtered alpha by the filter's gain, so that it remains a coverage, and colours by that coverage;
 * colours keep the gain. */
static void divide_by_alpha(const struct work *work, REAL gain, REAL *row, int count)
{
    for (int x = 0; x < count; x++) {
        REAL *pixel = row + (size_t)x * work->channels;
        REAL alpha = pixel[work->channels - 1] / gain;
        for (int c = 0; c < colours(work); c++)
            pixel[c] = alpha > transparent ? pixel[c] / alpha : 0;
        pixel[work->channels - 1] = alpha;
    }
}

/* Takes alpha from the source. */
static void copy_alpha(const struct work *work, const struct pixel_row *where, REAL *row, REAL *line)
{
    NAME(core_load_pixels)(where->source, where->x, where->y, where->count, NULL, line);
    for (int x = 0; x < where->count; x++) {
        size_t alpha = (size_t)x * work->channels + work->channels - 1;
        row[alpha] = isfinite(line[alpha]) ? line[alpha] : 0;
    }
}

static void encode_light(const struct work *work, REAL *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] = NAME(core_srgb_encode)(row[(size_t)x * work->channels + c]);
}

static void add_offset(const struct work *work, REAL *row, int count)
{
    for (int x = 0; x < count; x++)
        for (int c = 0; c < colours(work); c++)
            row[(size_t)x * work->channels + c] += (REAL)work->offset;
}

void NAME(cpu_store_pixels)(const struct work *work, const struct pedestal *pedestal, int r,
                            const struct pixel_row *where, REAL *row, REAL *line)
{
    double offsets[ABBE_CHANNELS_MAX];
    bool less = pedestal && pedestal->used;
    const abbe_image *result = &where->results[r];
    REAL gain = (REAL)work->results[r].alpha_gain;
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
    NAME(core_store_pixels)(result, where->x, where->y, where->count, less ? offsets : NULL, row);
}

void NAME(cpu_store_row)(const struct window *window, int r, int component, int y, REAL *row, REAL *line)
{
    const struct work *work = window->engine->work;
    size_t count = (size_t)window->width * work->channels;
    if (work->results[r].components == 2) {
        REAL *first = (REAL *)window->first_component + (size_t)y * count;
        if (component == 0) {
            memcpy(first, row, count * sizeof *row);
            return;
        }
        NAME(cpu_magnitude)(row, first, count);
    }
    const struct pixel_row where = { window->source, window->results, window->first_x, window->first_y + y,
                                     window->width };
    NAME(cpu_store_pixels)(work, window->pedestal, r, &where, row, line);
}
