/* The Fourier plane: batches of windows go there and come back, whichever engine takes them. */
#include "gl/gl.h"

#include <assert.h>

int gl_other_grid(const struct engine *engine, int a, int b, int c)
{
    int grid = 0;
    while (grid < engine->geometry.grids - 1 && (grid == a || grid == b || grid == c))
        grid++;
    assert(grid != a && grid != b && grid != c);
    return grid;
}

static int forward(struct gl_region *region, int first, int count)
{
    switch (region->engine->geometry.engine) {
    case GL_FAST: return gl_fast_forward(region, first, count);
    case GL_FIALKA: return gl_fialka_forward(region, first);
    case GL_MORELAND: return gl_moreland_forward(region, first);
    }
    return 0;
}

static int back(struct gl_region *region, int filter, int from, int kept, int count)
{
    switch (region->engine->geometry.engine) {
    case GL_FAST: return gl_fast_back(region, filter, from, kept, count);
    case GL_FIALKA: return gl_fialka_back(region, filter, from, kept);
    case GL_MORELAND: return gl_moreland_back(region, filter, from, kept);
    }
    return 0;
}

/* Windows that are done, put where they belong in the region. */
static void copy_windows(struct gl_region *region, int grid, const struct gl_texture *to, int first,
                         int count)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    const struct gl_geometry *geometry = &engine->geometry;
    int tile = first / geometry->groups * geometry->shared;
    int last = (first + count - 1) / geometry->groups * geometry->shared + geometry->shared - 1;
    int top = tile / region->x.tiles * work->y.step, bottom = (last / region->x.tiles + 1) * work->y.step;
    bottom = bottom < region->y.results ? bottom : region->y.results;
    gl_use(gl, engine->copy);
    gl_set_windows(region, first);
    gl_set_texture(gl, GL_UNIFORM_results, &engine->grids[grid]);
    gl_set_int(gl, GL_UNIFORM_window_count, count);
    gl_set_ints(gl, GL_UNIFORM_read_first, work->x.before, work->y.before);
    if (geometry->engine == GL_FAST)
        gl_fast_set_read(region, count);
    for (int group = 0; group < geometry->groups; group++) {
        gl_set_int(gl, GL_UNIFORM_group, group);
        gl_target_bind(gl, to, group, 1);
        gl_draw(gl, 0, top, region->x.results, bottom - top);
    }
    gl_pass_end(region, "rows back");
}

/* Result r of a batch whose spectra are in a grid: finished at once, or laid aside until all batches are done. */
static int filter_batch(struct gl_region *region, int r, int spectra, int first, int count)
{
    const struct engine *engine = region->engine;
    const struct gl_geometry *geometry = &engine->geometry;
    const struct work_result *result = &engine->work->results[r];
    const struct gl_texture *left[2] = { NULL, NULL };
    bool together = geometry->batch == geometry->windows;
    int kept = -1;
    for (int i = 0; i < result->components; i++) {
        int at = back(region, result->first + i, spectra, kept, count);
        if (geometry->apart) {
            left[i] = &engine->wides[together ? i : result->first + i];
            copy_windows(region, at, left[i], first, count);
        } else {
            left[i] = &engine->grids[at];
            kept = at;
        }
    }
    return together ? gl_finish(region, r, left[0], left[1]) : ABBE_OK;
}

static int run_batch(struct gl_region *region, int first, int count)
{
    int error = ABBE_OK, spectra = forward(region, first, count);
    for (int r = 0; r < region->engine->work->result_count && !error; r++)
        error = filter_batch(region, r, spectra, first, count);
    return error;
}

int gl_run_fourier(struct gl_region *region)
{
    const struct engine *engine = region->engine;
    const struct gl_geometry *geometry = &engine->geometry;
    int tiles = region->x.tiles * region->y.tiles, error = ABBE_OK;
    int windows = (tiles + geometry->shared - 1) / geometry->shared * geometry->groups;
    for (int first = 0; first < windows && !error; first += geometry->batch)
        error = run_batch(region, first,
                          windows - first < geometry->batch ? windows - first : geometry->batch);
    for (int r = 0; r < engine->work->result_count && !error && geometry->batch < geometry->windows; r++) {
        const struct gl_texture *wide = &engine->wides[engine->work->results[r].first];
        error = gl_finish(region, r, wide, wide + engine->work->results[r].components - 1);
    }
    return error;
}
