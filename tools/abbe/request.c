/* What a command line of abbe filter asks for: pictures, filters, and the results to store. */
#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINEAR = 1, STRAIGHT_ALPHA, CORRELATE, PAGE, REST, CHANNELS, WHERE, PARENTS, RECURSIVE, EXISTING };

static const struct option_spec specs[] = {
    { OPTION_FILTER, 'f', "filter", "FILTER", "filter to apply; write its -o after it" },
    { OPTION_OUTPUT, 'o', "output", "OUT",
      "output file; {name}, {ext}, {dir}, {n} are replaced by the input's" },
    { REST, 0, "rest", "OUT", "output file of what the outputs before leave of the picture" },
    { PARENTS, 0, "parents", NULL, "create the folders of outputs" },
    { EXISTING, 0, "existing", "WHAT", "outputs that exist: overwrite (default), skip or refuse" },
    { RECURSIVE, 0, "recursive", NULL, "inputs may be folders: all pictures in them and below" },
    { FINISH_DEPTH, 0, "depth", "BITS", HELP_DEPTH },
    { FINISH_GAIN, 0, "gain", "VALUE", "multiply the result by VALUE" },
    { FINISH_OFFSET, 0, "offset", "VALUE", "add VALUE to the result; 0.5 shows high passes on mid grey" },
    { FINISH_THRESHOLD, 0, "threshold", "VALUE",
      "leave out changes of the picture below VALUE, and take VALUE from larger ones" },
    { CHANNELS, 0, "channels", "LIST",
      "filter only luminance, only chroma, or only some of red,green,blue,alpha" },
    { WHERE, 0, "where", "MASK", "filter where this picture is white; keep the input where it is black" },
    { OPTION_BORDER, 'b', "border", "NAME", HELP_BORDER },
    { OPTION_DEVICE, 'd', "device", "NAME", HELP_DEVICE },
    { OPTION_METHOD, 'm', "method", "NAME", HELP_METHOD },
    { OPTION_PRECISION, 0, "precision", "NAME", HELP_PRECISION },
    { LINEAR, 0, "linear", NULL, "filter linear light: decode sRGB before and encode it after" },
    { STRAIGHT_ALPHA, 0, "straight-alpha", NULL, "filter colours without multiplying them by alpha" },
    { CORRELATE, 0, "correlate", NULL, "do not flip kernels" },
    { PAGE, 0, "page", "N",
      "filter only page N of each input, 1 for the first (all, where OUT can hold them)" },
    { OPTION_THREADS, 't', "threads", "N", HELP_THREADS },
    { OPTION_STATS, 's', "stats", NULL, "print device, method, sizes and the time of each pass" },
    { OPTION_QUIET, 'q', "quiet", NULL, HELP_QUIET },
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N",
      "refuse pictures with more pixels (1000000000 in memory, any in parts)" },
    { OPTION_MEMORY, 0, "memory", "BYTES",
      "pictures that need more, such as 500M or 2G, are filtered in parts within it (512M)" },
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, HELP_UNTRUSTED },
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe filter IN... -f FILTER -o OUT [-f FILTER -o OUT]... [options]";
static const char summary[] =
    "Filters pictures. Several filters share one forward transform; several inputs share plans.\n"
    "A filter is name:key=value:key=value, and commas chain filters; see: abbe list filters\n"
    "--depth, --gain, --offset and --threshold hold for the -o before them; before the first -f, for all.";
static const char examples[] =
    "  abbe filter photo.jpg -f gaussian:sigma=12 -o soft.jpg\n"
    "  abbe filter scan.tif -f notch:x=0.25:y=0:radius=0.01 -o clean.tif\n"
    "  abbe filter photo.png -f unsharp -o sharp.png -f sobel -o edges.png\n"
    "  abbe filter *.jpg -f unsharp:sigma=1.5 -o 'out/{name}.jpg'\n"
    "  abbe filter moon.tif -f highpass:cutoff=0.05 -o detail.png --offset 0.5 --gain 4\n"
    "  abbe filter face.png -f gaussian:sigma=9 -o low.png --rest high.png   (see: abbe combine --help)\n"
    "  abbe filter photo.jpg -f unsharp:amount=1.5 --threshold 0.02 --channels luminance -o crisp.jpg\n"
    "  abbe filter photo.jpg -f disk:radius=12 --where background.png --linear -o portrait.jpg\n"
    "  abbe filter photo.jpg -f kernel:file=taps.txt -o out.png --border clamp\n"
    "  abbe filter photos --recursive -f unsharp -o 'out/{dir}/{name}.jpg' --parents --existing skip\n"
    "  cat *.png | abbe filter - -f gaussian -o 'out-{n}.png'\n"
    "  curl … | abbe filter - -f disk:radius=9 -o - > out.png\n";

/* -f begins a result, -o completes it. */
static int take_filter(struct request *request, const char *text)
{
    if (request->result_count == RESULTS_MAX)
        return fail_usage("filter", "there are more than %d filters", RESULTS_MAX);
    if (request->result_count && !request->patterns[request->result_count - 1])
        return fail_usage("filter", "filter '%s' has no -o after it",
                          request->texts[request->result_count - 1]);
    request->texts[request->result_count] = text;
    request->finishes[request->result_count++] = request->finish;
    return DONE;
}

/* --rest is a result without a filter. */
static int take_rest(struct request *request, const char *name)
{
    if (!request->result_count)
        return fail_usage("filter", "--rest %s has no -f FILTER -o OUT before it", name);
    int status = take_filter(request, NULL);
    if (status == DONE)
        request->patterns[request->result_count - 1] = name;
    return status;
}

static int take_output(struct request *request, const char *name)
{
    if (!request->result_count || request->patterns[request->result_count - 1])
        return fail_usage("filter", "-o %s has no -f FILTER before it", name);
    request->patterns[request->result_count - 1] = name;
    return DONE;
}

static int take_existing(struct request *request, const char *word)
{
    static const char *const words[] = { "overwrite", "skip", "refuse" };
    for (int i = 0; i < 3; i++)
        if (!strcmp(word, words[i])) {
            request->existing = (enum existing)i;
            return DONE;
        }
    return fail_usage("filter", "--existing is overwrite, skip or refuse, not '%s'", word);
}

static int take_option(struct request *request, const struct option *option)
{
    int count = request->result_count;
    long long page;
    switch (option->id) {
    case OPTION_WRONG: return WRONG_USAGE;
    case OPTION_HELP: request->wants_help = true; return DONE;
    case OPTION_ARGUMENT: request->inputs[request->input_count++] = option->value; return DONE;
    case OPTION_FILTER: return take_filter(request, option->value);
    case OPTION_OUTPUT: return take_output(request, option->value);
    case REST: return take_rest(request, option->value);
    case CHANNELS: return channels_take("filter", option->value, &request->channels) ? DONE : WRONG_USAGE;
    case WHERE: request->where = option->value; return DONE;
    case LINEAR: request->settings.linear = true; return DONE;
    case STRAIGHT_ALPHA: request->settings.straight_alpha = true; return DONE;
    case CORRELATE: request->settings.correlate = true; return DONE;
    case PARENTS: request->makes_folders = true; return DONE;
    case RECURSIVE: request->recursive = true; return DONE;
    case EXISTING: return take_existing(request, option->value);
    case PAGE:
        if (!settings_take_integer("filter", option, 1, PAGES_MAX, &page))
            return WRONG_USAGE;
        request->page = (int)page;
        return DONE;
    default: break;
    }
    if (option->id == FINISH_THRESHOLD && count && !request->texts[count - 1])
        return fail_usage("filter",
                          "--threshold %s: what --rest writes has no threshold; write it after an -f",
                          option->value);
    int taken = finish_take(count ? &request->finishes[count - 1] : &request->finish, "filter", option);
    if (!taken)
        taken = settings_take(&request->settings, "filter", option);
    return taken < 0 ? WRONG_USAGE : DONE;
}

/* {n} numbers the pictures of standard input. Without it they can only follow each other on standard output. */
static int check_numbers(struct request *request)
{
    const char *without = NULL, *with = NULL;
    bool is_stdin = request->input_count == 1 && !strcmp(request->inputs[0], "-");
    for (int i = 0; i < request->result_count; i++) {
        const char *pattern = request->patterns[i];
        if (output_has_number(pattern))
            with = pattern;
        else if (!destination_is_stdout(pattern))
            without = pattern;
    }
    if (with && !is_stdin)
        return fail_usage("filter", "{n} in '%s' numbers the pictures of standard input: the input must be -",
                          with);
    if (with && without)
        return fail_usage("filter", "all pictures would be written to '%s'; use {n}, as in '%s'", without,
                          with);
    request->has_numbers = with != NULL;
    request->is_sequence = is_stdin && !without;
    return DONE;
}

/* Checks the command line as a whole. */
static int check_request(struct request *request)
{
    if (!request->input_count)
        return fail_usage("filter", "no input given: name a picture, or - for standard input");
    if (!request->result_count)
        return fail_usage("filter", "no filter given: -f FILTER -o OUT");
    if (!request->patterns[request->result_count - 1])
        return fail_usage("filter", "filter '%s' has no -o after it",
                          request->texts[request->result_count - 1]);
    for (int i = 0, streams = 0; i < request->result_count; i++) {
        streams += destination_is_stdout(request->patterns[i]);
        if (streams > 1)
            return fail_usage("filter", "two results would be written to standard output");
        if (request->recursive && !output_has_name(request->patterns[i]))
            return fail_usage("filter", "--recursive needs {name} in '%s', as in '{dir}/{name}.png'",
                              request->patterns[i]);
        if (request->input_count > 1 && !output_has_name(request->patterns[i]))
            return fail_usage("filter",
                              "%d inputs would all be written to '%s'; use {name}, as in '{name}.png'",
                              request->input_count, request->patterns[i]);
        for (int j = 0; j < i; j++)
            if (!strcmp(request->patterns[i], request->patterns[j]))
                return fail_usage("filter", "two results would be written to '%s'; give each its own name",
                                  request->patterns[i]);
    }
    return check_numbers(request);
}

int request_read(struct request *request, int argc, char **argv)
{
    struct option_reader reader = {
        .command = "filter", .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    *request = (struct request){ .settings = settings_default(), .finish = finish_default() };
    request->inputs = calloc((size_t)argc, sizeof *request->inputs);
    if (!request->inputs)
        return fail("out of memory");
    int status = DONE;
    while (status == DONE && !request->wants_help) {
        struct option option = option_next(&reader);
        if (option.id == OPTION_END)
            break;
        status = take_option(request, &option);
    }
    if (status == DONE && request->wants_help)
        option_help(usage, summary, specs, examples);
    else if (status == DONE)
        status = check_request(request);
    request->channels.is_linear = request->settings.linear;
    return status;
}

int request_expand(struct request *request)
{
    bool done = true;
    if (!request->recursive)
        return DONE;
    for (int i = 0; done && i < request->input_count; i++) {
        struct stat entry;
        const char *name = request->inputs[i];
        bool is_folder = stat(name, &entry) == 0 && S_ISDIR(entry.st_mode);
        done = is_folder ? folders_add(name, &request->settings.reading, &request->found)
                         : names_add(&request->found, name);
    }
    if (!done || !request->found.count)
        return FAILED;
    const char **inputs = realloc(request->inputs, (size_t)request->found.count * sizeof *inputs);
    if (!inputs)
        return fail("out of memory");
    request->inputs = inputs;
    request->input_count = request->found.count;
    for (int i = 0; i < request->found.count; i++)
        inputs[i] = request->found.list[i];
    return DONE;
}

void request_free(struct request *request)
{
    names_free(&request->found);
    free(request->inputs);
}
