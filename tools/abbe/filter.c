/* abbe filter: filters pictures, each with every filter of the command line.
 *
 *     request        what the command line asks for (request.c)
 *     session        filters, device and plans, which all inputs share
 *     input          one picture: check outputs, read, plan, run, write */
#include "command.h"
#include "figures.h"
#include "outputs.h"
#include "plans.h"
#include "rest.h"
#include "streaming.h"

#include <abbe/measure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Session and input --------------------------------------------------------------------------------- */

/* What all inputs of a command line share. */
struct session {
    const struct request *request;
    abbe_device *device;
    int filter_count;
    abbe_filter *filters[RESULTS_MAX]; /* of the results that have one */
    struct outputs outputs;
    struct where where;
    struct sequence sequence; /* where the input is standard input and may have several pictures */
    bool warned_of_levels;
    struct plans plans;
    const abbe_plan *plan; /* of the picture under way; NULL before it has one */
};

/* One input picture while it is processed. */
struct input {
    struct session *session;
    const char *path, *name;             /* the name is for messages */
    double from, share;                  /* of the progress of all inputs */
    struct destination *destinations;    /* one for each result; they belong to the session */
    const bool *skipped;                 /* destinations that exist and are kept */
    struct inflow inflow;                /* of the file, until its pixels are read */
    struct picture file;                 /* all pages */
    struct picture source;               /* one of them, which belongs to the file */
    struct picture part;                 /* of --channels; empty where the source itself is filtered */
    int page;                            /* from 0 on */
    struct picture results[RESULTS_MAX]; /* of that page */
    struct picture stacks[RESULTS_MAX];  /* results of all pages so far */
    abbe_type types[RESULTS_MAX];        /* as they will be stored */
    abbe_times times;
    double read_seconds, plan_seconds, write_seconds;
    double whole;       /* bytes that filtering it as a whole would take; 0: few */
    char obstacle[256]; /* why it cannot be filtered in parts; "" where that does not matter */
};

/* Where reading and filtering end, as fractions of the work on one input. */
static const double read_end = 0.3, run_end = 0.7;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A fraction of the work on one input as a fraction of the work on all of them. */
static double total_fraction(const struct input *input, double fraction)
{
    return input->from + fraction * input->share;
}

/* ---- Plans --------------------------------------------------------------------------------------------- */

static abbe_plan_params plan_params(const struct session *session, const struct plan_kind *kind)
{
    const struct settings *settings = &session->request->settings;
    abbe_alpha alpha = settings->straight_alpha ? ABBE_ALPHA_INDEPENDENT : ABBE_ALPHA_PREMULTIPLY;
    return (abbe_plan_params){
        .width = kind->width,
        .height = kind->height,
        .channels = kind->channels,
        .source_type = kind->source_type,
        .result_type = kind->result_type,
        .filters = (const abbe_filter *const *)session->filters,
        .filter_count = (size_t)session->filter_count,
        .border = settings->border,
        .border_value = settings->border_value,
        .method = settings->method,
        .precision = settings->precision,
        .alpha = kind->has_alpha ? alpha : ABBE_ALPHA_NONE,
        .linear_light = settings->linear && !channels_are_alpha(&session->request->channels),
        .correlate = settings->correlate,
        .offset = kind->offset,
        .runs = session->request->input_count,
    };
}

/* Makes a plan and keeps it. */
static abbe_plan *make_plan(struct session *session, const struct plan_kind *kind)
{
    abbe_plan_params params = plan_params(session, kind);
    abbe_plan *plan = NULL;
    int error = abbe_plan_create(session->device, &params, &plan);
    if (error == ABBE_ERR_MEMORY && plans_drop(&session->plans, NULL))
        error = abbe_plan_create(session->device, &params, &plan);
    if (error)
        return NULL;
    plans_keep(&session->plans, kind, plan);
    return plan;
}

static const struct picture *filtered_picture(const struct input *input)
{
    return input->part.view.data ? &input->part : &input->source;
}

static struct plan_kind kind_of(const struct picture *filtered, abbe_type result_type, double offset)
{
    const abbe_image *view = &filtered->view;
    return (struct plan_kind){ .width = view->width,
                               .height = view->height,
                               .channels = view->channels,
                               .source_type = view->type,
                               .result_type = result_type,
                               .offset = offset,
                               .has_alpha = filtered->has_alpha };
}

static abbe_plan *find_or_make_plan(struct input *input, abbe_type result_type, double offset)
{
    struct plan_kind kind = kind_of(filtered_picture(input), result_type, offset);
    double start = seconds_now();
    abbe_plan *plan = plans_find(&input->session->plans, &kind);
    if (!plan) {
        double part = (double)input->page / input->file.held;
        progress_show("planning", total_fraction(input, read_end + part * (run_end - read_end)));
        plan = make_plan(input->session, &kind);
    }
    if (!plan)
        say_error("%s: %s", input->name, abbe_error_text(input->session->device));
    input->plan_seconds = seconds_now() - start;
    return plan;
}

/* ---- Run and write ------------------------------------------------------------------------------------- */

static int show_progress(void *user, double done)
{
    const struct input *input = user;
    double part = (input->page + done) / input->file.held;
    progress_show("filtering", total_fraction(input, read_end + part * (run_end - read_end)));
    return 0;
}

static struct blend input_blend(const struct input *input)
{
    const struct request *request = input->session->request;
    return (struct blend){ .source = &input->source,
                           .channels = &request->channels,
                           .where = &input->session->where,
                           .by_alpha = input->source.has_alpha && !request->settings.straight_alpha };
}

/* Whether the plan can store all results as they are asked for. Otherwise it writes floats, which are then
 * finished one by one. */
static bool stores_directly(const struct input *input)
{
    const struct request *request = input->session->request;
    const struct blend blend = input_blend(input);
    if (finish_blends(&blend))
        return false;
    for (int i = 0; i < request->result_count; i++)
        if (request->texts[i] &&
            (input->types[i] != input->types[0] || !finish_is_plain(&request->finishes[i]) ||
             request->finishes[i].offset != request->finishes[0].offset))
            return false;
    return true;
}

static bool finish_results(struct input *input)
{
    const struct request *request = input->session->request;
    const struct blend blend = input_blend(input);
    for (int i = 0; i < request->result_count; i++)
        if (request->texts[i] &&
            !finish_picture(&request->finishes[i], input->types[i], &blend, &input->results[i]))
            return false;
    return true;
}

static bool run_input(struct input *input)
{
    const struct request *request = input->session->request;
    bool direct = stores_directly(input);
    abbe_type type = direct ? input->types[0] : ABBE_F32;
    double offset = finish_offset(request->finishes[0].offset, type);
    struct session *session = input->session;
    session->plan = find_or_make_plan(input, type, direct ? offset : 0);
    if (!session->plan)
        return false;
    abbe_image views[RESULTS_MAX];
    const struct picture *filtered = filtered_picture(input);
    const abbe_image *shape = &filtered->view;
    for (int i = 0, view = 0; i < request->result_count; i++) {
        if (!request->texts[i])
            continue;
        if (!picture_create(shape->width, shape->height, shape->channels, type, filtered, &input->results[i]))
            return false;
        views[view++] = input->results[i].view;
    }
    const abbe_watch watch = { .progress = show_progress, .user = input };
    int error = abbe_run_timed(session->plan, shape, views, &watch, &input->times);
    if (error == ABBE_ERR_MEMORY && plans_drop(&session->plans, session->plan))
        error = abbe_run_timed(session->plan, shape, views, &watch, &input->times);
    if (error)
        say_error("%s: %s", input->name, abbe_error_text(input->session->device));
    return !error && (direct || finish_results(input)) &&
           rest_results(request, &input->source, input->types, input->destinations, input->skipped,
                        input->results);
}

/* Makes the part of the picture that is filtered. */
static bool prepare_part(struct input *input)
{
    const struct channels *channels = &input->session->request->channels;
    bool whole = channels->kind == CHANNELS_ALL || channels->kind == CHANNELS_CHROMA;
    return channels_fit(channels, input->name, &input->source) &&
           where_fits(&input->session->where, input->name, &input->source) &&
           (whole || channels_extract(channels, &input->source, &input->part));
}

/* Adds the times of a page to those of the pages before it, which had the same passes. */
static void add_times(abbe_times *sum, const abbe_times *times)
{
    for (int i = 0; i < sum->pass_count && i < times->pass_count; i++)
        sum->passes[i].seconds += times->passes[i].seconds;
}

static bool run_pages(struct input *input)
{
    abbe_times sum = { 0 };
    double plan_seconds = 0;
    for (input->page = 0; input->page < input->file.held; input->page++) {
        input->source = picture_page(&input->file, input->page);
        bool done = prepare_part(input) && run_input(input);
        picture_free(&input->part);
        if (!done)
            return false;
        if (input->page == 0)
            sum = input->times;
        else
            add_times(&sum, &input->times);
        plan_seconds += input->plan_seconds;
        for (int i = 0; i < input->session->request->result_count; i++)
            if (input->skipped[i])
                picture_free(&input->results[i]);
            else if (!picture_append(&input->stacks[i], &input->results[i]))
                return false;
    }
    input->times = sum;
    input->plan_seconds = plan_seconds;
    return true;
}

static bool write_input(struct input *input)
{
    int count = input->session->request->result_count;
    double start = seconds_now();
    for (int i = 0; i < count; i++) {
        struct picture *result = &input->stacks[i];
        double from = run_end + (1 - run_end) * i / count, to = run_end + (1 - run_end) * (i + 1) / count;
        if (!input->skipped[i] && !picture_write(result, &input->destinations[i], NULL,
                                                 total_fraction(input, from), total_fraction(input, to)))
            return false;
    }
    input->write_seconds = seconds_now() - start;
    return true;
}

/* ---- One input ----------------------------------------------------------------------------------------- */

/* Finds mistakes in the outputs before any pixel is read. */
static bool check_outputs(struct input *input)
{
    const struct request *request = input->session->request;
    for (int i = 0; i < request->result_count; i++) {
        if (input->skipped[i])
            continue;
        if (input->destinations[i].options && !destination_find_options(request->patterns[i])) {
            say_error("%s: the brackets in its name would be read as options of its result", input->name);
            return false;
        }
        if (request->where && output_is_input(input->destinations[i].path, request->where)) {
            say_error("%s: its result would replace the mask %s", input->name, request->where);
            return false;
        }
        /* The type of the source is not known yet, and does not matter where --depth is given. */
        if (!destination_check(&input->destinations[i]) ||
            !finish_type(&request->finishes[i], &input->destinations[i], ABBE_U8))
            return false;
    }
    return true;
}

/* The types in which results are stored. A result whose file is kept may have a format that is unknown or cannot
 * hold it; its type only counts where another result is what it leaves of the picture. */
static void find_types(struct input *input)
{
    const struct request *request = input->session->request;
    abbe_type source = input->inflow.shape.view.type;
    for (int i = 0; i < request->result_count; i++) {
        const struct destination *destination = &input->destinations[i];
        const struct finish *finish = &request->finishes[i];
        if (!input->skipped[i])
            input->types[i] = finish_type(finish, destination, source);
        else
            input->types[i] = destination->format
                                  ? destination_type(destination, finish->type ? finish->type : source)
                                  : source;
    }
}

/* A result must not replace an input with more pages than it has. */
static bool check_pages(const struct input *input)
{
    const struct picture *shape = &input->inflow.shape;
    int pages = shape->pages;
    for (int i = 0; i < input->session->request->result_count; i++) {
        const char *path = input->destinations[i].path;
        bool keeps_all = input->skipped[i] ||
                         (shape->held == pages && destination_has_pages(&input->destinations[i]));
        if (!keeps_all && pages > 1 && path && output_is_input(path, input->path)) {
            say_error("%s: its result would replace %d pages by one; choose another output", input->name,
                      pages);
            return false;
        }
    }
    return true;
}

/* Once for all inputs. */
static void warn_of_levels(struct session *session, abbe_type type)
{
    const struct request *request = session->request;
    if (session->warned_of_levels || type == ABBE_F32)
        return;
    session->warned_of_levels = true;
    const struct finish *finish = request->finishes, *end = finish + request->result_count;
    while (finish < end && fabs(finish->offset) <= 2)
        finish++;
    if (finish < end)
        settings_warn_of_levels("--offset ", finish->offset, type);
    settings_warn_of_levels("--border constant:", request->settings.border_value, type);
}

static void print_seconds(const char *name, double seconds)
{
    say_note("  %-14s %9.2f ms", name, seconds * 1e3);
}

static void print_stats(const struct input *input)
{
    const abbe_image *view = &input->source.view;
    const abbe_device *device = abbe_plan_device(input->session->plan);
    const abbe_candidate *choice = abbe_plan_choice(input->session->plan);
    char transform[48] = "";
    if (choice->fft_width)
        snprintf(transform, sizeof transform, ", %stransform %d x %d", choice->even ? "even " : "",
                 choice->fft_width, choice->fft_height);
    say_note("%s: %d x %d x %d %s, device %s (%s), method %s%s", input->name, view->width, view->height,
             view->channels, abbe_type_name(view->type), abbe_device_name(device), abbe_device_detail(device),
             abbe_method_name(choice->method), transform);
    if (*input->obstacle)
        say_note("  as a whole, in about %s: %s", figure_bytes((size_t)input->whole, (char[FIGURE_MAX]){ 0 }),
                 input->obstacle);
    print_seconds("reading", input->read_seconds);
    print_seconds("planning", input->plan_seconds);
    for (int i = 0; i < input->times.pass_count; i++)
        print_seconds(input->times.passes[i].name, input->times.passes[i].seconds);
    print_seconds("writing", input->write_seconds);
}

/* Whether any of the results can have several pages. */
static bool holds_pages(const struct input *input)
{
    for (int i = 0; i < input->session->request->result_count; i++)
        if (destination_has_pages(&input->destinations[i]))
            return true;
    return false;
}

/* ---- As a whole or in parts ----------------------------------------------------------------------------- */

/* Pictures with more pixels than --max-pixels has by default are filtered in parts, unless their files say so little
 * about each pixel that they are no pictures, but made to fill a disk. */
static const double compression_max = 100;

/* By default, pictures that take more than that are filtered in parts. */
static const double whole_max = 512e6;

/* Bytes that a plan of the whole picture takes for its runs; more than any machine has where none fits. 0 where it cannot
 * be made for other reasons, which are printed when it is. */
static double engine_bytes(struct session *session, const struct plan_kind *kind)
{
    const abbe_plan_params params = plan_params(session, kind);
    abbe_plan *kept = plans_find(&session->plans, kind), *draft = NULL;
    if (kept)
        return (double)abbe_plan_choice(kept)->bytes;
    int error = abbe_plan_draft(session->device, &params, &draft);
    double bytes = error ? 0 : (double)abbe_plan_choice(draft)->bytes;
    abbe_plan_destroy(&draft);
    return error == ABBE_ERR_MEMORY || error == ABBE_ERR_SIZE ? 1e18 : bytes;
}

enum way { AS_A_WHOLE, IN_PARTS, REFUSED };

/* Pictures are filtered as a whole while memory is plenty, and where they must. */
static enum way choose_way(struct input *input, const struct plan_kind *kind,
                           const struct streaming *streaming)
{
    const struct settings *settings = &input->session->request->settings;
    const struct picture *shape = &input->inflow.shape;
    double pixels = (double)shape->view.width * shape->view.height * shape->held;
    bool counts = settings->limits_pixels || pixels <= (double)settings->reading.max_pixels;
    double bound = settings->memory > 0 ? settings->memory : fmin(plans_quarter(), whole_max);
    double pictures = streaming_whole_pictures(streaming);
    char needed[FIGURE_MAX], bytes[FIGURE_MAX];
    bool is_limited = settings->limits_pixels ||
                      (!counts && inflow_compression(&input->inflow) > compression_max);
    if (is_limited && !inflow_check_pixels(&input->inflow, settings->reading.max_pixels))
        return REFUSED;
    counts = counts || is_limited;
    /* No method takes that much more than the pictures. */
    if (counts && 40 * pictures < bound)
        return AS_A_WHOLE;
    /* Where the pictures alone are too large, no plan of the whole is made: it might open a GPU for its comparison. */
    bool too_large = pictures > bound;
    input->whole = pictures;
    if (too_large && !streaming_has_obstacle(streaming, input->obstacle, sizeof input->obstacle))
        return IN_PARTS;
    input->whole += engine_bytes(input->session, kind);
    if (counts && input->whole <= bound)
        return AS_A_WHOLE;
    if (!too_large && !streaming_has_obstacle(streaming, input->obstacle, sizeof input->obstacle))
        return IN_PARTS;
    double most = settings->memory > 0 ? settings->memory : 4 * plans_quarter();
    figure_bytes((size_t)input->whole, needed);
    if (counts && input->whole <= most)
        return AS_A_WHOLE;
    if (input->whole > most)
        say_error("%s: needs about %s of memory, more than %s%s, and cannot be filtered in parts: %s",
                  input->name, needed, settings->memory > 0 ? "--memory " : "the machine's ",
                  figure_bytes((size_t)most, bytes), input->obstacle);
    else
        say_error("%s: needs about %s of memory for %.0f pixels; --max-pixels allows %lld, and it cannot be "
                  "filtered in parts: %s",
                  input->name, needed, pixels, settings->reading.max_pixels, input->obstacle);
    return REFUSED;
}

static void print_streaming_stats(const struct input *input, const struct streaming *streaming,
                                  double seconds)
{
    const abbe_image *view = &input->inflow.shape.view;
    const abbe_device *device = input->session->device;
    char within[FIGURE_MAX], whole[FIGURE_MAX];
    say_note("%s: %d x %d x %d %s, device %s (%s), in parts within %s (at least %s as a whole)", input->name,
             view->width, view->height, view->channels, abbe_type_name(view->type), abbe_device_name(device),
             abbe_device_detail(device), figure_bytes((size_t)streaming->memory, within),
             input->whole < 1e17 ? figure_bytes((size_t)input->whole, whole) : "too large");
    print_seconds("reading", streaming->read_seconds);
    print_seconds("filtering", seconds - streaming->read_seconds - streaming->write_seconds);
    print_seconds("writing", streaming->write_seconds);
}

static bool filter_in_parts(struct input *input, struct streaming *streaming)
{
    double start = seconds_now();
    plans_drop(&input->session->plans, NULL);
    bool done = streaming_run(streaming);
    if (done && input->session->request->settings.stats)
        print_streaming_stats(input, streaming, seconds_now() - start);
    return done;
}

static bool filter_as_a_whole(struct input *input)
{
    const struct request *request = input->session->request;
    double start = seconds_now();
    bool done = inflow_check_pixels(&input->inflow, request->settings.reading.max_pixels) &&
                inflow_load(&input->inflow, total_fraction(input, 0), total_fraction(input, read_end),
                            &input->file);
    input->read_seconds += seconds_now() - start;
    if (done)
        inflow_say_mended(&input->inflow);
    inflow_close(&input->inflow);
    input->source = input->file;
    done = done && run_pages(input) && write_input(input);
    if (done && request->settings.stats)
        print_stats(input);
    return done;
}

/* Filters a picture whose header has been read. */
static bool filter_opened(struct input *input)
{
    const struct request *request = input->session->request;
    const struct picture *shape = &input->inflow.shape;
    warn_of_levels(input->session, shape->view.type);
    find_types(input);
    rest_warn_of_kept(request, shape, input->types, input->destinations, input->skipped);
    if (!check_pages(input))
        return false;
    bool direct = stores_directly(input);
    abbe_type type = direct ? input->types[0] : ABBE_F32;
    double offset = direct ? finish_offset(request->finishes[0].offset, type) : 0;
    const struct plan_kind kind = kind_of(shape, type, offset);
    const abbe_plan_params params = plan_params(input->session, &kind);
    struct streaming streaming = { .request = request,
                                   .device = input->session->device,
                                   .plan = &params,
                                   .source = &input->inflow,
                                   .destinations = input->destinations,
                                   .skipped = input->skipped,
                                   .types = input->types,
                                   .direct = direct,
                                   .from = total_fraction(input, 0),
                                   .to = total_fraction(input, 1) };
    switch (choose_way(input, &kind, &streaming)) {
    case AS_A_WHOLE: return filter_as_a_whole(input);
    case IN_PARTS: return filter_in_parts(input, &streaming);
    case REFUSED: break;
    }
    return false;
}

/* ---- One input of the session -------------------------------------------------------------------------- */

static bool filter_input(struct session *session, int index)
{
    const struct request *request = session->request;
    struct input *input = calloc(1, sizeof *input);
    if (!input) {
        say_error("out of memory");
        return false;
    }
    input->session = session;
    input->path = request->inputs[index];
    input->name = request->is_sequence ? session->sequence.name : input->path;
    input->share = 1.0 / request->input_count;
    input->from = index * input->share;
    input->destinations = &session->outputs.destinations[index * request->result_count];
    input->skipped = &session->outputs.skipped[index * request->result_count];
    double start = seconds_now();
    progress_subject(input->name);
    struct reading reading = request->settings.reading;
    reading.sequence = request->is_sequence ? &session->sequence : NULL;
    reading.page = request->page || !holds_pages(input) ? request->page : PAGES_ALL;
    progress_show("reading", total_fraction(input, 0));
    bool done = check_outputs(input) && inflow_open(input->path, &reading, &input->inflow);
    input->read_seconds = seconds_now() - start;
    done = done && filter_opened(input);
    for (int i = 0; i < request->result_count; i++) {
        picture_free(&input->results[i]);
        picture_free(&input->stacks[i]);
        destination_free(&input->destinations[i]);
    }
    inflow_close(&input->inflow);
    picture_free(&input->file);
    free(input);
    session->plan = NULL;
    return done;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int open_session(struct session *session)
{
    const struct request *request = session->request;
    for (int i = 0; i < request->result_count; i++) {
        if (!request->texts[i])
            continue;
        int status = settings_make_filter(request->texts[i], &request->settings.reading,
                                          &session->filters[session->filter_count]);
        if (status != DONE)
            return status;
        session->filter_count++;
    }
    if (request->where && !where_read(request->where, &request->settings.reading, &session->where))
        return FAILED;
    if (!settings_open_device(&request->settings, &session->device))
        return FAILED;
    return outputs_create(&session->outputs) ? DONE : FAILED;
}

/* Called when memory is short for a picture. */
static bool make_room(void *user)
{
    struct session *session = user;
    return plans_drop(&session->plans, session->plan);
}

static void close_session(struct session *session)
{
    picture_when_short(NULL, NULL);
    outputs_free(&session->outputs);
    sequence_free(&session->sequence);
    where_free(&session->where);
    plans_drop(&session->plans, NULL);
    for (int i = 0; i < session->filter_count; i++)
        abbe_filter_destroy(&session->filters[i]);
    abbe_device_close(&session->device);
}

/* Whether an input was filtered, or need not be because its outputs are kept. */
static bool try_input(struct session *session, int index)
{
    return !session->outputs.refused[index] &&
           (outputs_are_skipped(&session->outputs, index) || filter_input(session, index));
}

/* Filters the pictures of standard input one after the other, each with outputs of its own. */
static int filter_sequence(struct session *session)
{
    struct sequence *sequence = &session->sequence;
    int status = DONE;
    while (sequence_next(sequence)) {
        if (sequence->number > 1) {
            outputs_free(&session->outputs);
            session->outputs.number = sequence->number;
            if (!outputs_create(&session->outputs))
                return FAILED;
        }
        if (!try_input(session, 0))
            status = FAILED;
    }
    return sequence->failed ? FAILED : status;
}

/* An input that fails does not stop the others. */
static int filter_inputs(struct session *session)
{
    int status = DONE;
    if (session->request->is_sequence)
        return filter_sequence(session);
    for (int i = 0; i < session->request->input_count; i++)
        if (!try_input(session, i))
            status = FAILED;
    return status;
}

static int run_request(struct request *request)
{
    if (!picture_begin("abbe", request->settings.threads))
        return FAILED;
    int status = request_expand(request);
    if (status != DONE) {
        picture_end();
        return status;
    }
    struct session session = { .request = request,
                               .outputs = { .inputs = request->inputs,
                                            .input_count = request->input_count,
                                            .patterns = request->patterns,
                                            .pattern_count = request->result_count,
                                            .number = request->has_numbers,
                                            .makes_folders = request->makes_folders,
                                            .existing = request->existing },
                               .sequence = { .title = "standard input",
                                             .descriptor = STDIN_FILENO,
                                             .takes_several = true,
                                             .is_expected = request->has_numbers } };
    status = open_session(&session);
    picture_when_short(make_room, &session);
    if (status == DONE) {
        progress_begin(request->inputs[0]);
        status = filter_inputs(&session);
        progress_end();
    }
    if (status == DONE && request->found.is_incomplete)
        status = FAILED;
    close_session(&session);
    picture_end();
    return status;
}

int command_filter(int argc, char **argv)
{
    struct request request;
    int status = request_read(&request, argc, argv);
    if (status == DONE && !request.wants_help)
        status = run_request(&request);
    request_free(&request);
    return status;
}
