/* Pictures of abbe filter that are read, filtered and written in parts, because the whole would need too much memory.
 *
 *     inflow ──▶ abbe_stream ──▶ outflows, one for each result
 *
 * The memory is shared among the decoder, the rows that are kept for reading again, the stream and the rows that wait to be
 * written. */
#include "streaming.h"

#include "figures.h"
#include "plans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The tolerance of abbe_stream for the reach of transfer functions. */
static const double tolerance = 1e-4;

/* What a stream takes by default, if strips fit into it. */
static const double default_memory = 48e6;

/* The least memory of abbe_stream. */
static const double least_memory = 30e3;

/* Rows that savers of libvips hold, unless they write tiles; with tiles, as many as those have are held twice. */
enum { SAVER_ROWS = 64 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

static double row_bytes(const abbe_plan_params *plan, abbe_type type)
{
    return (double)plan->width * plan->channels * (double)abbe_type_size(type);
}

/* Bytes of a row of all results as they are stored. */
static double stored_row_bytes(const struct streaming *streaming)
{
    double bytes = 0;
    for (int i = 0; i < streaming->request->result_count; i++)
        bytes += streaming->skipped[i] ? 0 : row_bytes(streaming->plan, streaming->types[i]);
    return bytes;
}

double streaming_whole_pictures(const struct streaming *streaming)
{
    const abbe_plan_params *plan = streaming->plan;
    double rows = (double)plan->height * streaming->source->shape.held;
    double floats = streaming->direct ? 0
                                      : row_bytes(plan, ABBE_F32) * (double)plan->filter_count * plan->height;
    return rows * (row_bytes(plan, plan->source_type) + stored_row_bytes(streaming)) + floats;
}

/* The rows above and below a part that its results depend on, for all filters. False with the reason. */
static bool find_margins(const struct streaming *streaming, int *margins, char *reason, size_t size)
{
    int up_most = 0, down_most = 0;
    for (size_t i = 0; i < streaming->plan->filter_count; i++) {
        int left, right, up, down;
        if (abbe_filter_reach(streaming->plan->filters[i], tolerance, &left, &right, &up, &down)) {
            snprintf(reason, size, "%s", abbe_last_error());
            return false;
        }
        bool turned = streaming->plan->correlate;
        up_most = turned ? (down > up_most ? down : up_most) : (up > up_most ? up : up_most);
        down_most = turned ? (up > down_most ? up : down_most) : (down > down_most ? down : down_most);
    }
    *margins = up_most + down_most;
    return true;
}

bool streaming_has_obstacle(const struct streaming *streaming, char *reason, size_t size)
{
    const struct request *request = streaming->request;
    int margins;
    for (int i = 0; i < request->result_count; i++) {
        const struct destination *destination = &streaming->destinations[i];
        const char *option = !request->texts[i]                       ? "--rest"
                             : request->finishes[i].threshold > 0     ? "--threshold"
                             : request->where                         ? "--where"
                             : request->channels.kind != CHANNELS_ALL ? "--channels"
                                                                      : NULL;
        if (option) {
            snprintf(reason, size, "%s needs the whole picture", option);
            return true;
        }
        if (streaming->skipped[i])
            continue;
        if (outflow_has_obstacle(destination, streaming->types[i], reason, size))
            return true;
        if (streaming->source->shape.held > 1 && !destination_has_pages(destination)) {
            snprintf(reason, size, "not every result can hold its pages");
            return true;
        }
    }
    return inflow_has_obstacle(streaming->source, reason, size) ||
           !find_margins(streaming, &margins, reason, size);
}

static bool has_transfer(const abbe_plan_params *plan)
{
    for (size_t i = 0; i < plan->filter_count; i++)
        if (abbe_filter_describe(plan->filters[i])->in_frequency)
            return true;
    return false;
}

/* How memory is shared. */
struct shares {
    double stream;
    int waiting; /* rows of results */
    int kept;    /* rows of the source that can be read again */
};

/* Finds the shares of the memory, or the memory by default, which grows with the margins. False, with the memory that
 * would be enough, where the allowed one is not. */
static bool find_shares(const struct streaming *streaming, int margins, struct shares *shares, double *memory)
{
    const abbe_plan_params *plan = streaming->plan;
    double source = row_bytes(plan, plan->source_type), stored = stored_row_bytes(streaming);
    double filtered = row_bytes(plan, plan->result_type) * (double)plan->filter_count;
    double tile = 0;
    for (int i = 0; i < streaming->request->result_count; i++)
        if (!streaming->skipped[i])
            tile = fmax(tile, outflow_tile_height(&streaming->destinations[i], &streaming->source->shape));
    double fixed = inflow_decoder_bytes(streaming->source) + stored * (2 * tile + (double)SAVER_ROWS);
    /* Strips of three times their margins: a third more is filtered than stored. Half of a stream's memory is for
     * pictures, and as many rows as a strip has may wait. Transforms take more than the other half. */
    double pictures = (source + filtered) * (4.0 * margins + 16);
    double wanted = (has_transfer(plan) ? 4 : 2) * pictures + stored * 3.0 * margins + fixed;
    double most = streaming->request->settings.memory;
    if (most <= 0) {
        most = fmin(fmax(wanted, default_memory), plans_quarter());
        *memory = most;
    }
    double rest = most - fixed;
    shares->stream = rest / (1 + 0.5 * stored / (source + filtered));
    double rows = floor(shares->stream / 2 / (source + filtered)) - margins;
    *shares = (struct shares){ shares->stream, 1, 0 };
    if (rows >= margins || rows >= plan->height) {
        shares->waiting = (int)fmin(fmax(rows, 1), plan->height);
        *memory = most;
        return shares->stream >= least_memory;
    }
    /* Tiles: a row of them waits until it is whole, and its source is read once for each of them. Their height is below
     * three times the margins. */
    shares->waiting = (int)fmin(3.0 * margins, plan->height);
    shares->kept = (int)fmin(4.0 * margins + 1, plan->height);
    double tiles = stored * shares->waiting + source * shares->kept;
    shares->stream = rest - tiles;
    *memory = shares->stream >= least_memory ? most : fixed + tiles + fmax(least_memory, wanted / 8);
    return shares->stream >= least_memory;
}

/* ---- One run ------------------------------------------------------------------------------------------- */

struct run {
    struct streaming *streaming;
    struct outflow *outflows[RESULTS_MAX]; /* NULL for results that are kept */
    int page;
    char *row;         /* of a finished result; NULL where the plan makes them */
    bool printed;      /* the error of a callback */
    int failed_result; /* of outflow_write; −1: none */
};

/* abbe_stream_params.read */
static int read_part(void *user, int x, int y, const abbe_image *to)
{
    struct run *run = user;
    struct streaming *streaming = run->streaming;
    double start = seconds_now();
    bool done = inflow_read(streaming->source, x, y + run->page * streaming->plan->height, to);
    run->printed = run->printed || !done;
    streaming->read_seconds += seconds_now() - start;
    return done ? 0 : 1;
}

/* Finishes the rows of a part one by one. */
static bool write_finished(struct run *run, int result, int x, int y, const abbe_image *from)
{
    const struct streaming *streaming = run->streaming;
    abbe_image part = *from;
    part.height = 1;
    abbe_image row = { .data = run->row,
                       .width = from->width,
                       .height = 1,
                       .channels = from->channels,
                       .type = streaming->types[result] };
    bool done = true;
    for (int i = 0; done && i < from->height; i++) {
        part.data = (char *)from->data + i * from->stride;
        finish_row(&streaming->request->finishes[result], streaming->source->shape.has_alpha, &part, &row);
        done = outflow_write(run->outflows[result], x, y + i, &row);
    }
    return done;
}

/* abbe_stream_params.write */
static int write_part(void *user, int result, int x, int y, const abbe_image *from)
{
    struct run *run = user;
    struct streaming *streaming = run->streaming;
    if (!run->outflows[result])
        return 0;
    double start = seconds_now();
    y += run->page * streaming->plan->height;
    bool fits = from->width == streaming->plan->width || outflow_reserve(run->outflows[result], from->height);
    run->printed = run->printed || !fits;
    if (!fits)
        return 1;
    bool done = run->row ? write_finished(run, result, x, y, from)
                         : outflow_write(run->outflows[result], x, y, from);
    if (!done)
        run->failed_result = result;
    streaming->write_seconds += seconds_now() - start;
    return done ? 0 : 1;
}

static int show_progress(void *user, double done)
{
    const struct run *run = user;
    const struct streaming *streaming = run->streaming;
    double part = (run->page + done) / streaming->source->shape.held;
    progress_show("filtering", streaming->from + part * (streaming->to - streaming->from));
    return 0;
}

static bool open_outflows(struct run *run, const struct shares *shares)
{
    const struct streaming *streaming = run->streaming;
    for (int i = 0; i < streaming->request->result_count; i++) {
        struct picture shape = streaming->source->shape;
        shape.view.type = streaming->types[i];
        shape.view.stride = (ptrdiff_t)row_bytes(streaming->plan, streaming->types[i]);
        if (streaming->skipped[i])
            continue;
        run->outflows[i] = outflow_open(&shape, &streaming->destinations[i], shares->waiting);
        if (!run->outflows[i])
            return false;
    }
    return true;
}

static void say_stream_error(const struct streaming *streaming, int error)
{
    char given[FIGURE_MAX];
    const char *text = abbe_error_text(streaming->device);
    double memory = streaming->request->settings.memory;
    if (error == ABBE_ERR_MEMORY && memory > 0)
        say_error("%s: --memory %s is too little to filter it in parts: %s", streaming->source->name,
                  figure_bytes((size_t)memory, given), text);
    else
        say_error("%s: %s", streaming->source->name, text);
}

static bool stream_pages(struct run *run, const struct shares *shares)
{
    struct streaming *streaming = run->streaming;
    const abbe_watch watch = { .progress = show_progress, .user = run };
    const abbe_stream_params params = { .plan = streaming->plan,
                                        .read = read_part,
                                        .write = write_part,
                                        .user = run,
                                        .memory = (size_t)shares->stream };
    int error = ABBE_OK;
    for (; run->page < streaming->source->shape.held && !error; run->page++)
        error = abbe_stream(streaming->device, &params, &watch);
    if (run->failed_result >= 0)
        outflow_end(run->outflows[run->failed_result]);
    else if (error && !run->printed)
        say_stream_error(streaming, error);
    return !error;
}

/* All results are whole before the first gets its name. */
static bool end_outflows(const struct run *run)
{
    int count = run->streaming->request->result_count;
    bool done = true;
    for (int i = 0; i < count && done; i++)
        done = !run->outflows[i] || outflow_end(run->outflows[i]);
    for (int i = 0; i < count && done; i++)
        done = !run->outflows[i] || outflow_commit(run->outflows[i]);
    return done;
}

static bool fail_small(const struct streaming *streaming, double needed)
{
    char given[FIGURE_MAX], enough[FIGURE_MAX];
    say_error("%s: --memory %s is too little to filter it in parts; %s would do", streaming->source->name,
              figure_bytes((size_t)streaming->request->settings.memory, given),
              figure_bytes((size_t)(1.1 * needed), enough));
    return false;
}

bool streaming_run(struct streaming *streaming)
{
    struct run run = { .streaming = streaming, .failed_result = -1 };
    struct shares shares;
    char reason[256];
    int margins;
    if (!find_margins(streaming, &margins, reason, sizeof reason)) {
        say_error("%s: %s", streaming->source->name, reason);
        return false;
    }
    if (!find_shares(streaming, margins, &shares, &streaming->memory))
        return fail_small(streaming, streaming->memory);
    run.row = streaming->direct ? NULL : malloc((size_t)row_bytes(streaming->plan, ABBE_F32));
    if (!streaming->direct && !run.row)
        return say_error("out of memory"), false;
    bool done = inflow_begin(streaming->source, shares.kept) && open_outflows(&run, &shares) &&
                stream_pages(&run, &shares);
    if (done)
        inflow_say_mended(streaming->source);
    double start = seconds_now();
    done = done && end_outflows(&run);
    streaming->write_seconds += seconds_now() - start;
    for (int i = 0; i < streaming->request->result_count; i++)
        outflow_free(run.outflows[i]);
    free(run.row);
    return done;
}
