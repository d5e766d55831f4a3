/* Compiled pipelines that are kept from one process to the next, in the user's cache folder.
 *
 * A file is a header with a checksum and the driver's data behind it. A file that is not exactly what was
 * written for this driver is ignored. */
#define _GNU_SOURCE
#include "core/memory.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_MAX = 64 << 20 };

struct cache_header {
    char magic[8];
    uint32_t vendor, device, driver, api;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t bytes, checksum;
};

/* FNV-1a hash. */
static uint64_t checksum_of(const unsigned char *bytes, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static struct cache_header header_of(const struct vk *vk, const void *data, size_t bytes)
{
    struct cache_header header = { .magic = "abbe-vk1",
                                   .vendor = vk->properties.vendorID,
                                   .device = vk->properties.deviceID,
                                   .driver = vk->properties.driverVersion,
                                   .api = vk->properties.apiVersion,
                                   .bytes = bytes,
                                   .checksum = checksum_of(data, bytes) };
    memcpy(header.uuid, vk->properties.pipelineCacheUUID, sizeof header.uuid);
    return header;
}

/* The folder of pipelines: that of the application, ABBE_VULKAN_CACHE, or the default cache folder. Returns
 * false when there is none, as with an empty ABBE_VULKAN_CACHE. */
static bool find_folder(const struct vk *vk, char folder[DEVICE_FOLDER_BYTES])
{
    const char *own = vk->head.has_cache_dir ? NULL : secure_getenv("ABBE_VULKAN_CACHE");
    if (!own)
        return device_cache_folder(&vk->head, folder);
    int length = snprintf(folder, DEVICE_FOLDER_BYTES, "%s", own);
    return length > 0 && length < DEVICE_FOLDER_BYTES;
}

static bool find_path(const struct vk *vk, char *path, size_t size)
{
    char folder[DEVICE_FOLDER_BYTES];
    if (!find_folder(vk, folder))
        return false;
    int length = snprintf(path, size, "%s/vulkan-%08x-%08x.bin", folder, vk->properties.vendorID,
                          vk->properties.deviceID);
    return length > 0 && (size_t)length < size;
}

/* Reads the driver's data; NULL if there is no valid file. */
static void *read_data(const struct vk *vk, size_t *bytes)
{
    char path[4096];
    struct cache_header header;
    void *data = NULL;
    FILE *file = find_path(vk, path, sizeof path) ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    bool sound = fread(&header, sizeof header, 1, file) == 1 && header.bytes > 0 && header.bytes <= CACHE_MAX;
    if (sound)
        data = core_alloc((size_t)header.bytes, 1);
    sound = data && fread(data, (size_t)header.bytes, 1, file) == 1 && fgetc(file) == EOF;
    if (sound) {
        struct cache_header expected = header_of(vk, data, (size_t)header.bytes);
        sound = !memcmp(&header, &expected, sizeof header);
        *bytes = (size_t)header.bytes;
    }
    fclose(file);
    if (sound)
        return data;
    device_log(&vk->head, ABBE_LOG_INFO,
               "vulkan: '%s' is ignored: it is damaged, or was written for another driver", path);
    core_free(data);
    return NULL;
}

VkResult vk_cache_open(struct vk *vk)
{
    size_t bytes = 0;
    void *data = read_data(vk, &bytes);
    VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                       .initialDataSize = data ? bytes : 0,
                                       .pInitialData = data };
    VkResult result = vk->f.CreatePipelineCache(vk->device, &info, NULL, &vk->cache);
    if (result && data) {
        device_log(&vk->head, ABBE_LOG_INFO,
                   "vulkan: the driver rejects its own compiled shaders; they are ignored");
        info.initialDataSize = 0;
        result = vk->f.CreatePipelineCache(vk->device, &info, NULL, &vk->cache);
    }
    core_free(data);
    return result;
}

static bool write_cache(const char *path, const struct cache_header *header, const void *data)
{
    char temporary[4128];
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return false;
    bool written = fwrite(header, sizeof *header, 1, file) == 1 &&
                   fwrite(data, (size_t)header->bytes, 1, file) == 1;
    written = fclose(file) == 0 && written;
    written = written && !rename(temporary, path);
    if (!written)
        unlink(temporary);
    return written;
}

/* Failures are only logged: nothing depends on the file. */
void vk_cache_save(struct vk *vk)
{
    char folder[DEVICE_FOLDER_BYTES], path[4096];
    size_t bytes = 0;
    if (!vk->pipelines || !find_folder(vk, folder) || !find_path(vk, path, sizeof path) ||
        vk->f.GetPipelineCacheData(vk->device, vk->cache, &bytes, NULL) || !bytes || bytes > CACHE_MAX)
        return;
    mkdir(folder, 0700);
    void *data = core_alloc(bytes, 1);
    if (data && !vk->f.GetPipelineCacheData(vk->device, vk->cache, &bytes, data)) {
        struct cache_header header = header_of(vk, data, bytes);
        if (!write_cache(path, &header, data))
            device_log(&vk->head, ABBE_LOG_INFO, "vulkan: compiled shaders cannot be written to '%s'", path);
    }
    core_free(data);
}
