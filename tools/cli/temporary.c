/* Names of temporary files, the locks of those who write them, and the removal of what a writer left that was
 * killed. */
#define _GNU_SOURCE /* flock */
#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXTENSION_MAX = 16, BOOT = 12, CHANCE = 8 };

static const char prefix[] = ".abbe-";

/* ---- Names --------------------------------------------------------------------------------------------- */

/* Writes hexadecimal digits that differ for every start of every machine; false where they are unknown. */
static bool read_boot(char boot[BOOT + 1])
{
    char text[64] = "";
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, text, sizeof text - 1);
    if (descriptor >= 0)
        close(descriptor);
    int count = 0;
    for (ssize_t i = 0; i < length && count < BOOT; i++)
        if (strchr("0123456789abcdef", text[i]))
            boot[count++] = text[i];
    boot[count] = 0;
    return count == BOOT;
}

static void make_chance(char word[CHANCE + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    uint64_t chance = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint64_t)getpid() * 0x9E3779B97F4A7C15u + (uintptr_t)&chance;
    for (int i = 0; i < CHANCE; i++, chance >>= 5)
        word[i] = letters[chance & 31];
    word[CHANCE] = 0;
}

void temporary_name(char name[TEMPORARY_NAME], const char *final, bool locked)
{
    const char *dot = strrchr(final, '.');
    const char *extension = dot && dot > final && strlen(dot) <= EXTENSION_MAX ? dot : "";
    char boot[BOOT + 1], word[CHANCE + 1];
    make_chance(word);
    bool known = locked && read_boot(boot);
    snprintf(name, TEMPORARY_NAME, "%s%s-%s%s", prefix, known ? boot : "unlocked", word, extension);
}

/* ---- Locks --------------------------------------------------------------------------------------------- */

enum temporary_lock temporary_lock(int descriptor)
{
    struct stat entry;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? TEMPORARY_LOST : TEMPORARY_IMPOSSIBLE;
    /* Between the creation and the lock, another process may have taken the file for abandoned. */
    return fstat(descriptor, &entry) == 0 && entry.st_nlink == 0 ? TEMPORARY_LOST : TEMPORARY_LOCKED;
}

/* ---- Abandoned files ----------------------------------------------------------------------------------- */

static bool is_ours(const char *name, const char *boot)
{
    const char *rest = name + sizeof prefix - 1 + BOOT;
    return !strncmp(name, prefix, sizeof prefix - 1) && !strncmp(name + sizeof prefix - 1, boot, BOOT) &&
           *rest == '-' && strspn(rest + 1, "abcdefghijklmnopqrstuvwxyz012345") == CHANCE &&
           (rest[1 + CHANCE] == 0 || rest[1 + CHANCE] == '.');
}

static bool is_private(const struct stat *entry)
{
    return S_ISREG(entry->st_mode) && entry->st_uid == geteuid() && entry->st_nlink == 1;
}

/* Removes the file if its writer is gone. The lock is held while the file is removed, so that a writer which
 * has just created it sees that it was. */
static void remove_abandoned(int folder, const char *name)
{
    struct stat entry, opened;
    if (fstatat(folder, name, &entry, AT_SYMLINK_NOFOLLOW) != 0 || !is_private(&entry))
        return;
    int descriptor = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    /* A writer may have given the file its final name meanwhile, so the name is looked up again. */
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &opened) == 0 && is_private(&opened) &&
        fstatat(folder, name, &entry, AT_SYMLINK_NOFOLLOW) == 0 && entry.st_dev == opened.st_dev &&
        entry.st_ino == opened.st_ino)
        unlinkat(folder, name, 0);
    close(descriptor);
}

/* Whether the folder was seen before; remembers the last few. */
static bool was_swept(const struct stat *folder)
{
    enum { REMEMBERED = 16 };
    static struct {
        dev_t device;
        ino_t file;
    } swept[REMEMBERED];
    static unsigned count;
    for (unsigned i = 0; i < count && i < REMEMBERED; i++)
        if (swept[i].device == folder->st_dev && swept[i].file == folder->st_ino)
            return true;
    swept[count % REMEMBERED].device = folder->st_dev;
    swept[count++ % REMEMBERED].file = folder->st_ino;
    return false;
}

void temporary_sweep(int folder)
{
    char boot[BOOT + 1];
    struct stat entry;
    if (!read_boot(boot) || fstat(folder, &entry) != 0 || was_swept(&entry))
        return;
    int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!list) {
        if (descriptor >= 0)
            close(descriptor);
        return;
    }
    for (const struct dirent *file = readdir(list); file; file = readdir(list))
        if (is_ours(file->d_name, boot))
            remove_abandoned(folder, file->d_name);
    closedir(list);
}
