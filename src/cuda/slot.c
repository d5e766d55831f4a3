/* Slots: runs of a plan on the application's streams, on the application's pictures. */
#include "core/error.h"
#include "core/memory.h"
#include "core/view.h"
#include "cuda/run.h"

#include <abbe/cuda.h>
#include <stdio.h>

/* Kernels for pictures whose pixels can be moved at once, and for all others. */
enum { PIXELS_WHOLE, PIXELS_ANY, PIXELS };

struct abbe_cuda_slot {
    struct cuda *cuda;
    const struct engine *engine;
    struct cuda_kernels kernels[PIXELS];
    struct cuda_buffer grid, back, wide;
    struct cuda_place *results; /* of the call in progress: one for each result */
};

/* ---- Slots -------------------------------------------------------------------------------------------- */

static int check_slot_plan(const abbe_plan *plan)
{
    static const char name[] = "abbe_cuda_slot_create";
    const abbe_device *device = plan_device(plan);
    const struct engine *engine = plan_engine(plan);
    if (device->table != &cuda_device_table || !((const struct cuda *)device)->adopted)
        return core_fail(device, ABBE_ERR_INVALID, "%s: the plan's device was not opened by abbe_cuda_adopt",
                         name);
    int error = device_check_process(device);
    if (error)
        return error;
    if (plan_is_cut(plan))
        return core_fail(device, ABBE_ERR_UNSUPPORTED,
                         "%s: plan has a window; only abbe_run and abbe_submit cut results out", name);
    if (!engine)
        return core_fail(device, ABBE_ERR_INVALID, "%s: plan is a draft, which cannot run", name);
    const struct work *work = engine->work;
    if (work->converted)
        return core_fail(device, ABBE_ERR_UNSUPPORTED, "%s: the plan's types must be U8, U16, F16 or F32",
                         name);
    if ((work->source_type == ABBE_F16 || work->source_type == ABBE_F32) &&
        work->nonfinite == ABBE_NONFINITE_ERROR)
        return core_fail(
            device, ABBE_ERR_INVALID,
            "%s: nonfinite samples cannot be refused without waiting for the GPU; make the plan with "
            "ABBE_NONFINITE_ZERO or ABBE_NONFINITE_TRUST",
            name);
    if (!engine->geometry.whole)
        return core_fail(device, ABBE_ERR_SIZE, "%s: the picture does not fit the device's memory as a whole",
                         name);
    return ABBE_OK;
}

static int create_slot_buffers(struct abbe_cuda_slot *slot)
{
    const struct cuda_geometry *g = &slot->engine->geometry;
    double grids = g->in_place ? g->result : g->grids; /* for results of another layout */
    int result = grids > 0 ? cuda_buffer_create(slot->cuda, grids, &slot->grid) : CUDA_OK;
    if (!result && g->back > 0)
        result = cuda_buffer_create(slot->cuda, g->back, &slot->back);
    if (!result && g->wide_bytes > 0)
        result = cuda_buffer_create(slot->cuda, g->wide_bytes, &slot->wide);
    return result ? cuda_fail(slot->cuda, result, "creating the buffers of a slot") : ABBE_OK;
}

/* The context is current. */
static int fill_slot(struct abbe_cuda_slot *slot)
{
    slot->results = core_alloc_zero((size_t)slot->engine->work->result_count, sizeof *slot->results);
    if (!slot->results)
        return core_fail_memory(slot->cuda);
    int error = create_slot_buffers(slot);
    for (int i = 0; i < PIXELS && !error; i++) {
        const struct cuda_pictures pictures = { i == PIXELS_WHOLE, i == PIXELS_WHOLE };
        error = cuda_engine_kernels(slot->cuda, slot->engine, &pictures, &slot->kernels[i]);
    }
    return error;
}

/* No plan of less memory takes the place of a slot's. */
static int public_error(int error)
{
    return error == DEVICE_ERR_FULL ? ABBE_ERR_MEMORY : error;
}

int abbe_cuda_slot_create(const abbe_plan *plan, abbe_cuda_slot **slot)
{
    if (!plan || !slot)
        return core_fail(plan ? plan_device(plan) : NULL, ABBE_ERR_INVALID,
                         "abbe_cuda_slot_create: %s is NULL", plan ? "slot" : "plan");
    int error = check_slot_plan(plan);
    if (error)
        return error;
    struct cuda *cuda = (struct cuda *)plan_device(plan);
    struct abbe_cuda_slot *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(cuda);
    made->cuda = cuda;
    made->engine = plan_engine(plan);
    error = cuda_enter(cuda);
    if (!error) {
        error = fill_slot(made);
        cuda_leave(cuda);
    }
    if (error) {
        abbe_cuda_slot_destroy(&made);
        return public_error(error);
    }
    *slot = made;
    return ABBE_OK;
}

void abbe_cuda_slot_destroy(abbe_cuda_slot **slot)
{
    if (!slot || !*slot)
        return;
    struct abbe_cuda_slot *gone = *slot;
    if (!device_is_inherited(&gone->cuda->head) && cuda_enter_to_release(gone->cuda)) {
        cuda_buffer_destroy(gone->cuda, &gone->grid);
        cuda_buffer_destroy(gone->cuda, &gone->back);
        cuda_buffer_destroy(gone->cuda, &gone->wide);
        cuda_leave(gone->cuda);
    }
    core_free(gone->results);
    core_free(gone);
    *slot = NULL;
}

/* ---- Pictures ----------------------------------------------------------------------------------------- */

/* Checks that a view is one of the plan's, and that its samples are aligned. */
static int check_picture(const struct cuda *cuda, const struct work *work, const abbe_image *view,
                         abbe_type type, const char *name)
{
    int error = core_check_view(cuda, view, name);
    if (error)
        return error;
    if (view->width != work->width || view->height != work->height || view->channels != work->channels ||
        view->type != type)
        return core_fail(cuda, ABBE_ERR_INVALID,
                         "%s: %d x %d pixels of %d channels of %s, but the plan is for %d x %d, %d, %s", name,
                         view->width, view->height, view->channels, abbe_type_name(view->type), work->width,
                         work->height, work->channels, abbe_type_name(type));
    ptrdiff_t size = core_type_size(type);
    if ((uintptr_t)view->data % (size_t)size || core_row_step(view) % size || core_pixel_step(view) % size ||
        core_channel_step(view) % size)
        return core_fail(cuda, ABBE_ERR_INVALID, "%s: address and strides must be multiples of %d bytes",
                         name, (int)size);
    return ABBE_OK;
}

static int check_pictures(const struct abbe_cuda_slot *slot, const abbe_image *source,
                          const abbe_image *results)
{
    const struct work *work = slot->engine->work;
    int error = check_picture(slot->cuda, work, source, work->source_type, "source");
    char name[32];
    for (int i = 0; i < work->result_count && !error; i++) {
        snprintf(name, sizeof name, "result %d", i + 1);
        error = check_picture(slot->cuda, work, &results[i], work->result_type, name);
        if (!error && core_overlap(source, &results[i]) != CORE_APART)
            error = core_fail(slot->cuda, ABBE_ERR_INVALID, "%s: it shares memory with the source", name);
        for (int j = 0; j < i && !error; j++)
            if (core_overlap(&results[j], &results[i]) != CORE_APART)
                error = core_fail(slot->cuda, ABBE_ERR_INVALID, "%s: it shares memory with result %d", name,
                                  j + 1);
    }
    return error;
}

static struct cuda_place place_of(const abbe_image *view)
{
    return (struct cuda_place){ (uintptr_t)view->data,
                                { core_row_step(view), core_pixel_step(view), core_channel_step(view) } };
}

static bool is_whole(const struct cuda_place *place, const struct work *work, abbe_type type)
{
    return cuda_is_whole(place->first, &place->strides, work->channels, type);
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* A grid that is filtered in place lies in the result if that has no gaps and whole pixels, otherwise in the
 * slot. */
static cuda_pointer place_grid(const struct abbe_cuda_slot *slot, const struct cuda_place *result, bool whole)
{
    const struct cuda_geometry *g = &slot->engine->geometry;
    long long pixel = (long long)core_type_size(slot->engine->work->result_type) *
                      slot->engine->work->channels;
    bool gapless = (double)result->strides.row == g->result_pitch && result->strides.pixel == pixel;
    return g->in_place && whole && gapless ? result->first : slot->grid.address;
}

/* Launches a run on checked pictures. Returns a cuda_result. */
static int launch_run(struct abbe_cuda_slot *slot, cuda_stream stream, const abbe_image *source,
                      const abbe_image *results)
{
    const struct work *work = slot->engine->work;
    struct cuda_recording recording = { .cuda = slot->cuda,
                                        .engine = slot->engine,
                                        .stream = stream,
                                        .source = place_of(source),
                                        .results = slot->results,
                                        .wide = slot->wide.address };
    bool whole = is_whole(&recording.source, work, work->source_type);
    for (int r = 0; r < work->result_count; r++) {
        slot->results[r] = place_of(&results[r]);
        whole = whole && is_whole(&slot->results[r], work, work->result_type);
    }
    recording.kernels = &slot->kernels[whole ? PIXELS_WHOLE : PIXELS_ANY];
    recording.grid = place_grid(slot, &slot->results[0], whole);
    recording.back = slot->back.address ? slot->back.address : recording.grid;
    cuda_place_region(&recording, 0, 0);
    return cuda_record_passes(&recording);
}

int abbe_cuda_filter(abbe_cuda_slot *slot, void *stream, const abbe_image *source, const abbe_image *results)
{
    if (!slot || !source || !results)
        return core_fail(slot ? slot->cuda : NULL, ABBE_ERR_INVALID, "abbe_cuda_filter: %s is NULL",
                         !slot     ? "slot"
                         : !source ? "source"
                                   : "results");
    int error = device_check_process(&slot->cuda->head);
    if (!error)
        error = check_pictures(slot, source, results);
    if (!error)
        error = cuda_enter(slot->cuda);
    if (error)
        return public_error(error);
    int result = launch_run(slot, stream, source, results);
    cuda_leave(slot->cuda);
    return result ? public_error(cuda_fail(slot->cuda, result, "abbe_cuda_filter")) : ABBE_OK;
}
