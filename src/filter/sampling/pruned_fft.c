/* Spectra of lines that are short beside the grid, several side by side, in double precision. */
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
    int parts, points;   /* length = parts · points */
    struct fft_f64 *fft; /* of `points` */
    double *turns;       /* W^(jb) of sample i, j = first + i: { re, im } at 2 · (b · support + i) */
};

/* i modulo n, not negative. */
static int modulo(long long i, int n)
{
    int rest = (int)(i % n);
    return rest < 0 ? rest + n : rest;
}

/* Operations on one line, and some for the call of a transform, which is shared by all lanes. */
static double price(const struct pruned_fft *lines, int points)
{
    enum { TURN = 6, CALL = 64 };
    return (double)lines->length / points * (fft_flops(points) + TURN * (double)lines->support + CALL);
}

static int cheapest_points(const struct pruned_fft *lines)
{
    int length = lines->length, best = length;
    for (int i = 1; i <= length / i; i++)
        for (int divisor = i, other = 0; other < 2 && length % i == 0; other++, divisor = length / i)
            if (divisor >= lines->support && price(lines, divisor) < price(lines, best))
                best = divisor;
    return best;
}

static int fill(struct pruned_fft *lines, enum core_level level)
{
    int length = lines->length, error = fft_f64_create_at(level, lines->points, &lines->fft);
    if (error)
        return error;
    double *roots = fft_roots(length);
    lines->turns = core_alloc((size_t)lines->parts * (size_t)lines->support, 2 * sizeof *lines->turns);
    double *next = lines->turns;
    for (int b = 0; roots && next && b < lines->parts; b++)
        for (int i = 0; i < lines->support; i++, next += 2)
            memcpy(next, roots + 2 * (size_t)modulo((long long)(lines->first + i) * b, length),
                   2 * sizeof *next);
    error = roots && next ? ABBE_OK : ABBE_ERR_MEMORY;
    core_free(roots);
    return error;
}

int pruned_fft_create(const struct pruned_fft_axis *axis, struct pruned_fft **lines)
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
    int error = fill(made, axis->level);
    if (error)
        pruned_fft_destroy(&made);
    else
        *lines = made;
    return error;
}

void pruned_fft_destroy(struct pruned_fft **lines)
{
    if (!lines || !*lines)
        return;
    core_free((*lines)->turns);
    fft_f64_destroy(&(*lines)->fft);
    core_free(*lines);
    *lines = NULL;
}

static size_t block_size(const struct pruned_fft *lines)
{
    return (size_t)lines->points * 2 * lines->lanes;
}

size_t pruned_fft_scratch(const struct pruned_fft *lines)
{
    return block_size(lines) + fft_f64_scratch(lines->fft, lines->lanes);
}

/* As if the transform had all points: roots and order; the chirps of Bluestein's algorithm, with what makes them. */
double pruned_fft_bytes(int length, int lanes, int threads)
{
    double padded = fft_padded_size(length), complex = 2 * sizeof(double);
    double tables = complex * (3.0 * length + 5 * padded) + sizeof(int) * (length + 2 * padded);
    return tables + threads * lanes * complex * (length + padded);
}

/* Inlined with a constant number of lanes where that is usual, so that a row is a few vectors. */
static inline void turn_row(const double *from, const double w[2], size_t lanes, double *restrict to)
{
    for (size_t l = 0; l < lanes; l++) {
        double re = from[l], im = from[lanes + l];
        to[l] = re * w[0] - im * w[1];
        to[lanes + l] = re * w[1] + im * w[0];
    }
}

/* Lays the samples on the cyclic axis of the short transform, turned for part b. */
static void lay_turned(const struct pruned_fft *lines, const double *samples, int b, double *block)
{
    const double *turns = lines->turns + 2 * (size_t)b * (size_t)lines->support;
    size_t lanes = lines->lanes;
    int at = modulo(lines->first, lines->points);
    for (int i = 0; i < lines->points; i++, at = at + 1 < lines->points ? at + 1 : 0) {
        double *row = block + (size_t)at * 2 * lanes;
        const double *from = samples + (size_t)i * 2 * lanes;
        if (i >= lines->support)
            memset(row, 0, 2 * lanes * sizeof *row);
        else if (lanes == PRUNED_FFT_LANES)
            turn_row(from, turns + 2 * i, PRUNED_FFT_LANES, row);
        else
            turn_row(from, turns + 2 * i, lanes, row);
    }
}

/* Inlined as turn_row is. */
static inline void copy_row(const double *from, size_t lanes, double *restrict to)
{
    for (size_t l = 0; l < 2 * lanes; l++)
        to[l] = from[l];
}

void pruned_fft_transform(const struct pruned_fft *lines, const double *samples, double *spectrum,
                          double *scratch)
{
    const int *order = fft_f64_order(lines->fft);
    size_t lanes = lines->lanes, parts = (size_t)lines->parts;
    double *beyond = scratch + block_size(lines);
    for (size_t b = 0; b < parts; b++) {
        lay_turned(lines, samples, (int)b, scratch);
        fft_f64_forward(lines->fft, scratch, lanes, beyond);
        for (size_t p = 0; p < (size_t)lines->points; p++) {
            const double *from = scratch + p * 2 * lanes;
            double *to = spectrum + (parts * (size_t)order[p] + b) * 2 * lanes;
            if (lanes == PRUNED_FFT_LANES)
                copy_row(from, PRUNED_FFT_LANES, to);
            else
                copy_row(from, lanes, to);
        }
    }
}
