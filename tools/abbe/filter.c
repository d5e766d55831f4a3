/* abbe filter: reads the command line into a job. */
#include "filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINEAR = 1, STRAIGHT_ALPHA, CORRELATE, OFFSET };

static const struct option_spec specs[] = {
    { OPTION_FILTER, 'f', "filter", "FILTER", "what to do; each -f is followed by its -o" },
    { OPTION_OUTPUT, 'o', "output", "OUT", "where to; {name} and {ext} stand for the input's" },
    { OPTION_BORDER, 'b', "border", "NAME", "wrap zero constant[:VALUE] clamp reflect mirror (reflect)" },
    { OPTION_DEVICE, 'd', "device", "NAME", "where to work (auto)" },
    { OPTION_METHOD, 'm', "method", "NAME", "auto direct separable fft tiles (auto)" },
    { OPTION_PRECISION, 0, "precision", "NAME", "full, or half: faster and coarser on a GPU (full)" },
    { LINEAR, 0, "linear", NULL, "filter light, not codes: decode sRGB first, encode after" },
    { STRAIGHT_ALPHA, 0, "straight-alpha", NULL, "filter colours without multiplying alpha in" },
    { CORRELATE, 0, "correlate", NULL, "do not flip kernels" },
    { OFFSET, 0, "offset", "VALUE", "add to results: 0.5 shows high passes on mid grey" },
    { OPTION_THREADS, 't', "threads", "N", "threads, 0 for all (0)" },
    { OPTION_STATS, 's', "stats", NULL, "say device, method, sizes and the time of each pass" },
    { OPTION_QUIET, 'q', "quiet", NULL, "say nothing but errors and warnings" },
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N", "refuse larger pictures (1000000000)" },
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, "read formats unfit for files from strangers" },
    { OPTION_HELP, 'h', "help", NULL, "this text" },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe filter IN... -f FILTER -o OUT [-f FILTER -o OUT]... [options]";
static const char summary[] =
    "Filters pictures. Several filters share one forward transform; several inputs share their plans.\n"
    "A filter is name:key=value:key=value, and filters are chained with commas; see: abbe list filters";
static const char examples[] = "  abbe filter photo.jpg -f gaussian:sigma=12 -o soft.jpg\n"
                               "  abbe filter scan.tif -f notch:x=0.25:y=0:radius=0.01 -o clean.tif\n"
                               "  abbe filter photo.png -f unsharp -o sharp.png -f sobel -o edges.png\n"
                               "  abbe filter *.jpg -f unsharp:sigma=1.5 -o 'out/{name}.jpg'\n"
                               "  abbe filter moon.tif -f highpass:cutoff=0.05 -o detail.png --offset 0.5\n"
                               "  abbe filter photo.jpg -f kernel:file=taps.txt -o out.png --border clamp\n"
                               "  curl … | abbe filter - -f disk:radius=9 -o - > out.png\n";

/* -f opens a result, -o closes it. */
static int take_filter(struct job *job, const char *text)
{
    if (job->result_count == RESULTS_MAX)
        return fail_usage("filter", "more than %d filters", RESULTS_MAX);
    if (job->result_count && !job->outputs[job->result_count - 1])
        return fail_usage("filter", "filter '%s' has no -o behind it", job->texts[job->result_count - 1]);
    job->texts[job->result_count++] = text;
    return DONE;
}

static int take_output(struct job *job, const char *name)
{
    if (!job->result_count || job->outputs[job->result_count - 1])
        return fail_usage("filter", "-o %s has no -f FILTER before it", name);
    job->outputs[job->result_count - 1] = name;
    return DONE;
}

static int take_offset(struct job *job, const char *text)
{
    double value;
    if (!option_number(text, &value) || !isfinite((float)value))
        return fail_usage("filter", "--offset needs a number such as 0.5, not '%s'", text);
    job->offset = (float)value;
    return DONE;
}

static int take(struct job *job, const struct option *option)
{
    switch (option->id) {
    case OPTION_PLAIN: job->inputs[job->input_count++] = option->value; return DONE;
    case OPTION_FILTER: return take_filter(job, option->value);
    case OPTION_OUTPUT: return take_output(job, option->value);
    case OFFSET: return take_offset(job, option->value);
    case LINEAR: job->settings.linear = true; return DONE;
    case STRAIGHT_ALPHA: job->settings.straight_alpha = true; return DONE;
    case CORRELATE: job->settings.correlate = true; return DONE;
    default: return settings_take(&job->settings, "filter", option) < 0 ? WRONG_USAGE : DONE;
    }
}

/* What only the whole command line shows. */
static int check(const struct job *job)
{
    if (!job->input_count)
        return fail_usage("filter", "no input given: a picture, or - for standard input");
    if (!job->result_count)
        return fail_usage("filter", "no filter given: -f FILTER -o OUT");
    if (!job->outputs[job->result_count - 1])
        return fail_usage("filter", "filter '%s' has no -o behind it", job->texts[job->result_count - 1]);
    for (int i = 0; i < job->result_count; i++) {
        if (job->input_count > 1 && !output_has_place(job->outputs[i]))
            return fail_usage("filter",
                              "%d inputs would all become '%s'; write {name} in it, as in '{name}.png'",
                              job->input_count, job->outputs[i]);
        for (int j = 0; j < i; j++)
            if (!strcmp(job->outputs[i], job->outputs[j]))
                return fail_usage("filter", "two results would become '%s'; give each its own name",
                                  job->outputs[i]);
    }
    return DONE;
}

int command_filter(int argc, char **argv)
{
    struct job job = { .settings = settings_default() };
    struct option_reader reader = {
        .command = "filter", .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    job.inputs = calloc((size_t)argc, sizeof *job.inputs);
    if (!job.inputs)
        return fail("out of memory");
    int status = DONE;
    struct option option = option_next(&reader);
    while (status == DONE && option.id != OPTION_END && option.id != OPTION_HELP) {
        status = option.id == OPTION_WRONG ? WRONG_USAGE : take(&job, &option);
        if (status == DONE)
            option = option_next(&reader);
    }
    if (status == DONE && option.id == OPTION_HELP)
        option_help(usage, summary, specs, examples);
    else if (status == DONE)
        status = check(&job);
    if (status == DONE && option.id != OPTION_HELP)
        status = filter_run(&job);
    free(job.inputs);
    return status;
}
