/* Averages pictures over the pixels of the screen. */
#include "pyramid.h"

#include <stdlib.h>
#include <string.h>

void pyramid_begin(struct pyramid *pyramid, enum samples samples, int width, int height, int channels,
                   const float *base)
{
    *pyramid = (struct pyramid){
        .samples = samples, .width = width, .height = height, .channels = channels, .base = base
    };
}

void pyramid_free(struct pyramid *pyramid)
{
    for (int i = 0; i < pyramid->count; i++)
        free(pyramid->levels[i].values);
    *pyramid = (struct pyramid){ 0 };
}

/* ---- Averages ------------------------------------------------------------------------------------------ */

/* For each output pixel along an axis: the pixels that it covers, and the share of each. */
struct cover {
    int first, count;
};

struct covers {
    struct cover *list;
    float *shares; /* `most` for each output pixel */
    int most;
    int first, end; /* of all */
};

static void free_covers(struct covers *covers)
{
    free(covers->list);
    free(covers->shares);
}

/* The weight of pixel i for an output pixel in the middle `at`. Weights form a triangle that is as wide as two
 * output pixels, or pixels if they are larger: that interpolates linearly. At large magnifications pixels are
 * squares, smooth at their edges only. */
static double weight_of(int i, double at, double step)
{
    if (step > 0.25)
        return fmax(1 - fabs(i + 0.5 - at) / fmax(step, 1), 0);
    return fmax(fmin(i + 1, at + step / 2) - fmax(i, at - step / 2), 0);
}

/* Shares of the pixels that contribute to an output pixel; together they are 1. */
static void cover_one(struct cover *cover, float *shares, double at, double step, int size)
{
    double reach = step > 0.25 ? fmax(step, 1) + 0.5 : step, sum = 0;
    int low = (int)fmin(fmax(floor(at - reach), 0), size - 1), high = (int)fmin(ceil(at + reach), size);
    while (low < high - 1 && weight_of(low, at, step) <= 0)
        low++;
    while (high - 1 > low && weight_of(high - 1, at, step) <= 0)
        high--;
    for (int i = low; i < high; i++)
        sum += weight_of(i, at, step);
    cover->first = low;
    cover->count = high - low;
    for (int i = low; i < high; i++)
        shares[i - low] = sum > 0 ? (float)(weight_of(i, at, step) / sum) : 1.0f / (float)cover->count;
}

/* Covers of `count` output pixels of `step` pixels, from `start` on, in a picture of `size` pixels. */
static bool make_covers(struct covers *covers, double start, double step, int count, int size)
{
    *covers = (struct covers){ .most = (int)fmin(2 * fmax(step, 1) + 4, size), .first = size };
    covers->list = calloc((size_t)count, sizeof *covers->list);
    covers->shares = calloc((size_t)count * (size_t)covers->most, sizeof *covers->shares);
    if (!covers->list || !covers->shares)
        return false;
    for (int i = 0; i < count; i++) {
        struct cover *cover = &covers->list[i];
        double at = start + (i + 0.5) * step;
        if (at + step / 2 <= 0 || at - step / 2 >= size)
            continue;
        cover_one(cover, covers->shares + (size_t)i * (size_t)covers->most, at, step, size);
        covers->first = cover->first < covers->first ? cover->first : covers->first;
        covers->end = cover->first + cover->count;
    }
    return true;
}

/* One level as the source of an excerpt. */
struct source {
    enum samples samples; /* of its values; a smaller copy is open already */
    int width, height, channels;
    const float *values;
    double factor; /* pixels of the picture per pixel */
};

/* The smallest copy whose pixels are not larger than those of the output. */
static struct source choose_source(const struct pyramid *pyramid, double step)
{
    struct source source = { pyramid->samples,  pyramid->width, pyramid->height,
                             pyramid->channels, pyramid->base,  1 };
    for (int i = 0; i < pyramid->count && step >= source.factor * LEVEL_FACTOR; i++) {
        const struct level *level = &pyramid->levels[i];
        source = (struct source){ SAMPLES_PLAIN,     level->width,  level->height,
                                  pyramid->channels, level->values, source.factor * LEVEL_FACTOR };
    }
    return source;
}

/* Adds a row, times a share, to a row of sums. */
static void add_row(const struct source *source, int y, int first, int end, float share, float *sums)
{
    size_t channels = (size_t)source->channels;
    const float *from = source->values + ((size_t)y * (size_t)source->width + (size_t)first) * channels;
    size_t count = (size_t)(end - first) * channels;
    if (source->samples == SAMPLES_CODED)
        for (size_t i = 0; i < count; i++)
            sums[i] += share * curve_look_up(curve_tables.decoded, from[i]);
    else
        for (size_t i = 0; i < count; i++)
            sums[i] += share * from[i];
}

static void average_columns(const struct covers *columns, int count, int channels, const float *sums,
                            float *row)
{
    for (int i = 0; i < count; i++) {
        const struct cover *cover = &columns->list[i];
        const float *shares = columns->shares + (size_t)i * (size_t)columns->most;
        for (int c = 0; c < channels; c++) {
            float sum = 0;
            for (int k = 0; k < cover->count; k++)
                sum += shares[k] * sums[(cover->first + k - columns->first) * channels + c];
            row[i * channels + c] = sum;
        }
    }
}

/* Calls `take` with each row of averages. */
struct sink {
    void (*take)(const struct sink *sink, int y, bool inside, const struct covers *columns, const float *row);
    enum samples samples;
    int width, channels;
    void *to;
};

static void average_rows(const struct source *source, const struct covers *columns, const struct covers *rows,
                         int height, const struct sink *sink, float *sums, float *row)
{
    size_t span = columns->end > columns->first ? (size_t)(columns->end - columns->first) : 0;
    for (int y = 0; y < height; y++) {
        const struct cover *cover = &rows->list[y];
        memset(sums, 0, span * (size_t)sink->channels * sizeof *sums);
        for (int k = 0; k < cover->count && span; k++)
            add_row(source, cover->first + k, columns->first, columns->end,
                    rows->shares[(size_t)y * (size_t)rows->most + (size_t)k], sums);
        average_columns(columns, sink->width, sink->channels, sums, row);
        sink->take(sink, y, cover->count > 0, columns, row);
    }
}

static bool average_excerpt(const struct pyramid *pyramid, const struct excerpt *excerpt,
                            const struct sink *sink)
{
    double step = excerpt->step_x < excerpt->step_y ? excerpt->step_x : excerpt->step_y;
    struct source source = choose_source(pyramid, step);
    struct covers columns = { 0 }, rows = { 0 };
    bool done = make_covers(&columns, excerpt->x / source.factor, excerpt->step_x / source.factor,
                            excerpt->width, source.width) &&
                make_covers(&rows, excerpt->y / source.factor, excerpt->step_y / source.factor,
                            excerpt->height, source.height);
    size_t channels = (size_t)source.channels;
    float *sums = done ? malloc((size_t)source.width * channels * sizeof *sums) : NULL;
    float *row = done ? malloc((size_t)excerpt->width * channels * sizeof *row) : NULL;
    done = sums && row;
    if (done)
        average_rows(&source, &columns, &rows, excerpt->height, sink, sums, row);
    free(sums);
    free(row);
    free_covers(&columns);
    free_covers(&rows);
    return done;
}

/* ---- Output -------------------------------------------------------------------------------------------- */

static void take_display(const struct sink *sink, int y, bool inside, const struct covers *columns,
                         const float *row)
{
    uint8_t *to = (uint8_t *)sink->to + (size_t)y * (size_t)sink->width * 4;
    for (int i = 0; i < sink->width; i++, to += 4) {
        uint8_t shown[3];
        for (int c = 0; c < sink->channels; c++)
            shown[c] = (uint8_t)(255 * curve_close(sink->samples, row[i * sink->channels + c]) + 0.5f);
        for (int c = 0; c < 3; c++)
            to[c] = shown[sink->channels == 1 ? 0 : c];
        to[3] = inside && columns->list[i].count ? 255 : 0;
    }
}

bool pyramid_render(const struct pyramid *pyramid, const struct excerpt *excerpt, uint8_t *rgba)
{
    struct sink sink = { take_display, pyramid->samples, excerpt->width, pyramid->channels, rgba };
    return average_excerpt(pyramid, excerpt, &sink);
}

static void take_averages(const struct sink *sink, int y, bool inside, const struct covers *columns,
                          const float *row)
{
    (void)inside, (void)columns;
    size_t samples = (size_t)sink->width * (size_t)sink->channels;
    memcpy((float *)sink->to + (size_t)y * samples, row, samples * sizeof *row);
}

bool pyramid_average(const struct pyramid *pyramid, const struct excerpt *excerpt, float *values)
{
    struct sink sink = { take_averages, pyramid->samples, excerpt->width, pyramid->channels, values };
    return average_excerpt(pyramid, excerpt, &sink);
}

/* ---- Smaller copies ------------------------------------------------------------------------------------ */

/* A smaller copy keeps open values: light, or plain numbers. */
bool pyramid_build(struct pyramid *pyramid)
{
    struct pyramid built;
    pyramid_begin(&built, pyramid->samples, pyramid->width, pyramid->height, pyramid->channels,
                  pyramid->base);
    int width = pyramid->width, height = pyramid->height;
    double factor = 1;
    bool done = true;
    while (done && built.count < LEVELS_MAX && (width > 256 || height > 256)) {
        width = (width + LEVEL_FACTOR - 1) / LEVEL_FACTOR;
        height = (height + LEVEL_FACTOR - 1) / LEVEL_FACTOR;
        factor *= LEVEL_FACTOR;
        size_t samples = (size_t)width * (size_t)height * (size_t)pyramid->channels;
        struct level level = { width, height, malloc(samples * sizeof(float)) };
        done = level.values &&
               pyramid_average(&built, &(struct excerpt){ 0, 0, factor, factor, width, height },
                               level.values);
        if (done)
            built.levels[built.count++] = level;
        else
            free(level.values);
    }
    pyramid_free(pyramid);
    *pyramid = built;
    return done;
}
