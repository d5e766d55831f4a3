/* abbe filter: filters pictures, each with every filter of the command line.
 *
 *     command line   struct request: inputs, filters, output patterns, settings
 *     session        filters, device and plans, which all inputs share
 *     input          one picture: check outputs, read, plan, run, write */
#include "command.h"
#include "outputs.h"
#include "settings.h"

#include <abbe/measure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- The command line ---------------------------------------------------------------------------------- */

enum { RESULTS_MAX = 256 };
enum { LINEAR = 1, STRAIGHT_ALPHA, CORRELATE, OFFSET };

struct request {
    struct settings settings;
    double offset;
    int input_count;
    const char **inputs;
    int result_count;
    const char *texts[RESULTS_MAX];    /* of the filters */
    const char *patterns[RESULTS_MAX]; /* output names; see outputs.h */
};

static const struct option_spec specs[] = {
    { OPTION_FILTER, 'f', "filter", "FILTER", "filter to apply; write its -o after it" },
    { OPTION_OUTPUT, 'o', "output", "OUT", "output file; {name} and {ext} are replaced by the input's" },
    { OPTION_BORDER, 'b', "border", "NAME", HELP_BORDER },
    { OPTION_DEVICE, 'd', "device", "NAME", HELP_DEVICE },
    { OPTION_METHOD, 'm', "method", "NAME", HELP_METHOD },
    { OPTION_PRECISION, 0, "precision", "NAME", HELP_PRECISION },
    { LINEAR, 0, "linear", NULL, "filter linear light: decode sRGB before and encode it after" },
    { STRAIGHT_ALPHA, 0, "straight-alpha", NULL, "filter colours without multiplying them by alpha" },
    { CORRELATE, 0, "correlate", NULL, "do not flip kernels" },
    { OFFSET, 0, "offset", "VALUE", "add VALUE to results; 0.5 shows high passes on mid grey" },
    { OPTION_THREADS, 't', "threads", "N", HELP_THREADS },
    { OPTION_STATS, 's', "stats", NULL, "print device, method, sizes and the time of each pass" },
    { OPTION_QUIET, 'q', "quiet", NULL, HELP_QUIET },
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N", HELP_MAX_PIXELS },
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, HELP_UNTRUSTED },
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe filter IN... -f FILTER -o OUT [-f FILTER -o OUT]... [options]";
static const char summary[] =
    "Filters pictures. Several filters share one forward transform; several inputs share plans.\n"
    "A filter is name:key=value:key=value, and commas chain filters; see: abbe list filters";
static const char examples[] = "  abbe filter photo.jpg -f gaussian:sigma=12 -o soft.jpg\n"
                               "  abbe filter scan.tif -f notch:x=0.25:y=0:radius=0.01 -o clean.tif\n"
                               "  abbe filter photo.png -f unsharp -o sharp.png -f sobel -o edges.png\n"
                               "  abbe filter *.jpg -f unsharp:sigma=1.5 -o 'out/{name}.jpg'\n"
                               "  abbe filter moon.tif -f highpass:cutoff=0.05 -o detail.png --offset 0.5\n"
                               "  abbe filter photo.jpg -f kernel:file=taps.txt -o out.png --border clamp\n"
                               "  curl … | abbe filter - -f disk:radius=9 -o - > out.png\n";

/* -f begins a result, -o completes it. */
static int take_filter(struct request *request, const char *text)
{
    if (request->result_count == RESULTS_MAX)
        return fail_usage("filter", "there are more than %d filters", RESULTS_MAX);
    if (request->result_count && !request->patterns[request->result_count - 1])
        return fail_usage("filter", "filter '%s' has no -o after it",
                          request->texts[request->result_count - 1]);
    request->texts[request->result_count++] = text;
    return DONE;
}

static int take_output(struct request *request, const char *name)
{
    if (!request->result_count || request->patterns[request->result_count - 1])
        return fail_usage("filter", "-o %s has no -f FILTER before it", name);
    request->patterns[request->result_count - 1] = name;
    return DONE;
}

static int take_option(struct request *request, const struct option *option)
{
    double offset;
    switch (option->id) {
    case OPTION_ARGUMENT: request->inputs[request->input_count++] = option->value; return DONE;
    case OPTION_FILTER: return take_filter(request, option->value);
    case OPTION_OUTPUT: return take_output(request, option->value);
    case LINEAR: request->settings.linear = true; return DONE;
    case STRAIGHT_ALPHA: request->settings.straight_alpha = true; return DONE;
    case CORRELATE: request->settings.correlate = true; return DONE;
    case OFFSET:
        if (!option_number(option->value, &offset) || !isfinite((float)offset))
            return fail_usage("filter", "--offset needs a number such as 0.5, not '%s'", option->value);
        request->offset = offset;
        return DONE;
    default: return settings_take(&request->settings, "filter", option) < 0 ? WRONG_USAGE : DONE;
    }
}

/* Checks the command line as a whole. */
static int check_request(const struct request *request)
{
    if (!request->input_count)
        return fail_usage("filter", "no input given: name a picture, or - for standard input");
    if (!request->result_count)
        return fail_usage("filter", "no filter given: -f FILTER -o OUT");
    if (!request->patterns[request->result_count - 1])
        return fail_usage("filter", "filter '%s' has no -o after it",
                          request->texts[request->result_count - 1]);
    for (int i = 0; i < request->result_count; i++) {
        if (request->input_count > 1 && !output_has_name(request->patterns[i]))
            return fail_usage("filter",
                              "%d inputs would all be written to '%s'; use {name}, as in '{name}.png'",
                              request->input_count, request->patterns[i]);
        for (int j = 0; j < i; j++)
            if (!strcmp(request->patterns[i], request->patterns[j]))
                return fail_usage("filter", "two results would be written to '%s'; give each its own name",
                                  request->patterns[i]);
    }
    return DONE;
}

/* ---- Session and input --------------------------------------------------------------------------------- */

enum { PLANS_KEPT = 8 };

/* A plan made for one kind of picture, kept for the next one like it. */
struct kept_plan {
    abbe_plan *plan;
    int width, height, channels;
    abbe_type source_type, result_type;
    bool has_alpha;
};

/* What all inputs of a command line share. */
struct session {
    const struct request *request;
    abbe_device *device;
    abbe_filter *filters[RESULTS_MAX];
    struct outputs outputs;
    int plan_count; /* plans made so far; the oldest is replaced */
    struct kept_plan plans[PLANS_KEPT];
};

/* One input picture while it is processed. */
struct input {
    struct session *session;
    const char *name;
    double from, share;               /* of the progress of all inputs */
    struct destination *destinations; /* one for each result; they belong to the session */
    struct picture source;
    struct picture results[RESULTS_MAX];
    abbe_type types[RESULTS_MAX]; /* as they will be stored */
    const abbe_plan *plan;        /* belongs to the session */
    abbe_times times;
    double read_seconds, plan_seconds, write_seconds;
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

static abbe_plan *find_plan(const struct session *session, const struct kept_plan *wanted)
{
    int count = session->plan_count < PLANS_KEPT ? session->plan_count : PLANS_KEPT;
    for (int i = 0; i < count; i++) {
        const struct kept_plan *kept = &session->plans[i];
        if (kept->width == wanted->width && kept->height == wanted->height &&
            kept->channels == wanted->channels && kept->source_type == wanted->source_type &&
            kept->result_type == wanted->result_type && kept->has_alpha == wanted->has_alpha)
            return kept->plan;
    }
    return NULL;
}

/* Makes a plan and keeps it in the place of the oldest one. */
static abbe_plan *make_plan(struct session *session, const struct kept_plan *wanted)
{
    const struct settings *settings = &session->request->settings;
    abbe_alpha alpha = settings->straight_alpha ? ABBE_ALPHA_INDEPENDENT : ABBE_ALPHA_PREMULTIPLY;
    abbe_plan *plan = NULL;
    abbe_plan_params params = {
        .width = wanted->width,
        .height = wanted->height,
        .channels = wanted->channels,
        .source_type = wanted->source_type,
        .result_type = wanted->result_type,
        .filters = (const abbe_filter *const *)session->filters,
        .filter_count = (size_t)session->request->result_count,
        .border = settings->border,
        .border_value = settings->border_value,
        .method = settings->method,
        .precision = settings->precision,
        .alpha = wanted->has_alpha ? alpha : ABBE_ALPHA_NONE,
        .linear_light = settings->linear,
        .correlate = settings->correlate,
        .offset = session->request->offset,
        .runs = session->request->input_count,
    };
    if (abbe_plan_create(session->device, &params, &plan))
        return NULL;
    struct kept_plan *oldest = &session->plans[session->plan_count++ % PLANS_KEPT];
    abbe_plan_destroy(&oldest->plan);
    *oldest = *wanted;
    oldest->plan = plan;
    return plan;
}

static abbe_plan *find_or_make_plan(struct input *input, abbe_type result_type)
{
    const abbe_image *view = &input->source.view;
    struct kept_plan wanted = { NULL,       view->width, view->height,           view->channels,
                                view->type, result_type, input->source.has_alpha };
    double start = seconds_now();
    abbe_plan *plan = find_plan(input->session, &wanted);
    if (!plan)
        plan = make_plan(input->session, &wanted);
    if (!plan)
        say_error("%s: %s", input->name, abbe_error_text(input->session->device));
    input->plan_seconds = seconds_now() - start;
    return plan;
}

/* ---- Run and write ------------------------------------------------------------------------------------- */

static int show_progress(void *user, double done)
{
    const struct input *input = user;
    progress_show("filtering", total_fraction(input, read_end + done * (run_end - read_end)));
    return 0;
}

/* The type that the plan writes: that of the outputs, or F32 when they differ; results are then converted. */
static abbe_type common_type(const struct input *input)
{
    for (int i = 1; i < input->session->request->result_count; i++)
        if (input->types[i] != input->types[0])
            return ABBE_F32;
    return input->types[0];
}

static bool run_input(struct input *input)
{
    abbe_type type = common_type(input);
    input->plan = find_or_make_plan(input, type);
    if (!input->plan)
        return false;
    abbe_image views[RESULTS_MAX];
    const abbe_image *shape = &input->source.view;
    for (int i = 0; i < input->session->request->result_count; i++) {
        if (!picture_create(shape->width, shape->height, shape->channels, type, &input->source,
                            &input->results[i]))
            return false;
        views[i] = input->results[i].view;
    }
    const abbe_watch watch = { .progress = show_progress, .user = input };
    int error = abbe_run_timed(input->plan, shape, views, &watch, &input->times);
    if (error)
        say_error("%s: %s", input->name, abbe_error_text(input->session->device));
    return !error;
}

/* Converts a picture to another type with the identity filter. */
static bool convert_type(const struct input *input, struct picture *picture, abbe_type type)
{
    abbe_device *device = input->session->device;
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
        say_error("%s: %s", input->name, abbe_error_text(device));
        picture_free(&converted);
        return false;
    }
    picture_free(picture);
    *picture = converted;
    return true;
}

static bool write_input(struct input *input)
{
    int count = input->session->request->result_count;
    double start = seconds_now();
    for (int i = 0; i < count; i++) {
        struct picture *result = &input->results[i];
        double from = run_end + (1 - run_end) * i / count, to = run_end + (1 - run_end) * (i + 1) / count;
        if (result->view.type != input->types[i] && !convert_type(input, result, input->types[i]))
            return false;
        if (!picture_write(result, &input->destinations[i], NULL, total_fraction(input, from),
                           total_fraction(input, to)))
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
        if (input->destinations[i].options && !destination_find_options(request->patterns[i])) {
            say_error("%s: the brackets in its name would be read as options of its result", input->name);
            return false;
        }
        if (!destination_check(&input->destinations[i]))
            return false;
    }
    return true;
}

/* Only the first page is read, so a result must not replace an input with several pages. */
static bool check_pages(const struct input *input)
{
    struct stat source, result;
    if (input->source.pages <= 1 || stat(input->name, &source))
        return true;
    for (int i = 0; i < input->session->request->result_count; i++) {
        const char *path = input->destinations[i].path;
        if (path && !stat(path, &result) && result.st_dev == source.st_dev &&
            result.st_ino == source.st_ino) {
            say_error("%s: its result would replace %d pages by one; choose another output", input->name,
                      input->source.pages);
            return false;
        }
    }
    return true;
}

static void print_stats(const struct input *input)
{
    const abbe_image *view = &input->source.view;
    const abbe_device *device = abbe_plan_device(input->plan);
    const abbe_candidate *choice = abbe_plan_choice(input->plan);
    char transform[48] = "";
    if (choice->fft_width)
        snprintf(transform, sizeof transform, ", transform %d x %d", choice->fft_width, choice->fft_height);
    say_note("%s: %d x %d x %d %s, device %s (%s), method %s%s", input->name, view->width, view->height,
             view->channels, abbe_type_name(view->type), abbe_device_name(device), abbe_device_detail(device),
             abbe_method_name(choice->method), transform);
    say_note("  %-14s %9.2f ms", "reading", input->read_seconds * 1e3);
    say_note("  %-14s %9.2f ms", "planning", input->plan_seconds * 1e3);
    for (int i = 0; i < input->times.pass_count; i++)
        say_note("  %-14s %9.2f ms", input->times.passes[i].name, input->times.passes[i].seconds * 1e3);
    say_note("  %-14s %9.2f ms", "writing", input->write_seconds * 1e3);
}

static bool filter_input(struct session *session, int index)
{
    const struct request *request = session->request;
    struct input *input = calloc(1, sizeof *input);
    if (!input) {
        say_error("out of memory");
        return false;
    }
    input->session = session;
    input->name = request->inputs[index];
    input->share = 1.0 / request->input_count;
    input->from = index * input->share;
    input->destinations = &session->outputs.destinations[index * request->result_count];
    double start = seconds_now();
    progress_subject(input->name);
    bool done = check_outputs(input) &&
                picture_read(input->name, &request->settings.reading, total_fraction(input, 0),
                             total_fraction(input, read_end), &input->source);
    input->read_seconds = seconds_now() - start;
    for (int i = 0; done && i < request->result_count; i++)
        input->types[i] = destination_type(&input->destinations[i], input->source.view.type);
    done = done && check_pages(input) && run_input(input) && write_input(input);
    if (done && request->settings.stats)
        print_stats(input);
    for (int i = 0; i < request->result_count; i++) {
        picture_free(&input->results[i]);
        destination_free(&input->destinations[i]);
    }
    picture_free(&input->source);
    free(input);
    return done;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int open_session(struct session *session)
{
    const struct request *request = session->request;
    for (int i = 0; i < request->result_count; i++) {
        int status = settings_make_filter(request->texts[i], &request->settings.reading,
                                          &session->filters[i]);
        if (status != DONE)
            return status;
    }
    if (!settings_open_device(&request->settings, &session->device))
        return FAILED;
    return outputs_create(&session->outputs) ? DONE : FAILED;
}

static void close_session(struct session *session)
{
    outputs_free(&session->outputs);
    for (int i = 0; i < PLANS_KEPT; i++)
        abbe_plan_destroy(&session->plans[i].plan);
    for (int i = 0; i < session->request->result_count; i++)
        abbe_filter_destroy(&session->filters[i]);
    abbe_device_close(&session->device);
}

/* An input that fails does not stop the others. */
static int run_request(const struct request *request)
{
    struct session session = { .request = request,
                               .outputs = { .inputs = request->inputs,
                                            .input_count = request->input_count,
                                            .patterns = request->patterns,
                                            .pattern_count = request->result_count } };
    if (!picture_begin("abbe", request->settings.threads))
        return FAILED;
    int status = open_session(&session);
    if (status == DONE) {
        progress_begin(request->inputs[0]);
        for (int i = 0; i < request->input_count; i++)
            if (session.outputs.refused[i] || !filter_input(&session, i))
                status = FAILED;
        progress_end();
    }
    close_session(&session);
    picture_end();
    return status;
}

int command_filter(int argc, char **argv)
{
    struct request request = { .settings = settings_default() };
    struct option_reader reader = {
        .command = "filter", .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    request.inputs = calloc((size_t)argc, sizeof *request.inputs);
    if (!request.inputs)
        return fail("out of memory");
    int status = DONE;
    struct option option = option_next(&reader);
    while (status == DONE && option.id != OPTION_END && option.id != OPTION_HELP) {
        status = option.id == OPTION_WRONG ? WRONG_USAGE : take_option(&request, &option);
        if (status == DONE)
            option = option_next(&reader);
    }
    if (status == DONE && option.id == OPTION_HELP) {
        option_help(usage, summary, specs, examples);
    } else if (status == DONE) {
        status = check_request(&request);
        if (status == DONE)
            status = run_request(&request);
    }
    free(request.inputs);
    return status;
}
