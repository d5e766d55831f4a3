/* H of the fused engine: kept in the order of its grid; or, for large even transforms, sampled while columns are filtered.
 *
 * Even transforms of M × N samples multiply by M · N gains, and twice as many where a filter has an odd part.
 * Kept, they would take as much memory as the grid of a plane, and for three channels there are two layouts
 * of them. A column of gains takes less time than its transform, and stays in the second cache. */
#include "cpu/fused/fused.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>

/* Samples of a picture from which on gains are sampled on demand. Below, spectra are small beside caches, and the same
 * plan often runs again. */
enum { DEMAND_SAMPLES = 1 << 22 };

/* Bytes of kept gains that are too many: an eighth of what a run may take. */
static bool needs_much_memory(const struct work *work)
{
    double parts = 0, layouts = (work->channels > 1) + work->channels % 2;
    for (int i = 0; i < work->filter_count; i++)
        parts += work->filters[i].even ? 1 : 2;
    return (double)work->x.length * work->y.length * parts * layouts * sizeof(float) > 0.125 * work->memory;
}

/* A filter whose gains take many operations is sampled on demand only to save memory. */
bool fused_samples_on_demand(const struct work *work)
{
    const double CHEAP = 1.0;
    bool suits = work->x.even && (double)work->x.length * work->y.length >= DEMAND_SAMPLES;
    bool much = suits && needs_much_memory(work);
    for (int i = 0; i < work->filter_count && suits; i++) {
        const struct response *response = &work->filters[i].response;
        suits = spectrum_suits_demand(response) && (much || sampler_units_each(response) <= CHEAP);
    }
    return suits;
}

bool fused_needs_odd(const struct work *work)
{
    for (int i = 0; i < work->filter_count && work->x.even; i++)
        if (!work->filters[i].even)
            return true;
    return false;
}

/* Numbers in a row of gains: even transforms have two in each lane of a single plane. */
static int gain_lanes(const struct fused_kernels *kernels, bool even, enum fused_kind kind)
{
    return kernels->columns->lanes * (even && kind == FUSED_SINGLE ? 2 : 1);
}

static struct spectrum_layout spectrum_layout_of(const struct engine *engine, enum fused_kind kind)
{
    const struct work *work = engine->work;
    const struct fused_layout *layout = &engine->fused->layout;
    double scale = 1 / ((double)work->x.length * work->y.length);
    return (struct spectrum_layout){ .blocks = layout->blocks[kind],
                                     .lanes = gain_lanes(layout->kernels, layout->even, kind),
                                     .rows = layout->columns.length,
                                     .column = layout->column[kind],
                                     .order = layout->order,
                                     .part = layout->even ? SPECTRUM_EVEN_PART : SPECTRUM_WHOLE,
                                     .scale = layout->even           ? scale / 4
                                              : kind == FUSED_SINGLE ? scale / 2
                                                                     : scale };
}

/* ---- Kept --------------------------------------------------------------------------------------------- */

/* The layouts of one part of even transforms, or of the whole spectrum of others. */
static void lay_out_part(const struct engine *engine, bool odd, struct spectrum_layout kinds[FUSED_KINDS])
{
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        kinds[kind] = spectrum_layout_of(engine, kind);
        kinds[kind].part = odd ? SPECTRUM_ODD_PART : kinds[kind].part;
    }
}

static int create_kept(const abbe_device *device, const struct engine *engine)
{
    struct fused *fused = engine->fused;
    struct spectrum_layout kinds[FUSED_KINDS];
    lay_out_part(engine, false, kinds);
    int error = cpu_spectra_create(device, engine, &kinds[FUSED_PAIR], &kinds[FUSED_SINGLE],
                                   &fused->head.spectra);
    if (error || !fused->has_odd)
        return error;
    lay_out_part(engine, true, kinds);
    return cpu_spectra_create(device, engine, &kinds[FUSED_PAIR], &kinds[FUSED_SINGLE], &fused->odd);
}

int fused_gains_resample(const abbe_device *device, const struct engine *engine, int filter,
                         struct frequency_span span)
{
    const struct fused *fused = engine->fused;
    struct spectrum_layout kinds[2][FUSED_KINDS];
    struct spectrum_refill parts[2];
    if (fused->demands) /* runs read the gains; their samplers rely on bounds */
        return spectrum_suits_demand(&engine->work->filters[filter].response) ? ABBE_OK : DEVICE_ERR_DECLINED;
    for (int odd = 0; odd < 2; odd++) {
        struct spectrum *spectra = odd ? fused->odd : fused->head.spectra;
        lay_out_part(engine, odd, kinds[odd]);
        parts[odd] = (struct spectrum_refill){ &kinds[odd][FUSED_PAIR], &kinds[odd][FUSED_SINGLE],
                                               spectra ? &spectra[filter] : NULL };
    }
    return cpu_spectra_resample(device, engine, parts, filter, span);
}

static const float *kept_gains(const struct fused *fused, enum fused_kind kind, int number, int filter,
                               bool odd)
{
    const struct spectrum *spectrum = odd ? &fused->odd[filter] : &fused->head.spectra[filter];
    size_t gains = (size_t)fused->layout.columns.length *
                   (size_t)gain_lanes(fused->layout.kernels, fused->layout.even, kind);
    const float *h = kind == FUSED_SINGLE ? spectrum->single : spectrum->pair;
    return h + (size_t)number * gains * (spectrum->real ? 1 : 2);
}

/* ---- On demand ---------------------------------------------------------------------------------------- */

static bool list_lane_frequencies(const struct engine *engine, enum fused_kind kind, int **frequency)
{
    const struct fused_layout *layout = &engine->fused->layout;
    size_t count = (size_t)layout->blocks[kind] * (size_t)gain_lanes(layout->kernels, true, kind);
    int *list = *frequency = core_alloc(count, sizeof *list);
    for (size_t i = 0; i < count && list; i++)
        list[i] = -1;
    for (int u = 0; u < engine->work->x.length && list; u++)
        list[layout->column[kind][u]] = u;
    return list;
}

static int create_demands(const abbe_device *device, const struct engine *engine)
{
    const struct work *work = engine->work;
    struct fused *fused = engine->fused;
    const struct spectrum_layout layout = spectrum_layout_of(engine, FUSED_PAIR);
    const struct spectrum_grid grid = { .width = 2 * work->x.length,
                                        .height = 2 * work->y.length,
                                        .correlate = work->correlate,
                                        .threads = engine->threads,
                                        .level = ((const struct cpu *)device)->level };
    fused->demands = core_alloc_zero((size_t)work->filter_count, sizeof(struct spectrum_demand *));
    bool listed = list_lane_frequencies(engine, FUSED_PAIR, &fused->frequency[FUSED_PAIR]) &&
                  list_lane_frequencies(engine, FUSED_SINGLE, &fused->frequency[FUSED_SINGLE]);
    int error = fused->demands && listed ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int i = 0; i < work->filter_count && !error; i++)
        error = spectrum_demand_create(&grid, &work->filters[i].response, &layout, &fused->demands[i]);
    return error ? core_fail_memory(device) : ABBE_OK;
}

static const float *sample_gains(const struct fused_window *window, enum spectrum_part part, const int *u,
                                 int lanes, int filter, const struct fused_worker *worker)
{
    const struct engine *engine = window->head.engine;
    bool whole = engine->work->filters[filter].even;
    spectrum_demand_columns(engine->fused->demands[filter], whole ? SPECTRUM_WHOLE : part, u, lanes,
                            worker->sampling, worker->gains);
    return worker->gains;
}

const float *fused_odd_columns(const struct fused_window *window, const int *u, int lanes, int filter,
                               const struct fused_worker *worker)
{
    return sample_gains(window, SPECTRUM_ODD_PART, u, lanes, filter, worker);
}

/* ---- Both --------------------------------------------------------------------------------------------- */

int fused_gains_create(const abbe_device *device, struct engine *engine)
{
    engine->fused->has_odd = fused_needs_odd(engine->work);
    return fused_samples_on_demand(engine->work) ? create_demands(device, engine)
                                                 : create_kept(device, engine);
}

void fused_gains_destroy(const struct engine *engine)
{
    struct fused *fused = engine->fused;
    cpu_spectra_free(engine, fused->head.spectra);
    cpu_spectra_free(engine, fused->odd);
    for (int i = 0; i < engine->work->filter_count && fused->demands; i++)
        spectrum_demand_destroy(&fused->demands[i]);
    core_free(fused->demands);
    for (int kind = 0; kind < FUSED_KINDS; kind++)
        core_free(fused->frequency[kind]);
}

double fused_gains_bytes(const struct work *work, const struct fused_kernels *kernels, int threads)
{
    bool even = work->x.even;
    double pair = fused_blocks(kernels, work->x.length, FUSED_PAIR, even) *
                  gain_lanes(kernels, even, FUSED_PAIR);
    double single = fused_blocks(kernels, work->x.length, FUSED_SINGLE, even) *
                    gain_lanes(kernels, even, FUSED_SINGLE);
    if (!fused_samples_on_demand(work))
        return cpu_spectra_bytes(work, (work->channels > 1) * pair + work->channels % 2 * single, threads);
    double bytes = (pair + single) * sizeof(int) + (2.0 + work->filter_count) * CORE_ALIGNMENT;
    for (int i = 0; i < work->filter_count; i++)
        bytes += sizeof(struct spectrum_demand *) +
                 spectrum_demand_bytes(&work->filters[i].response, 2 * work->x.length, 2 * work->y.length);
    return bytes;
}

double fused_gains_worker_bytes(const struct work *work, const struct fused_kernels *kernels)
{
    if (!fused_samples_on_demand(work))
        return 0;
    return (double)work->y.length * gain_lanes(kernels, true, FUSED_SINGLE) * sizeof(float) +
           spectrum_demand_scratch_doubles(2 * work->y.length) * sizeof(double) + 2 * CORE_ALIGNMENT;
}

bool fused_gains_open_worker(const struct engine *engine, struct fused_worker *worker)
{
    const struct fused *fused = engine->fused;
    size_t doubles = 0, lanes = (size_t)gain_lanes(fused->layout.kernels, true, FUSED_SINGLE);
    if (!fused->demands)
        return true;
    for (int i = 0; i < engine->work->filter_count; i++) {
        size_t needed = spectrum_demand_scratch(fused->demands[i]);
        doubles = needed > doubles ? needed : doubles;
    }
    worker->gains = core_alloc((size_t)engine->work->y.length * lanes, sizeof(float));
    worker->sampling = core_alloc(doubles, sizeof(double));
    return worker->gains && worker->sampling;
}

const float *fused_block_gains(const struct fused_window *window, int p, int number, int filter, bool odd,
                               const struct fused_worker *worker)
{
    const struct engine *engine = window->head.engine;
    const struct fused *fused = engine->fused;
    enum fused_kind kind = fused_kind_of(engine->work, p);
    if (!fused->demands)
        return kept_gains(fused, kind, number, filter, odd);
    int lanes = gain_lanes(fused->layout.kernels, true, kind);
    return sample_gains(window, odd ? SPECTRUM_ODD_PART : SPECTRUM_EVEN_PART,
                        fused->frequency[kind] + (size_t)number * (size_t)lanes, lanes, filter, worker);
}
