/* Engines: from a work to everything that does not depend on pixels. */
#include "core/error.h"
#include "core/memory.h"
#include "cuda/run.h"
#include "device/gpu_gains.h"

/* Seconds that NVRTC takes for a kernel, as it took for those of the sketch. */
static const double COMPILING = 1;

/* Seconds for a byte of the host's memory that is pinned, with which the first run begins. An estimate. */
static const double PINNING = 3e-10;

double cuda_preparation(abbe_device *device, const struct work *work)
{
    struct cuda *cuda = (struct cuda *)device;
    struct engine draft = { .work = work };
    struct cuda_passes p;
    if (cuda_geometry_plan(cuda, work, &draft.geometry))
        return 0;
    const struct cuda_pictures own = cuda_own_pictures(&draft);
    cuda_plan_passes(cuda, work, &draft.geometry, draft.geometry.fourier && gpu_gains_are_real(work), &own,
                     &p);
    const struct cuda_pass *all[] = {
        &p.rows,      &p.columns,        &p.rows_back[0], &p.rows_back[1],         &p.direct[0],
        &p.direct[1], &p.separable_rows, &p.finish,       &p.separable_columns[0], &p.separable_columns[1]
    };
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        count += cuda_kernel_is_new(cuda, all[i]);
    return count * COMPILING + (draft.geometry.source + draft.geometry.result) * PINNING;
}

int cuda_engine_kernels(struct cuda *cuda, const struct engine *engine, const struct cuda_pictures *pictures,
                        struct cuda_kernels *kernels)
{
    struct cuda_passes p;
    cuda_plan_passes(cuda, engine->work, &engine->geometry, engine->real, pictures, &p);
    const struct {
        const struct cuda_pass *pass;
        const struct cuda_kernel **kernel;
    } all[] = {
        { &p.rows, &kernels->rows },
        { &p.columns, &kernels->columns },
        { &p.rows_back[0], &kernels->rows_back[0] },
        { &p.rows_back[1], &kernels->rows_back[1] },
        { &p.direct[0], &kernels->direct[0] },
        { &p.direct[1], &kernels->direct[1] },
        { &p.separable_rows, &kernels->separable_rows },
        { &p.separable_columns[0], &kernels->separable_columns[0] },
        { &p.separable_columns[1], &kernels->separable_columns[1] },
        { &p.finish, &kernels->finish },
    };
    int error = ABBE_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !error; i++)
        error = cuda_kernel_get(cuda, all[i].pass, all[i].kernel);
    return error;
}

static int create_engine_buffers(struct cuda *cuda, struct engine *engine)
{
    const struct cuda_geometry *geometry = &engine->geometry;
    int result = cuda_buffer_create(cuda, geometry->filters, &engine->filters);
    if (!result)
        result = cuda_buffer_create(cuda, geometry->tables, &engine->tables);
    if (!result)
        result = cuda_buffer_create(cuda, geometry->maps, &engine->maps);
    return result ? cuda_fail(cuda, result, "creating the buffers of a plan") : ABBE_OK;
}

/* Kernels of runs, which an adopted device compiles too: both may be used. */
static int get_run_kernels(struct cuda *cuda, struct engine *engine)
{
    const struct cuda_pictures own = cuda_own_pictures(engine);
    return cuda_engine_kernels(cuda, engine, &own, &engine->run);
}

static int fill_engine(struct cuda *cuda, struct engine *engine)
{
    bool fourier = engine->geometry.fourier;
    engine->real = fourier && gpu_gains_are_real(engine->work);
    int error = create_engine_buffers(cuda, engine);
    if (!error)
        error = cuda_maps_create(cuda, engine);
    if (!error && fourier)
        error = cuda_twiddles_create(cuda, engine);
    if (!error)
        error = fourier ? cuda_spectra_create(cuda, engine) : cuda_taps_create(cuda, engine);
    return error ? error : get_run_kernels(cuda, engine);
}

int cuda_engine_create(abbe_device *device, const struct work *work, struct engine **engine)
{
    struct cuda *cuda = (struct cuda *)device;
    struct engine *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(device);
    made->work = work;
    pthread_mutex_init(&made->lock, NULL);
    const char *reason = cuda_geometry_plan(cuda, work, &made->geometry);
    int error = reason ? core_fail(device, ABBE_ERR_UNSUPPORTED, "cuda: %s", reason) : cuda_enter(cuda);
    if (!error) {
        error = fill_engine(cuda, made);
        cuda_leave(cuda);
    }
    if (error) {
        cuda_engine_destroy(device, made);
        return error;
    }
    *engine = made;
    return ABBE_OK;
}

void cuda_engine_destroy(abbe_device *device, struct engine *engine)
{
    struct cuda *cuda = (struct cuda *)device;
    bool entered = cuda_enter_to_release(cuda);
    while (engine->scratch)
        cuda_scratch_drop(cuda, engine, engine->scratch);
    cuda_buffer_destroy(cuda, &engine->filters);
    cuda_buffer_destroy(cuda, &engine->tables);
    cuda_buffer_destroy(cuda, &engine->maps);
    if (entered)
        cuda_leave(cuda);
    core_free(engine->maps_x);
    core_free(engine->maps_y);
    core_free(engine->kernels);
    pthread_mutex_destroy(&engine->lock);
    core_free(engine);
}
