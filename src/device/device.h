/* The function table that a device fills, and the work it receives.
 *
 * The plan layer validates, chooses and lowers; a device may trust everything it is given. A new device is
 * one folder, one table, and two lines in registry.c. */
#ifndef ABBE_DEVICE_DEVICE_H
#define ABBE_DEVICE_DEVICE_H

#include "filter/filter.h"

#include <abbe/abbe.h>
#include <abbe/measure.h>

#include <stdatomic.h>

/* The largest number of charges in the price of a device. */
enum { CHARGES_MAX = 32 };

/* One axis of the transform grid. Sample i is coordinate i − before of the picture, which the border maps to
 * a pixel. */
struct axis {
    int pixels; /* of the picture */
    int length; /* of the transform */
    int before; /* samples in front of the first result of a window */
    int step;   /* results of one window: `pixels` for the whole picture, fewer for tiles */
    bool
        even; /* even transforms of `length` = `pixels` samples take the place of a doubled length; both axes */
};

/* One linear filter of a work, in the forms that the methods need. */
struct work_filter {
    struct response response; /* flipped where the plan correlates */
    struct kernel dense;      /* DIRECT: taps */
    struct kernel factors;    /* SEPARABLE: terms ≥ 1 */
    bool real;                /* the spectrum is real */
    bool even;                /* and even in each frequency */
    double constant_gain;     /* of a constant picture; NaN if it is not a real number */
};

/* One result: the component `first`, or the magnitude of the components `first` and `first` + 1. */
struct work_result {
    int first;
    int components;
    /* PREMULTIPLY: filtered alpha is divided by this gain of a constant; 0: alpha is copied from the
     * source. */
    double alpha_gain;
};

/* A bank lowered for a device: method, geometry, filters. Owned by the plan; immutable once a device has
 * received it. */
struct work {
    abbe_method method; /* never AUTO */
    double memory;      /* bytes of the device that the engine and one run may take */
    int width, height, channels;
    abbe_type source_type, result_type; /* native types; see core/pixels.h */
    bool converted;                     /* views have another type, which the host converts */
    abbe_border border;
    double border_value;
    double offset;
    abbe_alpha alpha;
    abbe_nonfinite nonfinite;
    abbe_precision precision;
    bool linear_light;
    bool correlate;
    struct axis x, y; /* FFT and TILES */
    int left, right;  /* DIRECT and SEPARABLE: reach of the kernels beyond each side, in pixels */
    int above, below;
    int filter_count;
    struct work_filter *filters;
    int result_count;
    struct work_result *results;
};

/* What a device prepared for one work: spectra, pipelines, scratch. Each device defines its own. */
struct engine;

/* A run that was submitted and not yet waited for. Each device with submit() defines its own. */
struct job;

/* Bytes that a work needs: an upper bound, and a close one. */
struct footprint {
    double run;  /* scratch of one run */
    double plan; /* the engine, and what making it needs */
};

/* What a run reports while it runs and after it. */
struct watch {
    int (*progress)(void *user, double done); /* as in abbe_watch; may be NULL */
    void *user;
    abbe_times times; /* of the passes */
};

/* A device returns this, beside the public codes, when its own memory is full and a smaller region of the
 * picture may fit. The application sees ABBE_ERR_MEMORY. */
enum { DEVICE_ERR_FULL = -100 };

/* A device returns this when it leaves a transform to the caller; it has done nothing then. */
enum { DEVICE_ERR_DECLINED = -101 };

/* A list of adapters under construction; see device/list.h. */
struct adapter_list;

/* Functions that may fail record a message with core_fail(device, …), except open() and list(). */
struct device_table {
    const char *name;
    const char *summary;   /* one readable line, for abbe_device_catalogue */
    bool computes_doubles; /* plans may have ABBE_PRECISION_DOUBLE */

    /* Opens a device. `argument` is the text behind "name:", or NULL. Messages go to core_fail(NULL, …). */
    int (*open)(const char *argument, const abbe_device_params *params, abbe_device **device);
    void (*close)(abbe_device *device);

    /* Adds the adapters of this machine to a list, without opening one; none where the driver is missing.
     * ABBE_OK, or ABBE_ERR_MEMORY with a message for NULL. Optional: a device of another build has none. */
    int (*list)(struct adapter_list *list);

    /* The reason why the device cannot do a work with its method and geometry, whatever its memory; NULL when
     * it can. Optional: a device without this function can do every work. */
    const char *(*refusal)(const abbe_device *device, const struct work *work);

    /* Whether the device has even transforms of a work on such axes. Optional: without this function it has none. */
    bool (*has_even)(const abbe_device *device, const struct work *work);

    /* Whether runs sample the spectra of a work, so that planning does not. Optional: without it, none does. */
    bool (*samples_in_runs)(const abbe_device *device, const struct work *work);

    /* The bytes that a work with its method and geometry needs. */
    struct footprint (*footprint)(const abbe_device *device, const struct work *work);

    /* Counts the units of each charge in one run of a work on a number of threads, for the thread with the
     * most to do. `units` has charge_count elements, which are 0 before; a refused work gets infinite
     * units. */
    int charge_count;
    const char *const *charge_names;
    /* Its price is that of a unit of sampler_units(). Runs have it only where gains are sampled on demand. */
    int spectrum_charge;
    void (*count_units)(const abbe_device *device, const struct work *work, int threads, double *units);

    /* Seconds that create() takes for a work beside sampling its spectra, as far as they are more than usual:
     * kernels that were never compiled, memory that is pinned. Optional: without this function they are none. */
    double (*preparation)(abbe_device *device, const struct work *work);

    /* Prepares a work, which outlives the engine. */
    int (*create)(abbe_device *device, const struct work *work, struct engine **engine);
    void (*destroy)(abbe_device *device, struct engine *engine);

    /* Samples the spectrum of one filter anew for |fx| within a span, where its gains have changed; the
     * filter is not even along each axis, before and after. No run is under way. ABBE_OK; DEVICE_ERR_DECLINED
     * or ABBE_ERR_NONFINITE without a message, or ABBE_ERR_MEMORY, and nothing has changed. Optional. */
    int (*resample)(abbe_device *device, struct engine *engine, int filter, struct frequency_span span);

    /* Required. Whether run() itself refuses this source if it has nonfinite samples and
     * ABBE_NONFINITE_ERROR asks for it: it then returns ABBE_ERR_NONFINITE, writes nothing and records no
     * message. Otherwise the plan checks the source first. */
    bool (*checks_finite)(const struct engine *engine, const abbe_image *source);

    /* Runs an engine on checked views, each of which is the source itself or lies apart from it. May be
     * called by many threads at once. `watch` may be NULL, and otherwise has no times yet. Its progress() is
     * called by the thread of run(), for the last time before a source that is its own result is written;
     * when it stops the run, run() returns ABBE_ERR_CANCELLED and records no message. */
    int (*run)(abbe_device *device, const struct engine *engine, const abbe_image *source,
               const abbe_image *results, struct watch *watch);

    /* Transforms of whole pictures with checked views, for the functions of the public header with these
     * names; fft() takes complex arrays as F32 views of two channels. They return DEVICE_ERR_DECLINED, or
     * ABBE_ERR_NONFINITE, without a message, for a sample that is not finite. Optional, all three: the
     * functions refuse a device without them. */
    int (*spectrum_forward)(abbe_device *device, const abbe_image *source, const abbe_image *packed);
    int (*spectrum_inverse)(abbe_device *device, const abbe_image *packed, const abbe_image *result);
    int (*fft)(abbe_device *device, bool inverse, const abbe_image *in, const abbe_image *out);

    /* Whether small pictures are filtered sooner by several threads, one picture each, than one after the
     * other. */
    bool side_by_side;

    /* run() in two steps. submit() returns when it has read the source; wait() writes the results and
     * releases the job, also after an error. The result views stay valid in between. Optional: without these
     * functions abbe_submit runs at once. */
    int (*submit)(abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct job **job);
    int (*wait)(abbe_device *device, struct job *job);
};

/* Calls the application's progress(), if there is one. True when it stops the run; a device then calls it no
 * more. */
static inline bool device_report(const struct watch *watch, double done)
{
    return watch && watch->progress && watch->progress(watch->user, done);
}

/* Bytes of the name of a cache folder, with its final zero. */
enum { DEVICE_FOLDER_BYTES = 4000 };

/* The GPU that `auto` has beside the CPU; see auto_gpu.c. */
struct auto_gpu;

/* A plan that abbe_apply keeps; see plan/apply.c. */
struct applied;

/* The head of every device; the struct of each device begins with it. */
struct abbe_device {
    const struct device_table *table;
    struct auto_gpu *auto_gpu;  /* NULL for a device that was opened by its own name */
    double prices[CHARGES_MAX]; /* seconds per unit of each charge */
    size_t memory;              /* bytes of scratch that a run may take */
    int threads;                /* host threads that one run may use */
    int processors; /* of the host; methods are chosen for them, so that no result depends on `threads` */
    unsigned generation; /* of the process that opened a GPU (core_generation); 0: of no importance */
    char detail[128];
    char section[32]; /* of the price file */
    /* The plans of abbe_apply, the one used last first, and the function that releases them, which is NULL
     * before there are any. */
    struct applied *applied;
    void (*drop_applied)(abbe_device *device);
    abbe_logger log;             /* or NULL */
    atomic_bool logged_refusals; /* the logger has heard that the system refuses threads */
    void *log_user;
    bool has_cache_dir; /* the application named a folder, or "" for none */
    char cache_dir[DEVICE_FOLDER_BYTES];
};

/* ---- options.c ---- */

/* Copies the parameters of abbe_device_open, which may be NULL, to `known` and checks them. Records a message
 * for NULL. */
int device_read_params(const abbe_device_params *params, abbe_device_params *known);

/* Copies logger and cache folder to the head of a device. */
void device_set_options(abbe_device *device, const abbe_device_params *params);

/* Hands a line to the device's logger, if it has one. */
void device_log(const abbe_device *device, abbe_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the folder of the device's files; false when there is none. */
bool device_cache_folder(const abbe_device *device, char folder[DEVICE_FOLDER_BYTES]);

/* The same for compiled shaders: the folder that the application named, the one that the environment's variable
 * names, or the default one. False also where the variable is empty. */
bool device_files_folder(const abbe_device *device, const char *variable, char folder[DEVICE_FOLDER_BYTES]);

/* ---- device.c ---- */

/* Drivers of GPUs do not survive fork(): their threads, locks and connections stay with the parent.
 * Whether a device was opened before the fork that made this process. Its table must then not be called. */
bool device_is_inherited(const abbe_device *device);

/* ABBE_OK, or ABBE_ERR_DEVICE and a message for an inherited device. */
int device_check_process(const abbe_device *device);

/* ---- default.c ---- */

/* Gives the device of calls without one, opened by the first of them. device_leave_default must follow,
 * unless it fails, with a message for NULL. */
int device_enter_default(abbe_device **device);

/* The same; false, with nothing to leave, where no call has opened the device. */
bool device_enter_open_default(abbe_device **device);

/* Ends a use, and returns `error`. The message of a failure is recorded for NULL, because the application
 * does not know the device. */
int device_leave_default(const abbe_device *device, int error);

/* Closes the device, unless it is in use; the next call opens it again. */
void device_close_default(void);

/* ---- auto_gpu.c ---- */

/* Adds a GPU to a device: of the first table that opens one, on first use. */
int device_add_auto_gpu(abbe_device *device, const struct device_table *const *tables, int table_count,
                        const abbe_device_params *params);
void device_remove_auto_gpu(abbe_device *device);

/* The GPU, opened on the first call; NULL when it does not open, with *reason. */
abbe_device *device_auto_gpu(abbe_device *device, const char **reason);

/* Whether the device has a GPU, and it was opened. */
bool device_auto_gpu_is_open(const abbe_device *device);

/* Seconds until the GPU can start the first run of a new plan: opening, unless it is open, and making the
 * plan. */
double device_auto_gpu_delay(const abbe_device *device);

/* The head of every plan; struct abbe_plan begins with it. It holds what the public functions of one device
 * (abbe_vulkan_…, abbe_gl_…) need of a plan, so that no device depends on src/plan. */
struct plan_head {
    abbe_device *owner; /* the device that the application made the plan with; errors are recorded for it */
    struct engine *engine; /* what the plan's device prepared; fallbacks have their own */
    bool cut;              /* results are cut out of the engine's, which only abbe_run does */
};

static inline abbe_device *plan_device(const abbe_plan *plan)
{
    return ((const struct plan_head *)plan)->owner;
}

static inline bool plan_is_cut(const abbe_plan *plan)
{
    return ((const struct plan_head *)plan)->cut;
}

static inline const struct engine *plan_engine(const abbe_plan *plan)
{
    return ((const struct plan_head *)plan)->engine;
}

#endif
