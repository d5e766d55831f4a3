/* Compiled pipelines from one run of a program to the next, in the user's cache folder.
 *
 * The file is a header of our own, with a checksum, and the driver's data behind it. Whatever is not exactly as we
 * wrote it for this very driver is as good as none. */
#include "core/memory.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_MAX = 64 << 20 };

struct header {
    char magic[8];
    uint32_t vendor, device, driver, api;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t bytes, checksum;
};

/* FNV-1a. */
static uint64_t checksum_of(const unsigned char *bytes, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static struct header header_of(const struct vk *vk, const void *data, size_t bytes)
{
    struct header header = { .magic = "abbe-vk1",
                             .vendor = vk->properties.vendorID,
                             .device = vk->properties.deviceID,
                             .driver = vk->properties.driverVersion,
                             .api = vk->properties.apiVersion,
                             .bytes = bytes,
                             .checksum = checksum_of(data, bytes) };
    memcpy(header.uuid, vk->properties.pipelineCacheUUID, sizeof header.uuid);
    return header;
}

/* ABBE_VULKAN_CACHE names the folder, or is empty for none; else $XDG_CACHE_HOME/abbe or ~/.cache/abbe. */
static bool folder_of(char *folder, size_t size)
{
    const char *own = getenv("ABBE_VULKAN_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (own)
        length = *own ? snprintf(folder, size, "%s", own) : -1;
    else if (base && *base == '/')
        length = snprintf(folder, size, "%s/abbe", base);
    else if (home && *home == '/')
        length = snprintf(folder, size, "%s/.cache/abbe", home);
    return length > 0 && (size_t)length < size;
}

static bool path_of(const struct vk *vk, char *path, size_t size)
{
    char folder[4000];
    if (!folder_of(folder, sizeof folder))
        return false;
    int length = snprintf(path, size, "%s/vulkan-%08x-%08x.bin", folder, vk->properties.vendorID,
                          vk->properties.deviceID);
    return length > 0 && (size_t)length < size;
}

/* The driver's data, or NULL. */
static void *read_data(const struct vk *vk, size_t *bytes)
{
    char path[4096];
    struct header header;
    void *data = NULL;
    FILE *file = path_of(vk, path, sizeof path) ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    bool sound = fread(&header, sizeof header, 1, file) == 1 && header.bytes > 0 && header.bytes <= CACHE_MAX;
    if (sound)
        data = core_alloc((size_t)header.bytes, 1);
    sound = data && fread(data, (size_t)header.bytes, 1, file) == 1 && fgetc(file) == EOF;
    if (sound) {
        struct header expected = header_of(vk, data, (size_t)header.bytes);
        sound = !memcmp(&header, &expected, sizeof header);
        *bytes = (size_t)header.bytes;
    }
    fclose(file);
    if (sound)
        return data;
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
    if (result && data) { /* what the driver does not like is as good as none */
        info.initialDataSize = 0;
        result = vk->f.CreatePipelineCache(vk->device, &info, NULL, &vk->cache);
    }
    core_free(data);
    return result;
}

static bool write_file(const char *path, const struct header *header, const void *data)
{
    char fresh[4128];
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(fresh, "wb");
    if (!file)
        return false;
    bool written = fwrite(header, sizeof *header, 1, file) == 1 &&
                   fwrite(data, (size_t)header->bytes, 1, file) == 1;
    written = fclose(file) == 0 && written;
    if (written && !rename(fresh, path))
        return true;
    unlink(fresh);
    return false;
}

/* A wish: nothing depends on its success. */
void vk_cache_save(struct vk *vk)
{
    char folder[4000], path[4096];
    size_t bytes = 0;
    if (!vk->pipelines || !folder_of(folder, sizeof folder) || !path_of(vk, path, sizeof path) ||
        vk->f.GetPipelineCacheData(vk->device, vk->cache, &bytes, NULL) || !bytes || bytes > CACHE_MAX)
        return;
    mkdir(folder, 0700);
    void *data = core_alloc(bytes, 1);
    if (data && !vk->f.GetPipelineCacheData(vk->device, vk->cache, &bytes, data)) {
        struct header header = header_of(vk, data, bytes);
        write_file(path, &header, data);
    }
    core_free(data);
}
