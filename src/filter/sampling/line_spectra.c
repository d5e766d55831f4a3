/* Spectra of many real lines of taps on a cyclic axis. */
#include "filter/sampling/line_spectra.h"

#include "core/memory.h"
#include "core/pool.h"
#include "core/threads.h"
#include "filter/sampling/pruned_fft.h"

#include <abbe/abbe.h>

#include <string.h>

/* Lanes of the transform. Related lines share a lane: one is in the real parts, another in the imaginary
 * parts. */
static size_t line_lanes(const struct real_lines *set)
{
    size_t lanes = set->related ? (set->kept + 1) / 2 : set->kept;
    return lanes < PRUNED_FFT_LANES ? lanes : PRUNED_FFT_LANES;
}

/* The number of lines in one transform. */
static size_t lines_at_once(const struct real_lines *set)
{
    return set->related ? 2 * line_lanes(set) : line_lanes(set);
}

/* The taps of a line that remain after folding. */
static int line_support(const struct real_lines *set)
{
    return set->taps < set->length ? set->taps : set->length;
}

/* Copies lines from `first` on, folded, into the rows of the transform. */
static void gather_real_lines(const struct real_lines *set, size_t first, double *samples)
{
    size_t end = first + lines_at_once(set), support = (size_t)line_support(set), taps = (size_t)set->taps;
    size_t row = 2 * line_lanes(set);
    memset(samples, 0, support * row * sizeof *samples);
    for (size_t line = first; line < end && line < set->kept; line++)
        for (size_t j = line; j < set->count; j += set->kept)
            for (size_t i = 0; i < taps; i++)
                samples[i % support * row + line - first] += set->values[j * taps + i];
}

/* Untangles Z = F(a + jb): F(a) = ½ (Z(k) + Z*(−k)) or F(b) = ½j (Z*(−k) − Z(k)), exactly Hermitian. */
static void untangle_line(const double *here, const double *opposite, size_t lanes, size_t l, double part[2])
{
    part[0] = 0.5 * (here[l] + opposite[l]);
    if (l < lanes)
        part[1] = 0.5 * (here[l + lanes] - opposite[l + lanes]);
    else
        part[1] = 0.5 * (opposite[l - lanes] - here[l - lanes]);
}

static void store_line(const struct real_lines *set, const double *spectrum, size_t l, double *re, double *im,
                       bool whole)
{
    size_t length = (size_t)set->length, lanes = line_lanes(set), row = 2 * lanes;
    for (size_t k = 0; k <= length / 2; k++) {
        size_t opposite = k ? length - k : 0;
        double part[2];
        untangle_line(spectrum + k * row, spectrum + opposite * row, lanes, l, part);
        if (whole) {
            re[opposite] = part[0];
            im[opposite] = -part[1];
        }
        re[k] = part[0];
        im[k] = part[1];
    }
}

/* Writes the spectra of the lines from `first` on, which one transform gave. */
static void store_lines(const struct real_lines *set, const double *spectrum, size_t first,
                        const struct line_spectra *to)
{
    size_t end = first + lines_at_once(set);
    size_t filled = (size_t)(to->whole ? set->length : set->length / 2 + 1), rest = to->pitch - filled;
    for (size_t line = first; line < end && line < set->kept; line++) {
        double *re = to->spectra + line * 2 * to->pitch, *im = re + to->pitch;
        store_line(set, spectrum, line - first, re, im, to->whole);
        memset(re + filled, 0, rest * sizeof *re);
        memset(im + filled, 0, rest * sizeof *im);
    }
}

static size_t count_line_transforms(const struct real_lines *set)
{
    return (set->kept + lines_at_once(set) - 1) / lines_at_once(set);
}

static int count_line_workers(const struct real_lines *set, int threads)
{
    size_t groups = count_line_transforms(set);
    int workers = core_workers(threads, (double)set->kept * set->length / PRUNED_FFT_LIGHT);
    return groups < (size_t)workers ? (int)groups : workers;
}

double line_spectra_bytes(const struct real_lines *set, int threads)
{
    int workers = count_line_workers(set, threads), lanes = (int)line_lanes(set);
    double rows = (double)line_support(set) + set->length;
    return pruned_fft_bytes(set->length, lanes, workers) + workers * rows * 2 * lanes * sizeof(double);
}

/* One pass over the lines of a set. */
struct lines_pass {
    const struct real_lines *set;
    const struct line_spectra *to;
    const struct pruned_fft *fft;
    double *memory;
    size_t each;              /* doubles of a worker's memory */
    size_t samples, spectrum; /* doubles of its first two parts; scratch of the transform follows */
};

/* A pool_task over transforms, each of lines_at_once lines. */
static void transform_lines(void *context, int worker, long long first, long long end)
{
    const struct lines_pass *pass = context;
    double *samples = pass->memory + (size_t)worker * pass->each, *spectrum = samples + pass->samples;
    for (long long i = first; i < end; i++) {
        size_t line = (size_t)i * lines_at_once(pass->set);
        gather_real_lines(pass->set, line, samples);
        pruned_fft_transform(pass->fft, samples, spectrum, spectrum + pass->spectrum);
        store_lines(pass->set, spectrum, line, pass->to);
    }
}

int line_spectra_fill(const struct real_lines *set, int threads, const struct line_spectra *to)
{
    struct pruned_fft *fft = NULL;
    int support = line_support(set), lanes = (int)line_lanes(set), workers = count_line_workers(set, threads);
    int error = pruned_fft_create(
        &(struct pruned_fft_axis){ set->length, -set->centre, support, lanes, set->level }, &fft);
    if (error)
        return error;
    size_t row = 2 * line_lanes(set), samples = (size_t)support * row, spectrum = (size_t)set->length * row;
    size_t each = samples + spectrum + pruned_fft_scratch(fft);
    double *memory = core_alloc((size_t)workers * each, sizeof *memory);
    struct lines_pass pass = { set, to, fft, memory, each, samples, spectrum };
    long long transforms = memory ? (long long)count_line_transforms(set) : 0;
    pool_loop(workers, transforms, pool_share(workers, transforms), transform_lines, &pass);
    pruned_fft_destroy(&fft);
    core_free(memory);
    return memory ? ABBE_OK : ABBE_ERR_MEMORY;
}
