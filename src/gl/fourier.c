/* Filtering of a region in the Fourier plane: batches of windows are transformed, multiplied and transformed
 * back by one of the three engines. */
#include "gl/run.h"

#include <assert.h>

int gl_free_grid(const struct engine *engine, int a, int b, int c)
{
    int grid = 0;
    while (grid < engine->geometry.grid_count - 1 && (grid == a || grid == b || grid == c))
        grid++;
    assert(grid != a && grid != b && grid != c);
    return grid;
}

/* Copies filtered windows to where they belong in the region, in each group of channels. */
static void copy_windows(struct gl_region *region, int grid, const struct gl_texture *to, int first,
                         int count)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    const struct gl_geometry *geometry = &engine->geometry;
    int tile = first / geometry->groups * geometry->tiles_per_texel;
    int last = (first + count - 1) / geometry->groups * geometry->tiles_per_texel +
               geometry->tiles_per_texel - 1;
    int top = tile / region->x.tiles * work->y.step, bottom = (last / region->x.tiles + 1) * work->y.step;
    bottom = bottom < region->y.results ? bottom : region->y.results;
    gl_use_program(gl, engine->copy);
    gl_set_windows(region, first);
    gl_set_texture(gl, ABGL_UNIFORM_results, &engine->grids[grid]);
    gl_set_int(gl, ABGL_UNIFORM_window_count, count);
    gl_set_ints(gl, ABGL_UNIFORM_read_first, work->x.before, work->y.before);
    if (geometry->engine == ABGL_FAST)
        gl_fast_set_read(region, count);
    for (int group = 0; group < geometry->groups; group++) {
        gl_set_int(gl, ABGL_UNIFORM_group, group);
        gl_target_bind(gl, to, group, 1);
        gl_draw(gl, 0, top, region->x.results, bottom - top);
    }
    gl_pass_end(region, "rows back");
}

/* Transforms a batch of windows; returns the grid that it ends in. */
static int transform_batch(struct gl_region *region, int first, int count)
{
    switch (region->engine->geometry.engine) {
    case ABGL_FAST: return gl_fast_forward(region, first, count);
    case ABGL_FIALKA: return gl_fialka_forward(region, first);
    case ABGL_MORELAND: return gl_moreland_forward(region, first);
    }
    return 0;
}

/* Applies one filter to a transformed batch; returns the grid that it ends in. */
static int filter_batch(struct gl_region *region, int filter, int from, int kept, int count)
{
    switch (region->engine->geometry.engine) {
    case ABGL_FAST: return gl_fast_filter(region, filter, from, kept, count);
    case ABGL_FIALKA: return gl_fialka_filter(region, filter, from, kept);
    case ABGL_MORELAND: return gl_moreland_filter(region, filter, from, kept);
    }
    return 0;
}

/* Computes result r of a batch whose spectra are in a grid. It is finished at once if the batch is the whole
 * region, and otherwise when all batches are done. */
static int run_result(struct gl_region *region, int r, int spectra, int first, int count)
{
    const struct engine *engine = region->engine;
    const struct gl_geometry *geometry = &engine->geometry;
    const struct work_result *result = &engine->work->results[r];
    const struct gl_texture *components[2] = { NULL, NULL };
    bool whole = geometry->batch == geometry->windows;
    int kept = -1;
    for (int i = 0; i < result->components; i++) {
        int at = filter_batch(region, result->first + i, spectra, kept, count);
        if (geometry->copies_windows) {
            components[i] = &engine->filtered[whole ? i : result->first + i];
            copy_windows(region, at, components[i], first, count);
        } else {
            components[i] = &engine->grids[at];
            kept = at;
        }
    }
    return whole ? gl_finish(region, r, components[0], components[1]) : ABBE_OK;
}

int gl_run_fourier(struct gl_region *region)
{
    const struct engine *engine = region->engine;
    const struct gl_geometry *geometry = &engine->geometry;
    int results = engine->work->result_count, tiles = region->x.tiles * region->y.tiles, error = ABBE_OK;
    int windows = (tiles + geometry->tiles_per_texel - 1) / geometry->tiles_per_texel * geometry->groups;
    for (int first = 0; first < windows && !error; first += geometry->batch) {
        int count = windows - first < geometry->batch ? windows - first : geometry->batch;
        int spectra = transform_batch(region, first, count);
        for (int r = 0; r < results && !error; r++)
            error = region->stopped ? ABBE_ERR_CANCELLED : run_result(region, r, spectra, first, count);
    }
    for (int r = 0; r < results && !error && geometry->batch < geometry->windows; r++) {
        const struct gl_texture *filtered = &engine->filtered[engine->work->results[r].first];
        error = gl_finish(region, r, filtered, filtered + engine->work->results[r].components - 1);
    }
    return error;
}
