/* Runs: each region is uploaded, filtered on the device and downloaded; at once, or as a job that the device
 * works on while the host goes on.
 *
 * Pictures are copied through pinned memory in parts: while the bus moves one, the host copies the next. */
#define _GNU_SOURCE
#include "cuda/run.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>
#include <time.h>

/* ---- One region --------------------------------------------------------------------------------------- */

/* Bytes of a part that make the bus busy for longer than starting a copy takes. */
static const double part_bytes = 4 << 20;

static int count_parts(double bytes, int rows)
{
    double parts = bytes / part_bytes;
    int count = parts < 1 ? 1 : parts > CUDA_PARTS_MAX ? CUDA_PARTS_MAX : (int)parts;
    return count < rows ? count : rows;
}

/* First row of part `number` of `parts`. */
static int part_start(int rows, int parts, int number)
{
    return (int)((long long)rows * number / parts);
}

/* Copies a region's source into pinned memory, part by part, and starts to upload each. Returns a
 * cuda_result. */
static int upload_region(const struct cuda_recording *recording, const abbe_image *source)
{
    const struct cuda *cuda = recording->cuda;
    const struct cuda_geometry *g = &recording->engine->geometry;
    const struct cuda_scratch *scratch = recording->scratch;
    const struct pedestal *pedestal = &recording->pedestal;
    struct region_copy copy = { .threads = cuda->head.threads,
                                .work = recording->engine->work,
                                .x = recording->x,
                                .y = recording->y,
                                .whole = g->whole,
                                .pitch = (size_t)g->source_pitch,
                                .pedestal = pedestal->used ? pedestal->level : NULL };
    int rows = g->whole ? source->height : recording->y.window, result = CUDA_OK;
    int parts = count_parts(g->source_pitch * rows, rows);
    for (int i = 0; i < parts && !result; i++) {
        copy.first_row = part_start(rows, parts, i);
        copy.row_count = part_start(rows, parts, i + 1) - copy.first_row;
        size_t first = copy.pitch * (size_t)copy.first_row, count = copy.pitch * (size_t)copy.row_count;
        region_gather(&copy, source, scratch->upload.bytes);
        result = cuda->f.upload_async(scratch->source.address + first, (char *)scratch->upload.bytes + first,
                                      count, recording->stream);
    }
    return result;
}

/* Parts of the download of all results, whose rows lie behind each other. */
static int download_parts(const struct cuda_recording *recording)
{
    int rows = recording->y.results * recording->engine->work->result_count;
    return count_parts(recording->engine->geometry.result_pitch * rows, rows);
}

/* Starts to download the results, and records an event behind each part. Returns a cuda_result. */
static int download_region(const struct cuda_recording *recording)
{
    const struct cuda *cuda = recording->cuda;
    const struct cuda_scratch *scratch = recording->scratch;
    size_t pitch = (size_t)recording->engine->geometry.result_pitch;
    int rows = recording->y.results * recording->engine->work->result_count, result = CUDA_OK;
    for (int i = 0, parts = download_parts(recording); i < parts && !result; i++) {
        size_t first = pitch * (size_t)part_start(rows, parts, i);
        size_t end = pitch * (size_t)part_start(rows, parts, i + 1);
        result = cuda->f.download_async((char *)scratch->download.bytes + first,
                                        scratch->result.address + first, end - first, recording->stream);
        if (!result)
            result = cuda->f.event_record(scratch->parts[i], recording->stream);
    }
    return result;
}

/* Copies rows first … end − 1, of all results behind each other, to their views. */
static void store_rows(const struct cuda_recording *recording, int first, int end, const abbe_image *results)
{
    const struct engine *engine = recording->engine;
    int rows = recording->y.results;
    double add[ABBE_CHANNELS_MAX];
    struct region_copy copy = { .threads = recording->cuda->head.threads,
                                .x = recording->x,
                                .y = recording->y,
                                .pitch = (size_t)engine->geometry.result_pitch,
                                .pedestal = recording->pedestal.used ? add : NULL };
    for (int r = first / rows; r * rows < end; r++) {
        int from = first - r * rows, to = end - r * rows;
        copy.first_row = from > 0 ? from : 0;
        copy.row_count = (to < rows ? to : rows) - copy.first_row;
        pedestal_filter(engine->work, &recording->pedestal, r, add);
        region_scatter(
            &copy, (const char *)recording->scratch->download.bytes + copy.pitch * (size_t)rows * (size_t)r,
            &results[r]);
    }
}

static void read_times(const struct cuda_recording *recording, struct watch *watch)
{
    const struct cuda *cuda = recording->cuda;
    const cuda_event *times = recording->scratch->times;
    float milliseconds;
    for (int i = 1; i < recording->times; i++)
        if (!cuda->f.event_elapsed(&milliseconds, times[i - 1], times[i]))
            region_add_time(watch, recording->names[i], (double)milliseconds * 1e-3);
}

/* Uploads a region, and starts to filter and to download it. */
static int begin_region(struct cuda_recording *recording, int column, int row, const abbe_image *source)
{
    struct cuda *cuda = recording->cuda;
    cuda_place_region(recording, column, row);
    cuda_place_in_scratch(recording);
    int result = upload_region(recording, source);
    if (!result)
        result = cuda_record_passes(recording);
    if (!result)
        result = download_region(recording);
    return result ? cuda_fail(cuda, result, "a run") : ABBE_OK;
}

/* Seconds between two looks at the device while the application is to be called, in nanoseconds. */
enum { LOOK_INTERVAL = 1000 * 1000, LOOKS = 20 };

/* Waits for the last part, and calls the application meanwhile, until it stops the run. Returns a
 * cuda_result. */
static int wait_watched(const struct cuda_recording *recording, struct watch *watch, double done,
                        bool *stopped)
{
    const struct cuda *cuda = recording->cuda;
    cuda_event last = recording->scratch->parts[download_parts(recording) - 1];
    const struct timespec pause = { .tv_nsec = LOOK_INTERVAL };
    int result = cuda->f.event_query(last);
    for (int looks = 1; result == CUDA_NOT_READY && !*stopped; looks++) {
        nanosleep(&pause, NULL);
        *stopped = looks % LOOKS == 0 && device_report(watch, done);
        result = cuda->f.event_query(last);
    }
    return result == CUDA_NOT_READY ? cuda->f.event_synchronize(last) : result;
}

/* Stores the results, each part as soon as it has been downloaded. Returns a cuda_result. */
static int store_parts(const struct cuda_recording *recording, const abbe_image *results)
{
    const struct cuda *cuda = recording->cuda;
    int rows = recording->y.results * recording->engine->work->result_count, result = CUDA_OK;
    for (int i = 0, parts = download_parts(recording); i < parts && !result; i++) {
        result = cuda->f.event_synchronize(recording->scratch->parts[i]);
        if (!result)
            store_rows(recording, part_start(rows, parts, i), part_start(rows, parts, i + 1), results);
    }
    return result;
}

/* Waits for a region and stores its results. Calls the application meanwhile, with `done` before the end and
 * `next` at the end; the results of a region that it stops are not stored. `at_once`: nothing is stored
 * before everything has been downloaded. */
static int end_region(struct cuda_recording *recording, const abbe_image *results, bool at_once,
                      struct watch *watch, double done, double next)
{
    struct cuda *cuda = recording->cuda;
    bool watched = watch && watch->progress, stopped = false;
    int result = watched   ? wait_watched(recording, watch, done, &stopped)
                 : at_once ? cuda->f.stream_synchronize(recording->stream)
                           : CUDA_OK;
    if (!result && (stopped || device_report(watch, next)))
        return ABBE_ERR_CANCELLED;
    if (!result)
        result = store_parts(recording, results);
    if (!result && recording->timed)
        read_times(recording, watch);
    return result ? cuda_fail(cuda, result, "a run") : ABBE_OK;
}

/* Gives the scratch back to the engine, or destroys it after an error. The device has finished a region that
 * was cancelled. */
static void end_scratch(struct cuda_recording *recording, int error)
{
    struct engine *engine = (struct engine *)recording->engine; /* its scratch has a lock */
    if (error && error != ABBE_ERR_CANCELLED)
        cuda_scratch_drop(recording->cuda, engine, recording->scratch);
    else
        cuda_scratch_return(engine, recording->scratch);
    recording->scratch = NULL;
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Prepares a recording and takes its scratch. */
static int open_recording(struct cuda *cuda, const struct engine *engine, const abbe_image *source,
                          struct cuda_recording *recording)
{
    recording->cuda = cuda;
    recording->engine = engine;
    recording->kernels = &engine->run;
    int error = cuda_scratch_take(cuda, (struct engine *)engine,
                                  &recording->scratch); /* an engine has a lock */
    if (error)
        return error;
    recording->stream = recording->scratch->stream;
    pedestal_find_on_host(engine->work, source, &recording->pedestal);
    return ABBE_OK;
}

static bool is_in_place(const struct work *work, const abbe_image *source, const abbe_image *results)
{
    for (int i = 0; i < work->result_count; i++)
        if (results[i].data == source->data)
            return true;
    return false;
}

static int run_all_regions(struct cuda *cuda, const struct engine *engine, const abbe_image *source,
                           const abbe_image *results, struct watch *watch)
{
    struct cuda_recording recording = { .timed = watch != NULL };
    int error = open_recording(cuda, engine, source, &recording);
    if (error)
        return error;
    int columns = engine->geometry.regions_x, count = columns * engine->geometry.regions_y;
    bool at_once = is_in_place(engine->work, source, results);
    for (int i = 0; i < count && !error; i++) {
        error = begin_region(&recording, i % columns, i / columns, source);
        if (!error)
            error = end_region(&recording, results, at_once, watch, (double)i / count, (i + 1.0) / count);
    }
    end_scratch(&recording, error);
    return error;
}

int cuda_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
             const abbe_image *results, struct watch *watch)
{
    struct cuda *cuda = (struct cuda *)device;
    abbe_image kept;
    int error = region_keep(device, engine->work, engine->geometry.whole, source, results, &kept);
    if (error)
        return error;
    error = cuda_enter(cuda);
    if (!error) {
        error = run_all_regions(cuda, engine, &kept, results, watch);
        cuda_leave(cuda);
    }
    region_release(source, &kept, error);
    return error;
}

/* ---- Jobs --------------------------------------------------------------------------------------------- */

/* A submitted run. It has no scratch if it was run at once. */
struct job {
    struct cuda_recording recording;
    abbe_image results[];
};

static int begin_job(struct cuda *cuda, const struct engine *engine, const abbe_image *source,
                     struct job *job)
{
    int error = open_recording(cuda, engine, source, &job->recording);
    if (error)
        return error;
    error = begin_region(&job->recording, 0, 0, source);
    if (error)
        end_scratch(&job->recording, error);
    return error;
}

int cuda_run_submit(abbe_device *device, const struct engine *engine, const abbe_image *source,
                    const abbe_image *results, struct job **job)
{
    struct cuda *cuda = (struct cuda *)device;
    size_t bytes = (size_t)engine->work->result_count * sizeof *results;
    struct job *made = core_alloc_zero(1, sizeof *made + bytes);
    if (!made)
        return core_fail_memory(device);
    memcpy(made->results, results, bytes);
    int error;
    /* A picture of several regions needs the host between them, so it is run at once. */
    if (!engine->geometry.whole)
        error = cuda_run(device, engine, source, results, NULL);
    else {
        error = cuda_enter(cuda);
        if (!error) {
            error = begin_job(cuda, engine, source, made);
            cuda_leave(cuda);
        }
    }
    if (error) {
        core_free(made);
        return error;
    }
    *job = made;
    return ABBE_OK;
}

int cuda_run_wait(abbe_device *device, struct job *job)
{
    struct cuda *cuda = (struct cuda *)device;
    int error = ABBE_OK;
    if (job->recording.scratch) {
        bool entered = cuda_enter_to_release(cuda);
        error = end_region(&job->recording, job->results, true, NULL, 0, 1);
        end_scratch(&job->recording, error);
        if (entered)
            cuda_leave(cuda);
    }
    core_free(job);
    return error;
}
