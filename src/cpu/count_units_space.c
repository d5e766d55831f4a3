/* Counts the units of convolution in space. */
#include "cpu/count_units.h"

#include "cpu/levels.h"
#include "cpu/plain/plain.h"
#include "cpu/space/space.h"

#include <math.h>

static bool is_direct(const struct work *work)
{
    return work->method == ABBE_METHOD_DIRECT;
}

/* The separable terms of all filters; direct convolution counts as one. */
static double count_terms(const struct work *work)
{
    double terms = 0;
    for (int i = 0; i < work->filter_count; i++)
        terms += is_direct(work) ? 1 : work->filters[i].factors.terms;
    return terms;
}

/* ---- Vector kernels ----------------------------------------------------------------------------------- */

static bool runs_in_shorts(const struct count *count)
{
    const struct work *work = count->work;
    bool fits = space_takes_shorts(work, cpu_levels[count->level].space);
    for (int i = 0; fits && i < work->filter_count; i++)
        fits = space_fits_shorts(
            is_direct(work) ? &work->filters[i].response.kernel : &work->filters[i].factors, work->method);
    return fits;
}

/* Counts all taps of the rectangle; or, for a kernel that is mostly zeros, the taps that are not zero, which
 * take 1.5 times as long each. */
static void count_direct(const struct count *count, const struct kernel *kernel, bool shorts)
{
    double area = (double)kernel->width * kernel->height, taps = (double)kernel_count(kernel);
    bool sparse = 2 * taps < area;
    count->units[shorts && !sparse ? CHARGE_DIRECT_SHORT_TAP : CHARGE_DIRECT_TAP] += count->samples *
                                                                                     (sparse ? 1.5 * taps
                                                                                             : area);
    count->units[CHARGE_DIRECT_ROW] += sparse ? 0 : count->samples * kernel->height;
}

static void count_taps(const struct count *count, double wider, bool shorts)
{
    const struct work *work = count->work;
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *factors = &work->filters[i].factors;
        if (is_direct(work))
            count_direct(count, &work->filters[i].response.kernel, shorts);
        else
            count->units[shorts ? CHARGE_SEPARABLE_SHORT_TAP : CHARGE_SEPARABLE_TAP] +=
                count->samples * factors->terms * (factors->width + factors->height * wider);
    }
}

/* Whether pixels need more than a conversion of type. */
static bool needs_treatment(const struct work *work)
{
    return work->source_type == ABBE_F16 || work->result_type == ABBE_F16 || work->linear_light ||
           work->offset != 0 || (work->alpha == ABBE_ALPHA_PREMULTIPLY && work->channels != 4);
}

/* The share of the busiest thread, which has at most one strip of a band more than the others. */
static double busiest_share(const struct count *count, const struct space_division *d)
{
    double units = (double)d->strips * d->bands, turns = ceil(units / fmin(count->threads, units));
    double pixels = (double)count->work->width * count->work->height;
    return fmin(1, turns * d->strip * d->band / pixels);
}

void cpu_count_space(const struct count *count)
{
    const struct work *work = count->work;
    struct space_division d = space_divide(work, 1);
    double wider = 1 + (d.strips - 1) * count->across / work->width; /* strips overlap */
    double rows = work->height + (d.ring ? d.bands * count->down : 0);
    double bytes = cpu_picture_bytes(count), terms = count_terms(work);
    count_taps(count, wider, runs_in_shorts(count));
    cpu_count_samples(count, rows * wider * work->width * work->channels, count->samples * work->result_count,
                      needs_treatment(work));
    count->units[CHARGE_LINE] += (double)d.strips * work->height * terms;
    count->units[CHARGE_EDGE] += count->across * (d.ring ? rows : work->height * terms);
    count->units[CHARGE_FAR_BYTE] += cpu_uncached_share(bytes) * bytes;
    cpu_count_check(count);
    cpu_count_threads(count, busiest_share(count, &d), 1);
}

/* ---- The plain loops ---------------------------------------------------------------------------------- */

/* Row factors are applied to a band and to the rows beyond it that column factors reach. */
void cpu_count_plain_space(const struct count *count)
{
    const struct work *work = count->work;
    double band = fmin(CPU_BAND, work->height), bands = ceil(work->height / band);
    double rows = work->height + bands * count->down, bytes = cpu_picture_bytes(count);
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *factors = &work->filters[i].factors;
        if (is_direct(work))
            count->units[CHARGE_DIRECT_TAP] += count->samples *
                                               (double)kernel_count(&work->filters[i].response.kernel);
        else
            count->units[CHARGE_SEPARABLE_TAP] += count->samples * factors->terms *
                                                  (factors->width * rows / work->height + factors->height);
    }
    cpu_count_samples(count, rows * work->width * work->channels, count->samples * work->result_count,
                      work->linear_light);
    count->units[CHARGE_LINE] += rows;
    count->units[CHARGE_EDGE] += rows * count->across;
    count->units[CHARGE_FAR_BYTE] += cpu_uncached_share(bytes) * bytes;
    cpu_count_check(count);
    cpu_count_threads(count, fmin(1, ceil(bands / fmin(count->threads, bands)) * band / work->height), 1);
}
