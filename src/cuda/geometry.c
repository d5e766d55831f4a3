/* The geometry of a work on the device.
 *
 *   picture ─ regions ─ tiles ─ batches
 *
 * A region is the part of the picture that lies on the device at a time: its source with everything that
 * filters read, and its results. It is the whole picture where that fits. A tile is one transform grid; the
 * tiles of a region go through the three passes in batches. */
#include "cuda/geometry.h"

#include "core/memory.h"
#include "device/gpu_gains.h"
#include "device/taps.h"

#include <math.h>

/* Bytes of the grids of a batch of tiles, and most bytes of the filtered grids of a bank, for a second-level cache
 * whose size is unknown. */
static const double batch_bytes = 64 << 20, back_bytes = 256 << 20;

enum { BATCH_MAX = 1024, REGION_SIDE_MAX = 32768, BLOCKS_MAX = 65535 };

static double pixel_bytes(const struct work *work, abbe_type type)
{
    return (double)work->channels * (double)abbe_type_size(type);
}

/* Bytes from row to row of the device's own buffers: a multiple of 16, so that pixels of four floats can be moved at
 * once. */
static double buffer_pitch(const struct work *work, abbe_type type, double pixels)
{
    return ceil(pixels * pixel_bytes(work, type) / 16) * 16;
}

static int max_components(const struct work *work)
{
    int most = 1;
    for (int i = 0; i < work->result_count; i++)
        most = work->results[i].components > most ? work->results[i].components : most;
    return most;
}

/* Bytes of a pixel of the grid. */
static double grid_bytes(const struct cuda_geometry *g)
{
    return 2.0 * g->planes * (double)(g->half ? sizeof(uint16_t) : sizeof(float));
}

/* ---- How a block shares transforms -------------------------------------------------------------------- */

/* Registers of a multiprocessor; those that a thread needs beside the points that it holds. */
enum { REGISTERS = 65536, OTHER_REGISTERS = 56 };

/* Blocks that a multiprocessor has registers for: what the compiler is told, so that it neither spills nor wastes. */
static int blocks_with_registers(const struct cuda_transform *transform, const struct cuda_sharing *sharing)
{
    int threads = transform->threads * sharing->side * sharing->lanes;
    int each = 2 * transform->registers * sharing->held + OTHER_REGISTERS;
    each += transform->regular ? 0 : transform->registers * sharing->held / 2;
    each += transform->pairs ? transform->registers * sharing->held : 0;
    int rounded = (threads + 31) / 32 * 32, blocks = REGISTERS / (rounded * ((each + 7) / 8 * 8));
    return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/* Even transforms need more registers than others. */
static void leave_registers(const struct cuda_geometry *g, struct cuda_sharing *sharing)
{
    if (g->even)
        sharing->min_blocks = (sharing->min_blocks + 1) / 2;
}

/* Makes a block fit the device: fewer blocks, then exchanges in halves. Returns whether it does. */
static bool make_fit(const struct cuda *cuda, const struct cuda_transform *transform, bool half,
                     struct cuda_sharing *sharing)
{
    struct cuda_sharing tried = *sharing;
    for (; tried.min_blocks >= 1; tried.min_blocks--)
        if (cuda_sharing_fits(cuda, transform, &tried, half)) {
            *sharing = tried;
            return true;
        }
    if (sharing->split)
        return false;
    sharing->split = true;
    return make_fit(cuda, transform, half, sharing);
}

/* Lengths whose blocks were measured for pixels of two planes of floats (docs/cuda.md). A sharing that holds no plane was
 * not. */
struct known_sharing {
    int points;
    struct cuda_sharing rows, columns, rows_back;
    struct cuda_sharing half_columns; /* of a grid in 16 bits */
    bool persistent;
    int band, resident, prefetch_columns, prefetch_back;
};
static const struct known_sharing known_sharings[] = {
    { .points = 256,
      .rows = { 1, 2, 4, 4, false, false },
      .columns = { 1, 8, 1, 4, false, false },
      .rows_back = { 1, 2, 4, 4, false, false },
      .band = 1 },
    { .points = 512,
      .rows = { 1, 2, 1, 6, false, false },
      .columns = { 1, 8, 1, 2, false, false },
      .rows_back = { 1, 2, 1, 6, false, false },
      .band = 32 },
    { .points = 1024,
      .rows = { 1, 2, 2, 4, false, false },
      .columns = { 1, 4, 1, 4, false, false },
      .rows_back = { 1, 2, 2, 4, false, false },
      .half_columns = { 1, 8, 1, 2, false, false },
      .band = 32 },
    { .points = 2048,
      .rows = { 2, 1, 1, 4, false, false },
      .columns = { 2, 2, 1, 2, true, true },
      .rows_back = { 2, 1, 1, 4, false, false },
      .half_columns = { 2, 4, 1, 1, true, true },
      .persistent = true,
      .band = 32,
      .resident = 5 },
    { .points = 2304,
      .rows = { 1, 2, 1, 4, false, false },
      .rows_back = { 1, 2, 1, 4, false, false },
      .band = 32,
      .prefetch_back = 256 },
    { .points = 4096,
      .rows = { 1, 2, 1, 2, false, false },
      .columns = { 2, 2, 1, 1, true, true },
      .rows_back = { 2, 1, 1, 2, false, false },
      .half_columns = { 2, 2, 1, 1, true, true },
      .persistent = true,
      .band = 128,
      .prefetch_columns = 128,
      .prefetch_back = 256 },
    { .points = 8192,
      .rows = { 1, 2, 1, 1, false, false },
      .columns = { 2, 1, 1, 1, true, false },
      .rows_back = { 1, 2, 1, 1, false, false },
      .band = 32,
      .prefetch_back = 256 },
};

static const struct known_sharing *find_known(int points)
{
    for (size_t i = 0; i < sizeof known_sharings / sizeof *known_sharings; i++)
        if (known_sharings[i].points == points)
            return &known_sharings[i];
    return NULL;
}

/* Threads that a block should have at least, and the points up to which a thread holds one plane. */
enum { THREADS_GOOD = 128, SHORT = 1024, REGISTERS_OF_PAIRS_MAX = 18 };

/* The planes that a thread holds in a row pass or column pass of other lengths. */
static int planes_held(const struct cuda_geometry *g, const struct cuda_transform *transform)
{
    bool two = g->planes == 2 && transform->points > SHORT && transform->registers <= REGISTERS_OF_PAIRS_MAX;
    return two || (g->planes == 2 && 2 * transform->threads > 512) ? 2 : 1;
}

static struct cuda_sharing share_rows(const struct cuda_geometry *g)
{
    struct cuda_sharing sharing = { .held = planes_held(g, &g->x), .lanes = 1 };
    sharing.side = g->planes / sharing.held;
    while (sharing.lanes < 8 && sharing.lanes * sharing.side * g->x.threads < THREADS_GOOD)
        sharing.lanes *= 2;
    sharing.min_blocks = blocks_with_registers(&g->x, &sharing);
    return sharing;
}

/* The row passes. Untangling two rows of a single channel moves whole units. */
static bool set_rows(const struct cuda *cuda, const struct work *work, struct cuda_geometry *g)
{
    const struct known_sharing *known = g->planes == 2 ? find_known(g->x.points) : NULL;
    bool has_known = known && known->rows.held;
    g->rows = has_known ? known->rows : share_rows(g);
    g->rows_back = has_known ? known->rows_back : share_rows(g);
    g->prefetch_back = has_known ? known->prefetch_back : 0;
    leave_registers(g, &g->rows);
    leave_registers(g, &g->rows_back);
    g->rows_back.slots = max_components(work) > 1 || g->spectra > 1;
    return make_fit(cuda, &g->x, false, &g->rows) && make_fit(cuda, &g->x, false, &g->rows_back) &&
           !(g->x.pairs && (g->rows.split || g->rows_back.split));
}

/* Columns of a tile for bytes that should be contiguous in the grid: 32 for long columns, 64 for short ones. */
static struct cuda_sharing share_columns(const struct cuda_geometry *g, double bytes)
{
    struct cuda_sharing sharing = { .held = planes_held(g, &g->y), .lanes = 1 };
    int columns = (int)(bytes / grid_bytes(g));
    sharing.side = (columns < 1 ? 1 : columns) * g->planes / sharing.held;
    while (sharing.side > g->planes / sharing.held && sharing.side * g->y.threads > 512)
        sharing.side /= 2;
    while (sharing.lanes < 8 && sharing.lanes * sharing.side * g->y.threads < THREADS_GOOD)
        sharing.lanes *= 2;
    sharing.min_blocks = blocks_with_registers(&g->y, &sharing);
    return sharing;
}

/* Column pass: the measured blocks; otherwise as many columns as fit. A bank keeps the spectrum in slots, and does not
 * fetch tiles early. */
static bool set_columns(const struct cuda *cuda, struct cuda_geometry *g)
{
    const struct known_sharing *known = g->planes == 2 ? find_known(g->y.points) : NULL;
    const bool early = !g->bank && !g->even && g->y.points == g->y.length && cuda->limits.capability >= 80;
    struct cuda_sharing sharing = { 0 };
    if (known)
        sharing = g->half ? known->half_columns : known->columns;
    if (sharing.held && (early || !known->persistent)) {
        g->columns = sharing;
        g->persistent = known->persistent;
        g->resident = known->resident;
        g->prefetch_columns = g->half ? 0 : known->prefetch_columns;
        leave_registers(g, &g->columns);
        g->columns.slots = g->columns.slots || g->bank;
        g->columns.split = g->columns.split && !g->even;
        if (make_fit(cuda, &g->y, g->half && g->persistent, &g->columns) && !(g->even && g->columns.split))
            return true;
    }
    g->persistent = false;
    g->resident = g->prefetch_columns = 0;
    for (double bytes = g->y.points <= 512 ? 64 : 32; bytes >= 4; bytes /= 2) {
        g->columns = share_columns(g, bytes);
        leave_registers(g, &g->columns);
        g->columns.slots = g->bank;
        if (make_fit(cuda, &g->y, false, &g->columns) && !(g->even && g->columns.split))
            return true;
    }
    return false;
}

/* ---- Grid --------------------------------------------------------------------------------------------- */

/* Bytes of a strip of one row; rows of a band where none was measured. */
enum { STRIP_BYTES = 64, BAND_ROWS = 32, BAND_LENGTH = 512 };

static void set_grid(const struct work *work, struct cuda_geometry *g)
{
    const struct known_sharing *known = g->planes == 2 ? find_known(g->y.points) : NULL;
    int units = g->planes / g->columns.held, length = work->x.length;
    g->columns_all = g->single ? length / 2 + 1 : length;
    g->tile_columns = g->columns.side / units;
    g->column_tiles = (g->columns_all + g->tile_columns - 1) / g->tile_columns;
    int strip = (int)(STRIP_BYTES / grid_bytes(g));
    g->strip = strip < g->tile_columns ? g->tile_columns : strip;
    g->band = known ? known->band : g->y.points < BAND_LENGTH ? 1 : BAND_ROWS;
    g->rows_stored = g->mapped ? work->height : work->y.length;
    double rows = fmax(g->rows_stored, work->y.step), strips = ceil((double)g->columns_all / g->strip);
    g->grid = strips * g->strip * ceil(rows / g->band) * g->band * g->groups;
}

/* Whether the transform's window is the picture, in its order. */
static bool is_interior(const struct work *work)
{
    return !work->x.even && work->x.length == work->width && work->y.length == work->height &&
           work->x.step == work->width && work->y.step == work->height && !work->x.before && !work->y.before;
}

/* Whether the result of a work can hold its grid: a block of the last pass reads the rows that it stores. */
static bool is_in_place(const struct work *work, const struct cuda_geometry *g)
{
    return g->interior && work->filter_count == 1 && g->spectra == 1 && work->channels == 4 && !g->half &&
           work->result_type == ABBE_F32 && !g->wide && g->band == 1 && g->columns_all % g->strip == 0;
}

static const char *const too_long = "no transform of this device is long enough";

/* Two rows of a single channel share a plane. More than two channels take pixels of two planes, of which the last may
 * have an empty channel, but for 6, 10, … which are pairs. */
static void set_planes(const struct work *work, struct cuda_geometry *g)
{
    bool pairs = g->fourier && work->channels % 4 == 2;
    g->planes = work->channels > 2 && !pairs ? 2 : 1;
    g->groups = (work->channels + 2 * g->planes - 1) / (2 * g->planes);
    g->single = g->fourier && work->channels == 1;
}

static const char *choose_transforms(const struct cuda *cuda, const struct work *work,
                                     struct cuda_geometry *g)
{
    if (!cuda_transform_plan(cuda, work->x.length, &g->x) ||
        !cuda_transform_plan(cuda, work->y.length, &g->y))
        return too_long;
    g->even = g->x.even = g->y.even = work->x.even;
    g->x.pairs = g->single || g->even;
    g->y.pairs = g->even;
    g->half = work->precision == ABBE_PRECISION_HALF;
    g->interior = is_interior(work);
    g->bank = work->filter_count * g->spectra > 1;
    return set_rows(cuda, work, g) && set_columns(cuda, g) ? NULL : too_long;
}

/* The magnitude of two components takes the two spectra of one result, so filters with an odd part cannot be its
 * components. */
bool cuda_has_even(const abbe_device *device, const struct work *work)
{
    struct cuda_geometry g = { .fourier = true, .spectra = gpu_gains_of_filter(work) };
    set_planes(work, &g);
    return !(g.spectra > 1 && max_components(work) > 1) &&
           !choose_transforms((const struct cuda *)device, work, &g);
}

/* ---- Buffers ------------------------------------------------------------------------------------------ */

/* Whether colours are divided by an alpha that another unit holds. */
static bool needs_wide(const struct work *work)
{
    bool divides = false;
    for (int i = 0; i < work->result_count; i++)
        divides = divides || work->results[i].alpha_gain != 0;
    return work->alpha == ABBE_ALPHA_PREMULTIPLY && work->channels > 4 && divides;
}

static void set_filter_sizes(const struct work *work, struct cuda_geometry *g)
{
    if (g->fourier) {
        double one = (double)(g->even ? work->x.length : g->columns_all) * work->y.length * sizeof(float);
        bool real = gpu_gains_are_real(work);
        g->filters = work->filter_count * g->spectra * one * (real ? 1 : 2);
        g->tables = (double)(cuda_transform_floats(&g->x) + cuda_transform_floats(&g->y)) * sizeof(float);
        return;
    }
    for (int r = 0; r < work->result_count; r++) {
        g->filters += taps_bound(work, r) * sizeof(float);
        if (work->method == ABBE_METHOD_SEPARABLE && taps_terms(work, r) > g->terms)
            g->terms = taps_terms(work, r);
    }
}

/* Pixels that `region` results along an axis read. */
static double region_window(const struct axis *axis, int region, int reach, bool fourier)
{
    if (!fourier)
        return (double)region + reach;
    return ceil((double)region / axis->step - 1) * axis->step + axis->length;
}

/* Sizes the buffers for regions of region_x × region_y results. Returns false when there would be too many blocks. */
static bool size_region(const struct work *work, struct cuda_geometry *g)
{
    double window_x = region_window(&work->x, g->region_x, work->left + work->right, g->fourier);
    double window_y = region_window(&work->y, g->region_y, work->above + work->below, g->fourier);
    double columns = ceil((double)work->width / g->region_x), rows = ceil((double)work->height / g->region_y);
    bool whole = columns * rows == 1;
    g->maps = (columns * window_x + rows * window_y) * sizeof(int32_t);
    g->source_pitch = buffer_pitch(work, work->source_type, whole ? work->width : window_x);
    g->result_pitch = buffer_pitch(work, work->result_type, g->region_x);
    g->source = g->source_pitch * (whole ? work->height : window_y);
    g->result = g->result_pitch * g->region_y * work->result_count;
    g->wide_bytes = g->wide ? (double)g->region_x * g->region_y * work->channels * sizeof(float) *
                                  work->result_count
                            : 0;
    if (g->fourier)
        return true;
    g->grids = g->terms * g->groups * window_y * g->region_x * grid_bytes(g);
    return window_y <= BLOCKS_MAX;
}

double cuda_batch(const struct cuda *cuda, double tiles, double bytes)
{
    double room = cuda->limits.l2 > 0 ? cuda->limits.l2 : batch_bytes;
    return fmin(fmin(tiles, BATCH_MAX), fmax(1, floor(room / bytes)));
}

/* Tiles of a batch, spectra of a launch, and the bytes of their grids. A pixel of the grid has an index of 31 bits. */
static void size_batch(const struct cuda *cuda, const struct work *work, double tiles,
                       struct cuda_geometry *g)
{
    double one = g->grid * grid_bytes(g);
    int least = max_components(work) * g->spectra, share = work->filter_count * g->spectra;
    double batch = cuda_batch(cuda, tiles, one);
    while (share > least && share * batch * one > back_bytes)
        share--;
    g->batch = (int)batch;
    g->share = share;
    g->grids = g->in_place ? 0 : batch * one;
    g->back = work->filter_count * g->spectra > 1 ? share * batch * one : 0;
}

double cuda_geometry_run(const struct cuda_geometry *g)
{
    double staging = g->source + g->result; /* pinned memory of the host */
    return g->source + g->result + staging + g->wide_bytes + g->grids + g->back;
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

/* Context of the search for regions. */
struct region_trial {
    const struct cuda *cuda;
    const struct work *work;
    struct cuda_geometry *geometry;
};

/* Where the grid has the rows of the picture, and the border is read through a map: one transform of a picture that
 * lies on the device as a whole. */
static bool is_mapped(const struct work *work, const struct cuda_geometry *g)
{
    return g->fourier && !g->interior && work->x.step >= work->width && work->y.step >= work->height &&
           g->region_x >= work->width && g->region_y >= work->height;
}

/* region_search.fits */
static bool fits_device(void *context, int width, int height)
{
    const struct region_trial *trial = context;
    const struct work *work = trial->work;
    struct cuda_geometry *g = trial->geometry;
    g->region_x = width;
    g->region_y = height;
    if (g->fourier) {
        g->mapped = is_mapped(work, g);
        set_grid(work, g);
        g->in_place = is_in_place(work, g);
        size_batch(trial->cuda, work,
                   ceil((double)width / work->x.step) * ceil((double)height / work->y.step), g);
        if (g->grid / g->groups >= INT32_MAX)
            return false;
    }
    return size_region(work, g) && cuda_geometry_run(g) + g->filters + g->tables + g->maps <= work->memory;
}

static void search_regions(const struct cuda *cuda, const struct work *work, struct cuda_geometry *g)
{
    struct region_trial trial = { cuda, work, g };
    const struct region_search search = { .unit_x = g->fourier ? work->x.step : ABCU_SQUARE,
                                          .unit_y = g->fourier ? work->y.step : ABCU_SQUARE,
                                          .side_max = REGION_SIDE_MAX,
                                          .fits = fits_device,
                                          .context = &trial };
    if (!region_search(work, &search))
        g->source = INFINITY;
    g->regions_x = region_count(work, false, g->region_x);
    g->regions_y = region_count(work, true, g->region_y);
    g->whole = g->regions_x == 1 && g->regions_y == 1;
}

const char *cuda_geometry_plan(const struct cuda *cuda, const struct work *work,
                               struct cuda_geometry *geometry)
{
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    *geometry = (struct cuda_geometry){ .fourier = fourier, .spectra = gpu_gains_of_filter(work) };
    set_planes(work, geometry);
    const char *reason = fourier ? choose_transforms(cuda, work, geometry) : NULL;
    if (reason)
        return reason;
    geometry->wide = needs_wide(work);
    if (fourier)
        set_grid(work, geometry);
    set_filter_sizes(work, geometry);
    search_regions(cuda, work, geometry);
    return NULL;
}

/* ---- Order of gains ----------------------------------------------------------------------------------- */

void cuda_geometry_order(const struct cuda_geometry *g, int *order, int *places, int columns)
{
    const struct cuda_transform *y = &g->y;
    bool fours = y->regular && y->registers % 4 == 0 && y->points == y->length;
    for (int place = 0; place < y->length; place++) {
        int m = place / y->threads, t = place % y->threads, radix = y->radices[y->stages - 1];
        /* Place t + b · T + k · points / radix is register b · radix + k; see gains.cuh. */
        int each = fours ? y->registers / radix : 1, number = fours ? m % each * radix + m / each : 0;
        int at = fours ? (number / 4 * y->threads + t) * 4 + number % 4 : place;
        order[at] = cuda_transform_frequency(y, place);
    }
    for (int u = 0; u < columns; u++)
        places[u] = -1;
    int kept = g->even ? g->x.length : g->columns_all;
    for (int place = 0; place < kept; place++)
        places[g->single ? place : cuda_transform_frequency(&g->x, place)] = place;
}
