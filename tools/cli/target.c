/* Files that appear whole or not at all: a temporary name, a flush, a rename, and signals that tidy up. */
#include "target.h"

#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target_live.h"

enum { EXTENSION_MAX = 16, ATTEMPTS = 100 };

/* ---- May a file appear here? ---------------------------------------------------------------------------- */

/* The folder of a path, to be freed: "." for a bare name. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static bool fail_memory(void)
{
    say_error("out of memory");
    return false;
}

/* What stands at the path must be nothing or a plain file that may be changed. */
static bool check_standing(const char *path, const struct stat *standing)
{
    if (S_ISDIR(standing->st_mode))
        say_error("%s: is a folder; give the name of a file", path);
    else if (S_ISLNK(standing->st_mode))
        say_error("%s: is a symbolic link and is not written through; name the file it points to%s", path,
                  !strncmp(path, "/dev/", 5) ? ", or - for standard output" : "");
    else if (!S_ISREG(standing->st_mode))
        say_error("%s: is a device or a pipe; name a file, or - for standard output", path);
    else if (access(path, W_OK) != 0)
        say_error("%s: cannot be replaced: %s", path, strerror(errno));
    else
        return true;
    return false;
}

static bool check_folder(const char *path)
{
    char *folder = folder_of(path);
    if (!folder)
        return fail_memory();
    struct stat entry;
    bool fine = false;
    if (stat(folder, &entry) != 0)
        say_error("%s: its folder '%s' cannot be used: %s", path, folder, strerror(errno));
    else if (!S_ISDIR(entry.st_mode))
        say_error("%s: '%s' is a file, not a folder", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        say_error("%s: its folder '%s' cannot be written: %s", path, folder, strerror(errno));
    else
        fine = true;
    free(folder);
    return fine;
}

bool target_check(const char *path)
{
    size_t length = strlen(path);
    struct stat standing;
    if (length == 0) {
        say_error("the name of the result is empty");
        return false;
    }
    if (path[length - 1] == '/') {
        say_error("%s: is a folder; give the name of a file", path);
        return false;
    }
    if (lstat(path, &standing) == 0 && !check_standing(path, &standing))
        return false;
    return check_folder(path);
}

/* ---- The temporary file --------------------------------------------------------------------------------- */

/* ".abbe-" and a random word beside the target, with its extension: hidden, and recognisable if a power
 * failure leaves one behind. NULL without memory. */
static char *temporary_name(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *extension = dot && dot > base && strlen(dot) <= EXTENSION_MAX ? dot : "";
    uint64_t chance = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint64_t)getpid() * 0x9E3779B97F4A7C15u + (uintptr_t)&chance;
    char word[9] = "";
    for (int i = 0; i < 8; i++, chance >>= 5)
        word[i] = letters[chance & 31];
    size_t size = (size_t)(base - path) + strlen(extension) + sizeof ".abbe-" + sizeof word;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.abbe-%s%s", (int)(base - path), path, word, extension);
    return name;
}

/* Creates a file under a new name and makes it known to the signal handler in one step. */
static int create(const char *path, mode_t mode, char **temporary)
{
    int descriptor = -1;
    for (int attempt = 0; attempt < ATTEMPTS && descriptor < 0; attempt++) {
        *temporary = temporary_name(path);
        if (!*temporary)
            return -1;
        descriptor = live_create(*temporary, mode);
        if (descriptor < 0) {
            int reason = errno;
            free(*temporary);
            *temporary = NULL;
            if (reason != EEXIST) {
                errno = reason;
                return -1;
            }
        }
    }
    return descriptor;
}

/* The new file takes over owner and permissions of the one it replaces. The owner cannot always be given
 * away, and then the file belongs to whoever runs the command, as after any copy. */
static bool inherit(int descriptor, const struct stat *standing)
{
    struct stat mine;
    if (fstat(descriptor, &mine) != 0)
        return false;
    bool other_owner = mine.st_uid != standing->st_uid || mine.st_gid != standing->st_gid;
    if (other_owner && fchown(descriptor, standing->st_uid, standing->st_gid) != 0 && errno != EPERM)
        return false;
    return fchmod(descriptor, standing->st_mode & 0777) == 0;
}

bool target_open(const char *path, struct target *target)
{
    *target = (struct target){ .descriptor = -1 };
    struct stat standing;
    if (!target_check(path))
        return false;
    bool replaces = lstat(path, &standing) == 0;
    target->path = strdup(path);
    if (!target->path)
        return fail_memory();
    /* A private file stays private while it is written. */
    target->descriptor = create(path, replaces ? 0600 : 0666, &target->temporary);
    if (target->descriptor < 0 || (replaces && !inherit(target->descriptor, &standing))) {
        say_error("%s: cannot be written: %s", path, strerror(errno));
        target_close(target);
        return false;
    }
    return true;
}

/* ---- Its end -------------------------------------------------------------------------------------------- */

/* fsync, where the file system has it; EINVAL is the answer of those that do not. */
static bool flush(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOSYS;
}

/* The rename itself survives a power failure only once its folder has been flushed. A folder that may be
 * written but not read cannot be opened for that; the file is then as safe as the system makes it. */
static bool flush_folder(const char *path)
{
    char *folder = folder_of(path);
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (descriptor < 0)
        return true;
    bool flushed = flush(descriptor);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return flushed;
}

static bool settle(struct target *target)
{
    bool flushed = flush(target->descriptor);
    int reason = errno;
    bool closed = close(target->descriptor) == 0;
    target->descriptor = -1;
    if (!flushed)
        errno = reason;
    return flushed && closed && live_rename(target->temporary, target->path);
}

bool target_commit(struct target *target)
{
    if (!settle(target)) {
        say_error("%s: cannot be written: %s", target->path, strerror(errno));
        return false;
    }
    free(target->temporary);
    target->temporary = NULL;
    if (!flush_folder(target->path)) {
        say_error("%s: written, but its folder could not be flushed to disk: %s", target->path,
                  strerror(errno));
        return false;
    }
    return true;
}

void target_close(struct target *target)
{
    if (target->descriptor >= 0)
        close(target->descriptor);
    if (target->temporary)
        live_remove(target->temporary);
    free(target->temporary);
    free(target->path);
    *target = (struct target){ .descriptor = -1 };
}

/* ---- Bytes ---------------------------------------------------------------------------------------------- */

bool target_write(int descriptor, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written < 0 ? errno : ENOSPC;
            return false;
        }
        next += written;
        size -= (size_t)written;
    }
    return true;
}

bool target_write_stdout(const void *bytes, size_t size)
{
    if (fflush(stdout) == 0 && target_write(STDOUT_FILENO, bytes, size))
        return true;
    say_error("standard output: %s", strerror(errno));
    return false;
}
