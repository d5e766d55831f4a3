/* What a work takes of the device, and in which pieces it is done.
 *
 *   picture ─ regions ─ tiles ─ batches
 *
 * A region is what lies on the device at a time: its source with all that filters look at, and its results. It is
 * the whole picture where that fits. A tile is one transform grid; tiles of a region go through the three passes in
 * batches. */
#include "core/memory.h"
#include "vulkan/recording.h"

#include <math.h>

/* Bytes of grids in flight at a time: enough to keep a GPU busy, few enough to stay near its cache. */
static const double batch_bytes = 64 << 20;

/* Bytes of the filtered grids of a bank. */
static const double back_bytes = 256 << 20;

/* Bytes that should lie together in the grid, for either pass, and those that memory moves at once; rows of a band. */
enum { GRID_PIECE = 64, SECTOR = 32, BAND_MAX = 4 };

/* Bytes of columns that a workgroup should hold in registers, so that an NVIDIA H200 has room for two of them on each
 * processor: one computes while the other waits for memory. */
enum { HELD_GOOD = 64 << 10 };

/* Workgroups of a dispatch along an axis: what every Vulkan device takes. */
enum { DISPATCH_MAX = 65535, BATCH_MAX = 1024, REGION_SIDE_MAX = 32768 };

static double bits_of_pixel(const struct work *work, abbe_type type)
{
    return 8.0 * work->channels * (double)abbe_type_size(type);
}

/* Rows begin at multiples of 16 bytes, so that pixels of four floats can be moved at once. */
static double pitch_of(const struct work *work, abbe_type type, double pixels)
{
    return ceil(pixels * bits_of_pixel(work, type) / 128) * 16;
}

static int components_max(const struct work *work)
{
    int most = 1;
    for (int i = 0; i < work->result_count; i++)
        most = work->results[i].components > most ? work->results[i].components : most;
    return most;
}

static bool all_real(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (!work->filters[i].real)
            return false;
    return true;
}

/* Bytes of an element in a grid. */
static double element_bytes(const struct vk_geometry *geometry)
{
    return 2.0 * geometry->planes * (double)(geometry->half ? sizeof(uint16_t) : sizeof(float));
}

/* Three with an alpha, which the last pass divides by, must be in one element; of seven and more the empty channel costs
 * less than elements of one plane do. */
bool vk_leaves_one_empty(const struct vk *vk, const struct work *work)
{
    return work->channels % 4 == 3 &&
           (work->channels > 3 || vk->elements > 8 || work->alpha == ABBE_ALPHA_PREMULTIPLY);
}

/* Elements of two planes, or of one where those would be left half empty. Odd channels are one group of columns. */
static void plan_elements(const struct work *work, struct vk_geometry *geometry)
{
    bool halves = geometry->fourier && work->channels % 4 == 2;
    geometry->planes = work->channels > 2 && !geometry->odd && !halves ? 2 : 1;
    int each = 2 * geometry->planes;
    geometry->groups = geometry->odd ? 1 : (work->channels + each - 1) / each;
}

/* Whether some result has the alpha of its source. */
static bool takes_alpha(const struct work *work)
{
    for (int i = 0; i < work->result_count; i++)
        if (work->alpha == ABBE_ALPHA_PREMULTIPLY && work->results[i].alpha_gain == 0)
            return true;
    return false;
}

/* Whether a workgroup has whole rows of pixels that are no whole words, and room to put them together. */
static bool has_room(const struct work *work, const struct vk_geometry *geometry)
{
    double words = ceil(work->width * bits_of_pixel(work, work->result_type) / 32);
    int rows = geometry->lone || geometry->odd ? 2 : 1, lanes = geometry->odd ? 3 : 1;
    return geometry->x.parts == 1 && work->x.step >= work->width && geometry->lanes % lanes == 0 &&
           rows * words <= (double)lanes * geometry->x.points;
}

/* Pixels that are no whole words are put together where a workgroup has whole rows, and room for them, or tiles in
 * space, whose rows begin words; elsewhere they pass through floats. So do pixels of more than four channels, and
 * those that have the alpha of the source. */
static void plan_stores(const struct work *work, struct vk_geometry *geometry)
{
    bool broken = fmod(bits_of_pixel(work, work->result_type), 32) != 0;
    bool alone = work->channels <= 4 && !takes_alpha(work);
    bool room = !geometry->fourier || has_room(work, geometry);
    geometry->packed = broken && alone && room;
    geometry->wide = !alone || (broken && !room);
}

/* Rows of a workgroup. The three transforms of two rows of three channels are neighbours where there is room. */
static void plan_lanes(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    int wanted = 1;
    while (wanted * geometry->x.threads < 64)
        wanted *= 2;
    geometry->lanes = vk_transform_lanes(vk, &geometry->x, wanted);
    if (geometry->odd && work->channels == 3 && vk_transform_fits(vk, &geometry->x, 3 * geometry->lanes))
        geometry->lanes *= 3;
}

/* Whether an odd number of channels shares a grid. Not where only elements of four can be put together to stored
 * pixels, or where a dispatch would have too many workgroups. */
static bool shares_grid(const struct vk *vk, const struct work *work, const struct vk_geometry *geometry)
{
    if (work->channels % 2 == 0 || work->channels == 1 || vk_leaves_one_empty(vk, work) ||
        geometry->x.parts > 1)
        return false;
    struct vk_geometry odd = *geometry, quad = *geometry;
    odd.odd = true;
    plan_lanes(vk, work, &odd);
    plan_lanes(vk, work, &quad);
    plan_stores(work, &odd);
    plan_stores(work, &quad);
    double transforms = ceil(work->y.length / 2.0) * work->channels;
    double columns = (double)(work->channels / 2) * work->x.length + work->x.length / 2 + 1;
    return (odd.packed || !quad.packed) && fmax(transforms, columns) <= DISPATCH_MAX;
}

static const char *plan_transforms(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    if (!vk_transform_plan(vk, work->x.length, &geometry->x) ||
        !vk_transform_plan(vk, work->y.length, &geometry->y))
        return "no transform of this device is long enough, or a long one has a large prime factor";
    bool parts = geometry->x.parts > 1 || geometry->y.parts > 1;
    geometry->half = work->half && !parts;
    geometry->lone = work->channels == 1 && geometry->x.parts == 1;
    geometry->odd = shares_grid(vk, work, geometry);
    plan_lanes(vk, work, geometry);
    return NULL;
}

/* Bytes that so many columns take in the registers of a workgroup. */
static double held(const struct vk_geometry *geometry, int columns)
{
    return 2.0 * geometry->planes * (double)sizeof(float) * geometry->y.points * columns;
}

/* Columns of a workgroup: pieces of the grid should not be too small, nor the workgroup too large; but pieces smaller
 * than a sector of memory are worse than one large workgroup. Where there is room for few columns of one plane, they go
 * two to an element. */
static void plan_blocks(const struct vk *vk, struct vk_geometry *geometry)
{
    int wanted = (int)(GRID_PIECE / element_bytes(geometry)), smallest = wanted / (GRID_PIECE / SECTOR);
    while (wanted > smallest && held(geometry, wanted) > HELD_GOOD)
        wanted /= 2;
    int lanes = vk_transform_lanes(vk, &geometry->y, wanted), pair = 2 * sizeof(float);
    geometry->twin = geometry->planes == 1 && lanes * pair < SECTOR;
    geometry->column_lanes = geometry->twin ? vk_transform_lanes(vk, &geometry->y, wanted / 2) : lanes;
    geometry->block = geometry->column_lanes * (geometry->twin ? 2 : 1);
}

/* Rows of a band: a piece together, and more where a processor has but one workgroup to wait with. */
static int rows_of_band(const struct vk_geometry *geometry)
{
    double block = geometry->block * element_bytes(geometry);
    if (block >= GRID_PIECE)
        return 1;
    bool longer = held(geometry, geometry->block) > HELD_GOOD || BAND_MAX * block < GRID_PIECE;
    return longer ? BAND_MAX : (int)(GRID_PIECE / block);
}

static void plan_grid(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    int length = work->x.length, half = length / 2 + 1;
    plan_blocks(vk, geometry);
    geometry->gains = geometry->lone ? half : length;
    geometry->columns = geometry->odd ? work->channels / 2 * length + half : geometry->gains;
    geometry->blocks = (geometry->columns + geometry->block - 1) / geometry->block;
    geometry->gain_blocks = (geometry->gains + geometry->block - 1) / geometry->block;
    geometry->band = rows_of_band(geometry);
    double rows = ceil((double)work->y.length / geometry->band) * geometry->band;
    geometry->grid = (double)geometry->blocks * geometry->block * rows * geometry->groups;
}

/* Whether the transform's window is the picture itself. */
static bool is_plain(const struct work *work)
{
    return work->x.length == work->width && work->y.length == work->height && work->x.step == work->width &&
           work->y.step == work->height && !work->x.before && !work->y.before;
}

/* Where a grid has the shape of the result, it lies there: a workgroup of the last pass reads the rows it stores. */
static void plan_places(const struct work *work, struct vk_geometry *geometry)
{
    geometry->plain = geometry->fourier && is_plain(work);
    geometry->in_place = geometry->plain && work->filter_count == 1 && work->channels == 4 &&
                         !geometry->half && work->result_type == ABBE_F32 && !geometry->wide &&
                         geometry->band == 1 && geometry->x.parts * geometry->y.parts == 1 &&
                         geometry->blocks * geometry->block == work->width;
}

/* ---- What an engine keeps ----------------------------------------------------------------------------- */

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Taps of result r, its components laid into one box. */
static double taps_of(const struct work *work, int r)
{
    double left = 0, right = 0, above = 0, below = 0, terms = 0;
    const struct work_result *result = &work->results[r];
    for (int i = 0; i < result->components; i++) {
        const struct work_filter *filter = &work->filters[result->first + i];
        const struct kernel *kernel = &filter->response.kernel;
        left = most(left, kernel->centre_x);
        right = most(right, kernel->width - 1 - kernel->centre_x);
        above = most(above, kernel->centre_y);
        below = most(below, kernel->height - 1 - kernel->centre_y);
        terms += filter->factors.rank;
    }
    double width = left + right + 1, height = above + below + 1;
    return work->method == ABBE_METHOD_DIRECT ? result->components * width * height
                                              : terms * (width + height);
}

static int terms_of(const struct work *work, int r)
{
    int terms = 0;
    for (int i = 0; i < work->results[r].components; i++)
        terms += work->filters[work->results[r].first + i].factors.rank;
    return terms;
}

static void plan_filters(const struct work *work, struct vk_geometry *geometry)
{
    if (geometry->fourier) {
        double one = (double)geometry->gain_blocks * geometry->block * work->y.length * sizeof(float);
        geometry->filters = work->filter_count * one * (all_real(work) ? 1 : 2);
        geometry->tables = 2.0 * sizeof(float) *
                           (double)(vk_transform_pairs(&geometry->x) + vk_transform_pairs(&geometry->y));
        return;
    }
    for (int r = 0; r < work->result_count; r++) {
        geometry->filters += taps_of(work, r) * sizeof(float);
        if (work->method == ABBE_METHOD_SEPARABLE && terms_of(work, r) > geometry->terms)
            geometry->terms = terms_of(work, r);
    }
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

/* Pixels that results `region` of an axis look at. */
static double window_of(const struct axis *axis, int region, int reach, bool fourier)
{
    if (!fourier)
        return (double)region + reach;
    return ceil((double)region / axis->step - 1) * axis->step + axis->length;
}

/* Buffers of regions of region_x × region_y results; false when one is beyond what shaders can address. */
static bool measure_region(const struct vk *vk, const struct work *work, struct vk_geometry *g)
{
    double window_x = window_of(&work->x, g->region_x, work->left + work->right, g->fourier);
    double window_y = window_of(&work->y, g->region_y, work->above + work->below, g->fourier);
    double columns = ceil((double)work->width / g->region_x), rows = ceil((double)work->height / g->region_y);
    bool whole = columns * rows == 1;
    double source_x = whole ? work->width : window_x, source_y = whole ? work->height : window_y;
    double limit = fmin((double)vk->properties.limits.maxStorageBufferRange, 4294967280.0);
    g->maps = (columns * window_x + rows * window_y) * sizeof(int32_t);
    g->source_pitch = pitch_of(work, work->source_type, source_x);
    g->result_pitch = pitch_of(work, work->result_type, g->region_x);
    g->source = g->source_pitch * source_y;
    g->result = g->result_pitch * g->region_y * work->result_count;
    g->wide_bytes = g->wide ? (double)g->region_x * g->region_y * work->channels * sizeof(float) *
                                  work->result_count
                            : 0;
    if (!g->fourier) {
        g->grids = g->terms * g->groups * window_y * g->region_x * element_bytes(g);
        if (window_y > DISPATCH_MAX)
            return false;
    }
    g->source_x = source_x < INT32_MAX ? (int)source_x : INT32_MAX;
    g->source_y = source_y < INT32_MAX ? (int)source_y : INT32_MAX;
    return fmax(fmax(fmax(g->source, g->result), fmax(g->wide_bytes, g->grids)),
                fmax(fmax(g->back, g->maps), fmax(g->filters, g->tables))) <= limit;
}

double vk_batch(double tiles, double bytes)
{
    return fmin(fmin(tiles, BATCH_MAX), fmax(1, floor(batch_bytes / bytes)));
}

/* Tiles of a batch and filters of a dispatch, for the grids of a region. */
static void plan_batch(const struct vk *vk, const struct work *work, double tiles, struct vk_geometry *g)
{
    double limit = (double)vk->properties.limits.maxStorageBufferRange, one = g->grid * element_bytes(g);
    int least = components_max(work), share = work->filter_count;
    double batch = vk_batch(tiles, one);
    while (share > least && share * batch * one > fmin(limit, back_bytes))
        share--;
    while (batch > 1 && share * batch * one > limit)
        batch--;
    g->batch = (int)batch;
    g->share = share;
    g->grids = g->in_place ? 0 : batch * one;
    g->back = work->filter_count > 1 || g->y.parts > 1 ? share * batch * one : 0;
}

double vk_geometry_run(const struct vk *vk, const struct vk_geometry *g)
{
    double staging = vk->unified ? 0 : g->source + g->result;
    return (double)sizeof(struct vk_context) + CORE_ALIGNMENT + g->source + g->result + staging +
           g->wide_bytes + g->grids + g->back;
}

static bool region_fits(const struct vk *vk, const struct work *work, struct vk_geometry *g)
{
    if (g->fourier)
        plan_batch(vk, work,
                   ceil((double)g->region_x / work->x.step) * ceil((double)g->region_y / work->y.step), g);
    return measure_region(vk, work, g) &&
           vk_geometry_run(vk, g) + g->filters + g->tables + g->maps <= work->memory;
}

/* Half of a region's side, in whole units. */
static int halved(int side, int unit)
{
    int units = (int)(((long long)side + unit - 1) / unit);
    return (units + 1) / 2 * unit;
}

/* The whole picture, or halves of it, first in height, until a region fits. */
static bool plan_regions(const struct vk *vk, const struct work *work, struct vk_geometry *g)
{
    int unit_x = g->fourier ? work->x.step : ABVK_TILE, unit_y = g->fourier ? work->y.step : ABVK_TILE;
    g->region_x = work->width;
    g->region_y = work->height;
    bool fits = false;
    while (!fits) {
        bool low = g->region_y <= unit_y, narrow = g->region_x <= unit_x;
        bool allowed = g->region_y <= REGION_SIDE_MAX && g->region_x <= REGION_SIDE_MAX;
        fits = (allowed || (low && narrow)) && region_fits(vk, work, g);
        if (fits || (low && narrow))
            break;
        if (!low && (g->region_y > REGION_SIDE_MAX || g->region_x <= REGION_SIDE_MAX || narrow))
            g->region_y = halved(g->region_y, unit_y);
        else
            g->region_x = halved(g->region_x, unit_x);
    }
    return fits;
}

const char *vk_geometry_plan(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    *geometry = (struct vk_geometry){ .fourier = fourier };
    const char *reason = fourier ? plan_transforms(vk, work, geometry) : NULL;
    if (reason)
        return reason;
    plan_elements(work, geometry);
    if (fourier)
        plan_grid(vk, work, geometry);
    plan_stores(work, geometry);
    plan_places(work, geometry);
    plan_filters(work, geometry);
    if (!plan_regions(vk, work, geometry))
        geometry->source = INFINITY;
    return NULL;
}
