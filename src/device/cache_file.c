/* Files that the library keeps: checked before they are read, and written beside their place under a name
 * that nobody can foresee. */
#define _GNU_SOURCE
#include "device/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading ------------------------------------------------------------------------------------------ */

static bool is_own_or_root(const struct stat *about)
{
    return about->st_uid == geteuid() || about->st_uid == 0;
}

/* A group may have other members than the user. */
static const mode_t foreign_writers = S_IWGRP | S_IWOTH;

/* Why a file is refused; NULL if it is not. */
static const char *find_objection(const struct stat *about, bool named, size_t most)
{
    if (!S_ISREG(about->st_mode))
        return "it is not a regular file";
    if (about->st_size < 0 || (uintmax_t)about->st_size > most)
        return "it is too large";
    if (!named && !is_own_or_root(about))
        return "it belongs to another user";
    if (!named && (about->st_mode & foreign_writers))
        return "others may write to it";
    return NULL;
}

/* O_NONBLOCK: a pipe without a writer would be waited for. */
enum cache_state cache_open(const char *path, bool named, size_t most, struct cache_file *file)
{
    struct stat about;
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (named ? 0 : O_NOFOLLOW);
    *file = (struct cache_file){ .descriptor = open(path, flags) };
    if (file->descriptor < 0 && (errno == ENOENT || errno == ENOTDIR || (errno == EACCES && !named)))
        return CACHE_MISSING;
    if (file->descriptor < 0)
        file->reason = errno == ELOOP && !named ? "it is a symbolic link" : "it cannot be opened";
    else
        file->reason = fstat(file->descriptor, &about) ? "it cannot be examined"
                                                       : find_objection(&about, named, most);
    if (!file->reason) {
        file->bytes = (size_t)about.st_size;
        return CACHE_ACCEPTED;
    }
    cache_close(file);
    return CACHE_REFUSED;
}

void cache_close(struct cache_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

/* read() that continues after signals; fewer bytes than `count` only at the end of the file or on failure. */
static size_t read_bytes(int descriptor, char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t got = read(descriptor, bytes + done, count - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}

bool cache_read(struct cache_file *file, void *bytes)
{
    char more;
    bool complete = read_bytes(file->descriptor, bytes, file->bytes) == file->bytes &&
                    read_bytes(file->descriptor, &more, 1) == 0;
    cache_close(file);
    return complete;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

/* Opens a folder in which only this user, or root, can exchange the user's files; −1 otherwise. */
static int open_cache_folder(const char *path)
{
    struct stat about;
    mkdir(path, 0700);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (folder < 0)
        return -1;
    bool exchanged = fstat(folder, &about) || !is_own_or_root(&about) ||
                     ((about.st_mode & foreign_writers) && !(about.st_mode & S_ISVTX));
    if (exchanged)
        close(folder);
    return exchanged ? -1 : folder;
}

enum { TEMPORARY_BYTES = 300 };

/* Creates a file with a new name in a folder; −1 on failure. */
static int create_temporary(int folder, const char *name, char temporary[TEMPORARY_BYTES])
{
    enum { ATTEMPTS = 16 };
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t random[2];
        if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
            return -1;
        int length = snprintf(temporary, TEMPORARY_BYTES, ".%s.%016llx%016llx", name,
                              (unsigned long long)random[0], (unsigned long long)random[1]);
        if (length < 0 || length >= TEMPORARY_BYTES)
            return -1;
        int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static bool write_bytes(int descriptor, const char *bytes, size_t count)
{
    while (count) {
        ssize_t done = write(descriptor, bytes, count);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done > 0 ? done : 0;
        count -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool cache_write(const char *path, const char *name, const void *bytes, size_t count)
{
    char temporary[TEMPORARY_BYTES];
    int folder = open_cache_folder(path);
    if (folder < 0)
        return false;
    int file = create_temporary(folder, name, temporary);
    bool written = file >= 0 && write_bytes(file, bytes, count);
    if (file >= 0) {
        written = close(file) == 0 && written;
        written = written && !renameat(folder, temporary, folder, name);
        if (!written)
            unlinkat(folder, temporary, 0);
    }
    close(folder);
    return written;
}

uint64_t cache_sum(uint64_t sum, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}
