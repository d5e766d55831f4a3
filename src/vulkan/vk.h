/* The Vulkan device: what its files share. */
#ifndef ABBE_VULKAN_VK_H
#define ABBE_VULKAN_VK_H

#define VK_NO_PROTOTYPES
#include "device/device.h"
#include "device/regions.h"
#include "vulkan/interface.h"

#include <pthread.h>
#include <stdatomic.h>
#include <vulkan/vulkan.h>

/* ---- loader.c: the library and its functions, found at run time ---- */

#define ABVK_INSTANCE_FUNCTIONS(DO)            \
    DO(DestroyInstance)                        \
    DO(EnumeratePhysicalDevices)               \
    DO(GetPhysicalDeviceProperties2)           \
    DO(GetPhysicalDeviceMemoryProperties)      \
    DO(GetPhysicalDeviceQueueFamilyProperties) \
    DO(GetDeviceProcAddr)                      \
    DO(CreateDevice)

#define ABVK_DEVICE_FUNCTIONS(DO)   \
    DO(DestroyDevice)               \
    DO(GetDeviceQueue)              \
    DO(QueueSubmit)                 \
    DO(QueueWaitIdle)               \
    DO(CreateBuffer)                \
    DO(DestroyBuffer)               \
    DO(GetBufferMemoryRequirements) \
    DO(BindBufferMemory)            \
    DO(AllocateMemory)              \
    DO(FreeMemory)                  \
    DO(MapMemory)                   \
    DO(CreateShaderModule)          \
    DO(DestroyShaderModule)         \
    DO(CreateDescriptorSetLayout)   \
    DO(DestroyDescriptorSetLayout)  \
    DO(CreatePipelineLayout)        \
    DO(DestroyPipelineLayout)       \
    DO(CreateComputePipelines)      \
    DO(DestroyPipeline)             \
    DO(CreatePipelineCache)         \
    DO(DestroyPipelineCache)        \
    DO(GetPipelineCacheData)        \
    DO(CreateDescriptorPool)        \
    DO(DestroyDescriptorPool)       \
    DO(AllocateDescriptorSets)      \
    DO(UpdateDescriptorSets)        \
    DO(CreateCommandPool)           \
    DO(DestroyCommandPool)          \
    DO(ResetCommandPool)            \
    DO(AllocateCommandBuffers)      \
    DO(BeginCommandBuffer)          \
    DO(EndCommandBuffer)            \
    DO(CmdBindPipeline)             \
    DO(CmdBindDescriptorSets)       \
    DO(CmdPushConstants)            \
    DO(CmdDispatch)                 \
    DO(CmdCopyBuffer)               \
    DO(CmdPipelineBarrier)          \
    DO(CmdWriteTimestamp)           \
    DO(CmdResetQueryPool)           \
    DO(CreateQueryPool)             \
    DO(DestroyQueryPool)            \
    DO(GetQueryPoolResults)         \
    DO(CreateSemaphore)             \
    DO(DestroySemaphore)            \
    DO(CreateFence)                 \
    DO(DestroyFence)                \
    DO(ResetFences)                 \
    DO(WaitForFences)

#define ABVK_FUNCTION(name) PFN_vk##name name;
struct vk_functions {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    ABVK_INSTANCE_FUNCTIONS(ABVK_FUNCTION)
    ABVK_DEVICE_FUNCTIONS(ABVK_FUNCTION)
};
#undef ABVK_FUNCTION

struct vk;

/* Opens the library, makes an instance, and has it watched by the validation layer when ABBE_VULKAN_VALIDATE asks.
 * vk_unload must follow in any case. Records a sentence. */
int vk_load(struct vk *vk);
void vk_unload(struct vk *vk);

/* The functions of vk->instance, of vk->device. */
int vk_load_instance(struct vk *vk);
int vk_load_device(struct vk *vk);

/* Records what a Vulkan function refused, under the device or NULL, and returns our code for it. Remembers a loss. */
int vk_fail(struct vk *vk, VkResult result, const char *what);

/* ---- adapters.c: which GPU ---- */

/* Fills vk->adapter and what is known of it. `argument` is a number, part of a name, or NULL for the best. */
int vk_choose_adapter(struct vk *vk, const char *argument);

/* One that somebody else has chosen, and the family of its queue. */
int vk_take_adapter(struct vk *vk, VkPhysicalDevice adapter, uint32_t family);

/* ---- device.c ---- */

enum vk_shader {
    ABVK_SHADER_ROWS,
    ABVK_SHADER_COLUMNS,
    ABVK_SHADER_ROWS_BACK,
    ABVK_SHADER_ROWS_BLUESTEIN, /* the same three for lengths with other primes than 2, 3, 5, 7 */
    ABVK_SHADER_COLUMNS_BLUESTEIN,
    ABVK_SHADER_ROWS_BACK_BLUESTEIN,
    ABVK_SHADER_ROWS_HALF, /* and the six of them for a grid in 16 bits */
    ABVK_SHADER_COLUMNS_HALF,
    ABVK_SHADER_ROWS_BACK_HALF,
    ABVK_SHADER_ROWS_HALF_BLUESTEIN,
    ABVK_SHADER_COLUMNS_HALF_BLUESTEIN,
    ABVK_SHADER_ROWS_BACK_HALF_BLUESTEIN,
    ABVK_SHADER_ROWS_LONG, /* the first three for lengths beyond shared memory */
    ABVK_SHADER_COLUMNS_LONG,
    ABVK_SHADER_ROWS_BACK_LONG,
    ABVK_SHADER_DIRECT,
    ABVK_SHADER_SEPARABLE_ROWS,
    ABVK_SHADER_SEPARABLE_COLUMNS,
    ABVK_SHADER_FINISH,
    ABVK_SHADERS
};

/* What a shader is compiled for: one complex plane or two in an element, and of two whether pictures are images. */
enum vk_variant {
    ABVK_VARIANT_PLANE,
    ABVK_VARIANT_PLANES,
    ABVK_VARIANT_FROM_IMAGE,
    ABVK_VARIANT_TO_IMAGE,
    ABVK_VARIANT_IMAGES,
    ABVK_VARIANTS
};

struct vk_pipeline;

struct vk {
    struct abbe_device head;
    bool adopted;  /* instance, device and queue are somebody else's */
    bool storable; /* shaders may store to images of any format */
    void (*lock_queue)(void *user);
    void (*unlock_queue)(void *user);
    void *queue_user;
    void *library;
    struct vk_functions f;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    atomic_int messages; /* of the validation layer */
    VkPhysicalDevice adapter;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
    uint32_t family;    /* of the queue */
    uint32_t time_bits; /* of its timestamps; 0: none */
    VkDevice device;
    VkQueue queue;
    uint32_t copy_family; /* of queues that do nothing but copy */
    uint32_t copy_count;  /* of those in use: 0, 1 for uploads, or 2, for downloads too */
    VkQueue copy_queues[2];
    bool unified; /* the host sees the device's own memory: no copies in between */
    int elements; /* that a thread of a long transform should hold at most */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout pipeline_layout;
    VkPipelineCache cache;
    VkShaderModule shaders[ABVK_SHADERS][ABVK_VARIANTS]; /* those that pipelines have needed */
    struct vk_pipeline *pipelines;
    pthread_mutex_t lock;      /* of the queues, the pipelines and the list of engines */
    atomic_bool lost;          /* a call has said so */
    pthread_rwlock_t presence; /* held by whoever uses `device`; alone by whoever replaces it */
    unsigned generation;       /* of `device`: how often it was replaced */
    struct engine *engines;    /* all that have, or had, something on it */
};

/* An empty one; NULL without memory. */
struct vk *vk_create(void);

/* Makes vk->device on the chosen adapter, finds its functions and queues. Records a sentence under NULL. */
int vk_device_open(struct vk *vk);

/* What every engine needs of a device that is open, whoever opened it; and its end, with the device's. */
VkResult vk_device_prepare(struct vk *vk);
void vk_device_close(struct vk *vk);

/* The rest of opening. */
void vk_fill_head(struct vk *vk, const abbe_device_params *params);
void vk_close(abbe_device *device);

extern const struct device_table vk_device_table;

/* ---- memory.c: buffers ---- */

enum vk_place {
    ABVK_MEMORY_DEVICE,   /* fast for shaders */
    ABVK_MEMORY_EXCHANGE, /* the same, in reach of the queues that copy */
    ABVK_MEMORY_UPLOAD,   /* written by the host in order */
    ABVK_MEMORY_DOWNLOAD  /* read by the host */
};

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes; /* where the host sees it; NULL otherwise */
    VkDeviceSize size;
};

/* At least one byte. vk_buffer_destroy must follow in any case. */
VkResult vk_buffer_create(const struct vk *vk, VkDeviceSize size, enum vk_place place,
                          struct vk_buffer *buffer);
void vk_buffer_destroy(const struct vk *vk, struct vk_buffer *buffer);

/* The memory type of a place; −1 when there is none. */
int vk_memory_type(const struct vk *vk, enum vk_place place, uint32_t allowed);

/* ---- pipelines.c ---- */

/* The pipeline of a shader and its constants; made once, kept until the device closes. Records a sentence. */
int vk_pipeline_get(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                    const struct vk_constants *constants, VkPipeline *pipeline);
void vk_pipelines_destroy(struct vk *vk);

/* SPIR-V, embedded by the build. */
struct vk_code {
    const uint32_t *words;
    size_t bytes;
};
extern const struct vk_code vk_codes[ABVK_SHADERS][ABVK_VARIANTS];

/* ---- cache.c: compiled pipelines from one run of a program to the next ---- */

/* A pipeline cache filled from the user's cache folder; an empty one where there is none or it is not ours. */
VkResult vk_cache_open(struct vk *vk);
void vk_cache_save(struct vk *vk);

/* ---- transform.c: how a transform of some length is shared out among threads ---- */

struct vk_transform {
    int length;  /* samples */
    int points;  /* of the transform: length, or more where Bluestein's algorithm is at work */
    int parts;   /* 1, or the transforms of so many points that one of `length` is made of */
    int threads; /* of one transform */
    int registers;
    int stages, radices[ABVK_STAGES_MAX]; /* odd ones, then rising powers of two */
};

/* False when no transform of this device does it. */
bool vk_transform_plan(const struct vk *vk, int length, struct vk_transform *transform);

/* What every sample of such a transform goes through, in steps of radix 8; −1 when there is none. */
double vk_transform_steps(const struct vk *vk, int length);

/* Twiddles, and for Bluestein the chirp and its spectrum, as pairs of floats. */
size_t vk_transform_pairs(const struct vk_transform *transform);
int vk_transform_fill(const struct vk_transform *transform, float *pairs);

/* What a workgroup of a pass transforms. */
struct vk_workgroup {
    int lanes;         /* transforms */
    int channels;      /* of an element */
    bool side_by_side; /* lanes are neighbours in shared memory, or lie one behind the other */
    bool
        turned_round; /* radices on the way there are from the last to the first, and on the way back in order */
};

void vk_transform_constants(const struct vk *vk, const struct vk_transform *transform,
                            const struct vk_workgroup *workgroup, struct vk_constants *constants);

/* The most lanes up to `wanted`, a power of two, that fit a workgroup. */
int vk_transform_lanes(const struct vk *vk, const struct vk_transform *transform, int wanted);

/* Whether a workgroup has room for so many, one behind the other, and for strides kept apart. */
bool vk_transform_fits(const struct vk *vk, const struct vk_transform *transform, int lanes);

/* ---- geometry.c: what a work takes, and in which pieces it is done ---- */

struct vk_geometry {
    int planes;  /* complex planes of an element: 1 or 2 */
    int groups;  /* of channels */
    bool half;   /* the grid is kept in 16 bits */
    bool lone;   /* one channel: two rows share a plane, and half of the columns are enough */
    bool odd;    /* more: planes of two channels side by side in one grid, and of the last one such a plane */
    bool twin;   /* the column pass takes two neighbouring columns of one plane as an element */
    bool packed; /* pixels are put together to words before they are stored */
    bool wide;   /* results pass through floats */
    bool plain;  /* a tile's window is the picture */
    bool in_place; /* the grid lies in the result */
    bool fourier;
    struct vk_transform x, y;
    int lanes;                         /* rows of a workgroup */
    int column_lanes, block;           /* transforms of one of the column pass; columns, as in the grid */
    int band;                          /* rows that lie together in the grid */
    int columns;                       /* of the grid */
    int blocks;                        /* of columns */
    int gains, gain_blocks;            /* columns of H, and their blocks: those of one plane */
    double grid;                       /* elements of one grid: a tile, all groups */
    int batch;                         /* tiles of one dispatch */
    int share;                         /* filters of one dispatch of the column pass */
    int terms;                         /* SEPARABLE: the most of one result */
    int region_x, region_y;            /* pixels of a region's results */
    int source_x, source_y;            /* pixels of its source */
    double source_pitch, result_pitch; /* bytes of a row */
    double source, result, grids, back,
        wide_bytes; /* bytes of each buffer; source is infinite when none fits */
    double filters, tables, maps;
};

/* Whether the last of the work's groups of four has one channel that is empty. So it has with three channels where
 * threads hold many elements: rows that share a plane take more time there to tell apart than an empty channel does. */
bool vk_leaves_one_empty(const struct vk *vk, const struct work *work);

/* NULL, or the reason why the device cannot take the work. */
const char *vk_geometry_plan(const struct vk *vk, const struct work *work, struct vk_geometry *geometry);

/* Tiles that go through the passes together, of grids of so many bytes. */
double vk_batch(double tiles, double bytes);

/* Bytes of one run. */
double vk_geometry_run(const struct vk *vk, const struct vk_geometry *geometry);

/* ---- tally.c: prices ---- */

enum { ABVK_CHARGES = 10 };
extern const char *const vk_charge_names[];
void vk_price(const struct vk *vk, double *prices);
void vk_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

/* ---- engine.c ---- */

struct vk_context;

struct vk_pipeline_set {
    bool from_image, to_image; /* what they are made for */
    VkPipeline rows, columns, rows_back[2], direct[2], separable_rows, separable_columns[2], finish;
};

struct engine {
    struct engine *next; /* of the device */
    const struct work *work;
    struct vk_geometry geometry;
    bool real;
    unsigned generation; /* of the VkDevice that all the following is on */
    struct vk_buffer filters, tables, maps;
    float *sampled;                   /* what `filters` holds, where nobody may ask for it a second time */
    uint32_t *maps_x, *maps_y;        /* where the map of a region begins */
    struct vk_kernel *kernels;        /* in space: one for each result */
    struct vk_pipeline_set pipelines; /* of runs, whose pictures are buffers */
    bool runs;                        /* they are there */
    pthread_mutex_t lock;             /* of the contexts */
    struct vk_context *contexts;      /* idle ones, and those of runs under way */
};

/* Taps of a result in space, in engine->filters. */
struct vk_kernel {
    int width, height, centre_x, centre_y;
    int terms, first_terms; /* SEPARABLE: of all components, of the first */
    size_t first;           /* float */
};

int vk_engine_create(abbe_device *device, const struct work *work, struct engine **engine);
void vk_engine_destroy(abbe_device *device, struct engine *engine);

/* Everything that an engine has on the device: made, or made again, from its work; and released. */
int vk_engine_fill(struct vk *vk, struct engine *engine);
void vk_engine_empty(struct vk *vk, struct engine *engine);

/* The pipelines of an engine for the kinds of pictures that the set says. Records a sentence. */
int vk_engine_pipelines(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set);

/* Those of runs: made with the engine, or on an adopted device, which may never run it, by the first run. */
int vk_engine_run_pipelines(struct vk *vk, struct engine *engine);

/* ---- lost.c: a device that is lost and replaced ---- */

/* Takes a step on the device; once more, on a new one, where the first time ended in its loss. */
int vk_attempt(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user);

/* The same without a second time: for what cannot be repeated. The device is replaced nevertheless. */
int vk_attempt_once(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user);

/* For steps that need an engine: makes up for the loss of the device that it was made on. Records a sentence. */
int vk_engine_renew(struct vk *vk, struct engine *engine);

/* ---- upload.c: filling buffers before any run ---- */

/* Copies bytes into a buffer on the device. Records a sentence. */
int vk_upload(struct vk *vk, const void *bytes, size_t count, struct vk_buffer *buffer, size_t offset);

/* ---- spectra.c, kernels.c, maps.c: what an engine keeps ---- */

int vk_spectra_create(struct vk *vk, struct engine *engine);
int vk_kernels_create(struct vk *vk, struct engine *engine);
int vk_tables_create(struct vk *vk, struct engine *engine);
int vk_maps_create(struct vk *vk, struct engine *engine);

/* One region along one axis. */
struct region_span vk_region_span(const struct engine *engine, bool down, int number);

/* Regions side by side, or one above the other. */
int vk_regions(const struct engine *engine, bool down);

/* Whether one region is the picture. */
bool vk_is_whole(const struct engine *engine);

#endif
