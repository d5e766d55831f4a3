/* The CPU device: opening it, and preparing an engine for a work. */
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "core/threads.h"
#include "cpu/charges.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"
#include "cpu/run.h"
#include "device/list.h"
#include "fft/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct device_table cpu_device_table;

/* WebAssembly cannot tell; of its 4 GiB, pictures and filters take a part. */
static size_t half_the_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : (size_t)3 << 29;
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
    device_set_options(made, params);
    made->processors = pool_processors();
    made->threads = params->threads ? params->threads : made->processors;
    made->memory = half_the_memory();
    cpu_set_prices(level, made);
    snprintf(made->detail, sizeof made->detail, "%s, %d thread%s", core_level_name(level), made->threads,
             made->threads == 1 ? "" : "s");
    *device = made;
    return ABBE_OK;
}

/* Copies the name of the processor, as Linux tells it on x86-64. */
static void find_model(char *model, size_t size)
{
    *model = '\0';
#if defined __linux__
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !*model && fgets(line, sizeof line, file)) {
        const char *value = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
        if (value)
            snprintf(model, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    if (file)
        fclose(file);
#else
    (void)size;
#endif
}

static int cpu_list(struct adapter_list *list)
{
    char model[128];
    find_model(model, sizeof model);
    device_list_add(list, &(abbe_adapter){ .name = "cpu",
                                           .kind = ABBE_ADAPTER_CPU,
                                           .model = model,
                                           .memory = 2 * (uint64_t)half_the_memory(),
                                           .driver = core_level_name(core_level_best()) });
    return ABBE_OK;
}

static void cpu_close(abbe_device *device)
{
    struct natural *idle = atomic_load(&((struct cpu *)device)->idle);
    cpu_natural_destroy(&idle);
    core_free(device);
}

static void cpu_destroy(abbe_device *device, struct engine *engine)
{
    (void)device;
    if (engine->fourier) {
        struct windows *idle = atomic_load(&engine->fourier->idle);
        cpu_windows_destroy(&idle);
    }
    cpu_fused_destroy(engine);
    engine->plain_table->destroy(engine);
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

/* The kernels of the fused engine, or NULL where the plain engine does the work. */
static const struct fused_kernels *fused_kernels_for(const abbe_device *device, const struct work *work)
{
    return cpu_is_double(work) ? NULL
                               : fused_choose(((const struct cpu *)device)->level, work->x.length,
                                              work->y.length, work->channels);
}

/* The kernels of convolution in space, or NULL where the plain loops do the work. */
static const struct space_kernels *space_kernels_for(const abbe_device *device, const struct work *work)
{
    return cpu_is_double(work) ? NULL : cpu_levels[((const struct cpu *)device)->level].space;
}

static const struct plain_table *plain_table_for(const abbe_device *device, const struct work *work)
{
    return cpu_is_double(work) ? cpu_levels[((const struct cpu *)device)->level].doubles : &plain_f32;
}

static struct footprint cpu_footprint(const abbe_device *device, const struct work *work)
{
    enum { STRUCTURES = 4096 }; /* bytes of structs and of alignment, whatever the picture's size */
    int threads = threads_for(device, work);
    const struct plain_table *plain = plain_table_for(device, work);
    struct footprint footprint;
    if (in_fourier_plane(work)) {
        const struct fused_kernels *kernels = fused_kernels_for(device, work);
        footprint = kernels ? cpu_fused_footprint(work, kernels, threads)
                            : plain->windows_footprint(work, threads);
    } else {
        footprint = space_kernels_for(device, work) ? cpu_space_footprint(work, threads)
                                                    : plain->bands_footprint(work, threads);
    }
    footprint.plan += STRUCTURES;
    return footprint;
}

static int cpu_create(abbe_device *device, const struct work *work, struct engine **result)
{
    struct engine *engine = core_alloc_zero(1, sizeof *engine);
    if (!engine)
        return core_fail_memory(device);
    engine->work = work;
    engine->threads = threads_for(device, work);
    engine->plain_table = plain_table_for(device, work);
    cpu_outside_pixel(work, engine->outside);
    cpu_outside_pixel_f64(work, engine->outside_f64);
    int error = ABBE_OK;
    if (in_fourier_plane(work)) {
        const struct fused_kernels *kernels = fused_kernels_for(device, work);
        engine->run = cpu_run_windows;
        error = kernels ? cpu_fused_create(device, engine, kernels)
                        : engine->plain_table->create(device, engine);
    } else if (space_kernels_for(device, work)) {
        engine->run = cpu_space_run;
        error = cpu_space_create(device, engine, space_kernels_for(device, work));
    } else {
        engine->run = engine->plain_table->run_in_bands;
    }
    if (error)
        cpu_destroy(device, engine);
    else
        *result = engine;
    return error;
}

static int cpu_resample(abbe_device *device, struct engine *engine, int filter, struct frequency_span span)
{
    return engine->fused ? cpu_fused_resample(device, engine, filter, span) : DEVICE_ERR_DECLINED;
}

static bool cpu_checks_finite(const struct engine *engine, const abbe_image *source)
{
    return (engine->fused && cpu_fused_checks_finite(engine, source)) ||
           (engine->space && cpu_space_checks_finite(engine));
}

static bool cpu_has_even(const abbe_device *device, const struct work *work)
{
    return fused_kernels_for(device, work) ||
           (isfinite(fft_flops(work->x.length)) && isfinite(fft_flops(work->y.length)));
}

static bool cpu_samples_in_runs(const abbe_device *device, const struct work *work)
{
    return fused_kernels_for(device, work) && fused_samples_on_demand(work);
}

const struct device_table cpu_device_table = {
    .name = "cpu",
    .summary = "the processors of this machine",
    .computes_doubles = true,
    .open = cpu_open,
    .close = cpu_close,
    .list = cpu_list,
    .has_even = cpu_has_even,
    .samples_in_runs = cpu_samples_in_runs,
    .footprint = cpu_footprint,
    .charge_count = CPU_CHARGES,
    .charge_names = cpu_charge_names,
    .spectrum_charge = CHARGE_SPECTRUM,
    .count_units = cpu_count_units,
    .create = cpu_create,
    .destroy = cpu_destroy,
    .resample = cpu_resample,
    .checks_finite = cpu_checks_finite,
    .spectrum_forward = cpu_spectrum_forward,
    .spectrum_inverse = cpu_spectrum_inverse,
    .fft = cpu_fft,
    .run = cpu_run,
    .side_by_side = true,
};
