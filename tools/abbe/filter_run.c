/* abbe filter: runs a job, input by input. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* One input on its way. */
struct piece {
    struct shop *shop;
    const char *input;
    double from, share; /* of the job's progress */
    char *outputs[RESULTS_MAX];
    struct picture source;
    struct picture results[RESULTS_MAX];
    abbe_type types[RESULTS_MAX]; /* as they will be stored */
    const abbe_plan *plan;        /* kept by the shop */
    abbe_watch watch;
    double read_seconds, plan_seconds, run_seconds, write_seconds;
};

/* Where reading, filtering and writing end, as parts of a piece. */
static const double read_end = 0.3, run_end = 0.7;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double at(const struct piece *piece, double part)
{
    return piece->from + part * piece->share;
}

/* ---- Plans -------------------------------------------------------------------------------------------- */

static abbe_plan *find_plan(const struct shop *shop, const struct kept_plan *wanted)
{
    int count = shop->plan_count < PLANS_KEPT ? shop->plan_count : PLANS_KEPT;
    for (int i = 0; i < count; i++) {
        const struct kept_plan *kept = &shop->plans[i];
        if (kept->width == wanted->width && kept->height == wanted->height &&
            kept->channels == wanted->channels && kept->source_type == wanted->source_type &&
            kept->result_type == wanted->result_type && kept->has_alpha == wanted->has_alpha)
            return kept->plan;
    }
    return NULL;
}

static abbe_alpha alpha_of(const struct settings *settings, bool has_alpha)
{
    if (!has_alpha)
        return ABBE_ALPHA_NONE;
    return settings->straight_alpha ? ABBE_ALPHA_INDEPENDENT : ABBE_ALPHA_PREMULTIPLY;
}

static void keep_plan(struct shop *shop, const struct kept_plan *made, abbe_plan *plan)
{
    struct kept_plan *slot = &shop->plans[shop->plan_count++ % PLANS_KEPT];
    abbe_plan_destroy(&slot->plan);
    *slot = *made;
    slot->plan = plan;
}

static abbe_plan *make_plan(struct shop *shop, const struct kept_plan *wanted)
{
    const struct settings *settings = &shop->job->settings;
    abbe_plan *plan = NULL;
    abbe_plan_params params = {
        .width = wanted->width,
        .height = wanted->height,
        .channels = wanted->channels,
        .source_type = wanted->source_type,
        .result_type = wanted->result_type,
        .filters = (const abbe_filter *const *)shop->filters,
        .filter_count = (size_t)shop->job->result_count,
        .border = settings->border,
        .border_value = settings->border_value,
        .method = settings->method,
        .precision = settings->precision,
        .alpha = alpha_of(settings, wanted->has_alpha),
        .linear_light = settings->linear,
        .correlate = settings->correlate,
        .offset = shop->job->offset,
        .runs = shop->job->input_count,
    };
    if (abbe_plan_create(shop->device, &params, &plan))
        return NULL;
    keep_plan(shop, wanted, plan);
    return plan;
}

static abbe_plan *plan_for(struct piece *piece, abbe_type result_type)
{
    const abbe_image *view = &piece->source.view;
    struct kept_plan wanted = { NULL,       view->width, view->height,           view->channels,
                                view->type, result_type, piece->source.has_alpha };
    double start = seconds_now();
    abbe_plan *plan = find_plan(piece->shop, &wanted);
    if (!plan)
        plan = make_plan(piece->shop, &wanted);
    if (!plan)
        say_error("%s: %s", piece->input, abbe_error_text(piece->shop->device));
    piece->plan_seconds = seconds_now() - start;
    return plan;
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static void show_progress(void *user, double done)
{
    const struct piece *piece = user;
    progress_show("filtering", at(piece, read_end + done * (run_end - read_end)));
}

/* The plan stores one type; outputs that need different ones are filtered as floats and converted. */
static abbe_type common_type(const struct piece *piece)
{
    for (int i = 1; i < piece->shop->job->result_count; i++)
        if (piece->types[i] != piece->types[0])
            return ABBE_F32;
    return piece->types[0];
}

static bool run_piece(struct piece *piece)
{
    abbe_type type = common_type(piece);
    piece->plan = plan_for(piece, type);
    if (!piece->plan)
        return false;
    abbe_image views[RESULTS_MAX];
    const abbe_image *shape = &piece->source.view;
    for (int i = 0; i < piece->shop->job->result_count; i++) {
        if (!picture_create(shape->width, shape->height, shape->channels, type, &piece->source,
                            &piece->results[i]))
            return false;
        views[i] = piece->results[i].view;
    }
    double start = seconds_now();
    piece->watch = (abbe_watch){ .progress = show_progress, .user = piece };
    int error = abbe_run_watched(piece->plan, shape, views, &piece->watch);
    piece->run_seconds = seconds_now() - start;
    if (error)
        say_error("%s: %s", piece->input, abbe_error_text(piece->shop->device));
    return !error;
}

/* The same picture in another type: the identity converts as any filter does. */
static bool convert(const struct piece *piece, struct picture *picture, abbe_type type)
{
    abbe_device *device = piece->shop->device;
    struct picture converted = { 0 };
    abbe_filter *identity = NULL;
    abbe_plan *plan = NULL;
    const abbe_image *view = &picture->view;
    if (!picture_create(view->width, view->height, view->channels, type, picture, &converted))
        return false;
    int error = abbe_filter_parse("identity", NULL, &identity);
    if (!error)
        error = abbe_plan_create(device,
                                 &(abbe_plan_params){ .width = view->width,
                                                      .height = view->height,
                                                      .channels = view->channels,
                                                      .source_type = view->type,
                                                      .result_type = type,
                                                      .filters = (const abbe_filter *const[]){ identity },
                                                      .filter_count = 1,
                                                      .nonfinite = ABBE_NONFINITE_ZERO },
                                 &plan);
    if (!error)
        error = abbe_run(plan, view, &converted.view);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&identity);
    if (error) {
        say_error("%s: %s", piece->input, abbe_error_text(device));
        picture_free(&converted);
        return false;
    }
    picture_free(picture);
    *picture = converted;
    return true;
}

static bool write_piece(struct piece *piece)
{
    int count = piece->shop->job->result_count;
    double start = seconds_now();
    for (int i = 0; i < count; i++) {
        struct picture *result = &piece->results[i];
        double from = run_end + (1 - run_end) * i / count, to = run_end + (1 - run_end) * (i + 1) / count;
        if (result->view.type != piece->types[i] && !convert(piece, result, piece->types[i]))
            return false;
        if (!picture_write(result, piece->outputs[i], NULL, at(piece, from), at(piece, to)))
            return false;
    }
    piece->write_seconds = seconds_now() - start;
    return true;
}

/* ---- One input ---------------------------------------------------------------------------------------- */

/* What can be known to fail before any pixel is read. */
static bool name_outputs(struct piece *piece)
{
    for (int i = 0; i < piece->shop->job->result_count; i++) {
        piece->outputs[i] = output_name(piece->shop->job->outputs[i], piece->input);
        if (!piece->outputs[i]) {
            say_error("out of memory");
            return false;
        }
        if (picture_options(piece->outputs[i]) && !picture_options(piece->shop->job->outputs[i])) {
            say_error("%s: the brackets in its name would be read as options of its result", piece->input);
            return false;
        }
        if (!picture_writable(piece->outputs[i]))
            return false;
    }
    return true;
}

/* Only the first page is read: a result in the place of its input would lose the others. */
static bool keeps_pages(const struct piece *piece)
{
    struct stat input, output;
    bool keeps = true, counts = piece->source.pages > 1 && !stat(piece->input, &input);
    for (int i = 0; i < piece->shop->job->result_count && counts && keeps; i++) {
        char *file = output_file(piece->outputs[i]);
        keeps = !file || stat(file, &output) || output.st_dev != input.st_dev ||
                output.st_ino != input.st_ino;
        free(file);
    }
    if (!keeps)
        say_error("%s: its result would replace %d pages by one; write it elsewhere", piece->input,
                  piece->source.pages);
    return keeps;
}

/* ", transform W x H" where there is one. */
static const char *transform_text(const abbe_candidate *chosen, char *text, size_t size)
{
    *text = '\0';
    if (chosen->fft_width)
        snprintf(text, size, ", transform %d x %d", chosen->fft_width, chosen->fft_height);
    return text;
}

static void say_stats(const struct piece *piece)
{
    char transform[48];
    const abbe_image *view = &piece->source.view;
    const abbe_candidate *candidates;
    size_t count;
    static const char *const types[] = { "?", "u8", "u16", "f16", "f32" };
    const abbe_device *device = abbe_plan_device(piece->plan);
    abbe_plan_explain(piece->plan, &candidates, &count);
    for (size_t i = 0; i < count; i++)
        if (candidates[i].chosen)
            say_note("%s: %d x %d x %d %s, device %s (%s), method %s%s", piece->input, view->width,
                     view->height, view->channels, types[view->type], abbe_device_name(device),
                     abbe_device_detail(device), abbe_method_name(candidates[i].method),
                     transform_text(&candidates[i], transform, sizeof transform));
    say_note("  %-14s %9.2f ms", "reading", piece->read_seconds * 1e3);
    say_note("  %-14s %9.2f ms", "planning", piece->plan_seconds * 1e3);
    for (int i = 0; i < piece->watch.pass_count; i++)
        say_note("  %-14s %9.2f ms", piece->watch.passes[i].name, piece->watch.passes[i].seconds * 1e3);
    say_note("  %-14s %9.2f ms", "writing", piece->write_seconds * 1e3);
}

static bool run_input(struct shop *shop, int index)
{
    const struct job *job = shop->job;
    struct piece *piece = calloc(1, sizeof *piece);
    if (!piece) {
        say_error("out of memory");
        return false;
    }
    piece->shop = shop;
    piece->input = job->inputs[index];
    piece->share = 1.0 / job->input_count;
    piece->from = index * piece->share;
    double start = seconds_now();
    progress_subject(piece->input);
    bool done = name_outputs(piece) && picture_read(piece->input, &job->settings.reading, at(piece, 0),
                                                    at(piece, read_end), &piece->source);
    piece->read_seconds = seconds_now() - start;
    for (int i = 0; done && i < job->result_count; i++)
        piece->types[i] = picture_storable(piece->outputs[i], piece->source.view.type);
    done = done && keeps_pages(piece) && run_piece(piece) && write_piece(piece);
    if (done && job->settings.stats)
        say_stats(piece);
    for (int i = 0; i < job->result_count; i++) {
        picture_free(&piece->results[i]);
        free(piece->outputs[i]);
    }
    picture_free(&piece->source);
    free(piece);
    return done;
}

static int open_shop(struct shop *shop)
{
    const struct job *job = shop->job;
    for (int i = 0; i < job->result_count; i++) {
        int status = filter_from_text(job->texts[i], &job->settings.reading, &shop->filters[i]);
        if (status != DONE)
            return status;
    }
    return settings_open(&job->settings, &shop->device) ? DONE : FAILED;
}

int filter_run(const struct job *job)
{
    struct shop shop = { .job = job };
    bool *refused = calloc((size_t)job->input_count, sizeof *refused);
    if (!refused || !picture_begin("abbe", job->settings.threads)) {
        free(refused);
        return FAILED;
    }
    int status = open_shop(&shop);
    progress_begin(job->inputs[0]);
    if (status == DONE && !conflicts_find(job, refused))
        status = FAILED;
    else if (status == DONE)
        for (int i = 0; i < job->input_count; i++)
            if (refused[i] || !run_input(&shop, i))
                status = FAILED;
    progress_end();
    free(refused);
    for (int i = 0; i < PLANS_KEPT; i++)
        abbe_plan_destroy(&shop.plans[i].plan);
    for (int i = 0; i < job->result_count; i++)
        abbe_filter_destroy(&shop.filters[i]);
    abbe_device_close(&shop.device);
    picture_end();
    return status;
}
