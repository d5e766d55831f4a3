/* Reduces filters: taps are gathered on a coarser grid, and a transfer function is sampled at lower frequencies. */
#include "reduce.h"

#include <math.h>
#include <stdlib.h>

/* A gain of a larger kernel takes too long, because it is a sum over all taps. */
enum { TAPS_MOST = 64 };

/* ---- Taps ---------------------------------------------------------------------------------------------- */

/* Adds a tap to the four coarse taps around its place, so that its place is kept. */
static void gather_tap(abbe_matrix *to, double x, double y, double tap)
{
    int column = (int)floor(x), row = (int)floor(y);
    double right = x - column, down = y - row;
    double *at = to->values + (size_t)row * (size_t)to->width + (size_t)column;
    at[0] += tap * (1 - right) * (1 - down);
    at[1] += tap * right * (1 - down);
    at[to->width] += tap * (1 - right) * down;
    at[to->width + 1] += tap * right * down;
}

/* Coarse taps before the centre, or after it. */
static int coarse_side(int taps, double step)
{
    return (int)ceil(taps / step) + 1;
}

static int gather_taps(const abbe_matrix *taps, const abbe_filter_info *info, const struct excerpt *excerpt,
                       abbe_filter **reduced)
{
    int left = coarse_side(info->centre_x, excerpt->step_x);
    int up = coarse_side(info->centre_y, excerpt->step_y);
    int right = coarse_side(taps->width - 1 - info->centre_x, excerpt->step_x);
    int down = coarse_side(taps->height - 1 - info->centre_y, excerpt->step_y);
    abbe_matrix coarse;
    int error = abbe_matrix_create(left + right + 1, up + down + 1, &coarse);
    if (error)
        return error;
    for (int y = 0; y < taps->height; y++)
        for (int x = 0; x < taps->width; x++)
            gather_tap(&coarse, left + (x - info->centre_x) / excerpt->step_x,
                       up + (y - info->centre_y) / excerpt->step_y,
                       taps->values[(size_t)y * (size_t)taps->width + (size_t)x]);
    const int centre[2] = { left, up };
    abbe_kernel_params params = { .taps = &coarse, .centre = centre };
    error = abbe_filter_from_kernel(&params, reduced);
    abbe_matrix_free(&coarse);
    return error;
}

static int reduce_taps(const abbe_filter *full, int component, const struct excerpt *excerpt,
                       abbe_filter **reduced)
{
    abbe_matrix taps;
    int error = abbe_filter_taps(full, component, &taps);
    if (error)
        return error;
    error = gather_taps(&taps, abbe_filter_describe(full), excerpt, reduced);
    abbe_matrix_free(&taps);
    return error;
}

/* ---- Gains --------------------------------------------------------------------------------------------- */

/* Cycles per pixel of index i of n frequencies in the order of a transform. */
static double frequency_of(int i, int n)
{
    return (double)(2 * i < n ? i : i - n) / n;
}

/* Half of the frequencies suffice: the others have conjugate gains. */
static int sample_gains(const abbe_filter *full, int component, const struct excerpt *excerpt,
                        abbe_filter **reduced)
{
    int width = excerpt->width, height = excerpt->height;
    double *gains = malloc((size_t)width * (size_t)height * 2 * sizeof *gains);
    int error = gains ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int v = 0; v <= height / 2 && !error; v++)
        for (int u = 0; u < width && !error; u++) {
            size_t at = (size_t)v * (size_t)width + (size_t)u;
            size_t opposite = (size_t)((height - v) % height) * (size_t)width + (size_t)((width - u) % width);
            error = abbe_filter_gain(full, component, frequency_of(u, width) / excerpt->step_x,
                                     frequency_of(v, height) / excerpt->step_y, &gains[2 * at]);
            if (opposite == at || (2 * v == height && opposite < at))
                continue;
            gains[2 * opposite] = gains[2 * at];
            gains[2 * opposite + 1] = -gains[2 * at + 1];
        }
    if (!error)
        error = abbe_filter_from_gains(width, height, gains, reduced);
    free(gains);
    return error;
}

int reduce_filter(const abbe_filter *full, int component, const struct excerpt *excerpt,
                  abbe_filter **reduced)
{
    const abbe_filter_info *info = abbe_filter_describe(full);
    if (info->in_frequency && (long long)info->width * info->height > TAPS_MOST)
        return ABBE_ERR_UNSUPPORTED;
    return info->in_frequency ? sample_gains(full, component, excerpt, reduced)
                              : reduce_taps(full, component, excerpt, reduced);
}
