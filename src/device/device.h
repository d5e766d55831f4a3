/* The function table a device fills, and the work it is handed.
 *
 * The plan layer validates, chooses and lowers; a device may assume that all it is given is sound. A new
 * device is one folder, one table, and its name in registry.c. */
#ifndef ABBE_DEVICE_DEVICE_H
#define ABBE_DEVICE_DEVICE_H

#include "filter/filter.h"

#include <abbe/abbe.h>

/* Primitives that the prices of a device are made of, at most. */
enum { CHARGES_MAX = 32 };

/* One axis of the transform grid: sample i holds coordinate i − before of the picture, by its border. */
struct axis {
    int pixels; /* of the picture */
    int length; /* of the transform */
    int before; /* samples in front of a window's first result */
    int step;   /* results a window yields: pixels for the whole picture, fewer for tiles */
};

/* One linear filter, lowered: what each method needs of it. */
struct work_filter {
    struct response response; /* flipped already when the plan correlates */
    struct kernel dense;      /* DIRECT: taps */
    struct kernel factors;    /* SEPARABLE: rank ≥ 1 */
    bool real;                /* its spectrum: nothing imaginary in it */
};

/* Result i is component first, or the magnitude of components first and first + 1. */
struct work_result {
    int first;
    int components;
    float
        alpha_gain; /* PREMULTIPLY: the gain of a constant, which alpha is freed of; 0: alpha is the source's */
};

/* A bank to run: method, geometry, filters. Owned by the plan, immutable once a device has seen it. */
struct work {
    abbe_method method; /* never AUTO */
    double memory;      /* bytes that the engine and one run may take of the device */
    int width, height, channels;
    abbe_type source_type, result_type;
    abbe_border border;
    float border_value;
    float offset;
    abbe_alpha alpha;
    abbe_nonfinite nonfinite;
    bool half; /* what lies between passes may be kept in 16 bits */
    bool linear_light;
    bool correlate;
    struct axis x, y; /* FFT and TILES */
    int left, right;  /* DIRECT and SEPARABLE: pixels a kernel reaches beyond each side */
    int above, below;
    int filter_count;
    struct work_filter *filters;
    int result_count;
    struct work_result *results;
};

/* What a device makes of a work: its spectra, pipelines, scratch. Each device defines its own. */
struct engine;

/* A run that has begun and not ended. Each device that begins runs defines its own. */
struct job;

/* Bytes that a work takes: never less than the truth, and near it. */
struct footprint {
    double run;  /* scratch of one run */
    double plan; /* what its engine keeps, and needs while it is made */
};

/* What a device answers beside the public codes: its own memory is full, and a smaller part of a picture at a time may
 * do. Outside it is ABBE_ERR_MEMORY. */
enum { DEVICE_ERR_FULL = -100 };

struct device_table {
    const char *name;
    /* `argument` is what follows "name:" or NULL. Errors go to core_fail(NULL, …). */
    int (*open)(const char *argument, const abbe_device_params *params, abbe_device **device);
    void (*close)(abbe_device *device);
    /* NULL, or why the device cannot take a work with its method and geometry, whatever its memory. A table without
     * this function takes every work. */
    const char *(*refusal)(const abbe_device *device, const struct work *work);
    /* What a work with its method and geometry would take; its results fit the device when the sum does. */
    struct footprint (*footprint)(const abbe_device *device, const struct work *work);
    /* What prices are made of: the names of the primitives, and how many units of each one run of a work with its
     * method and geometry takes on so many threads, on the one that has the most to do. `units` are all zero before, and
     * infinite for what the device refuses. */
    int charge_count;
    const char *const *charge_names;
    void (*count_units)(const abbe_device *device, const struct work *work, int threads, double *units);
    /* Prepares a work; the work outlives the engine. Errors go to core_fail(device, …). */
    int (*create)(abbe_device *device, const struct work *work, struct engine **engine);
    void (*destroy)(abbe_device *device, struct engine *engine);
    /* Whether run() of this engine answers ABBE_ERR_NONFINITE, with nothing written and no sentence recorded, for a
     * source that ABBE_NONFINITE_ERROR refuses; otherwise the plan looks first. */
    bool (*checks_finite)(const struct engine *engine);
    /* Runs it on checked views that overlap not at all or wholly. May be called by many threads at once. `watch`
     * is NULL when nobody watches, and otherwise has no passes yet. */
    int (*run)(abbe_device *device, const struct engine *engine, const abbe_image *source,
               const abbe_image *results, abbe_watch *watch);
    /* run() in two steps: submit() has read the source when it returns, wait() writes the results and releases the job,
     * whatever it answers. Views that submit() was given are there until then. A table without these functions runs
     * at once. */
    int (*submit)(abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct job **job);
    int (*wait)(abbe_device *device, struct job *job);
};

/* Of `auto`: a GPU that plans may go to. */
struct auto_gpu;

/* The head of every device; a device's own struct begins with it. */
struct abbe_device {
    const struct device_table *table;
    struct auto_gpu *auto_gpu;  /* NULL: none, because this one was named */
    double prices[CHARGES_MAX]; /* seconds per unit of each primitive */
    size_t memory;              /* bytes of scratch a run may take */
    int threads;                /* of the host that work for this device */
    int processors; /* of the host: choices are made for as many threads, so that no result depends on `threads` */
    char detail[128];
    char section[32]; /* of its prices in a file of measured ones */
};

/* registry.c: whether a device may be opened with these. Records a sentence under NULL. */
int device_check_params(const abbe_device_params *params);

/* auto_gpu.c: gives a device a GPU of that table beside it, opened on first use. */
int device_add_auto_gpu(abbe_device *device, const struct device_table *table,
                        const abbe_device_params *params);
void device_remove_auto_gpu(abbe_device *device);

/* Opens it the first time. NULL when it does not open, and *reason says why. */
abbe_device *device_auto_gpu(abbe_device *device, const char **reason);

/* Seconds that it takes, beside its runs, until a plan's first one: to open it unless it is open, and to plan. */
double device_auto_gpu_delay(const abbe_device *device);

/* The head of every plan; struct abbe_plan begins with it. It holds what the public functions of one device
 * (abbe_vulkan_…, abbe_gl_…) need of a plan, so that no device depends on src/plan. */
struct plan_head {
    abbe_device *owner; /* the device that the application made the plan with; errors are recorded for it */
    struct engine *engine; /* what the plan's device prepared; fallbacks have their own */
};

static inline abbe_device *plan_device(const abbe_plan *plan)
{
    return ((const struct plan_head *)plan)->owner;
}

static inline const struct engine *plan_engine(const abbe_plan *plan)
{
    return ((const struct plan_head *)plan)->engine;
}

#endif
