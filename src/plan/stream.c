/* abbe_stream: pictures that are read, filtered and written in parts, which no memory holds as a whole.
 *
 * A part is a rectangle of results: a strip of full width, or a tile where memory is scarce. The part with
 * what it depends on is an excerpt, as for result windows; rows that the next strip reads again are kept. */
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/pixels.h"
#include "core/view.h"
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_MEMORY = 1 << 28 };

/* Parts that are under way at once on a device that works while the host continues. */
enum { IN_FLIGHT = 2 };

/* A part that the device filters. */
struct part {
    abbe_ticket *ticket;
    abbe_image *results;    /* one per filter, of the size of the excerpt */
    struct rectangle fresh; /* the results that are not written yet; coordinates of the results */
    long long x, y;         /* the first result that the excerpt yields */
    bool busy;
};

struct stream {
    abbe_device *device;
    abbe_stream_params params;
    abbe_plan_params whole; /* of the picture */
    struct excerpt excerpt;
    struct margins margins;
    struct rectangle results; /* all of them, in coordinates of the source */
    int width, height;        /* results of one part */
    int in_flight;
    abbe_plan *plan;   /* of an excerpt, which is a picture of its own */
    abbe_image source; /* the pixels of excerpt.read */
    int kept;          /* rows of `source` that hold the pixels of excerpt.read */
    char *row;         /* a row of the source, where the excerpt has another type; NULL otherwise */
    struct part parts[IN_FLIGHT];
    struct watch watch;
    double done, part_count; /* parts that are finished, and all */
};

/* ---- The size of parts -------------------------------------------------------------------------------- */

static double bytes_of_sample(abbe_type type)
{
    double copy = core_native_type(type) == type ? 0 : sizeof(float); /* devices convert a copy */
    return (double)abbe_type_size(type) + copy;
}

/* Bytes of the pictures of an excerpt of that many pixels. */
static double excerpt_picture_bytes(const struct stream *stream, double pixels)
{
    const abbe_plan_params *whole = &stream->whole;
    double results = (double)whole->filter_count * stream->in_flight * bytes_of_sample(whole->result_type);
    double source = fmax(bytes_of_sample(whole->source_type), bytes_of_sample(ABBE_F64));
    if (whole->border != ABBE_BORDER_CONSTANT)
        source = bytes_of_sample(whole->source_type);
    return pixels * whole->channels * (source + results);
}

/* The most rows of parts whose pictures take half of the memory; 0 for none. */
static int rows_that_fit(const struct stream *stream, int width)
{
    double across = (double)width + stream->margins.left + stream->margins.right;
    double rows = floor((double)stream->params.memory / 2 / excerpt_picture_bytes(stream, across));
    rows -= stream->margins.above + stream->margins.below;
    return rows < 1 ? 0 : rows < stream->results.height ? (int)rows : stream->results.height;
}

/* Makes the plan for parts of the current size. ABBE_ERR_MEMORY where it does not fit. */
static int plan_parts(struct stream *stream)
{
    const struct rectangle part = { 0, 0, stream->width, stream->height };
    struct excerpt *excerpt = &stream->excerpt, plain;
    abbe_plan_params params = stream->whole;
    *excerpt = (struct excerpt){ .caller = params, .type = params.source_type };
    excerpt->read = plan_grow(&part, &stream->margins);
    int error = plan_cut_excerpt(stream->device, &params, excerpt);
    if (error)
        return error;
    params.window = ABBE_WINDOW_SAME;
    params.result_x = params.result_y = params.result_width = params.result_height = 0;
    double parts = ceil((double)stream->results.width / stream->width) *
                   ceil((double)stream->results.height / stream->height);
    stream->part_count = parts;
    params.runs = parts < 1e6 ? (int)parts : 1000000;
    error = plan_find_excerpt(stream->device, &params, &plain);
    double pictures = excerpt_picture_bytes(stream, (double)excerpt->read.width * excerpt->read.height);
    plain.memory = ((double)stream->params.memory - pictures) / stream->in_flight;
    if (!error && plain.memory <= 0)
        return core_fail(stream->device, ABBE_ERR_MEMORY, "the pictures alone take more");
    return error ? error : plan_place(stream->device, &params, &plain, false, &stream->plan);
}

/* Explains why not even a part of one pixel can be planned. */
static int fail_small(const struct stream *stream)
{
    char reason[256];
    snprintf(reason, sizeof reason, "%s", core_failure(stream->device));
    return core_fail(stream->device, ABBE_ERR_MEMORY,
                     "abbe_stream: memory is %zu bytes, too little for one pixel and the %d + %d by %d + %d "
                     "pixels that the filters read around it: %s",
                     stream->params.memory, stream->margins.left, stream->margins.right,
                     stream->margins.above, stream->margins.below, reason);
}

/* Strips of the full width are read once. Where one would be so low that most of what is read are margins,
 * parts are narrower. While memory for the plan is missing, within the bound or on the machine, parts shrink
 * further. */
static int choose_parts(struct stream *stream)
{
    int across = stream->margins.left + stream->margins.right;
    int down = stream->margins.above + stream->margins.below;
    stream->width = stream->results.width;
    stream->height = rows_that_fit(stream, stream->width);
    while (stream->height < down && stream->height < stream->results.height && stream->width > across + 1) {
        stream->width = (stream->width + 1) / 2;
        stream->height = rows_that_fit(stream, stream->width);
    }
    if (!stream->height)
        stream->height = 1;
    for (;;) {
        int error = plan_parts(stream);
        bool too_large = error == ABBE_ERR_MEMORY || error == ABBE_ERR_SIZE;
        if (!too_large)
            return error;
        if (stream->width == 1 && stream->height == 1)
            return error == ABBE_ERR_SIZE ? error : fail_small(stream);
        bool narrower = stream->height == 1 || (stream->height <= down && stream->width > across + 1);
        if (narrower && stream->width > 1)
            stream->width = (stream->width + 1) / 2;
        else
            stream->height = (stream->height + 1) / 2;
    }
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

static int read_checked(struct stream *stream, int x, int y, const abbe_image *to)
{
    int answer = stream->params.read(stream->params.user, x, y, to);
    if (answer)
        return core_fail(stream->device, ABBE_ERR_FILE,
                         "abbe_stream: read() of %d x %d pixels at x %d, y %d returned %d", to->width,
                         to->height, x, y, answer);
    bool check = core_type_has_nonfinite(to->type) && stream->whole.nonfinite == ABBE_NONFINITE_ERROR;
    return check ? plan_check_finite(stream->plan, to, x, y, NULL) : ABBE_OK;
}

/* fetch_pixels from the application's read(). */
static int fetch_from_reader(void *context, int x, int y, const abbe_image *to)
{
    struct stream *stream = context;
    int error = ABBE_OK;
    if (!stream->row)
        return read_checked(stream, x, y, to);
    for (int i = 0; i < to->height && !error; i++) {
        const abbe_image row = { .data = stream->row,
                                 .width = to->width,
                                 .height = 1,
                                 .channels = to->channels,
                                 .type = stream->whole.source_type };
        const abbe_image converted = plan_part(to, 0, i, to->width, 1);
        error = read_checked(stream, x, y + i, &row);
        if (!error)
            plan_convert_row(&stream->excerpt, &row, 0, &converted);
    }
    return error;
}

/* Moves the excerpt to a place and reads what it does not hold yet. */
static int read_part(struct stream *stream, long long x, long long y)
{
    struct rectangle *read = &stream->excerpt.read, old = *read;
    read->x = x - stream->margins.left;
    read->y = y - stream->margins.above;
    long long moved = read->y - old.y;
    bool overlaps = read->x == old.x && moved >= 0 && moved < stream->kept;
    int kept = overlaps ? (int)(stream->kept - moved) : 0;
    if (kept && moved)
        memmove(stream->source.data, core_row(&stream->source, (int)moved),
                (size_t)kept * (size_t)stream->source.stride);
    int error = plan_fill(&stream->excerpt, read, kept, fetch_from_reader, stream, &stream->source);
    stream->kept = error ? 0 : read->height;
    return error;
}

/* ---- Filtering and writing ---------------------------------------------------------------------------- */

static int write_part(struct stream *stream, const struct part *part)
{
    const struct rectangle *fresh = &part->fresh;
    for (size_t r = 0; r < stream->whole.filter_count; r++) {
        const abbe_image view = plan_part(&part->results[r], stream->margins.left + fresh->x - part->x,
                                          stream->margins.above + fresh->y - part->y, fresh->width,
                                          fresh->height);
        int answer = stream->params.write(stream->params.user, (int)r, (int)fresh->x, (int)fresh->y, &view);
        if (answer)
            return core_fail(
                stream->device, ABBE_ERR_FILE,
                "abbe_stream: write() of %d x %d pixels of result %zu at x %lld, y %lld returned %d",
                fresh->width, fresh->height, r + 1, fresh->x, fresh->y, answer);
    }
    return ABBE_OK;
}

/* Waits for a part, and writes it unless `error`. */
static int finish_part(struct stream *stream, struct part *part, int error)
{
    if (!part->busy)
        return error;
    part->busy = false;
    int failure = abbe_wait(&part->ticket);
    if (!error)
        error = failure;
    if (!error)
        error = write_part(stream, part);
    stream->done++;
    return error;
}

static int fail_stopped(const struct stream *stream)
{
    return core_fail(stream->device, ABBE_ERR_CANCELLED, "abbe_stream: the watch's progress() stopped it");
}

/* progress() of the run of one part. */
static int report_part(void *user, double done)
{
    const struct stream *stream = user;
    return device_report(&stream->watch, fmin((stream->done + done) / stream->part_count, 1));
}

static int start_part(struct stream *stream, struct part *part)
{
    const abbe_watch watch = { .progress = report_part, .user = stream };
    part->busy = true;
    if (!plan_current(stream->plan)->device->table->submit)
        return abbe_run_watched(stream->plan, &stream->source, part->results, &watch);
    if (report_part(stream, 0))
        return fail_stopped(stream);
    return abbe_submit(stream->plan, &stream->source, part->results, &part->ticket);
}

/* The first result of an excerpt that yields the result at `first`: excerpts end with the results. */
static long long place_part(int first, int size, int total)
{
    return first + size <= total ? first : total - size;
}

static int run_parts(struct stream *stream)
{
    const struct rectangle *all = &stream->results;
    int error = ABBE_OK, number = 0;
    for (int y = 0; y < all->height && !error; y += stream->height)
        for (int x = 0; x < all->width && !error; x += stream->width) {
            struct part *part = &stream->parts[number++ % stream->in_flight];
            struct part *other = &stream->parts[number % stream->in_flight];
            part->x = place_part(x, stream->width, all->width);
            part->y = place_part(y, stream->height, all->height);
            part->fresh = (struct rectangle){ x, y, (int)(part->x + stream->width - x),
                                              (int)(part->y + stream->height - y) };
            error = read_part(stream, all->x + part->x, all->y + part->y);
            if (!error)
                error = start_part(stream, part);
            error = finish_part(stream, other, error);
        }
    for (int i = 0; i < stream->in_flight; i++)
        error = finish_part(stream, &stream->parts[(number + i) % stream->in_flight], error);
    return error;
}

/* ---- The stream --------------------------------------------------------------------------------------- */

static bool allocate_stream(struct stream *stream)
{
    const struct rectangle *read = &stream->excerpt.read;
    const abbe_image shape = { .width = read->width,
                               .height = read->height,
                               .channels = stream->whole.channels };
    if (!core_alloc_picture(&shape, stream->excerpt.type, &stream->source))
        return false;
    memset(stream->source.data, 0, (size_t)read->height * (size_t)stream->source.stride);
    if (stream->excerpt.type != stream->whole.source_type) {
        stream->row = core_alloc((size_t)read->width * (size_t)shape.channels,
                                 abbe_type_size(stream->whole.source_type));
        if (!stream->row)
            return false;
    }
    for (int i = 0; i < stream->in_flight; i++) {
        stream->parts[i].results = core_alloc_zero(stream->whole.filter_count, sizeof(abbe_image));
        for (size_t r = 0; r < stream->whole.filter_count; r++)
            if (!stream->parts[i].results ||
                !core_alloc_picture(&shape, stream->whole.result_type, &stream->parts[i].results[r]))
                return false;
    }
    return true;
}

static void free_stream(struct stream *stream)
{
    for (int i = 0; i < IN_FLIGHT; i++) {
        abbe_image *results = stream->parts[i].results;
        for (size_t r = 0; results && r < stream->whole.filter_count; r++)
            core_free(results[r].data);
        core_free(results);
    }
    core_free(stream->row);
    core_free(stream->source.data);
    abbe_plan_destroy(&stream->plan);
}

static int check_stream(abbe_device *device, const abbe_stream_params *params, struct stream *stream)
{
    static const struct core_params about = { "abbe_stream: params", STREAM_PARAMS_0_2,
                                              sizeof(abbe_stream_params) };
    static const struct core_params about_plan = { "abbe_stream: params.plan", PLAN_PARAMS_0_2,
                                                   sizeof(abbe_plan_params) };
    int error = core_read_params(device, &about, params, &stream->params);
    if (error)
        return error;
    const abbe_stream_params *known = &stream->params;
    if (!known->plan || !known->read || !known->write)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_stream: params.%s is NULL",
                         !known->plan   ? "plan"
                         : !known->read ? "read"
                                        : "write");
    error = core_read_params(device, &about_plan, known->plan, &stream->whole);
    if (!error)
        error = device_check_process(device);
    if (error)
        return error;
    if (!stream->whole.result_type)
        stream->whole.result_type = stream->whole.source_type;
    if (!stream->params.memory)
        stream->params.memory = DEFAULT_MEMORY;
    error = plan_check(device, &stream->whole);
    if (!error)
        error = plan_find_results(device, &stream->whole, &stream->results);
    return error ? error : plan_find_margins(device, &stream->whole, "abbe_stream", &stream->margins);
}

int abbe_stream(abbe_device *device, const abbe_stream_params *params, const abbe_watch *watch)
{
    if (!device || !params)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_stream: %s is NULL", device ? "params" : "device");
    struct stream stream = { .device = device };
    stream.in_flight = device->table->submit || device->auto_gpu ? IN_FLIGHT : 1;
    int error = plan_read_watch(device, "abbe_stream: watch", watch, &stream.watch);
    if (!error)
        error = check_stream(device, params, &stream);
    if (!error && device_report(&stream.watch, 0))
        error = fail_stopped(&stream);
    if (!error)
        error = choose_parts(&stream);
    if (!error)
        error = allocate_stream(&stream) ? run_parts(&stream) : core_fail_memory(device);
    if (!error && device_report(&stream.watch, 1))
        error = fail_stopped(&stream);
    free_stream(&stream);
    return error;
}
