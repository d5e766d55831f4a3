/* Files that the library keeps from one process to the next: compiled shaders, prices. A folder may be shared
 * with other users, so nothing in it is trusted before it was looked at. */
#ifndef ABBE_DEVICE_CACHE_FILE_H
#define ABBE_DEVICE_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cache_state { CACHE_ACCEPTED, CACHE_MISSING, CACHE_REFUSED };

struct cache_file {
    int descriptor;
    size_t bytes;
    const char *reason; /* why the file is refused, as in "it is a symbolic link" */
};

/* Opens a file of at most `most` bytes for reading, without ever waiting for one. It must be a regular file
 * of this user or of root that others may not write, and no symbolic link. A file that the user `named` may
 * belong to anyone and may be reached through links. cache_read or cache_close must follow where it is
 * accepted. */
enum cache_state cache_open(const char *path, bool named, size_t most, struct cache_file *file);

/* Reads the bytes of the file, all of them, and closes it. False where they cannot be read, or where there
 * are fewer or more by now. */
bool cache_read(struct cache_file *file, void *bytes);

void cache_close(struct cache_file *file);

/* FNV-1a hash of bytes, which continues the one of earlier bytes. */
#define CACHE_SUM_START 0xcbf29ce484222325u
uint64_t cache_sum(uint64_t sum, const void *bytes, size_t count);

/* Writes a file whole or not at all, readable by this user only, and makes the folder if only that is
 * missing. A link or file in its place is replaced, never written to. False on failure, and for a folder that
 * belongs to another user or in which others may exchange files. */
bool cache_write(const char *folder, const char *name, const void *bytes, size_t count);

#endif
