/* Files that appear whole or not at all: written without a name, flushed, and only then named.
 *
 * A failure, a full disk or a signal leaves what was there before. Where the file system has no files without
 * a name, or the file replaces another, it has a temporary name (temporary.h) beside the target: in the first
 * case from the beginning, in the second for the time of two system calls. Every signal that ends the process
 * and can be caught (sent, such as SIGINT and SIGTERM, or raised by a fault, such as SIGSEGV) removes it and
 * then ends the process as that signal does. What SIGKILL leaves under such a name, the next program that
 * writes into the folder removes; a power failure can leave it for good.
 *
 * The folder is the one that had its name when the file was opened: renamed meanwhile, it gets the file under
 * its new name. A file that is replaced passes on owner, permissions, access list and attributes. */
#ifndef ABBE_CLI_TARGET_H
#define ABBE_CLI_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct temporary;

struct target {
    char *path;       /* as it was given */
    const char *name; /* the final name in the folder; a part of `path` */
    int folder;       /* descriptor; −1 without a file */
    int descriptor;   /* file, open for reading and writing until target_commit; −1 without a file */
    struct temporary *temporary; /* its name until then; NULL for a file without a name */
};

/* Installs the signal handlers; call it once. Only one thread may call the functions below at a time. */
void target_watch_signals(void);

/* Removes the temporary files, prints a printable text and ends the process with status 1. Safe in a signal
 * handler, on any thread, and without memory. */
_Noreturn void target_die(const char *reason);

/* Creates the folder of a path, and those above it. Prints errors. */
bool target_make_folder(const char *path);

/* Checks, without writing anything, that a file can appear at `path`: its folder exists and can be written,
 * and the path is not a folder, a symbolic link or a device. Prints an error and returns false otherwise. */
bool target_check(const char *path);

/* Creates the file, empty, with the permissions that the target has or would get. Prints errors. */
bool target_open(const char *path, struct target *target);

/* Writes all bytes to a descriptor, through interruptions and short writes; returns false with errno. */
bool target_write(int descriptor, const void *bytes, size_t size);

/* Flushes the file to disk, gives it its final name, flushes the folder. Prints errors. */
bool target_commit(struct target *target);

/* Removes a file that was not committed, and frees the rest. Call it after every target_open. */
void target_close(struct target *target);

/* Writes all bytes to standard output and flushes it. Prints errors. */
bool target_write_stdout(const void *bytes, size_t size);

#endif
