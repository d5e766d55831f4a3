/* How a work is divided for the device, and which textures it takes.
 *
 *   picture ─ regions ─ tiles ─ windows ─ batches
 *
 * A region is on the device at a time: its source, all that its filters read included, and its results. It is
 * the whole picture if that fits into memory and into the largest texture. A tile is read by one transform; a
 * window is one group of channels of a tile. The fast engine takes a batch of windows through its steps at
 * once. */
#include "core/memory.h"
#include "device/regions.h"
#include "gl/engine.h"

#include <math.h>

/* Bytes of the grid of a batch: enough to keep a GPU busy, few enough to stay near its cache. */
static const double batch_bytes = 64 << 20;

/* Pixels that sides of regions are multiples of, in space. */
enum { UNIT = 16 };

static int divide_rounding_up(long long a, long long b)
{
    return (int)((a + b - 1) / b);
}

static int greater_of(int a, int b)
{
    return a > b ? a : b;
}

/* Components of the result that has most of them. */
static int most_components(const struct work *work)
{
    int components = 1;
    for (int i = 0; i < work->result_count; i++)
        components = greater_of(components, work->results[i].components);
    return components;
}

/* Texels of 16 bytes that a row of that many stored pixels takes. */
static int row_texels(const struct work *work, abbe_type type, double pixels)
{
    double texels = ceil(pixels * work->channels * (double)abbe_type_size(type) / 16);
    return texels < INT32_MAX ? (int)texels : INT32_MAX;
}

/* ---- Textures in space -------------------------------------------------------------------------------- */

/* Samples of U8 stay bytes if taps are applied to them as they are. */
static enum gl_format window_format(const struct gl *gl, const struct work *work)
{
    bool untreated = work->source_type == ABBE_U8 && !work->linear_light &&
                     work->alpha != ABBE_ALPHA_PREMULTIPLY && work->border != ABBE_BORDER_CONSTANT;
    return untreated ? ABGL_FORMAT_RGBA8 : gl->format;
}

static int most_terms(const struct work *work)
{
    int terms = 1;
    for (int i = 0; i < work->filter_count; i++)
        terms = greater_of(terms, work->filters[i].factors.terms);
    return terms;
}

/* Textures of a convolution in space; the passes are described in kernels.c. */
static void shape_space(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    int rows = divide_rounding_up(g->region_y, 4);
    bool separable = work->method == ABBE_METHOD_SEPARABLE;
    g->window = (struct gl_shape){ g->window_x, g->window_y, 1, window_format(gl, work) };
    g->filtered = (struct gl_shape){ g->region_x, rows, 4 * g->groups, gl->format };
    g->filtered_count = most_components(work);
    g->sum = (struct gl_shape){ g->region_x, rows, 4, gl->format };
    g->row_sum = (struct gl_shape){ divide_rounding_up(g->region_x, 4), g->window_y, 4, gl->format };
    double reach_x = (double)work->left + work->right + 1, reach_y = (double)work->above + work->below + 1;
    bool accumulates = separable ? reach_y + 3 > ABGL_PASS_TAPS || most_terms(work) > 1
                                 : reach_x * (reach_y + 3) > ABGL_PASS_TAPS;
    g->sum_count = accumulates ? 2 : 0;
    g->row_sum_count = !separable ? 0 : reach_x + 3 > ABGL_PASS_TAPS ? 2 : 1;
}

/* ---- Textures in the Fourier plane -------------------------------------------------------------------- */

enum gl_engine gl_choose_engine(const struct gl *gl, const struct work *work)
{
    bool powers = gl_length_is_power(work->x.length) && gl_length_is_power(work->y.length);
    return powers ? gl->params.engine : ABGL_FAST;
}

int gl_tiles_per_texel(const struct work *work, double tiles)
{
    return tiles > 1 && work->channels == 1 ? 4 : tiles > 1 && work->channels == 2 ? 2 : 1;
}

/* A fragment writes as many results of a step as there are draw buffers; one in a step by definition. */
static void set_layers(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    int radices[ABGL_STEPS_MAX], largest = 1;
    g->by_definition = !gl_length_is_smooth(work->x.length) || !gl_length_is_smooth(work->y.length);
    for (int down = 0; down < 2; down++) {
        int count = gl_length_radices(gl, down ? work->y.length : work->x.length, g->by_definition, radices);
        for (int i = 0; i < count; i++)
            largest = greater_of(largest, radices[i]);
    }
    g->layers = g->by_definition ? 1 : largest < gl->draw_buffers ? largest : gl->draw_buffers;
    g->sliced = largest > g->layers;
}

int gl_slice_rows(const struct work *work, int windows, int radix)
{
    return divide_rounding_up((long long)work->y.length * windows, radix);
}

static void shape_fast(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    bool nothing = work->x.length == 1 && work->y.length == 1;
    int radices[ABGL_STEPS_MAX], rows = nothing ? g->batch : 0;
    for (int down = 0; down < 2; down++) {
        int count = gl_length_radices(gl, down ? work->y.length : work->x.length, g->by_definition, radices);
        for (int i = 0; i < count; i++)
            rows = greater_of(rows, divide_rounding_up(radices[i], g->layers) *
                                        gl_slice_rows(work, g->batch, radices[i]));
    }
    g->grid = (struct gl_shape){ work->x.length, rows, g->layers, gl->format };
}

/* Windows of a batch. Windows that are not copied to the region are the whole region and one batch. */
static void set_window_batch(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    struct gl_shape one = { work->x.length, work->y.length, 1, gl->format };
    double fit = fmin(batch_bytes / gl_shape_bytes(&one), floor(gl->texture_max / 2.0 / work->y.length));
    g->batch = g->engine == ABGL_FAST ? (int)fmin(g->windows, fmax(fit, 1)) : 1;
    if (!g->copies_windows)
        g->batch = g->windows;
}

static void shape_fourier(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    double across = ceil((double)g->region_x / work->x.step), down = ceil((double)g->region_y / work->y.step);
    double tiles = fmin(across * down, INT32_MAX / 64);
    g->tiles = (int)tiles;
    g->tiles_per_texel = gl_tiles_per_texel(work, tiles);
    g->windows = divide_rounding_up(g->tiles, g->tiles_per_texel) * g->groups;
    g->copies_windows = tiles > 1 || (g->engine != ABGL_FAST && g->groups > 1);
    set_window_batch(gl, work, g);
    g->grid = (struct gl_shape){ work->x.length, work->y.length, 1, gl->format };
    if (g->engine == ABGL_FAST)
        shape_fast(gl, work, g);
    bool bank = work->filter_count > 1;
    g->grid_count = 2 + bank + (most_components(work) > 1 && !g->copies_windows);
    g->filtered = (struct gl_shape){ g->region_x, g->region_y, g->groups, gl->format };
    g->filtered_count = !g->copies_windows      ? 0
                        : g->batch < g->windows ? work->filter_count
                                                : most_components(work);
}

/* Bytes of the textures of an engine, and of one spectrum in memory while it is uploaded. */
static void measure_engine(const struct work *work, struct gl_geometry *g)
{
    double one = (double)work->x.length * work->y.length * sizeof(float);
    for (int i = 0; i < work->filter_count && g->fourier; i++)
        g->engine_bytes += one * (work->filters[i].real || g->engine == ABGL_MORELAND ? 1 : 2);
    if (g->fourier)
        g->engine_bytes += 3 * one + 256.0 * ((double)work->x.length + work->y.length);
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

/* Samples along one axis that a region of that many results reads. */
static double window_length(const struct axis *axis, int region, int reach, bool fourier)
{
    if (!fourier)
        return (double)region + reach;
    return (ceil((double)region / axis->step) - 1) * axis->step + axis->length;
}

static bool textures_fit(const struct gl *gl, const struct gl_shape *shape, int count)
{
    return count == 0 || gl_shape_fits(gl, shape);
}

double gl_geometry_run(const struct gl_geometry *g)
{
    double targets = 64.0 * CORE_ALIGNMENT + (double)g->filtered_count * g->groups * CORE_ALIGNMENT;
    return g->texture_bytes + g->staging_bytes + CORE_ALIGNMENT + targets;
}

/* Plans the textures of a region; returns whether they fit the limits of the device and work->memory. */
static bool choose_region(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    double x = window_length(&work->x, g->region_x, work->left + work->right, g->fourier);
    double y = window_length(&work->y, g->region_y, work->above + work->below, g->fourier);
    bool whole = g->region_x == work->width && g->region_y == work->height;
    if (!whole && fmax(x, y) > INT32_MAX / 64)
        return false;
    g->window_x = (int)fmin(x, INT32_MAX);
    g->window_y = (int)fmin(y, INT32_MAX);
    g->source_x = whole ? work->width : g->window_x;
    g->source_y = whole ? work->height : g->window_y;
    g->source = (struct gl_shape){ row_texels(work, work->source_type, g->source_x), g->source_y, 1,
                                   ABGL_FORMAT_WORDS };
    g->result = (struct gl_shape){ row_texels(work, work->result_type, g->region_x), g->region_y, 1,
                                   ABGL_FORMAT_WORDS };
    if (g->fourier)
        shape_fourier(gl, work, g);
    else
        shape_space(gl, work, g);
    g->staging_bytes = fmax(gl_shape_bytes(&g->source), gl_shape_bytes(&g->result));
    g->texture_bytes = gl_shape_bytes(&g->source) + gl_shape_bytes(&g->result) + gl_shape_bytes(&g->window) +
                       g->grid_count * gl_shape_bytes(&g->grid) +
                       g->filtered_count * gl_shape_bytes(&g->filtered) +
                       g->sum_count * gl_shape_bytes(&g->sum) +
                       g->row_sum_count * gl_shape_bytes(&g->row_sum);
    return gl_shape_fits(gl, &g->source) && gl_shape_fits(gl, &g->result) &&
           textures_fit(gl, &g->window, !g->fourier) && textures_fit(gl, &g->grid, g->grid_count) &&
           textures_fit(gl, &g->filtered, g->filtered_count) &&
           gl_geometry_run(g) + g->engine_bytes <= work->memory;
}

/* A geometry while its region is searched for. */
struct region_trial {
    const struct gl *gl;
    const struct work *work;
    struct gl_geometry *geometry;
};

static bool try_region(void *context, int width, int height)
{
    const struct region_trial *trial = context;
    trial->geometry->region_x = width;
    trial->geometry->region_y = height;
    return choose_region(trial->gl, trial->work, trial->geometry);
}

/* Whether even the smallest region exceeds the largest texture. */
static bool exceeds_limits(const struct gl *gl, const struct work *work, const struct gl_geometry *g)
{
    int limit = gl->texture_max;
    if (!g->fourier)
        return (long long)work->left + work->right + UNIT > limit ||
               (long long)work->above + work->below + UNIT > limit;
    bool whole = work->method == ABBE_METHOD_FFT;
    return work->x.length > limit || work->y.length > limit ||
           (whole && (work->height > limit || row_texels(work, work->source_type, work->width) > limit ||
                      row_texels(work, work->result_type, work->width) > limit));
}

const char *gl_geometry_plan(const struct gl *gl, const struct work *work, struct gl_geometry *geometry)
{
    *geometry = (struct gl_geometry){ .groups = (work->channels + 3) / 4 };
    geometry->fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    if (exceeds_limits(gl, work, geometry))
        return gl->limit_text;
    if (geometry->fourier) {
        geometry->engine = gl_choose_engine(gl, work);
        set_layers(gl, work, geometry);
    }
    measure_engine(work, geometry);
    struct region_trial trial = { gl, work, geometry };
    const struct region_search search = { .unit_x = geometry->fourier ? work->x.step : UNIT,
                                          .unit_y = geometry->fourier ? work->y.step : UNIT,
                                          .side_max = INT32_MAX,
                                          .longer_first = true,
                                          .fits = try_region,
                                          .context = &trial };
    if (!region_search(work, &search))
        geometry->texture_bytes = INFINITY;
    return NULL;
}
