/* Launches of one region: the three passes in the Fourier plane, or the convolutions in space. */
#include "cuda/run.h"
#include "device/outside.h"

/* ---- Single launches ---------------------------------------------------------------------------------- */

static void launch(struct cuda_recording *recording, const struct cuda_kernel *kernel,
                   const struct abcu_params *params, const unsigned blocks[3])
{
    void *arguments[1] = { (void *)params };
    if (!recording->failure)
        recording->failure = recording->cuda->f.launch(kernel->function, blocks[0], blocks[1], blocks[2],
                                                       kernel->pass.threads, 1, 1, kernel->pass.shared,
                                                       recording->stream, arguments, NULL);
}

/* Records the time at the end of the pass of that name. */
static void write_time(struct cuda_recording *recording, const char *name)
{
    const struct cuda *cuda = recording->cuda;
    if (!recording->timed || recording->times == CUDA_TIMES_MAX || recording->failure)
        return;
    cuda_event *event = &recording->scratch->times[recording->times];
    if (!*event)
        recording->failure = cuda->f.event_create(event, 0);
    if (!recording->failure)
        recording->failure = cuda->f.event_record(*event, recording->stream);
    recording->names[recording->times++] = name;
}

/* Sets what differs between results. */
static void select_result(struct cuda_recording *recording, int r)
{
    const struct engine *engine = recording->engine;
    size_t wide = (size_t)recording->x.results * (size_t)recording->y.results *
                  (size_t)engine->work->channels;
    const struct cuda_place *result = recording->results ? &recording->results[r] : &recording->result;
    size_t behind = recording->results ? 0 : recording->result_bytes * (size_t)r;
    recording->params.result = result->first + behind;
    recording->params.result_strides = result->strides;
    recording->params.wide = engine->geometry.wide ? recording->wide + wide * sizeof(float) * (size_t)r : 0;
    recording->params.alpha_gain = (float)engine->work->results[r].alpha_gain;
}

/* Stores results that were written as floats; timed as part of the pass of that name. */
static void record_finish(struct cuda_recording *recording, const char *name)
{
    unsigned blocks[3];
    cuda_blocks_finish(recording->x.results, recording->y.results, blocks);
    for (int r = 0; r < recording->engine->work->result_count && recording->kernels->finish; r++) {
        select_result(recording, r);
        launch(recording, recording->kernels->finish, &recording->params, blocks);
        write_time(recording, name);
    }
}

/* ---- In the Fourier plane ----------------------------------------------------------------------------- */

static const char *pass_name(const struct cuda_recording *recording, const char *name)
{
    return recording->engine->work->method == ABBE_METHOD_TILES ? "tiles" : name;
}

/* One past the last result whose spectra fit into one launch of the column pass together with those of result
 * `first`. */
static int share_end(const struct engine *engine, int first)
{
    const struct work *work = engine->work;
    int last = first, spectra = 0, each = engine->geometry.spectra;
    while (last < work->result_count &&
           spectra + each * work->results[last].components <= engine->geometry.share)
        spectra += each * work->results[last++].components;
    return last;
}

static void record_rows(struct cuda_recording *recording, int tiles)
{
    const struct engine *engine = recording->engine;
    unsigned blocks[3];
    cuda_blocks_rows(engine->work, &engine->geometry, tiles, blocks);
    launch(recording, recording->kernels->rows, &recording->params, blocks);
    write_time(recording, pass_name(recording, "rows"));
}

/* Columns · H of results first … last − 1. */
static void record_columns(struct cuda_recording *recording, int tiles, int first, int last)
{
    const struct engine *engine = recording->engine;
    const struct cuda_geometry *geometry = &engine->geometry;
    const struct work_result *results = engine->work->results, *end = &results[last - 1];
    struct abcu_params params = recording->params;
    unsigned blocks[3];
    params.table += cuda_transform_floats(&geometry->x) * sizeof(float);
    params.filter_first = results[first].first * geometry->spectra;
    params.filter_count = (end->first + end->components - results[first].first) * geometry->spectra;
    cuda_blocks_columns(geometry, tiles, recording->kernels->columns->resident, blocks);
    launch(recording, recording->kernels->columns, &params, blocks);
    write_time(recording, pass_name(recording, "columns"));
}

static void record_rows_back(struct cuda_recording *recording, int tiles, int first, int last)
{
    const struct engine *engine = recording->engine;
    const struct work_result *results = engine->work->results;
    unsigned blocks[3];
    cuda_blocks_rows_back(engine->work, &engine->geometry, tiles, blocks);
    for (int r = first; r < last; r++) {
        select_result(recording, r);
        recording->params.filter_place = (results[r].first - results[first].first) * engine->geometry.spectra;
        launch(recording, recording->kernels->rows_back[results[r].components - 1], &recording->params,
               blocks);
    }
    write_time(recording, pass_name(recording, "rows back"));
}

/* Rows, columns · H for each share of the bank, rows back: for each batch of tiles. */
static void record_fourier(struct cuda_recording *recording)
{
    const struct cuda_geometry *geometry = &recording->engine->geometry;
    const struct work *work = recording->engine->work;
    int tiles = recording->x.tiles * recording->y.tiles;
    recording->params.table = recording->engine->tables.address;
    cuda_set_fourier(work, geometry, recording->x.tiles, &recording->params);
    for (int tile = 0; tile < tiles; tile += geometry->batch) {
        int batch = tiles - tile < geometry->batch ? tiles - tile : geometry->batch;
        recording->params.first_tile = tile;
        record_rows(recording, batch);
        for (int first = 0, last; first < work->result_count; first = last) {
            last = share_end(recording->engine, first);
            record_columns(recording, batch, first, last);
            record_rows_back(recording, batch, first, last);
        }
    }
    record_finish(recording, pass_name(recording, "rows back"));
}

/* ---- In space ----------------------------------------------------------------------------------------- */

static void set_taps(const struct tap_box *box, struct abcu_params *params)
{
    params->taps_x = box->width;
    params->taps_y = box->height;
    params->centre_x = box->centre_x;
    params->centre_y = box->centre_y;
    params->terms = box->terms;
    params->first_terms = box->first_terms;
    params->taps_first = (int)box->first;
}

/* Rows and columns of all terms of result r. */
static void record_separable(struct cuda_recording *recording, int r, const unsigned squares[3])
{
    const struct engine *engine = recording->engine;
    unsigned blocks[3];
    cuda_blocks_separable_rows(&engine->geometry, recording->x.results, recording->y.window,
                               engine->kernels[r].terms, blocks);
    launch(recording, recording->kernels->separable_rows, &recording->params, blocks);
    write_time(recording, abbe_method_name(engine->work->method));
    launch(recording, recording->kernels->separable_columns[engine->work->results[r].components - 1],
           &recording->params, squares);
}

/* A block computes a square of results. */
static void record_space(struct cuda_recording *recording)
{
    const struct engine *engine = recording->engine;
    const struct work *work = engine->work;
    const char *name = abbe_method_name(work->method);
    unsigned squares[3];
    cuda_blocks_squares(&engine->geometry, recording->x.results, recording->y.results, squares);
    recording->params.groups = engine->geometry.groups;
    recording->params.columns = recording->x.window;
    recording->params.rows = recording->y.window;
    for (int r = 0; r < work->result_count; r++) {
        select_result(recording, r);
        set_taps(&engine->kernels[r], &recording->params);
        if (work->method == ABBE_METHOD_DIRECT)
            launch(recording, recording->kernels->direct[work->results[r].components - 1], &recording->params,
                   squares);
        else
            record_separable(recording, r, squares);
        write_time(recording, name);
    }
    record_finish(recording, name);
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

static struct abcu_strides own_strides(const struct work *work, abbe_type type, double pitch)
{
    long long sample = (long long)abbe_type_size(type);
    return (
        struct abcu_strides){ .row = (long long)pitch, .pixel = sample * work->channels, .channel = sample };
}

struct cuda_pictures cuda_own_pictures(const struct engine *engine)
{
    const struct work *work = engine->work;
    const struct cuda_geometry *g = &engine->geometry;
    struct abcu_strides source = own_strides(work, work->source_type, g->source_pitch);
    struct abcu_strides result = own_strides(work, work->result_type, g->result_pitch);
    return (struct cuda_pictures){ cuda_is_whole(0, &source, work->channels, work->source_type),
                                   cuda_is_whole(0, &result, work->channels, work->result_type) };
}

void cuda_place_in_scratch(struct cuda_recording *recording)
{
    const struct engine *engine = recording->engine;
    const struct cuda_geometry *g = &engine->geometry;
    const struct cuda_scratch *scratch = recording->scratch;
    const struct work *work = engine->work;
    recording->source = (struct cuda_place){ scratch->source.address,
                                             own_strides(work, work->source_type, g->source_pitch) };
    recording->result = (struct cuda_place){ scratch->result.address,
                                             own_strides(work, work->result_type, g->result_pitch) };
    recording->result_bytes = (size_t)g->result_pitch * (size_t)recording->y.results;
    recording->grid = g->in_place ? scratch->result.address : scratch->grid.address;
    recording->back = scratch->back.address ? scratch->back.address : recording->grid;
    recording->wide = scratch->wide.address;
}

void cuda_place_region(struct cuda_recording *recording, int column, int row)
{
    const struct engine *engine = recording->engine;
    const struct cuda_geometry *geometry = &engine->geometry;
    recording->x = region_span(engine->work, false, geometry->region_x, column);
    recording->y = region_span(engine->work, true, geometry->region_y, row);
}

int cuda_record_passes(struct cuda_recording *recording)
{
    const struct engine *engine = recording->engine;
    const struct region_span *x = &recording->x, *y = &recording->y;
    struct outside_pixel outside = outside_pixel(engine->work);
    const struct cuda_geometry *g = &engine->geometry;
    recording->params = (struct abcu_params){
        .source = recording->source.first,
        .source_strides = recording->source.strides,
        .grid = recording->grid,
        .back = recording->back,
        .filters = engine->filters.address,
        .map_x = engine->maps.address + engine->maps_x[x->first / g->region_x] * sizeof(int32_t),
        .map_y = engine->maps.address + engine->maps_y[y->first / g->region_y] * sizeof(int32_t),
        .width = x->results,
        .height = y->results,
        .before_x = x->before,
        .before_y = y->before,
        .outside_colour = (float)outside.colour,
        .outside_alpha = (float)outside.alpha,
        .offset = (float)engine->work->offset,
    };
    recording->failure = CUDA_OK;
    recording->times = 0;
    write_time(recording, NULL);
    if (g->fourier)
        record_fourier(recording);
    else
        record_space(recording);
    return recording->failure;
}
