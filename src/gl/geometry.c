/* What a work takes of the device, and in which pieces it is done.
 *
 *   picture ─ regions ─ tiles ─ windows ─ batches
 *
 * A region is what lies on the device at a time: its source with all that filters look at, and its results. It is the
 * whole picture where that fits memory and the largest texture. A tile is what one transform looks at, a window one
 * group of its channels; the fast engine takes a batch of windows through its steps at once. */
#include "core/memory.h"
#include "gl/gl.h"

#include <math.h>

/* Bytes of a grid of many windows: enough to keep a GPU busy, few enough to stay near its cache. */
static const double batch_bytes = 64 << 20;

enum { UNIT = 16 };

static int divide_up(long long a, long long b)
{
    return (int)((a + b - 1) / b);
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int components_max(const struct work *work)
{
    int components = 1;
    for (int i = 0; i < work->result_count; i++)
        components = most(components, work->results[i].components);
    return components;
}

/* Texels of 16 bytes that a row of so many pixels takes. */
static int words_of(const struct work *work, abbe_type type, double pixels)
{
    double texels = ceil(pixels * work->channels * (double)abbe_type_size(type) / 16);
    return texels < INT32_MAX ? (int)texels : INT32_MAX;
}

/* ---- Textures in space -------------------------------------------------------------------------------- */

/* Bytes as they are stored are enough where nothing is done to them before the taps. */
static enum gl_format window_format(const struct gl *gl, const struct work *work)
{
    bool plain = work->source_type == ABBE_U8 && !work->linear_light &&
                 work->alpha != ABBE_ALPHA_PREMULTIPLY && work->border != ABBE_BORDER_CONSTANT;
    return plain ? GL_FORMAT_RGBA8 : gl->format;
}

static int rank_max(const struct work *work)
{
    int rank = 1;
    for (int i = 0; i < work->filter_count; i++)
        rank = most(rank, work->filters[i].factors.rank);
    return rank;
}

static void shape_space(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    int rows = divide_up(g->region_y, 4);
    bool separable = work->method == ABBE_METHOD_SEPARABLE;
    g->window = (struct gl_shape){ g->window_x, g->window_y, 1, window_format(gl, work) };
    g->wide = (struct gl_shape){ g->region_x, rows, 4 * g->groups, gl->format };
    g->wides = components_max(work);
    g->sum = (struct gl_shape){ g->region_x, rows, 4, gl->format };
    g->row_sum = (struct gl_shape){ divide_up(g->region_x, 4), g->window_y, 4, gl->format };
    double reach_x = (double)work->left + work->right + 1, reach_y = (double)work->above + work->below + 1;
    bool pieces = separable ? reach_y + 3 > GL_PIECE || rank_max(work) > 1
                            : reach_x * (reach_y + 3) > GL_PIECE;
    g->sums_count = pieces ? 2 : 0;
    g->row_sums_count = !separable ? 0 : reach_x + 3 > GL_PIECE ? 2 : 1;
}

/* ---- Textures of the Fourier engines ------------------------------------------------------------------ */

/* The largest number of results that a step has. */
static int radix_max(const struct gl *gl, const struct work *work, bool by_sums)
{
    int radices[GL_STEPS_MAX], radix = 1;
    for (int down = 0; down < 2; down++) {
        int count = gl_length_radices(gl, down ? work->y.length : work->x.length, by_sums, radices);
        for (int i = 0; i < count; i++)
            radix = most(radix, radices[i]);
    }
    return radix;
}

/* Steps write as many results at once as a fragment can; those by definition one. */
static void plan_layers(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    g->by_sums = !gl_length_is_smooth(work->x.length) || !gl_length_is_smooth(work->y.length);
    int radix = radix_max(gl, work, g->by_sums);
    g->layers = g->by_sums ? 1 : radix < gl->draw_buffers ? radix : gl->draw_buffers;
    g->blocked = radix > g->layers;
}

int gl_block_rows(const struct work *work, int windows, int radix)
{
    return divide_up((long long)work->y.length * windows, radix);
}

static void shape_fast(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    bool nothing = work->x.length == 1 && work->y.length == 1;
    int radices[GL_STEPS_MAX], rows = nothing ? g->batch : 0;
    for (int down = 0; down < 2; down++) {
        int count = gl_length_radices(gl, down ? work->y.length : work->x.length, g->by_sums, radices);
        for (int i = 0; i < count; i++)
            rows = most(rows, divide_up(radices[i], g->layers) * gl_block_rows(work, g->batch, radices[i]));
    }
    g->grid = (struct gl_shape){ work->x.length, rows, g->layers, gl->format };
}

static void plan_batch(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    struct gl_shape one = { work->x.length, work->y.length, 1, gl->format };
    double fit = fmin(batch_bytes / gl_shape_bytes(&one), floor(gl->texture_max / 2.0 / work->y.length));
    g->batch = g->engine == GL_FAST ? (int)fmin(g->windows, fmax(fit, 1)) : 1;
    if (!g->apart)
        g->batch = g->windows;
}

static void shape_fourier(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    double across = ceil((double)g->region_x / work->x.step), down = ceil((double)g->region_y / work->y.step);
    double tiles = fmin(across * down, INT32_MAX / 64);
    g->tiles = (int)tiles;
    g->shared = tiles > 1 && work->channels == 1 ? 4 : tiles > 1 && work->channels == 2 ? 2 : 1;
    g->windows = divide_up(g->tiles, g->shared) * g->groups;
    g->apart = tiles > 1 || (g->engine != GL_FAST && g->groups > 1);
    plan_batch(gl, work, g);
    g->grid = (struct gl_shape){ work->x.length, work->y.length, 1, gl->format };
    if (g->engine == GL_FAST)
        shape_fast(gl, work, g);
    bool bank = work->filter_count > 1;
    g->grids = 2 + bank + (components_max(work) > 1 && !g->apart);
    g->wide = (struct gl_shape){ g->region_x, g->region_y, g->groups, gl->format };
    g->wides = !g->apart ? 0 : g->batch < g->windows ? work->filter_count : components_max(work);
}

/* What an engine keeps, and the spectrum that it has in memory while it makes a texture of it. */
static void measure_kept(const struct work *work, struct gl_geometry *g)
{
    double one = (double)work->x.length * work->y.length * sizeof(float);
    for (int i = 0; i < work->filter_count && g->fourier; i++)
        g->kept += one * (work->filters[i].real || g->engine == GL_MORELAND ? 1 : 2);
    if (g->fourier)
        g->kept += 3 * one + 256.0 * ((double)work->x.length + work->y.length);
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

static double window_of(const struct axis *axis, int region, int reach, bool fourier)
{
    if (!fourier)
        return (double)region + reach;
    return (ceil((double)region / axis->step) - 1) * axis->step + axis->length;
}

static bool fits(const struct gl *gl, const struct gl_shape *shape, int count)
{
    return count == 0 || gl_shape_fits(gl, shape);
}

static void measure_textures(struct gl_geometry *g)
{
    g->staging = fmax(gl_shape_bytes(&g->source), gl_shape_bytes(&g->packed));
    g->textures = gl_shape_bytes(&g->source) + gl_shape_bytes(&g->packed) + gl_shape_bytes(&g->window) +
                  g->grids * gl_shape_bytes(&g->grid) + g->wides * gl_shape_bytes(&g->wide) +
                  g->sums_count * gl_shape_bytes(&g->sum) + g->row_sums_count * gl_shape_bytes(&g->row_sum);
}

double gl_geometry_run(const struct gl_geometry *g)
{
    double targets = 64.0 * CORE_ALIGNMENT + (double)g->wides * g->groups * CORE_ALIGNMENT;
    return g->textures + g->staging + CORE_ALIGNMENT + targets;
}

static bool region_fits(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    double x = window_of(&work->x, g->region_x, work->left + work->right, g->fourier);
    double y = window_of(&work->y, g->region_y, work->above + work->below, g->fourier);
    bool whole = g->region_x == work->width && g->region_y == work->height;
    if (!whole && fmax(x, y) > INT32_MAX / 64)
        return false;
    g->window_x = (int)fmin(x, INT32_MAX);
    g->window_y = (int)fmin(y, INT32_MAX);
    g->source_x = whole ? work->width : g->window_x;
    g->source_y = whole ? work->height : g->window_y;
    g->source = (struct gl_shape){ words_of(work, work->source_type, g->source_x), g->source_y, 1,
                                   GL_FORMAT_WORDS };
    g->packed = (struct gl_shape){ words_of(work, work->result_type, g->region_x), g->region_y, 1,
                                   GL_FORMAT_WORDS };
    if (g->fourier)
        shape_fourier(gl, work, g);
    else
        shape_space(gl, work, g);
    measure_textures(g);
    return gl_shape_fits(gl, &g->source) && gl_shape_fits(gl, &g->packed) &&
           fits(gl, &g->window, !g->fourier) && fits(gl, &g->grid, g->grids) &&
           fits(gl, &g->wide, g->wides) && gl_geometry_run(g) + g->kept <= work->memory;
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
    return region_fits(trial->gl, trial->work, trial->geometry);
}

static bool plan_regions(const struct gl *gl, const struct work *work, struct gl_geometry *g)
{
    struct region_trial trial = { gl, work, g };
    const struct region_search search = { .unit_x = g->fourier ? work->x.step : UNIT,
                                          .unit_y = g->fourier ? work->y.step : UNIT,
                                          .side_max = INT32_MAX,
                                          .longer_first = true,
                                          .fits = try_region,
                                          .context = &trial };
    return region_search(work, &search);
}

static bool beyond_limits(const struct gl *gl, const struct work *work, const struct gl_geometry *g)
{
    int limit = gl->texture_max;
    if (!g->fourier)
        return (long long)work->left + work->right + UNIT > limit ||
               (long long)work->above + work->below + UNIT > limit;
    bool whole = work->method == ABBE_METHOD_FFT;
    return work->x.length > limit || work->y.length > limit ||
           (whole && (work->height > limit || words_of(work, work->source_type, work->width) > limit ||
                      words_of(work, work->result_type, work->width) > limit));
}

/* The engines of 2003 and 2006 know powers of two only; what has another length is the fast one's. */
static enum gl_engine engine_for(const struct gl *gl, const struct work *work)
{
    bool powers = gl_length_is_power(work->x.length) && gl_length_is_power(work->y.length);
    return powers ? gl->wishes.engine : GL_FAST;
}

const char *gl_geometry_plan(const struct gl *gl, const struct work *work, struct gl_geometry *geometry)
{
    *geometry = (struct gl_geometry){ .groups = (work->channels + 3) / 4 };
    geometry->fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    if (beyond_limits(gl, work, geometry))
        return gl->limit_text;
    if (geometry->fourier) {
        geometry->engine = engine_for(gl, work);
        plan_layers(gl, work, geometry);
    }
    measure_kept(work, geometry);
    if (!plan_regions(gl, work, geometry))
        geometry->textures = INFINITY;
    return NULL;
}
