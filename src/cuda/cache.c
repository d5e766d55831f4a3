/* Compiled kernels that are kept from one process to the next, in the user's cache folder.
 *
 * The folder has a fixed number of places, so that it does not grow without end: a kernel lies at the place
 * that its key selects, where a later one may replace it. A file is a header with the key and a checksum, and
 * the code behind it. One that is not exactly what was written for this key is ignored. */
#include "core/memory.h"
#include "cuda/kernels.h"
#include "device/cache_file.h"

#include <stdio.h>
#include <string.h>

enum { PLACES = 512, CODE_MAX = 8 << 20, PATH_BYTES = DEVICE_FOLDER_BYTES + 64, NAME_BYTES = 32 };

static const char variable[] = "ABBE_CUDA_CACHE";

struct cache_header {
    char magic[8];
    struct cuda_key key;
    uint64_t bytes, checksum;
};

static struct cache_header header_of(const struct cuda_key *key, const void *code, size_t bytes)
{
    return (struct cache_header){
        .magic = "abbecu1", .key = *key, .bytes = bytes, .checksum = cache_sum(CACHE_SUM_START, code, bytes)
    };
}

static void write_name(const struct cuda_key *key, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "cuda-%03x.bin", (unsigned)(key->sums[0] % PLACES));
}

/* Reads an accepted file. NULL if it is not what was written for this key. */
static char *read_accepted(const struct cuda_key *key, struct cache_file *file)
{
    struct cache_header header, expected;
    size_t count = file->bytes;
    char *content = count > sizeof header ? core_alloc(count, 1) : NULL;
    if (!content) {
        cache_close(file);
        return NULL;
    }
    size_t bytes = count - sizeof header;
    bool sound = cache_read(file, content);
    if (sound) {
        memcpy(&header, content, sizeof header);
        memmove(content, content + sizeof header, bytes);
        expected = header_of(key, content, bytes);
        sound = !memcmp(&header, &expected, sizeof header);
    }
    if (sound)
        return content;
    core_free(content);
    return NULL;
}

char *cuda_cache_read(const struct cuda *cuda, const struct cuda_key *key)
{
    char folder[DEVICE_FOLDER_BYTES], path[PATH_BYTES], name[NAME_BYTES];
    struct cache_file file;
    if (!device_files_folder(&cuda->head, variable, folder))
        return NULL;
    write_name(key, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    enum cache_state state = cache_open(path, false, sizeof(struct cache_header) + CODE_MAX, &file);
    if (state == CACHE_REFUSED)
        device_log(&cuda->head, ABBE_LOG_WARNING, "cuda: '%s' is ignored: %s", path, file.reason);
    return state == CACHE_ACCEPTED ? read_accepted(key, &file) : NULL;
}

void cuda_cache_write(const struct cuda *cuda, const struct cuda_key *key, const char *code, size_t bytes)
{
    char folder[DEVICE_FOLDER_BYTES], name[NAME_BYTES];
    if (bytes > CODE_MAX || !device_files_folder(&cuda->head, variable, folder))
        return;
    struct cache_header header = header_of(key, code, bytes);
    char *content = core_alloc(sizeof header + bytes, 1);
    if (!content)
        return;
    memcpy(content, &header, sizeof header);
    memcpy(content + sizeof header, code, bytes);
    write_name(key, name);
    if (!cache_write(folder, name, content, sizeof header + bytes))
        device_log(&cuda->head, ABBE_LOG_INFO, "cuda: a compiled kernel cannot be written to '%s/%s'", folder,
                   name);
    core_free(content);
}
