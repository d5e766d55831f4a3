/* Counts the units of each charge in a run. Counts do not depend on the machine; prices do. */
#include "cpu/count_units.h"

#include "core/threads.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"
#include "fft/size.h"
#include "filter/sampling/sampler.h"

#include <math.h>

/* Data in repeated use stay in a cache of about this size; the rest comes from memory. */
static const double CACHE_BYTES = 8 << 20;

double cpu_uncached_share(double bytes)
{
    return bytes > CACHE_BYTES ? 1 - CACHE_BYTES / bytes : 0;
}

double cpu_picture_bytes(const struct count *count)
{
    const struct work *work = count->work;
    return count->samples * ((double)abbe_type_size(work->source_type) +
                             work->result_count * (double)abbe_type_size(work->result_type));
}

void cpu_count_samples(const struct count *count, double loads, double stores, bool mixed)
{
    const struct work *work = count->work;
    count->units[CHARGE_SAMPLE_U8 + (int)work->source_type - ABBE_U8] += loads;
    count->units[CHARGE_SAMPLE_U8 + (int)work->result_type - ABBE_U8] += stores;
    count->units[CHARGE_MIXED_SAMPLE] += mixed ? loads + stores : 0;
    count->units[CHARGE_LIGHT_SAMPLE] += work->linear_light ? loads + stores : 0;
}

void cpu_count_check(const struct count *count)
{
    abbe_type type = count->work->source_type;
    if ((type != ABBE_F16 && type != ABBE_F32) || count->work->nonfinite != ABBE_NONFINITE_ERROR)
        return;
    count->units[CHARGE_LOOK_SAMPLE] += count->samples;
    count->units[CHARGE_SAMPLE_F16] += type == ABBE_F16 ? count->samples : 0;
}

void cpu_count_threads(const struct count *count, double share, double forks)
{
    for (int i = 0; i < CPU_CHARGES; i++)
        count->units[i] *= share;
    if (count->threads > 1)
        count->units[CHARGE_FORK] += forks;
}

/* ---- In the Fourier plane ----------------------------------------------------------------------------- */

/* The grid of a window, and totals over all windows. */
struct grid {
    const struct fused_kernels *kernels; /* NULL: the plain engine */
    double M, N;
    double columns;          /* with those that only fill vectors */
    double windows, at_once; /* all of them, and those that run at the same time */
    double filters;
    double odds;              /* filters with an odd part, which takes passes of its own */
    double rows_in, rows_out; /* rows that are transformed forward, and back */
    double edges;             /* pixels of the border beside the rows_in */
};

/* Samples of all windows along an axis that lie inside the picture. */
static double samples_on(const struct axis *axis, double windows)
{
    double last = (windows - 1) * axis->step - axis->before; /* the last window's first sample */
    double all = windows * axis->length - fmin(axis->before, axis->length) -
                 fmax(last + axis->length - axis->pixels, 0);
    return fmin(fmax(all, 1), windows * fmin(axis->length, axis->pixels));
}

static double count_columns(const struct work *work, const struct fused_kernels *kernels)
{
    if (!kernels)
        return (double)work->x.length * work->channels / 2;
    return kernels->columns->lanes * fused_all_blocks(kernels, work->x.length, work->channels, work->x.even);
}

static double count_odd_parts(const struct work *work)
{
    double odds = 0;
    for (int i = 0; i < work->filter_count && work->x.even; i++)
        odds += !work->filters[i].even;
    return odds;
}

/* Every row of the picture is transformed once, even if the border repeats it. */
static struct grid count_grid(const struct count *count)
{
    const struct work *work = count->work;
    double across = ceil((double)work->width / work->x.step);
    double down = ceil((double)work->height / work->y.step);
    double rows = samples_on(&work->y, down);
    struct grid grid = { .M = work->x.length,
                         .N = work->y.length,
                         .windows = across * down,
                         .filters = work->filter_count,
                         .rows_in = across * rows,
                         .edges = rows * (across * work->x.length - samples_on(&work->x, across)),
                         .odds = count_odd_parts(work) };
    grid.rows_out = across * work->height * (grid.filters + grid.odds);
    if (!cpu_is_double(work))
        grid.kernels = fused_choose(count->level, work->x.length, work->y.length, work->channels);
    grid.columns = count_columns(work, grid.kernels);
    grid.at_once = fmin(grid.windows, count->threads);
    return grid;
}

/* Even transforms also combine opposite frequencies, and fold rows. */
static double count_even(const struct axis *axis, double each)
{
    return axis->even ? each * axis->length : 0;
}

static void count_transforms(const struct count *count, const struct grid *grid)
{
    enum { EVEN_ROW = 10, EVEN_COLUMN = 8 };
    bool plain = !grid->kernels;
    int M = count->work->x.length, N = count->work->y.length, channels = count->work->channels;
    double rows = (grid->rows_in + grid->rows_out) * channels / 2;
    double columns = grid->windows * grid->columns * (1 + grid->filters + grid->odds);
    double cost = plain ? 1 : fused_relative_cost(grid->kernels, count->level, M, N, channels);
    count->units[plain ? CHARGE_PLAIN_FLOP : CHARGE_ROW_FLOP] +=
        cost * rows *
        ((plain ? fft_flops(M) : fused_instructions(M)) + count_even(&count->work->x, EVEN_ROW));
    count->units[plain ? CHARGE_PLAIN_FLOP : CHARGE_COLUMN_FLOP] +=
        cost * columns *
        ((plain ? fft_flops(N) : fused_instructions(N)) + count_even(&count->work->y, EVEN_COLUMN));
}

/* Gains that are sampled while columns are filtered, for each plane anew. They are written to the second cache, for
 * half the price of memory. */
static void count_gains(const struct count *count)
{
    const struct work *work = count->work;
    int planes = (work->channels + 1) / 2;
    for (int i = 0; i < work->filter_count; i++) {
        double units = sampler_units(&work->filters[i].response, 2 * work->x.length, 2 * work->y.length);
        double written = 0.5 * work->x.length * work->y.length;
        count->units[CHARGE_SPECTRUM] += planes * (work->filters[i].even ? 1 : 2) * (units + written);
    }
}

/* Complex samples of all spectra per sample of the grid, if they come from memory; a real sample counts half. */
static double spectrum_samples(const struct work *work, const struct grid *grid)
{
    double sum = 0;
    if (grid->kernels && fused_samples_on_demand(work))
        return 0;
    for (int i = 0; i < work->filter_count; i++)
        sum += work->filters[i].real ? 0.5 : 1;
    return sum;
}

/* Threads that share a grid read half of it from each other's caches in every pass. */
static double sharing_factor(const struct count *count, const struct grid *grid)
{
    return grid->windows > 1 || count->threads == 1 ? 1 : 1.5;
}

/* Counts samples of the grid that are moved: rows write and read them, columns do both and read spectra.
 * Planes share spectra. The grid of a tile is used again at once; the grid of a whole picture only after the
 * rest of it and of the picture. Memory delivers the short rows of tiles at half the rate of whole rows. */
static void count_moves(const struct count *count, const struct grid *grid)
{
    enum { COMPLEX = 2 * sizeof(float) };
    double passes = (grid->filters > 1 || grid->odds > 0 ? 2 + 2 * grid->filters + 4 * grid->odds : 2) +
                    spectrum_samples(count->work, grid);
    double moved = grid->columns * (grid->rows_in + grid->rows_out + passes * grid->windows * grid->N);
    double planes = (count->work->channels + 1) / 2, copies = 1 + (grid->filters > 1) + (grid->odds > 0);
    double once = copies * grid->at_once + spectrum_samples(count->work, grid) / planes;
    double bytes = once * grid->columns * grid->N * COMPLEX, pictures = cpu_picture_bytes(count);
    count->units[grid->kernels ? CHARGE_GRID_SAMPLE : CHARGE_PLAIN_SAMPLE] += moved *
                                                                              sharing_factor(count, grid);
    bool tiles = grid->windows > 1;
    count->units[CHARGE_FAR_BYTE] += cpu_uncached_share(bytes + pictures) * pictures * (tiles ? 2 : 1) +
                                     cpu_uncached_share(tiles ? bytes : bytes + pictures) * moved * COMPLEX;
}

/* Kernels load and store pixels of one float or four bytes directly, other pixels sample by sample. */
static bool loads_by_sample(const struct work *work)
{
    bool float_1 = work->channels == 1 && work->source_type == ABBE_F32 && work->result_type == ABBE_F32;
    bool byte_4 = work->channels == 4 && work->source_type == ABBE_U8 && work->result_type == ABBE_U8;
    return !float_1 && !byte_4;
}

static void count_grid_units(const struct count *count)
{
    const struct work *work = count->work;
    const struct grid grid = count_grid(count);
    bool straight = grid.kernels && fused_goes_straight(work), tiles = grid.windows > 1;
    count_transforms(count, &grid);
    count_moves(count, &grid);
    if (grid.kernels && fused_samples_on_demand(work))
        count_gains(count);
    cpu_count_samples(count, grid.rows_in * grid.M * work->channels, count->samples * work->result_count,
                      grid.kernels && (loads_by_sample(work) || !straight));
    count->units[CHARGE_GATHER] += grid.kernels ? grid.edges : 0;
    count->units[CHARGE_WINDOW] += grid.windows;
    count->units[CHARGE_WINDOW_LINE] += grid.windows * (grid.M + grid.N);
    if (!straight || work->method == ABBE_METHOD_TILES)
        cpu_count_check(count);
    cpu_count_threads(count, tiles ? ceil(grid.windows / grid.at_once) / grid.windows : 1.0 / count->threads,
                      tiles ? 1 : 1 + 2 * grid.filters);
}

/* Plain code in double, by the prices of float: the engines of the Fourier plane share CHARGE_PLAIN_FLOP,
 * while the taps of most levels have the price of vector kernels. Measured on 512² and 2048² pixels at every
 * level. */
static double double_factor(const struct count *count, bool fourier)
{
    return fourier || !cpu_levels[count->level].space ? 2 : 6;
}

void cpu_count_units(const abbe_device *device, const struct work *work, int threads, double *units)
{
    double samples = (double)work->width * work->height * work->channels;
    const struct count count = { .work = work,
                                 .level = ((const struct cpu *)device)->level,
                                 .threads = core_workers(threads, samples),
                                 .units = units,
                                 .samples = samples,
                                 .across = (double)work->left + work->right,
                                 .down = (double)work->above + work->below };
    bool fourier = work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
    if (fourier)
        count_grid_units(&count);
    else if (cpu_levels[count.level].space && !cpu_is_double(work))
        cpu_count_space(&count);
    else
        cpu_count_plain_space(&count);
    for (int i = 0; i < CPU_CHARGES && cpu_is_double(work); i++)
        units[i] *= double_factor(&count, fourier);
    units[CHARGE_RUN] += 1;
}
