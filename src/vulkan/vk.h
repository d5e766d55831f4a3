/* The Vulkan device: its struct, opening and closing, its memory, its pipelines, its loss. */
#ifndef ABBE_VULKAN_VK_H
#define ABBE_VULKAN_VK_H

#include "device/device.h"
#include "vulkan/loader.h"
#include "vulkan/shaders.h"

#include <pthread.h>
#include <stdatomic.h>

struct vk_pipeline;

struct vk {
    struct abbe_device head;
    bool adopted;       /* instance, device and queue belong to the application */
    bool stores_images; /* shaders may store to images of any format */
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
    uint32_t family;    /* of `queue` */
    uint32_t time_bits; /* valid bits of its timestamps; 0: it has none */
    VkDevice device;
    VkQueue queue;        /* computes */
    uint32_t copy_family; /* of queues that only copy */
    uint32_t copy_count;  /* copy queues in use: 0, 1 (uploads) or 2 (uploads, downloads) */
    VkQueue copy_queues[2];
    bool unified; /* the host sees the device's memory: nothing is uploaded or downloaded */
    int elements; /* most elements that a thread of a transform should hold */
    bool gathers; /* whether columns read rows of the border through a map (vk_gathered_rows) */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout pipeline_layout;
    VkPipelineCache cache;
    VkShaderModule shaders[ABVK_SHADERS][ABVK_VARIANTS]; /* created when a pipeline first needs them */
    struct vk_pipeline *pipelines;
    pthread_mutex_t lock;         /* guards the queues, the pipelines and the list of engines */
    atomic_bool lost;             /* a call returned VK_ERROR_DEVICE_LOST */
    pthread_rwlock_t device_lock; /* read-locked while `device` is used, write-locked while it is replaced */
    unsigned generation;          /* number of times `device` was replaced */
    struct engine *engines;       /* all engines of the device */
};

extern const struct device_table vk_device_table;

/* ---- adapters.c: the GPU ---- */

/* Chooses vk->adapter and fills in its properties, queue families and memory. `argument` is a number, part of
 * a name, or NULL for the best GPU. Errors (message under NULL): DEVICE. */
int vk_choose_adapter(struct vk *vk, const char *argument);

/* The same for an application's adapter and the family of its queue. Errors (message
 * under NULL): DEVICE, INVALID. */
int vk_adopt_adapter(struct vk *vk, VkPhysicalDevice adapter, uint32_t family);

/* Bytes of the largest heap that is local to the GPU. */
uint64_t vk_local_memory(const VkPhysicalDeviceMemoryProperties *memory);

/* device_table.list */
int vk_list(struct adapter_list *list);

/* ---- device.c: opening and closing ---- */

/* Returns a zeroed device with its locks; NULL without memory. vk_close releases it in any state. */
struct vk *vk_create(void);
void vk_close(abbe_device *device);

/* Creates vk->device on the chosen adapter and finds its functions and queues. Errors (message under NULL):
 * DEVICE, MEMORY. */
int vk_device_open(struct vk *vk);

/* Creates what all engines share on an open device: layouts and the pipeline cache. */
VkResult vk_device_prepare(struct vk *vk);

/* Destroys pipelines, layouts and, unless it is adopted, vk->device. */
void vk_device_close(struct vk *vk);

/* Fills in the head: threads, memory, prices, description. */
void vk_fill_head(struct vk *vk, const abbe_device_params *params);

/* ---- memory.c: buffers ---- */

/* Where a buffer lies. */
enum vk_memory {
    ABVK_MEMORY_DEVICE,   /* fast for shaders */
    ABVK_MEMORY_EXCHANGE, /* the same, and copy queues may use it */
    ABVK_MEMORY_UPLOAD,   /* written by the host in order */
    ABVK_MEMORY_DOWNLOAD  /* read by the host */
};

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes; /* where the host sees it; NULL where it does not */
    VkDeviceSize size;
};

/* Creates a buffer of at least one byte. vk_buffer_destroy must follow, even after an error. */
VkResult vk_buffer_create(const struct vk *vk, VkDeviceSize size, enum vk_memory memory,
                          struct vk_buffer *buffer);
void vk_buffer_destroy(const struct vk *vk, struct vk_buffer *buffer);

/* Copies `count` bytes to `offset` of a buffer of any memory and waits until shaders see them. Errors:
 * DEVICE, MEMORY. */
int vk_upload(struct vk *vk, const void *bytes, size_t count, struct vk_buffer *buffer, size_t offset);

/* ---- pipelines.c: compiled shaders ---- */

/* Destroys all pipelines and shader modules. */
void vk_pipelines_destroy(struct vk *vk);

/* ---- cache.c: compiled pipelines kept from one process to the next ---- */

/* Creates vk->cache from the user's cache folder; empty if there is no file that
 * was written for this driver. */
VkResult vk_cache_open(struct vk *vk);
void vk_cache_save(struct vk *vk);

/* ---- lost.c: a lost device is replaced ---- */

/* Calls step(vk, user) while the device cannot be replaced. If the step fails and the device is lost, opens
 * the device again and repeats the step once. Returns the error of the last call. */
int vk_attempt(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user);

/* The same for a step that cannot be repeated: a lost device is opened again, but the error stands. */
int vk_attempt_once(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user);

/* ---- prices.c ---- */

/* Seconds per unit of each charge: the built-in ones, or those measured for this GPU. */
void vk_price(const struct vk *vk, double *prices);

/* device_table.count_units */
void vk_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

#endif
