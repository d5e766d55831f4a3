/* Launches: which kernel a pass takes, the constants that it is compiled for, and its blocks. */
#include "cuda/launches.h"

#include <math.h>

bool cuda_is_whole(unsigned long long first, const struct abcu_strides *strides, int channels, abbe_type type)
{
    long long sample = (long long)abbe_type_size(type), pixel = sample * channels;
    return (channels == 1 || channels == 2 || channels == 4) && strides->pixel == pixel &&
           (channels == 1 || strides->channel == sample) && first % (unsigned long long)pixel == 0 &&
           strides->row % pixel == 0;
}

/* ---- Constants ---------------------------------------------------------------------------------------- */

/* Flags of kernels that load or store pixels. */
static int pixel_flags(const struct work *work)
{
    return (work->linear_light ? ABCU_FLAG_LIGHT : 0) |
           (work->alpha != ABBE_ALPHA_NONE ? ABCU_FLAG_ALPHA : 0) |
           (work->alpha == ABBE_ALPHA_PREMULTIPLY ? ABCU_FLAG_PREMULTIPLY : 0) |
           (work->offset != 0 ? ABCU_FLAG_OFFSET : 0);
}

/* Flags of kernels that load pixels. */
static int load_flags(const struct work *work, const struct cuda_pictures *pictures)
{
    bool integers = work->source_type == ABBE_U8 || work->source_type == ABBE_U16;
    return (work->nonfinite == ABBE_NONFINITE_ZERO && !integers ? ABCU_FLAG_ZERO_NONFINITE : 0) |
           (pictures->source_whole ? ABCU_FLAG_SOURCE_WHOLE : 0);
}

/* Flags of kernels that store results. */
static int store_flags(const struct cuda_geometry *g, const struct cuda_pictures *pictures)
{
    return (g->wide ? ABCU_FLAG_WIDE : 0) | (pictures->result_whole ? ABCU_FLAG_RESULT_WHOLE : 0);
}

static struct cuda_pass start_pass(const struct work *work, const struct cuda_geometry *g,
                                   enum cuda_kernel_name kernel)
{
    struct cuda_pass pass = { .used = true, .kernel = kernel };
    int *values = pass.constants.values;
    for (int i = 0; i < ABCU_STAGES_MAX; i++)
        values[ABCU_ID_RADIX0 + i] = 1;
    values[ABCU_ID_MIN_BLOCKS] = values[ABCU_ID_POINTS] = values[ABCU_ID_LENGTH] = 1;
    values[ABCU_ID_THREADS] = values[ABCU_ID_REGISTERS] = values[ABCU_ID_SIDE] = values[ABCU_ID_LANES] = 1;
    values[ABCU_ID_STAGES] = values[ABCU_ID_STRIP] = values[ABCU_ID_BAND] = values[ABCU_ID_COLUMNS] = 1;
    values[ABCU_ID_PLANES] = values[ABCU_ID_HELD] = g->planes;
    values[ABCU_ID_SOURCE_TYPE] = (int)work->source_type;
    values[ABCU_ID_RESULT_TYPE] = (int)work->result_type;
    values[ABCU_ID_CHANNELS] = work->channels;
    return pass;
}

static void end_pass(struct cuda_pass *pass, int threads, int shared)
{
    pass->constants.values[ABCU_ID_BLOCK_THREADS] = threads;
    pass->threads = (unsigned)threads;
    pass->shared = (unsigned)shared;
}

static struct cuda_pass fourier_pass(const struct work *work, const struct cuda_geometry *g,
                                     enum cuda_kernel_name kernel)
{
    bool down = kernel == ABCU_KERNEL_columns;
    const struct cuda_sharing *sharing = down                         ? &g->columns
                                         : kernel == ABCU_KERNEL_rows ? &g->rows
                                                                      : &g->rows_back;
    struct cuda_pass pass = start_pass(work, g, kernel);
    int *values = pass.constants.values;
    cuda_transform_constants(down ? &g->y : &g->x, sharing, &pass.constants);
    values[ABCU_ID_PERSISTENT] = down && g->persistent;
    values[ABCU_ID_STRIP] = g->strip;
    values[ABCU_ID_BAND] = g->band;
    values[ABCU_ID_COLUMNS] = g->columns_all;
    values[ABCU_ID_HALF] = g->half;
    values[ABCU_ID_RESIDENT] = g->resident;
    values[ABCU_ID_PREFETCH] = down                              ? g->prefetch_columns
                               : kernel == ABCU_KERNEL_rows_back ? g->prefetch_back
                                                                 : 0;
    values[ABCU_ID_FLAGS] = (g->single ? ABCU_FLAG_SINGLE : 0) | (g->interior ? ABCU_FLAG_INTERIOR : 0) |
                            (g->mapped ? ABCU_FLAG_MAPPED_ROWS : 0) | (g->even ? ABCU_FLAG_EVEN : 0) |
                            (g->spectra > 1 ? ABCU_FLAG_ODD : 0);
    end_pass(&pass, values[ABCU_ID_BLOCK_THREADS], cuda_shared_bytes(&pass.constants));
    return pass;
}

/* The column pass reads no pixels but the outside one. */
static struct cuda_pass columns_pass(const struct work *work, const struct cuda_geometry *g, bool real)
{
    struct cuda_pass pass = fourier_pass(work, g, ABCU_KERNEL_columns);
    pass.constants.values[ABCU_ID_SOURCE_TYPE] = pass.constants.values[ABCU_ID_RESULT_TYPE] = ABBE_F32;
    pass.constants.values[ABCU_ID_FLAGS] |= (real ? ABCU_FLAG_REAL : 0) | (g->bank ? ABCU_FLAG_BANK : 0) |
                                            (work->alpha != ABBE_ALPHA_NONE ? ABCU_FLAG_ALPHA : 0);
    return pass;
}

/* Whether a result has that many components. */
static bool has_components(const struct work *work, int components)
{
    for (int i = 0; i < work->result_count; i++)
        if (work->results[i].components == components)
            return true;
    return false;
}

/* The passes that store results of one and of two components, as far as the work has them. */
static void set_writers(const struct work *work, const struct cuda_pass *pass, struct cuda_pass writers[2])
{
    for (int i = 0; i < 2; i++) {
        writers[i] = *pass;
        writers[i].used = has_components(work, i + 1);
    }
    writers[1].constants.values[ABCU_ID_FLAGS] |= ABCU_FLAG_MAGNITUDE;
}

static void plan_fourier(const struct work *work, const struct cuda_geometry *g, bool real,
                         const struct cuda_pictures *pictures, struct cuda_passes *passes)
{
    passes->rows = fourier_pass(work, g, ABCU_KERNEL_rows);
    passes->rows.constants.values[ABCU_ID_FLAGS] |= pixel_flags(work) | load_flags(work, pictures);
    passes->columns = columns_pass(work, g, real);
    struct cuda_pass back = fourier_pass(work, g, ABCU_KERNEL_rows_back);
    back.constants.values[ABCU_ID_FLAGS] |= pixel_flags(work) | store_flags(g, pictures);
    set_writers(work, &back, passes->rows_back);
}

static int tap_flags(double taps)
{
    return taps > ABCU_PART ? ABCU_FLAG_MANY_TAPS : 0;
}

static void plan_direct(const struct work *work, const struct cuda_geometry *g,
                        const struct cuda_pictures *pictures, struct cuda_passes *passes)
{
    double taps = (1.0 + work->left + work->right) * (1.0 + work->above + work->below);
    struct cuda_pass pass = start_pass(work, g, ABCU_KERNEL_direct);
    pass.constants.values[ABCU_ID_FLAGS] = pixel_flags(work) | load_flags(work, pictures) |
                                           store_flags(g, pictures) | tap_flags(taps);
    end_pass(&pass, ABCU_DIRECT_THREADS, 0);
    set_writers(work, &pass, passes->direct);
}

static void plan_separable(const struct work *work, const struct cuda_geometry *g,
                           const struct cuda_pictures *pictures, struct cuda_passes *passes)
{
    passes->separable_rows = start_pass(work, g, ABCU_KERNEL_separable_rows);
    passes->separable_rows.constants.values[ABCU_ID_FLAGS] = pixel_flags(work) | load_flags(work, pictures);
    end_pass(&passes->separable_rows, ABCU_ROW, ABCU_ROWS_BYTES);
    struct cuda_pass pass = start_pass(work, g, ABCU_KERNEL_separable_columns);
    pass.constants.values[ABCU_ID_FLAGS] = pixel_flags(work) | store_flags(g, pictures) |
                                           tap_flags(1.0 + work->above + work->below);
    end_pass(&pass, ABCU_COLUMNS_THREADS, ABCU_COLUMNS_BYTES);
    set_writers(work, &pass, passes->separable_columns);
}

void cuda_plan_passes(const struct cuda *cuda, const struct work *work, const struct cuda_geometry *geometry,
                      bool real, const struct cuda_pictures *pictures, struct cuda_passes *passes)
{
    (void)cuda;
    *passes = (struct cuda_passes){ 0 };
    if (geometry->fourier)
        plan_fourier(work, geometry, real, pictures, passes);
    else if (work->method == ABBE_METHOD_DIRECT)
        plan_direct(work, geometry, pictures, passes);
    else
        plan_separable(work, geometry, pictures, passes);
    if (!geometry->wide)
        return;
    passes->finish = start_pass(work, geometry, ABCU_KERNEL_finish);
    passes->finish.constants.values[ABCU_ID_FLAGS] = pixel_flags(work) |
                                                     (geometry->interior ? ABCU_FLAG_INTERIOR : 0) |
                                                     (geometry->even ? ABCU_FLAG_EVEN : 0);
    end_pass(&passes->finish, ABCU_FINISH_THREADS, 0);
}

/* ---- Parameters and blocks ---------------------------------------------------------------------------- */

static unsigned blocks_for(int count, int size)
{
    return (unsigned)((count + size - 1) / size);
}

void cuda_set_fourier(const struct work *work, const struct cuda_geometry *g, int tiles_across,
                      struct abcu_params *params)
{
    params->step_x = work->x.step;
    params->step_y = work->y.step;
    params->across = tiles_across;
    params->columns = work->x.length;
    params->rows = g->rows_stored;
    params->column_tiles = g->column_tiles;
    params->groups = g->groups;
    params->tile_stride = (long long)g->grid;
    params->group_stride = (long long)(g->grid / g->groups);
    params->back_stride = (long long)(g->grid * g->batch);
    params->outside_sum = g->half ? sqrtf((float)work->x.length) : (float)work->x.length;
}

static void set_blocks(unsigned x, unsigned y, unsigned z, unsigned blocks[3])
{
    blocks[0] = x;
    blocks[1] = y;
    blocks[2] = z;
}

static unsigned row_blocks(const struct cuda_geometry *g, int rows, int lanes)
{
    return blocks_for(g->single ? (rows + 1) / 2 : rows, lanes);
}

void cuda_blocks_rows(const struct work *work, const struct cuda_geometry *g, int tiles, unsigned blocks[3])
{
    (void)work;
    set_blocks(row_blocks(g, g->rows_stored, g->rows.lanes), (unsigned)g->groups, (unsigned)tiles, blocks);
}

void cuda_blocks_rows_back(const struct work *work, const struct cuda_geometry *g, int tiles,
                           unsigned blocks[3])
{
    set_blocks(row_blocks(g, work->y.step, g->rows_back.lanes), (unsigned)g->groups, (unsigned)tiles, blocks);
}

void cuda_blocks_columns(const struct cuda_geometry *g, int tiles, int resident, unsigned blocks[3])
{
    unsigned x = blocks_for(g->column_tiles, g->columns.lanes), others = (unsigned)(g->groups * tiles);
    if (g->persistent && x * others > (unsigned)resident) {
        unsigned room = (unsigned)resident / others;
        x = room < 1 ? 1 : room < x ? room : x;
    }
    set_blocks(x, (unsigned)g->groups, (unsigned)tiles, blocks);
}

void cuda_blocks_squares(const struct cuda_geometry *g, int width, int height, unsigned blocks[3])
{
    set_blocks(blocks_for(width, ABCU_SQUARE), blocks_for(height, ABCU_SQUARE), (unsigned)g->groups, blocks);
}

void cuda_blocks_separable_rows(const struct cuda_geometry *g, int width, int window, int terms,
                                unsigned blocks[3])
{
    set_blocks(blocks_for(width, ABCU_ROW), (unsigned)window, (unsigned)(g->groups * terms), blocks);
}

void cuda_blocks_finish(int width, int height, unsigned blocks[3])
{
    set_blocks(blocks_for(width, ABCU_FINISH_THREADS), (unsigned)height, 1, blocks);
}
