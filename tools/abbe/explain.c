/* abbe explain: the predicted cost of every method and the choice, without a picture. */
#include "command.h"
#include "figures.h"
#include "settings.h"

#include <abbe/measure.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTERS_MAX = 256 };
enum { PICTURES = 1 };

/* The picture and the filters of the command line. */
struct question {
    struct settings settings;
    const char *shape; /* as written; NULL until given */
    int width, height, channels;
    abbe_type type;
    long long pictures;
    int filter_count;
    const char *texts[FILTERS_MAX];
    abbe_filter *filters[FILTERS_MAX];
};

static const struct option_spec specs[] = {
    { OPTION_FILTER, 'f', "filter", "FILTER", "filter to price; several are priced as one bank" },
    { OPTION_BORDER, 'b', "border", "NAME", HELP_BORDER },
    { OPTION_DEVICE, 'd', "device", "NAME", HELP_DEVICE },
    { OPTION_METHOD, 'm', "method", "NAME", HELP_METHOD },
    { OPTION_PRECISION, 0, "precision", "NAME", HELP_PRECISION },
    { PICTURES, 'n', "pictures", "N", "number of such pictures (1)" },
    { OPTION_THREADS, 't', "threads", "N", HELP_THREADS },
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N", "refuse kernel and mask files with more pixels (1000000000)" },
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, HELP_UNTRUSTED },
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe explain WIDTHxHEIGHTxCHANNELS[:TYPE] -f FILTER [-f FILTER]... [options]";
static const char summary[] =
    "Shows the predicted cost of each method for a picture of that shape, and the method that is chosen.\n"
    "TYPE is u8 (default), u16, f16 or f32. Several filters are priced together, as abbe filter runs them.";
static const char examples[] = "  abbe explain 6000x4000x3 -f gaussian:sigma=12\n"
                               "  abbe explain 1920x1080x4:f32 -f disk:radius=9 --border clamp\n"
                               "  abbe explain 4096x4096x1:u16 -f lowpass -f highpass --threads 4\n"
                               "  abbe explain 6000x4000x3 -f kernel:file=taps.txt --method tiles\n"
                               "  abbe explain 1920x1080x3 -f disk:radius=30 --pictures 500\n";

/* ---- The command line ---------------------------------------------------------------------------------- */

/* Reads a whole number at *text and moves *text past it; 0 when it is not from 1 to `high`. */
static int take_side(const char **text, int high)
{
    long long value = 0;
    size_t digits = strspn(*text, "0123456789");
    for (size_t i = 0; i < digits && value <= high; i++)
        value = 10 * value + ((*text)[i] - '0');
    *text += digits;
    return value <= high ? (int)value : 0;
}

/* Reads "6000x4000x3" or "6000x4000x3:u16". */
static int take_shape(struct question *question, const char *text)
{
    const char *rest = text;
    if (question->shape)
        return fail_usage("explain", "explain takes one shape; '%s' is a second one", text);
    question->shape = text;
    question->width = take_side(&rest, ABBE_SIDE_MAX);
    question->height = *rest == 'x' ? (rest++, take_side(&rest, ABBE_SIDE_MAX)) : 0;
    if (question->width && question->height && !*rest)
        return fail_usage("explain", "'%s' has no number of channels: write %sx3 for colour, %sx1 for grey",
                          text, text, text);
    question->channels = *rest == 'x' ? (rest++, take_side(&rest, ABBE_CHANNELS_MAX)) : 0;
    if (!question->width || !question->height || !question->channels || (*rest && *rest != ':'))
        return fail_usage("explain",
                          "'%s' is not a shape: write WIDTHxHEIGHTxCHANNELS with 1 to %d channels, "
                          "such as 6000x4000x3 or 640x480x1:f32",
                          text, ABBE_CHANNELS_MAX);
    question->type = ABBE_U8;
    if (*rest && abbe_type_from_name(rest + 1, &question->type))
        return fail_usage("explain", "%s", abbe_last_error());
    return DONE;
}

static int take_option(struct question *question, const struct option *option)
{
    if (option->id == OPTION_ARGUMENT)
        return take_shape(question, option->value);
    if (option->id == OPTION_FILTER) {
        if (question->filter_count == FILTERS_MAX)
            return fail_usage("explain", "there are more than %d filters", FILTERS_MAX);
        question->texts[question->filter_count++] = option->value;
        return DONE;
    }
    if (option->id == PICTURES)
        return settings_take_integer("explain", option, 1, INT_MAX, &question->pictures) ? DONE : WRONG_USAGE;
    return settings_take(&question->settings, "explain", option) < 0 ? WRONG_USAGE : DONE;
}

/* ---- The explanation ----------------------------------------------------------------------------------- */

static void print_filter(const char *text, const abbe_filter *filter)
{
    const abbe_filter_info *info = abbe_filter_describe(filter);
    char *shown = strdup(text); /* may contain file names with control characters */
    if (!shown)
        return;
    make_printable(shown);
    bool has_kernel = !info->in_frequency || info->width > 1 || info->height > 1;
    printf("%s:%s%s", shown, info->in_frequency ? " a function of frequency" : "",
           info->in_frequency && has_kernel ? " and" : "");
    if (has_kernel)
        printf(" %s %d x %d taps", info->components > 1 ? "the magnitude of two kernels of" : "a kernel of",
               info->width, info->height);
    putchar('\n');
    free(shown);
}

static void print_question(const struct question *question, const abbe_plan *plan)
{
    int threads = figure_threads(question->settings.threads);
    printf("%s, %d thread%s: %d x %d, %d channel%s of %s, border %s",
           abbe_device_name(abbe_plan_device(plan)), threads, threads == 1 ? "" : "s", question->width,
           question->height, question->channels, question->channels == 1 ? "" : "s",
           abbe_type_name(question->type), abbe_border_name(question->settings.border));
    if (question->settings.border == ABBE_BORDER_CONSTANT)
        printf(":%g", question->settings.border_value);
    putchar('\n');
    for (int i = 0; i < question->filter_count; i++)
        print_filter(question->texts[i], question->filters[i]);
    if (*abbe_plan_reason(plan))
        printf("auto chooses %s: %s\n", abbe_device_name(abbe_plan_device(plan)), abbe_plan_reason(plan));
}

static const char *size_text(int width, int height, char text[FIGURE_MAX])
{
    if (!width)
        return "-";
    snprintf(text, FIGURE_MAX, "%d x %d", width, height);
    return text;
}

/* Pads by characters; printf would count bytes, of which µ has two. */
static void print_cell(const char *text, int width)
{
    printf("  %*s%s", width - figure_width(text), "", text);
}

static void print_candidate(const abbe_candidate *candidate)
{
    char seconds[FIGURE_MAX], bytes[FIGURE_MAX], transform[FIGURE_MAX], tile[FIGURE_MAX], passes[FIGURE_MAX];
    char name[FIGURE_MAX], planning[FIGURE_MAX];
    snprintf(name, sizeof name, "%s%s", abbe_method_name(candidate->method), candidate->even ? ", even" : "");
    printf("%c %-9s", candidate->chosen ? '*' : ' ', name);
    if (!candidate->possible) {
        printf("  not possible: %s\n", candidate->reason);
        return;
    }
    snprintf(passes, sizeof passes, "%d", candidate->passes);
    print_cell(figure_seconds(candidate->seconds, seconds), 13);
    print_cell(figure_bytes(candidate->bytes, bytes), 9);
    print_cell(size_text(candidate->fft_width, candidate->fft_height, transform), 15);
    print_cell(size_text(candidate->tile_width, candidate->tile_height, tile), 15);
    print_cell(candidate->passes ? passes : "-", 6);
    print_cell(candidate->planning > 0 ? figure_seconds(candidate->planning, planning) : "-", 9);
    putchar('\n');
}

static void print_candidates(const abbe_plan *plan, abbe_method wanted)
{
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count);
    printf("\n  %-9s  %13s  %9s  %15s  %15s  %6s  %9s\n", "method", "time", "scratch", "transform", "tile",
           "passes", "planning");
    for (size_t i = 0; i < count; i++)
        print_candidate(candidates[i]);
    printf("\n* is chosen %s.\nTimes are predictions for one run, without reading and writing files. "
           "Planning, once for\n"
           "all pictures of this shape, samples the filters in the Fourier plane.\n",
           wanted == ABBE_METHOD_AUTO
               ? "because its time on one thread times its time on all threads is the least"
               : "by --method");
}

static int print_explanation(const struct question *question, abbe_device *device)
{
    abbe_plan *plan = NULL;
    const abbe_filter *bank[FILTERS_MAX];
    for (int i = 0; i < question->filter_count; i++)
        bank[i] = question->filters[i];
    abbe_plan_params params = { .width = question->width,
                                .height = question->height,
                                .channels = question->channels,
                                .source_type = question->type,
                                .result_type = question->type,
                                .filters = bank,
                                .filter_count = (size_t)question->filter_count,
                                .border = question->settings.border,
                                .border_value = question->settings.border_value,
                                .method = question->settings.method,
                                .precision = question->settings.precision,
                                .runs = (int)question->pictures };
    if (abbe_plan_draft(device, &params, &plan))
        return fail("%s", abbe_error_text(device));
    print_question(question, plan);
    print_candidates(plan, question->settings.method);
    abbe_plan_destroy(&plan);
    return DONE;
}

/* libvips is started only when a filter names a file. */
static int make_filters(struct question *question, bool *reading)
{
    for (int i = 0; i < question->filter_count; i++) {
        if (!*reading && strstr(question->texts[i], "file")) {
            if (!picture_begin("abbe", question->settings.threads))
                return FAILED;
            *reading = true;
        }
        int status = settings_make_filter(question->texts[i], &question->settings.reading,
                                          &question->filters[i]);
        if (status != DONE)
            return status;
    }
    return DONE;
}

static int explain(struct question *question)
{
    abbe_device *device = NULL;
    bool reading = false;
    if (!question->shape)
        return fail_usage("explain", "no shape given: WIDTHxHEIGHTxCHANNELS, such as 6000x4000x3");
    if (!question->filter_count)
        return fail_usage("explain", "no filter given: -f FILTER");
    int status = make_filters(question, &reading);
    if (status == DONE)
        status = settings_open_device(&question->settings, &device) ? print_explanation(question, device)
                                                                    : FAILED;
    abbe_device_close(&device);
    for (int i = 0; i < question->filter_count; i++)
        abbe_filter_destroy(&question->filters[i]);
    if (reading)
        picture_end();
    return status;
}

int command_explain(int argc, char **argv)
{
    struct question question = { .settings = settings_default() };
    struct option_reader reader = {
        .command = "explain", .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    for (;;) {
        struct option option = option_next(&reader);
        if (option.id == OPTION_END)
            return explain(&question);
        if (option.id == OPTION_HELP) {
            option_help(usage, summary, specs, examples);
            return DONE;
        }
        if (option.id == OPTION_WRONG || take_option(&question, &option) != DONE)
            return WRONG_USAGE;
    }
}
