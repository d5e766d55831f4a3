/* Files that the library keeps, in a build for systems without files. */
#include "device/cache_file.h"

enum cache_state cache_open(const char *path, bool named, size_t most, struct cache_file *file)
{
    (void)path, (void)named, (void)most;
    *file = (struct cache_file){ .descriptor = -1 };
    return CACHE_MISSING;
}

void cache_close(struct cache_file *file)
{
    (void)file;
}

bool cache_read(struct cache_file *file, void *bytes)
{
    (void)file, (void)bytes;
    return false;
}

bool cache_write(const char *folder, const char *name, const void *bytes, size_t count)
{
    (void)folder, (void)name, (void)bytes, (void)count;
    return false;
}

uint64_t cache_sum(uint64_t sum, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}
