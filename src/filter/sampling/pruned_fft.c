/* Pruned FFT: spectra of lines with few samples on a long axis, several lines side by side, in double
 * precision. */
#include "filter/sampling/pruned_fft.h"

#include "core/memory.h"
#include "fft/fft.h"
#include "fft/size.h"
#include "fft/twiddle.h"

#include <abbe/abbe.h>

#include <assert.h>
#include <string.h>

struct pruned_fft {
    int length, first, support;
    size_t lanes;
    int parts, points;    /* length = parts · points */
    struct fft_f64 *part; /* the transform of one part */
    double *turns;        /* W^(jb) of sample i, j = first + i: { re, im } at 2 · (b · support + i) */
};

/* i modulo n, never negative. */
static int cyclic_index(long long i, int n)
{
    int rest = (int)(i % n);
    return rest < 0 ? rest + n : rest;
}

/* Operations on one line when parts have `points` points, plus a share of the call of a transform. */
static double count_operations(const struct pruned_fft *fft, int points)
{
    enum { TURN = 6, CALL = 64 };
    return (double)fft->length / points * (fft_flops(points) + TURN * (double)fft->support + CALL);
}

static int cheapest_points(const struct pruned_fft *fft)
{
    int length = fft->length, best = length;
    for (int i = 1; i <= length / i; i++)
        for (int divisor = i, other = 0; other < 2 && length % i == 0; other++, divisor = length / i)
            if (divisor >= fft->support && count_operations(fft, divisor) < count_operations(fft, best))
                best = divisor;
    return best;
}

/* Makes the transform of a part, and the factors W^(jb). */
static int fill_tables(struct pruned_fft *fft, enum core_level level)
{
    int length = fft->length, error = fft_f64_create_at(level, fft->points, &fft->part);
    if (error)
        return error;
    double *roots = fft_roots(length);
    fft->turns = core_alloc((size_t)fft->parts * (size_t)fft->support, 2 * sizeof *fft->turns);
    double *next = fft->turns;
    for (int b = 0; roots && next && b < fft->parts; b++)
        for (int i = 0; i < fft->support; i++, next += 2)
            memcpy(next, roots + 2 * (size_t)cyclic_index((long long)(fft->first + i) * b, length),
                   2 * sizeof *next);
    error = roots && next ? ABBE_OK : ABBE_ERR_MEMORY;
    core_free(roots);
    return error;
}

int pruned_fft_create(const struct pruned_fft_axis *axis, struct pruned_fft **fft)
{
    assert(axis->support >= 1 && axis->support <= axis->length);
    assert(axis->lanes >= 1 && axis->lanes <= PRUNED_FFT_LANES);
    struct pruned_fft *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return ABBE_ERR_MEMORY;
    *made = (struct pruned_fft){
        .length = axis->length, .first = axis->first, .support = axis->support, .lanes = (size_t)axis->lanes
    };
    made->points = cheapest_points(made);
    made->parts = axis->length / made->points;
    int error = fill_tables(made, axis->level);
    if (error)
        pruned_fft_destroy(&made);
    else
        *fft = made;
    return error;
}

void pruned_fft_destroy(struct pruned_fft **fft)
{
    if (!fft || !*fft)
        return;
    core_free((*fft)->turns);
    fft_f64_destroy(&(*fft)->part);
    core_free(*fft);
    *fft = NULL;
}

static size_t part_doubles(const struct pruned_fft *fft)
{
    return (size_t)fft->points * 2 * fft->lanes;
}

size_t pruned_fft_scratch(const struct pruned_fft *fft)
{
    return part_doubles(fft) + fft_f64_scratch(fft->part, fft->lanes);
}

/* Assumes one part of all points: roots, order, and the chirps of Bluestein's algorithm with the tables that
 * make them. */
double pruned_fft_bytes(int length, int lanes, int threads)
{
    double padded = fft_padded_size(length), complex = 2 * sizeof(double);
    double tables = complex * (3.0 * length + 5 * padded) + sizeof(int) * (length + 2 * padded);
    return tables + threads * lanes * complex * (length + padded);
}

/* Inlined with a constant number of lanes in the usual case, where a row is then a few vectors. */
static inline void turn_row(const double *from, const double w[2], size_t lanes, double *restrict to)
{
    for (size_t l = 0; l < lanes; l++) {
        double re = from[l], im = from[lanes + l];
        to[l] = re * w[0] - im * w[1];
        to[lanes + l] = re * w[1] + im * w[0];
    }
}

/* Places the samples on the cyclic axis of the short transform, multiplied by W^(jb) for part b. */
static void place_turned(const struct pruned_fft *fft, const double *samples, int b, double *block)
{
    const double *turns = fft->turns + 2 * (size_t)b * (size_t)fft->support;
    size_t lanes = fft->lanes;
    int at = cyclic_index(fft->first, fft->points);
    for (int i = 0; i < fft->points; i++, at = at + 1 < fft->points ? at + 1 : 0) {
        double *row = block + (size_t)at * 2 * lanes;
        const double *from = samples + (size_t)i * 2 * lanes;
        if (i >= fft->support)
            memset(row, 0, 2 * lanes * sizeof *row);
        else if (lanes == PRUNED_FFT_LANES)
            turn_row(from, turns + 2 * i, PRUNED_FFT_LANES, row);
        else
            turn_row(from, turns + 2 * i, lanes, row);
    }
}

/* Inlined like turn_row. */
static inline void copy_lanes(const double *from, size_t lanes, double *restrict to)
{
    for (size_t l = 0; l < 2 * lanes; l++)
        to[l] = from[l];
}

void pruned_fft_transform(const struct pruned_fft *fft, const double *samples, double *spectrum,
                          double *scratch)
{
    const int *order = fft_f64_order(fft->part);
    size_t lanes = fft->lanes, parts = (size_t)fft->parts;
    double *rest = scratch + part_doubles(fft);
    for (size_t b = 0; b < parts; b++) {
        place_turned(fft, samples, (int)b, scratch);
        fft_f64_forward(fft->part, scratch, lanes, rest);
        for (size_t p = 0; p < (size_t)fft->points; p++) {
            const double *from = scratch + p * 2 * lanes;
            double *to = spectrum + (parts * (size_t)order[p] + b) * 2 * lanes;
            if (lanes == PRUNED_FFT_LANES)
                copy_lanes(from, PRUNED_FFT_LANES, to);
            else
                copy_lanes(from, lanes, to);
        }
    }
}
