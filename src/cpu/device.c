/* The CPU device: opening, and from a work to an engine and a run. */
#include "core/error.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/view.h"
#include "cpu/charges.h"
#include "cpu/cpu.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct device_table cpu_device_table;

static size_t half_the_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : (size_t)1 << 30;
}

static int cpu_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    int level = core_level_choose(argument);
    if (level < 0)
        return level;
    struct cpu *cpu = core_alloc_zero(1, sizeof *cpu);
    if (!cpu)
        return core_fail_memory(NULL);
    cpu->level = level;
    abbe_device *made = &cpu->head;
    made->table = &cpu_device_table;
    made->processors = omp_get_num_procs();
    made->threads = params->threads ? params->threads : made->processors;
    made->memory = half_the_memory();
    cpu_price(level, made);
    snprintf(made->detail, sizeof made->detail, "%s, %d thread%s", core_level_name(level), made->threads,
             made->threads == 1 ? "" : "s");
    *device = made;
    return ABBE_OK;
}

static void cpu_close(abbe_device *device)
{
    core_free(device);
}

static void cpu_destroy(abbe_device *device, struct engine *engine)
{
    (void)device;
    cpu_fused_destroy(engine);
    cpu_plain_destroy(engine);
    cpu_space_destroy(&engine->space);
    core_free(engine);
}

static bool in_fourier_plane(const struct work *work)
{
    return work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES;
}

static int threads_for(const abbe_device *device, const struct work *work)
{
    return core_workers(device->threads, (double)work->width * work->height * work->channels);
}

/* NULL: the plain engine's work. */
static const struct fused_kernels *kernels_for(const abbe_device *device, const struct work *work)
{
    return fused_choose(((const struct cpu *)device)->level, work->x.length, work->y.length, work->channels);
}

/* NULL: plain loops. */
static const struct space_kernels *space_kernels_of(const abbe_device *device)
{
    return cpu_levels[((const struct cpu *)device)->level].space;
}

static struct footprint measure_on(const abbe_device *device, const struct work *work)
{
    int threads = threads_for(device, work);
    if (!in_fourier_plane(work))
        return space_kernels_of(device) ? cpu_space_measure(work, threads)
                                        : cpu_plain_space_measure(work, threads);
    const struct fused_kernels *kernels = kernels_for(device, work);
    return kernels ? cpu_fused_measure(work, kernels, threads) : cpu_plain_measure(work, threads);
}

/* Structures, and what their blocks are rounded up by, grow with no picture. */
static struct footprint cpu_footprint(const abbe_device *device, const struct work *work)
{
    enum { STRUCTURES = 4096 };
    struct footprint footprint = measure_on(device, work);
    footprint.plan += STRUCTURES;
    return footprint;
}

static int create_on(const abbe_device *device, struct engine *engine)
{
    if (!in_fourier_plane(engine->work)) {
        const struct space_kernels *kernels = space_kernels_of(device);
        return kernels ? cpu_space_create(device, engine, kernels) : ABBE_OK;
    }
    const struct fused_kernels *kernels = kernels_for(device, engine->work);
    return kernels ? cpu_fused_create(device, engine, kernels) : cpu_plain_create(device, engine);
}

static int cpu_create(abbe_device *device, const struct work *work, struct engine **engine)
{
    struct engine *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(device);
    made->work = work;
    made->threads = threads_for(device, work);
    cpu_outside_pixel(work, made->outside);
    int error = create_on(device, made);
    if (error) {
        cpu_destroy(device, made);
        return error;
    }
    *engine = made;
    return ABBE_OK;
}

/* Whether a later result still asks the source for its alpha when an earlier one has been stored. */
static bool asks_again(const struct work *work)
{
    for (int i = 1; i < work->result_count && work->alpha == ABBE_ALPHA_PREMULTIPLY; i++)
        if (work->results[i].alpha_gain == 0)
            return true;
    return false;
}

/* The FFT of the whole picture reads all of it before it writes. The other methods would read pixels they
 * have already replaced. */
static bool needs_copy(const struct work *work, const abbe_image *source, const abbe_image *results)
{
    bool reads_first = work->method == ABBE_METHOD_FFT && !asks_again(work);
    for (int i = 0; i < work->result_count && !reads_first; i++)
        if (core_overlap(source, &results[i]) == CORE_SAME)
            return true;
    return false;
}

static bool cpu_checks_finite(const struct engine *engine)
{
    return (engine->fused && cpu_fused_looks(engine)) || (engine->space && cpu_space_looks(engine));
}

static int run_on(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch)
{
    if (engine->fused)
        return cpu_fused_run(device, engine, source, results, watch);
    if (engine->plain)
        return cpu_plain_run(device, engine, source, results, watch);
    if (engine->space)
        return cpu_space_run(device, engine, source, results, watch);
    return cpu_plain_space_run(device, engine, source, results, watch);
}

static int cpu_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
                   const abbe_image *results, abbe_watch *watch)
{
    if (!needs_copy(engine->work, source, results))
        return run_on(device, engine, source, results, watch);
    abbe_image copy = *source;
    copy.stride = (ptrdiff_t)core_row_bytes(source);
    copy.data = core_alloc((size_t)source->height, (size_t)copy.stride);
    if (!copy.data)
        return core_fail_memory(device);
    for (int y = 0; y < source->height; y++)
        memcpy(core_row(&copy, y), core_row(source, y), (size_t)copy.stride);
    int error = run_on(device, engine, &copy, results, watch);
    core_free(copy.data);
    return error;
}

const struct device_table cpu_device_table = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .footprint = cpu_footprint,
    .charge_count = CPU_CHARGES,
    .charge_names = cpu_charge_names,
    .count_units = cpu_count_units,
    .create = cpu_create,
    .destroy = cpu_destroy,
    .checks_finite = cpu_checks_finite,
    .run = cpu_run,
};
