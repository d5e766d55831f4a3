/* The geometry of a work on the device.
 *
 *   picture ─ regions ─ tiles ─ batches
 *
 * A region is the part of the picture that lies on the device at a time: its source with everything that
 * filters read, and its results. It is the whole picture where that fits. A tile is one transform grid; the
 * tiles of a region go through the three passes in batches. */
#include "core/memory.h"
#include "device/gpu_gains.h"
#include "device/taps.h"
#include "vulkan/run.h"

#include <math.h>

/* Bytes of the grids of a batch: enough to keep a GPU busy, few enough to stay near its cache. */
static const double batch_bytes = 64 << 20;

/* Most bytes of the filtered grids of a bank. */
static const double back_bytes = 256 << 20;

/* Bytes that should be contiguous in the grid, for either pass; bytes that memory moves at
 * once; most rows of a band. */
enum { CONTIGUOUS = 64, SECTOR = 32, BAND_MAX = 4 };

/* Most bytes of columns that a workgroup should hold in registers, so that a multiprocessor of an NVIDIA H200
 * has room for two workgroups: one computes while the other waits for memory. */
enum { REGISTERS_GOOD = 64 << 10 };

/* Workgroups of a dispatch along an axis, as every Vulkan device allows; tiles of a batch;
 * pixels of a region's side. */
enum { DISPATCH_MAX = 65535, BATCH_MAX = 1024, REGION_SIDE_MAX = 32768 };

static double bits_of_pixel(const struct work *work, abbe_type type)
{
    return 8.0 * work->channels * (double)abbe_type_size(type);
}

/* Bytes from row to row: a multiple of 16, so that pixels of four floats can be moved at once. */
static double buffer_pitch(const struct work *work, abbe_type type, double pixels)
{
    return ceil(pixels * bits_of_pixel(work, type) / 128) * 16;
}

static int max_components(const struct work *work)
{
    int most = 1;
    for (int i = 0; i < work->result_count; i++)
        most = work->results[i].components > most ? work->results[i].components : most;
    return most;
}

bool vk_has_even(const abbe_device *device, const struct work *work)
{
    const struct vk *vk = (const struct vk *)device;
    struct vk_transform x, y;
    bool odd = gpu_gains_of_filter(work) > 1;
    return vk_transform_plan(vk, work->x.length, &x) && vk_transform_plan(vk, work->y.length, &y) &&
           x.parts * y.parts == 1 && !(odd && max_components(work) > 1);
}

/* Bytes of an element of the grid. */
static double element_bytes(const struct vk_geometry *geometry)
{
    return 2.0 * geometry->planes * (double)(geometry->half ? sizeof(uint16_t) : sizeof(float));
}

/* Three channels with a premultiplied alpha, which the last pass divides by, must be in one element; for
 * seven and more an empty channel costs less than elements of one plane. */
bool vk_leaves_one_empty(const struct vk *vk, const struct work *work)
{
    return work->channels % 4 == 3 &&
           (work->channels > 3 || vk->elements > 8 || work->alpha == ABBE_ALPHA_PREMULTIPLY);
}

/* Elements have two planes, or one where the second would stay empty. Mixed planes
 * are one group of columns. */
static void set_elements(const struct work *work, struct vk_geometry *geometry)
{
    bool halves = geometry->fourier && work->channels % 4 == 2;
    geometry->planes = work->channels > 2 && !geometry->mixed && !halves ? 2 : 1;
    int each = 2 * geometry->planes;
    geometry->groups = geometry->mixed ? 1 : (work->channels + each - 1) / each;
}

/* Whether a result keeps the alpha of the source. */
static bool keeps_alpha(const struct work *work)
{
    for (int i = 0; i < work->result_count; i++)
        if (work->alpha == ABBE_ALPHA_PREMULTIPLY && work->results[i].alpha_gain == 0)
            return true;
    return false;
}

/* Whether a workgroup of the last pass has whole rows of pixels and shared memory to pack them into words. */
static bool can_pack_rows(const struct work *work, const struct vk_geometry *geometry)
{
    double words = ceil(work->width * bits_of_pixel(work, work->result_type) / 32);
    int rows = geometry->single || geometry->mixed ? 2 : 1, lanes = geometry->mixed ? 3 : 1;
    return geometry->x.parts == 1 && work->x.step >= work->width && geometry->lanes % lanes == 0 &&
           rows * words <= (double)lanes * geometry->x.points;
}

/* Pixels that are not whole words are packed where a workgroup has whole rows and room for them, or tiles in
 * space, whose rows begin at words. Otherwise they pass through floats, as do pixels of more than four
 * channels and pixels that keep the alpha of the source. */
static void set_stores(const struct work *work, struct vk_geometry *geometry)
{
    bool broken = fmod(bits_of_pixel(work, work->result_type), 32) != 0;
    bool alone = work->channels <= 4 && !keeps_alpha(work);
    bool room = !geometry->fourier || can_pack_rows(work, geometry);
    geometry->packed = broken && alone && room;
    geometry->wide = !alone || (broken && !room);
}

/* Rows of a workgroup. Where there is room, the three transforms of two rows of three channels are on
 * neighbouring lanes. */
static void set_lanes(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    int wanted = 1;
    while (wanted * geometry->x.threads < 64)
        wanted *= 2;
    geometry->lanes = vk_transform_lanes(vk, &geometry->x, wanted);
    if (geometry->mixed && work->channels == 3 && vk_transform_fits(vk, &geometry->x, 3 * geometry->lanes))
        geometry->lanes *= 3;
}

/* Whether the planes of an odd number of channels share a grid. They do not where only elements of four
 * channels can be packed into stored pixels, nor where a dispatch would have too many workgroups. */
static bool mixes_planes(const struct vk *vk, const struct work *work, const struct vk_geometry *geometry)
{
    if (work->channels % 2 == 0 || work->channels == 1 || vk_leaves_one_empty(vk, work) ||
        geometry->x.parts > 1)
        return false;
    struct vk_geometry mixed = *geometry, quad = *geometry;
    mixed.mixed = true;
    set_lanes(vk, work, &mixed);
    set_lanes(vk, work, &quad);
    set_stores(work, &mixed);
    set_stores(work, &quad);
    double transforms = ceil(work->y.length / 2.0) * work->channels;
    double columns = (double)(work->channels / 2) * work->x.length + work->x.length / 2 + 1;
    return (mixed.packed || !quad.packed) && fmax(transforms, columns) <= DISPATCH_MAX;
}

static const char *choose_transforms(const struct vk *vk, const struct work *work,
                                     struct vk_geometry *geometry)
{
    if (!vk_transform_plan(vk, work->x.length, &geometry->x) ||
        !vk_transform_plan(vk, work->y.length, &geometry->y))
        return "no transform of this device is long enough, or a long one has a large prime factor";
    bool parts = geometry->x.parts > 1 || geometry->y.parts > 1;
    geometry->even = geometry->x.even = geometry->y.even = work->x.even;
    geometry->half = work->precision == ABBE_PRECISION_HALF && !parts;
    geometry->single = work->channels == 1 && geometry->x.parts == 1;
    geometry->mixed = mixes_planes(vk, work, geometry);
    set_lanes(vk, work, geometry);
    return NULL;
}

/* Bytes of a number of columns in the registers of a workgroup. */
static double register_bytes(const struct vk_geometry *geometry, int columns)
{
    return 2.0 * geometry->planes * (double)sizeof(float) * geometry->y.points * columns;
}

/* Columns of a workgroup: contiguous bytes of the grid should not be too few, nor the workgroup too large;
 * but fewer bytes than a sector of memory are worse than a large workgroup. Where only few columns of one
 * plane fit, an element holds two of them. */
static void set_blocks(const struct vk *vk, struct vk_geometry *geometry)
{
    int wanted = (int)(CONTIGUOUS / element_bytes(geometry)), smallest = wanted / (CONTIGUOUS / SECTOR);
    while (wanted > smallest && register_bytes(geometry, wanted) > REGISTERS_GOOD)
        wanted /= 2;
    int lanes = vk_transform_lanes(vk, &geometry->y, wanted), pair = 2 * sizeof(float);
    geometry->two_columns = geometry->planes == 1 && lanes * pair < SECTOR;
    geometry->column_lanes = geometry->two_columns ? vk_transform_lanes(vk, &geometry->y, wanted / 2) : lanes;
    geometry->block = geometry->column_lanes * (geometry->two_columns ? 2 : 1);
}

/* Rows of a band: enough for contiguous bytes, and more where a multiprocessor has
 * room for only one workgroup. */
static int choose_band(const struct vk_geometry *geometry)
{
    double block = geometry->block * element_bytes(geometry);
    if (block >= CONTIGUOUS)
        return 1;
    bool longer = register_bytes(geometry, geometry->block) > REGISTERS_GOOD || BAND_MAX * block < CONTIGUOUS;
    return longer ? BAND_MAX : (int)(CONTIGUOUS / block);
}

static void set_grid(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    int length = work->x.length, half = length / 2 + 1;
    set_blocks(vk, geometry);
    geometry->gains = geometry->single && !geometry->even ? half : length;
    geometry->columns = geometry->mixed    ? work->channels / 2 * length + half
                        : geometry->single ? half
                                           : length;
    geometry->blocks = (geometry->columns + geometry->block - 1) / geometry->block;
    geometry->gain_blocks = (geometry->gains + geometry->block - 1) / geometry->block;
    geometry->band = choose_band(geometry);
    double rows = ceil((double)work->y.length / geometry->band) * geometry->band;
    geometry->grid = (double)geometry->blocks * geometry->block * rows * geometry->groups;
}

/* Whether the transform's window is the picture, in its order. */
static bool is_interior(const struct work *work)
{
    return !work->x.even && work->x.length == work->width && work->y.length == work->height &&
           work->x.step == work->width && work->y.step == work->height && !work->x.before && !work->y.before;
}

/* A grid that has the shape of the result lies in its buffer: a workgroup of the last pass
 * reads the rows it stores. */
static void set_places(const struct work *work, struct vk_geometry *geometry)
{
    geometry->interior = geometry->fourier && is_interior(work);
    geometry->in_place = geometry->interior && work->filter_count == 1 && work->channels == 4 &&
                         !geometry->half && work->result_type == ABBE_F32 && !geometry->wide &&
                         geometry->band == 1 && geometry->x.parts * geometry->y.parts == 1 &&
                         geometry->blocks * geometry->block == work->width;
}

/* ---- Buffers of an engine ----------------------------------------------------------------------------- */

static void set_filter_sizes(const struct work *work, struct vk_geometry *geometry)
{
    if (geometry->fourier) {
        double one = (double)geometry->gain_blocks * geometry->block * work->y.length * sizeof(float);
        geometry->filters = work->filter_count * geometry->spectra * one * (gpu_gains_are_real(work) ? 1 : 2);
        geometry->tables = 2.0 * sizeof(float) *
                           (double)(vk_transform_pairs(&geometry->x) + vk_transform_pairs(&geometry->y));
        return;
    }
    for (int r = 0; r < work->result_count; r++) {
        geometry->filters += taps_bound(work, r) * sizeof(float);
        if (work->method == ABBE_METHOD_SEPARABLE && taps_terms(work, r) > geometry->terms)
            geometry->terms = taps_terms(work, r);
    }
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

/* Pixels that `region` results along an axis read. */
static double region_window(const struct axis *axis, int region, int reach, bool fourier)
{
    if (!fourier)
        return (double)region + reach;
    return ceil((double)region / axis->step - 1) * axis->step + axis->length;
}

/* Sizes the buffers for regions of region_x × region_y results. Returns false when one of them is larger than
 * shaders can address. */
static bool size_region(const struct vk *vk, const struct work *work, struct vk_geometry *g)
{
    double window_x = region_window(&work->x, g->region_x, work->left + work->right, g->fourier);
    double window_y = region_window(&work->y, g->region_y, work->above + work->below, g->fourier);
    double columns = ceil((double)work->width / g->region_x), rows = ceil((double)work->height / g->region_y);
    bool whole = columns * rows == 1;
    double source_x = whole ? work->width : window_x, source_y = whole ? work->height : window_y;
    double limit = fmin((double)vk->properties.limits.maxStorageBufferRange, 4294967280.0);
    g->maps = (columns * window_x + rows * window_y) * sizeof(int32_t);
    g->source_pitch = buffer_pitch(work, work->source_type, source_x);
    g->result_pitch = buffer_pitch(work, work->result_type, g->region_x);
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
    return fmax(fmax(fmax(g->source, g->result), fmax(g->wide_bytes, g->grids)),
                fmax(fmax(g->back, g->maps), fmax(g->filters, g->tables))) <= limit;
}

double vk_batch(double tiles, double bytes)
{
    return fmin(fmin(tiles, BATCH_MAX), fmax(1, floor(batch_bytes / bytes)));
}

/* Tiles of a batch, filters of a dispatch, and the bytes of their grids. */
static void size_batch(const struct vk *vk, const struct work *work, double tiles, struct vk_geometry *g)
{
    double limit = (double)vk->properties.limits.maxStorageBufferRange, one = g->grid * element_bytes(g);
    int least = max_components(work) * g->spectra, share = work->filter_count * g->spectra;
    double batch = vk_batch(tiles, one);
    while (share > least && share * batch * one > fmin(limit, back_bytes))
        share--;
    while (batch > 1 && share * batch * one > limit)
        batch--;
    g->batch = (int)batch;
    g->share = share;
    g->grids = g->in_place ? 0 : batch * one;
    g->back = work->filter_count * g->spectra > 1 || g->y.parts > 1 ? share * batch * one : 0;
}

double vk_geometry_run(const struct vk *vk, const struct vk_geometry *g)
{
    double staging = vk->unified ? 0 : g->source + g->result;
    return (double)sizeof(struct vk_scratch) + CORE_ALIGNMENT + g->source + g->result + staging +
           g->wide_bytes + g->grids + g->back;
}

/* Context of the search for regions. */
struct region_trial {
    const struct vk *vk;
    const struct work *work;
    struct vk_geometry *geometry;
};

/* region_search.fits */
static bool fits_device(void *context, int width, int height)
{
    const struct region_trial *trial = context;
    const struct work *work = trial->work;
    struct vk_geometry *g = trial->geometry;
    g->region_x = width;
    g->region_y = height;
    if (g->fourier)
        size_batch(trial->vk, work, ceil((double)width / work->x.step) * ceil((double)height / work->y.step),
                   g);
    return size_region(trial->vk, work, g) &&
           vk_geometry_run(trial->vk, g) + g->filters + g->tables + g->maps <= work->memory;
}

static void search_regions(const struct vk *vk, const struct work *work, struct vk_geometry *g)
{
    struct region_trial trial = { vk, work, g };
    const struct region_search search = { .unit_x = g->fourier ? work->x.step : ABVK_SQUARE,
                                          .unit_y = g->fourier ? work->y.step : ABVK_SQUARE,
                                          .side_max = REGION_SIDE_MAX,
                                          .fits = fits_device,
                                          .context = &trial };
    if (!region_search(work, &search))
        g->source = INFINITY;
    g->regions_x = region_count(work, false, g->region_x);
    g->regions_y = region_count(work, true, g->region_y);
    g->whole = g->regions_x == 1 && g->regions_y == 1;
}

int vk_gathered_rows(const struct vk *vk, const struct work *work)
{
    bool outside = work->border == ABBE_BORDER_ZERO || work->border == ABBE_BORDER_CONSTANT;
    int rows = work->height + outside;
    bool whole = work->x.step >= work->width && work->y.step >= work->height && !work->x.even;
    return vk->gathers && whole && work->y.length > rows ? rows : 0;
}

const char *vk_geometry_plan(const struct vk *vk, const struct work *work, struct vk_geometry *geometry)
{
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    *geometry = (struct vk_geometry){ .fourier = fourier, .spectra = gpu_gains_of_filter(work) };
    const char *reason = fourier ? choose_transforms(vk, work, geometry) : NULL;
    if (reason)
        return reason;
    set_elements(work, geometry);
    if (fourier)
        set_grid(vk, work, geometry);
    set_stores(work, geometry);
    set_places(work, geometry);
    set_filter_sizes(work, geometry);
    search_regions(vk, work, geometry);
    if (fourier && geometry->whole && geometry->x.parts * geometry->y.parts == 1)
        geometry->gathered = vk_gathered_rows(vk, work);
    return NULL;
}
