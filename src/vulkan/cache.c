/* Compiled pipelines that are kept from one process to the next, in the user's cache folder.
 *
 * A file is a header with a checksum and the driver's data behind it. A file that is not exactly what was
 * written for this driver is ignored. */
#define _GNU_SOURCE
#include "core/memory.h"
#include "device/cache_file.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_MAX = 64 << 20 };

struct cache_header {
    char magic[8];
    uint32_t vendor, device, driver, api;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t bytes, checksum;
};

static struct cache_header header_of(const struct vk *vk, const void *data, size_t bytes)
{
    struct cache_header header = { .magic = "abbe-vk1",
                                   .vendor = vk->properties.vendorID,
                                   .device = vk->properties.deviceID,
                                   .driver = vk->properties.driverVersion,
                                   .api = vk->properties.apiVersion,
                                   .bytes = bytes,
                                   .checksum = cache_sum(CACHE_SUM_START, data, bytes) };
    memcpy(header.uuid, vk->properties.pipelineCacheUUID, sizeof header.uuid);
    return header;
}

enum { CACHE_NAME_BYTES = 32 };

static void write_cache_name(const struct vk *vk, char name[CACHE_NAME_BYTES])
{
    snprintf(name, CACHE_NAME_BYTES, "vulkan-%08x-%08x.bin", vk->properties.vendorID,
             vk->properties.deviceID);
}

static bool find_path(const struct vk *vk, char *path, size_t size)
{
    char folder[DEVICE_FOLDER_BYTES], name[CACHE_NAME_BYTES];
    if (!device_files_folder(&vk->head, "ABBE_VULKAN_CACHE", folder))
        return false;
    write_cache_name(vk, name);
    int length = snprintf(path, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size;
}

/* Reads an accepted file: the driver's data behind its header. NULL if that is not what was written for this
 * driver. */
static char *read_accepted(const struct vk *vk, struct cache_file *file, size_t *bytes)
{
    struct cache_header header, expected;
    size_t count = file->bytes;
    char *content = count > sizeof header ? core_alloc(count, 1) : NULL;
    if (!content) {
        cache_close(file);
        return NULL;
    }
    *bytes = count - sizeof header;
    bool sound = cache_read(file, content);
    if (sound) {
        memcpy(&header, content, sizeof header);
        expected = header_of(vk, content + sizeof header, *bytes);
        sound = !memcmp(&header, &expected, sizeof header);
    }
    if (sound)
        return content;
    core_free(content);
    return NULL;
}

/* Reads the content of the cache file; NULL if there is no valid one. */
static char *read_content(const struct vk *vk, size_t *bytes)
{
    char path[4096];
    struct cache_file file;
    if (!find_path(vk, path, sizeof path))
        return NULL;
    enum cache_state state = cache_open(path, false, sizeof(struct cache_header) + CACHE_MAX, &file);
    if (state == CACHE_REFUSED)
        device_log(&vk->head, ABBE_LOG_WARNING, "vulkan: '%s' is ignored: %s", path, file.reason);
    if (state != CACHE_ACCEPTED)
        return NULL;
    char *content = read_accepted(vk, &file, bytes);
    if (!content)
        device_log(&vk->head, ABBE_LOG_INFO,
                   "vulkan: '%s' is ignored: it is damaged, or was written for another driver", path);
    return content;
}

VkResult vk_cache_open(struct vk *vk)
{
    size_t bytes = 0;
    char *content = read_content(vk, &bytes);
    VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                       .initialDataSize = content ? bytes : 0,
                                       .pInitialData = content ? content + sizeof(struct cache_header)
                                                               : NULL };
    VkResult result = vk->f.CreatePipelineCache(vk->device, &info, NULL, &vk->cache);
    if (result && content) {
        device_log(&vk->head, ABBE_LOG_INFO,
                   "vulkan: the driver rejects its own compiled shaders; they are ignored");
        info.initialDataSize = 0;
        result = vk->f.CreatePipelineCache(vk->device, &info, NULL, &vk->cache);
    }
    core_free(content);
    return result;
}

/* Failures are only logged: nothing depends on the file. */
void vk_cache_save(struct vk *vk)
{
    char folder[DEVICE_FOLDER_BYTES], name[CACHE_NAME_BYTES];
    size_t bytes = 0;
    if (!vk->pipelines || !device_files_folder(&vk->head, "ABBE_VULKAN_CACHE", folder) ||
        vk->f.GetPipelineCacheData(vk->device, vk->cache, &bytes, NULL) || !bytes || bytes > CACHE_MAX)
        return;
    char *content = core_alloc(sizeof(struct cache_header) + bytes, 1);
    char *data = content ? content + sizeof(struct cache_header) : NULL;
    if (data && !vk->f.GetPipelineCacheData(vk->device, vk->cache, &bytes, data)) {
        struct cache_header header = header_of(vk, data, bytes);
        memcpy(content, &header, sizeof header);
        write_cache_name(vk, name);
        if (!cache_write(folder, name, content, sizeof header + bytes))
            device_log(&vk->head, ABBE_LOG_INFO, "vulkan: compiled shaders cannot be written to '%s/%s'",
                       folder, name);
    }
    core_free(content);
}
