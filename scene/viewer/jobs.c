/* Work on whole large pictures, which the worker does while the window answers. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Filtering begins when nothing has changed for so long. */
static const double settled_after = 0.15;

/* ---- On the worker's thread ---------------------------------------------------------------------------- */

static bool keep_message(struct job *job)
{
    snprintf(job->error, sizeof job->error, "%s", abbe_last_error());
    return false;
}

static bool open_file(struct job *job)
{
    const struct viewer_params *params = job->viewer->params;
    return params->open && params->open(params->user, job->name, &job->opened);
}

/* The smaller copies for the panes and for previews, and the histogram of a picture that is not filtered. */
static bool prepare_source(struct job *job)
{
    const struct pictures *pictures = &job->viewer->pictures;
    pyramid_begin(&job->levels, pictures->samples, pictures->width, pictures->height, pictures->channels,
                  pictures->source);
    pyramid_begin(&job->plain, SAMPLES_PLAIN, pictures->width, pictures->height, pictures->channels,
                  pictures->source);
    bool done = pyramid_build(&job->levels);
    histogram_count(&job->histogram, pictures->samples, pictures->source,
                    (size_t)pictures->width * (size_t)pictures->height, pictures->channels);
    return pyramid_build(&job->plain) && done;
}

static bool transform_source(struct job *job)
{
    const struct pictures *pictures = &job->viewer->pictures;
    return !magnitudes_compute(&job->spectrum, job->viewer->preview.device, pictures->width, pictures->height,
                               pictures->channels, pictures->source) ||
           keep_message(job);
}

static bool find_peaks(struct job *job)
{
    const struct pictures *pictures = &job->viewer->pictures;
    abbe_image source = pictures_view(pictures, pictures->source);
    abbe_peak_params params = { .most = PEAKS_MAX };
    return !abbe_peaks_find(job->viewer->preview.device, &source, &params, &job->peaks, &job->peak_count) ||
           keep_message(job);
}

static bool filter_source(struct job *job)
{
    struct pictures *pictures = &job->viewer->pictures;
    abbe_plan *plan = NULL;
    abbe_watch watch = { .progress = worker_progress, .user = &job->viewer->worker };
    if (recipe_plan(&job->recipe, pictures->device, pictures->width, pictures->height, pictures->channels,
                    &plan))
        return keep_message(job);
    abbe_image source = pictures_view(pictures, pictures->source);
    abbe_image result = pictures_view(pictures, pictures->result);
    int error = abbe_run_watched(plan, &source, &result, &watch);
    abbe_plan_destroy(&plan);
    if (error)
        return error != ABBE_ERR_CANCELLED && keep_message(job);
    pyramid_begin(&job->levels, pictures->samples, pictures->width, pictures->height, pictures->channels,
                  pictures->result);
    pyramid_build(&job->levels);
    histogram_count(&job->histogram, pictures->samples, pictures->result,
                    (size_t)pictures->width * (size_t)pictures->height, pictures->channels);
    return true;
}

/* Renders the mask of a recipe as gains. */
static bool render_gains(const struct recipe *recipe, struct mask *mask)
{
    bool keep = strokes_keep(&recipe->strokes);
    if (!mask_create(recipe->strokes.width, recipe->strokes.height, mask))
        return false;
    mask_draw(mask, &recipe->strokes);
    size_t count = (size_t)mask->width * (size_t)mask->height;
    for (size_t i = 0; i < count; i++)
        mask->amounts[i] = mask_gain(mask->amounts[i], keep);
    return true;
}

static bool save_files(struct job *job)
{
    const struct viewer *viewer = job->viewer;
    const struct viewer_params *params = viewer->params;
    const struct pictures *pictures = &viewer->pictures;
    struct mask mask = { 0 };
    if (job->recipe.masks && !render_gains(&job->recipe, &mask))
        return false;
    abbe_image result = pictures_view(pictures, job->is_source ? pictures->source : pictures->result);
    abbe_image gains = {
        .data = mask.amounts, .width = mask.width, .height = mask.height, .channels = 1, .type = ABBE_U8
    };
    struct viewer_save save = { .result_name = job->result_name,
                                .result = &result,
                                .is_light = pictures->samples == SAMPLES_LIGHT,
                                .mask_name = job->recipe.masks ? job->mask_name : NULL,
                                .mask = &gains,
                                .command = job->command };
    bool done = params->save(params->user, &save);
    mask_free(&mask);
    return done;
}

static void do_job(void *data)
{
    struct job *job = data;
    switch (job->kind) {
    case JOB_NONE: break;
    case JOB_OPEN: job->done = open_file(job); break;
    case JOB_PREPARE: job->done = prepare_source(job); break;
    case JOB_SPECTRUM: job->done = transform_source(job); break;
    case JOB_PEAKS: job->done = find_peaks(job); break;
    case JOB_FILTER: job->done = filter_source(job); break;
    case JOB_SAVE: job->done = save_files(job); break;
    }
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static void take_levels(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    pyramid_free(&viewer->pictures.source_levels);
    viewer->pictures.source_levels = job->levels;
    pyramid_free(&viewer->preview.source);
    viewer->preview.source = job->plain;
    job->levels = job->plain = (struct pyramid){ 0 };
    viewer->source_histogram = job->histogram;
    if (viewer->result_is_source)
        viewer->histogram = viewer->source_histogram;
    viewer->prepared = true;
    viewer->versions[PANE_SOURCE]++;
    viewer->versions[PANE_RESULT]++;
}

static void take_spectrum(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    viewer->spectrum_new = false;
    viewer->spectrum_is_estimate = !job->done;
    if (!job->done)
        return;
    magnitudes_free(&viewer->pictures.spectrum);
    viewer->pictures.spectrum = job->spectrum;
    job->spectrum = (struct magnitudes){ 0 };
    viewer->versions[PANE_SPECTRUM]++;
}

/* The recipe may have changed in the meantime; then a result, or a failure, is of no use. */
static bool is_outdated(const struct viewer *viewer)
{
    return viewer->job.kind == JOB_FILTER &&
           (viewer->recipe_new || viewer->result_is_source || viewer->worker.cancelled);
}

static void take_result(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    if (is_outdated(viewer))
        return;
    viewer->failed = *job->error != 0;
    if (!job->done)
        return;
    pyramid_free(&viewer->pictures.result_levels);
    viewer->pictures.result_levels = job->levels;
    job->levels = (struct pyramid){ 0 };
    viewer->histogram = job->histogram;
    viewer->times.filter = 1e3 * (window_time(viewer->window) - job->start);
    viewer->result = RESULT_WHOLE;
    viewer->versions[PANE_RESULT]++;
}

static void take_peaks(struct viewer *viewer)
{
    const struct job *job = &viewer->job;
    model_take_peaks(&viewer->model, job->peaks, job->done ? job->peak_count : 0);
    if (!job->done)
        return;
    if (!job->peak_count)
        viewer_note(viewer, false, "no peaks: nothing in this picture repeats itself");
    else
        viewer_note(viewer, false, "%zu peak%s; a click removes one", job->peak_count,
                    job->peak_count > 1 ? "s" : "");
}

static void note_saved(struct viewer *viewer)
{
    const struct job *job = &viewer->job;
    if (job->done)
        viewer_note(viewer, false, "saved %s", job->result_name);
    else
        viewer_note(viewer, true, "%s cannot be saved; the terminal says why", job->result_name);
}

static void clear_job(struct job *job)
{
    struct viewer *viewer = job->viewer;
    free(job->name);
    free(job->command);
    free(job->opened.values);
    pyramid_free(&job->levels);
    pyramid_free(&job->plain);
    magnitudes_free(&job->spectrum);
    abbe_peaks_free(&job->peaks);
    recipe_free(&job->recipe);
    *job = (struct job){ .viewer = viewer };
}

void jobs_finish(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    switch (job->kind) {
    case JOB_NONE:
    case JOB_OPEN: break;
    case JOB_PREPARE: take_levels(viewer); break;
    case JOB_SPECTRUM: take_spectrum(viewer); break;
    case JOB_PEAKS: take_peaks(viewer); break;
    case JOB_FILTER: take_result(viewer); break;
    case JOB_SAVE: note_saved(viewer); break;
    }
    if (*job->error && !is_outdated(viewer))
        viewer_note(viewer, true, "%s", job->error);
    clear_job(job);
}

/* ---- Beginning ----------------------------------------------------------------------------------------- */

/* Chooses the first of abbe-view-1.png, abbe-view-2.png, … that does not exist. */
static void choose_names(char result[64], char mask[64])
{
    int number = 1;
    do {
        snprintf(result, 64, "abbe-view-%d.png", number);
        snprintf(mask, 64, "abbe-view-%d-mask.png", number++);
    } while ((!access(result, F_OK) || !access(mask, F_OK)) && number < 100000);
}

static bool prepare_save(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    job->viewer = viewer;
    job->kind = JOB_SAVE;
    viewer->model.state.save = false;
    pictures_read_result(&viewer->pictures);
    job->is_source = viewer->result_is_source && !viewer_is_direct(viewer);
    choose_names(job->result_name, job->mask_name);
    if (!recipe_make(&job->recipe, &viewer->model.state, viewer->params->own, &viewer->model.strokes))
        return false;
    job->command = state_command(&viewer->model.state, viewer->picture_name,
                                 job->recipe.masks ? job->mask_name : NULL, job->result_name);
    return job->command != NULL;
}

/* Small pictures are saved at once. */
void jobs_save_now(struct viewer *viewer)
{
    if (!viewer_is_direct(viewer) || viewer->worker.busy)
        return;
    viewer->job.done = prepare_save(viewer) && save_files(&viewer->job);
    jobs_finish(viewer);
}

/* Small pictures are searched at once. */
void jobs_find_peaks_now(struct viewer *viewer)
{
    if (viewer->worker.busy)
        return;
    viewer->job.viewer = viewer;
    viewer->job.kind = JOB_PEAKS;
    viewer->job.done = find_peaks(&viewer->job);
    jobs_finish(viewer);
}

static void begin_job(struct viewer *viewer, enum job_kind kind)
{
    viewer->job.viewer = viewer;
    viewer->job.kind = kind;
    viewer->job.done = false;
    viewer->job.start = window_time(viewer->window);
    if (!worker_start(&viewer->worker, do_job, &viewer->job)) {
        viewer_note(viewer, true, "the system refuses a thread");
        clear_job(&viewer->job);
    }
}

static void begin_spectrum(struct viewer *viewer)
{
    struct pictures *pictures = &viewer->pictures;
    if (!magnitudes_estimate(&pictures->spectrum, viewer->preview.device, pictures->width, pictures->height,
                             pictures->channels, pictures->source)) {
        viewer->spectrum_is_estimate = true;
        viewer->versions[PANE_SPECTRUM]++;
    }
    begin_job(viewer, JOB_SPECTRUM);
}

/* The user's wish comes before what is only useful. */
static void begin_large(struct viewer *viewer)
{
    struct job *job = &viewer->job;
    bool settled = viewer->model.drag != DRAG_PAINT &&
                   window_time(viewer->window) - viewer->changed > settled_after;
    if (!viewer->prepared) {
        begin_job(viewer, JOB_PREPARE);
    } else if (viewer->model.state.save && viewer->result == RESULT_WHOLE) {
        if (prepare_save(viewer))
            begin_job(viewer, JOB_SAVE);
        else
            jobs_finish(viewer);
    } else if (viewer->spectrum_new && viewer->model.areas[PANE_SPECTRUM].width) {
        begin_spectrum(viewer);
    } else if (viewer->model.state.peaks && !viewer->model.peaks_known) {
        begin_job(viewer, JOB_PEAKS);
    } else if (viewer->failed) {
        viewer->model.state.save = false; /* the message tells why there is nothing to save */
    } else if (viewer->result != RESULT_WHOLE && settled) {
        viewer->failed = !recipe_make(&job->recipe, &viewer->model.state, viewer->params->own,
                                      &viewer->model.strokes) ||
                         !pictures_need_result(&viewer->pictures);
        if (!viewer->failed) {
            begin_job(viewer, JOB_FILTER);
            return;
        }
        recipe_free(&job->recipe);
        viewer_note(viewer, true, "memory does not suffice for the whole picture");
    }
}

/* Another picture is opened after what is to be saved of this one. */
void jobs_start(struct viewer *viewer)
{
    struct model *model = &viewer->model;
    bool opens = model->dropped && !model->state.save;
    if (opens)
        jobs_cancel(viewer, JOB_FILTER);
    if (viewer->worker.busy)
        return;
    if (opens) {
        viewer->job.name = model->dropped;
        model->dropped = NULL;
        begin_job(viewer, JOB_OPEN);
    } else if (!viewer_is_direct(viewer)) {
        begin_large(viewer);
    }
}

void jobs_cancel(struct viewer *viewer, enum job_kind kind)
{
    if (viewer->worker.busy && viewer->job.kind == kind)
        worker_cancel(&viewer->worker);
}

void jobs_end(struct viewer *viewer)
{
    jobs_cancel(viewer, JOB_FILTER);
    worker_wait(&viewer->worker);
    clear_job(&viewer->job);
}
