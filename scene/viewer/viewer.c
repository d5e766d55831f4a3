/* The viewer's main loop: events, scene, filter, spectrum, window. */
#include "viewer.h"

#include "internal.h"

#include <adopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In degrees per second. */
static const double turning_speed = 24;

bool viewer_is_direct(const struct viewer *viewer)
{
    const struct pictures *pictures = &viewer->pictures;
    return viewer->model.state.is_scene || pictures->on_gpu ||
           (long long)pictures->width * pictures->height <= PREVIEW_PIXELS;
}

void viewer_note(struct viewer *viewer, bool is_error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(viewer->note, sizeof viewer->note, format, arguments);
    va_end(arguments);
    viewer->note_is_error = is_error;
}

/* Updates a running mean over about ten frames. */
static void update_time(struct viewer *viewer, double *mean, double start)
{
    double now = 1e3 * (window_time(viewer->window) - start);
    *mean = *mean > 0 ? 0.9 * *mean + 0.1 * now : now;
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

/* The title has no control characters, and nothing that is not ASCII, which a window manager may not know. */
static void set_title(struct viewer *viewer, const char *name)
{
    char title[256];
    snprintf(title, sizeof title, "%s%sabbe view", name ? name : "", name ? " - " : "");
    for (char *c = title; *c; c++)
        if (*c < ' ' || *c >= 127)
            *c = '?';
    window_title(viewer->window, title);
}

static bool open_device(struct viewer *viewer, const char *name)
{
    const struct pictures *pictures = &viewer->pictures;
    bool is_large = !viewer->model.state.is_scene &&
                    (long long)pictures->width * pictures->height > PREVIEW_PIXELS;
    return pictures_open_device(&viewer->pictures, name, viewer->params->threads, is_large);
}

/* Forgets everything that belonged to the previous picture. */
static void reset_picture(struct viewer *viewer)
{
    const struct pictures *pictures = &viewer->pictures;
    model_open(&viewer->model, pictures->width, pictures->height);
    viewer->source_new = viewer->spectrum_new = viewer->recipe_new = true;
    viewer->prepared = viewer->spectrum_is_estimate = viewer->result_is_source = viewer->failed = false;
    viewer->preview.has_part = false;
    viewer->result = RESULT_NONE;
    viewer->histogram.channels = viewer->source_histogram.channels = 0;
    viewer->changed = -1;
    for (int i = 0; i < PANES; i++)
        viewer->versions[i]++;
}

bool viewer_take(struct viewer *viewer, const struct viewer_picture *picture, const char *name)
{
    struct state *state = &viewer->model.state;
    pyramid_free(&viewer->preview.source);
    if (!pictures_take(&viewer->pictures, picture->width, picture->height, picture->channels,
                       picture->values ? SAMPLES_CODED : SAMPLES_LIGHT, picture->values))
        return false;
    free(viewer->picture_name);
    viewer->picture_name = name ? strdup(name) : NULL;
    state->is_scene = !picture->values;
    state->turning = state->turning && state->is_scene;
    reset_picture(viewer);
    if (viewer->window)
        set_title(viewer, name);
    return true;
}

/* Tells which device is used and, if that is not the chosen one, why. */
static void note_device(struct viewer *viewer, const char *chosen, const char *reason)
{
    const struct state *state = &viewer->model.state;
    const char *name = state->devices[state->device], *detail = abbe_device_detail(viewer->pictures.device);
    if (*reason)
        viewer_note(viewer, true, "%s instead of %s: %s", name, chosen, reason);
    else
        viewer_note(viewer, false, "%s: %s", name, detail);
}

/* Opens the next device that works, beginning with the chosen one. */
static void change_device(struct viewer *viewer)
{
    struct state *state = &viewer->model.state;
    const char *chosen = state->devices[state->device];
    char reason[SCENE_REASON] = "";
    state->device_changed = false;
    for (int i = 0; i < state->device_count; i++) {
        if (open_device(viewer, state->devices[state->device]))
            break;
        if (!i)
            memcpy(reason, viewer->pictures.error, sizeof reason);
        state->device = (state->device + 1) % state->device_count;
    }
    note_device(viewer, chosen, reason);
    viewer->recipe_new = state->scene_changed = viewer->source_new = true;
    viewer->failed = false;
    viewer->changed = window_time(viewer->window);
}

/* A file that was dropped is opened by the worker; what it does for the present picture is in the way. */
static void finish_open(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    const char *slash = strrchr(job->name, '/'), *name = slash && slash[1] ? slash + 1 : job->name;
    if (!job->done) {
        viewer_note(viewer, true, "%s cannot be opened; the terminal says why", name);
    } else if (!viewer_take(viewer, &job->opened, job->name)) {
        viewer_note(viewer, true, "memory does not suffice for %s", name);
        free(job->opened.values);
    } else {
        struct state *state = &viewer->model.state;
        viewer_note(viewer, state->save,
                    state->save ? "opened %s; the picture before it was not saved" : "opened %s", name);
        state->save = false; /* was a wish for that picture */
        if (!open_device(viewer, state->devices[state->device]))
            change_device(viewer);
    }
    job->opened.values = NULL;
}

/* ---- Stages -------------------------------------------------------------------------------------------- */

static bool draw_scene(struct viewer *viewer, char reason[SCENE_REASON])
{
    struct state *state = &viewer->model.state;
    double now = window_time(viewer->window);
    if (state->turning)
        state_turn(state, turning_speed * fmin(now - viewer->turned, 0.5));
    viewer->turned = now;
    if (!state->is_scene || !state->scene_changed)
        return true;
    state->scene_changed = false;
    viewer->source_new = true;
    bool done = pictures_draw(&viewer->pictures, viewer->scene, &state->scene, reason);
    update_time(viewer, &viewer->times.scene, now);
    return done;
}

/* Notices that filter or strokes have changed. */
static void notice_changes(struct viewer *viewer)
{
    struct state *state = &viewer->model.state;
    unsigned version = viewer->model.strokes.version;
    if (!state->filter_changed && viewer->strokes_version == version)
        return;
    state->filter_changed = false;
    viewer->strokes_version = version;
    viewer->failed = false;
    viewer->recipe_new = true;
    viewer->changed = window_time(viewer->window);
    viewer->versions[PANE_SPECTRUM]++;
}

static bool make_recipe(struct viewer *viewer, struct recipe *recipe)
{
    return recipe_make(recipe, &viewer->model.state, viewer->params->own, &viewer->model.strokes);
}

static void plan_at_once(struct viewer *viewer)
{
    struct recipe recipe;
    if (make_recipe(viewer, &recipe))
        pictures_plan(&viewer->pictures, &recipe);
    recipe_free(&recipe);
}

/* After a run that the GPU refuses, the picture is in memory. */
static void filter_at_once(struct viewer *viewer)
{
    if (viewer->recipe_new)
        plan_at_once(viewer);
    if (viewer->recipe_new || viewer->source_new) {
        double start = window_time(viewer->window);
        bool on_gpu = viewer->pictures.on_gpu;
        pictures_filter(&viewer->pictures);
        update_time(viewer, &viewer->times.filter, start);
        viewer->versions[PANE_RESULT]++;
        viewer->histogram_new = true;
        if (on_gpu && !viewer->pictures.on_gpu) {
            viewer->model.state.scene_changed = viewer->source_new = true;
            return;
        }
    }
    if (viewer->source_new) {
        viewer->versions[PANE_SOURCE]++;
        viewer->spectrum_new = true;
        viewer->model.peaks_known = false;
    }
    viewer->result = RESULT_WHOLE;
    viewer->recipe_new = viewer->source_new = false;
}

/* The spectrum and the histogram are computed in memory, and only if they are visible. */
static void measure_at_once(struct viewer *viewer)
{
    struct pictures *pictures = &viewer->pictures;
    if (viewer->spectrum_new && viewer->model.areas[PANE_SPECTRUM].width) {
        double start = window_time(viewer->window);
        pictures_spectrum(pictures, viewer->preview.device);
        update_time(viewer, &viewer->times.spectrum, start);
        viewer->spectrum_new = false;
        viewer->versions[PANE_SPECTRUM]++;
    }
    if (viewer->model.state.peaks && !viewer->model.peaks_known) {
        pictures_read_source(pictures);
        jobs_find_peaks_now(viewer);
    }
    if (viewer->histogram_new && viewer->model.state.histogram) {
        pictures_read_result(pictures);
        if (pictures->result)
            histogram_count(&viewer->histogram, pictures->samples, pictures->result,
                            (size_t)pictures->width * (size_t)pictures->height, pictures->channels);
        viewer->histogram_new = false;
    }
}

static bool same_view(const struct viewer *viewer, const struct place *place)
{
    return !memcmp(place, &viewer->previewed, sizeof *place) &&
           !memcmp(&viewer->model.areas[PANE_RESULT], &viewer->previewed_area, sizeof(struct area));
}

/* Filters what is visible, until the worker has filtered everything. */
static void preview_result(struct viewer *viewer)
{
    const struct area *area = &viewer->model.areas[PANE_RESULT];
    struct preview *preview = &viewer->preview;
    if (!area->width) {
        viewer->result = viewer->recipe_new ? RESULT_NONE : viewer->result;
        return;
    }
    struct place place = model_place(&viewer->model, PANE_RESULT);
    if (viewer->result == RESULT_PREVIEW && !viewer->recipe_new && same_view(viewer, &place))
        return;
    struct recipe recipe;
    double start = window_time(viewer->window);
    bool done = make_recipe(viewer, &recipe) && preview->source.base &&
                !preview_filter(preview, &recipe, &place, area);
    recipe_free(&recipe);
    viewer->result = done ? RESULT_PREVIEW : RESULT_NONE;
    viewer->previewed = place;
    viewer->previewed_area = *area;
    viewer->versions[PANE_RESULT]++;
    if (!done)
        return;
    viewer->times.preview = 1e3 * (window_time(viewer->window) - start);
    preview_adapt(preview, viewer->times.preview / 1e3);
    if (viewer->model.state.histogram)
        histogram_count(&viewer->histogram, SAMPLES_CODED, preview->results,
                        (size_t)preview->excerpt.width * (size_t)preview->excerpt.height,
                        preview->source.channels);
}

/* A picture that is not filtered is its own result. */
static bool use_source(struct viewer *viewer)
{
    struct recipe recipe;
    bool made = make_recipe(viewer, &recipe), identity = made && recipe_is_identity(&recipe);
    recipe_free(&recipe);
    viewer->result_is_source = identity;
    if (!identity)
        return false;
    jobs_cancel(viewer, JOB_FILTER);
    viewer->result = RESULT_WHOLE;
    viewer->histogram = viewer->source_histogram;
    viewer->times.filter = 0;
    viewer->versions[PANE_RESULT]++;
    viewer->recipe_new = false;
    return true;
}

static void filter_in_steps(struct viewer *viewer)
{
    if (viewer->source_new) {
        viewer->source_new = false;
        viewer->versions[PANE_SOURCE]++;
    }
    if (viewer->recipe_new && use_source(viewer))
        return;
    if (viewer->recipe_new)
        jobs_cancel(viewer, JOB_FILTER);
    if (viewer->recipe_new || viewer->result != RESULT_WHOLE)
        preview_result(viewer);
    if (viewer->recipe_new)
        viewer->result = viewer->result == RESULT_PREVIEW ? RESULT_PREVIEW : RESULT_NONE;
    viewer->recipe_new = false;
}

void viewer_update(struct viewer *viewer)
{
    bool was_busy = viewer->worker.busy;
    enum job_kind kind = viewer->job.kind;
    if (worker_ended(&viewer->worker)) {
        if (kind == JOB_OPEN)
            finish_open(viewer);
        jobs_finish(viewer);
    } else if (was_busy && viewer->model.state.device_changed) {
        jobs_cancel(viewer, JOB_FILTER);
    }
    if (!viewer->worker.busy && viewer->model.state.device_changed)
        change_device(viewer);
    notice_changes(viewer);
    if (viewer_is_direct(viewer)) {
        filter_at_once(viewer);
        measure_at_once(viewer);
    } else {
        filter_in_steps(viewer);
    }
    jobs_start(viewer);
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

/* How long to wait for an event: not at all while the teapot turns, and briefly if something is due. */
static double waiting_time(const struct viewer *viewer)
{
    if (viewer->model.state.turning || viewer->params->frames || viewer->recipe_new)
        return 0;
    return viewer->worker.busy || viewer->result != RESULT_WHOLE ? 0.05 : 2;
}

static bool wait_for_frame(struct viewer *viewer)
{
    struct event event;
    double start = window_time(viewer->window), seconds = waiting_time(viewer);
    bool open = window_poll(viewer->window, seconds);
    while (window_next(viewer->window, &event))
        model_event(&viewer->model, &event);
    if (seconds == 0)
        update_time(viewer, &viewer->times.frame, viewer->clock);
    viewer->clock = seconds > 0 ? window_time(viewer->window) : start;
    /* What is to be saved is saved before the end. */
    return (open && !viewer->model.state.quit) || viewer->model.state.save;
}

static bool run_loop(struct viewer *viewer, char reason[SCENE_REASON])
{
    viewer->clock = viewer->turned = window_time(viewer->window);
    wait_for_frame(viewer);
    for (long frame = 0; !viewer->params->frames || frame < viewer->params->frames; frame++) {
        if (!draw_scene(viewer, reason))
            return false;
        viewer_update(viewer);
        if (viewer->model.state.save)
            jobs_save_now(viewer);
        double start = window_time(viewer->window);
        show_window(viewer);
        update_time(viewer, &viewer->times.show, start);
        if (!wait_for_frame(viewer))
            break;
    }
    return true;
}

/* ---- Start and end --------------------------------------------------------------------------------- */

bool viewer_begin_pictures(struct viewer *viewer, char reason[SCENE_REASON])
{
    const struct viewer_params *params = viewer->params;
    struct viewer_picture picture = params->picture;
    curve_begin();
    if (!picture.values)
        picture = (struct viewer_picture){ params->scene.width, params->scene.height, 3, NULL };
    model_begin(&viewer->model, params);
    state_list_devices(&viewer->model.state, params->device);
    if (!viewer_take(viewer, &picture, params->picture.values ? params->picture_name : NULL)) {
        free(picture.values);
        return scene_refuse(reason, "out of memory");
    }
    return preview_begin(&viewer->preview, params->threads) || scene_refuse(reason, "%s", abbe_last_error());
}

bool viewer_begin_device(struct viewer *viewer, char reason[SCENE_REASON])
{
    struct pictures *pictures = &viewer->pictures;
    if (open_device(viewer, viewer->params->device) && viewer_is_direct(viewer))
        plan_at_once(viewer);
    return !*pictures->error || scene_refuse(reason, "%s", pictures->error);
}

static void wake_window(void *user)
{
    struct viewer *viewer = user;
    window_wake(viewer->window);
}

static bool begin_window(struct viewer *viewer, char reason[SCENE_REASON])
{
    const struct viewer_params *params = viewer->params;
    int width = params->window_width ? params->window_width : 1280;
    int height = params->window_height ? params->window_height : 600;
    viewer->window = window_open(width, height, "abbe view", reason);
    if (!viewer->window || !screen_create(window_functions(viewer->window), &viewer->screen, reason))
        return false;
    viewer->worker.wake = wake_window;
    viewer->worker.user = viewer;
    set_title(viewer, viewer->picture_name);
    pictures_enter_window(&viewer->pictures, window_functions(viewer->window), &viewer->screen.gl);
    if (viewer->model.state.is_scene)
        viewer->scene = scene_create(window_functions(viewer->window), reason);
    return !viewer->model.state.is_scene || viewer->scene;
}

/* The device gl shares the window's context, so it is opened after the window. Any other device is opened
 * first, so that no window appears if the device is missing. */
static bool begin_viewer(struct viewer *viewer, char reason[SCENE_REASON])
{
    bool shares = adopt_is_gl(viewer->params->device);
    return viewer_begin_pictures(viewer, reason) && (shares || viewer_begin_device(viewer, reason)) &&
           begin_window(viewer, reason) && (!shares || viewer_begin_device(viewer, reason));
}

bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON])
{
    struct viewer viewer = { .params = params };
    bool done = begin_viewer(&viewer, reason) && run_loop(&viewer, reason);
    jobs_end(&viewer);
    if (viewer.window) {
        pictures_leave_window(&viewer.pictures);
        scene_destroy(&viewer.scene);
        screen_destroy(&viewer.screen);
    }
    window_close(&viewer.window);
    show_free(&viewer);
    preview_free(&viewer.preview);
    model_free(&viewer.model);
    viewer.pictures.gl = NULL;
    pictures_free(&viewer.pictures);
    free(viewer.picture_name);
    return done;
}
