/* Files that appear whole or not at all: written under a temporary name beside the target, flushed, renamed.
 *
 * A failure, a full disk or a signal leaves what was there before. Every signal that ends the process and can
 * be caught (sent, such as SIGINT and SIGTERM, or raised by a fault, such as SIGSEGV) removes the temporary
 * files and then ends the process as that signal does. SIGKILL and a power failure can leave .abbe-…
 * files. */
#ifndef ABBE_CLI_TARGET_H
#define ABBE_CLI_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct target {
    char *path;      /* final name of the file */
    char *temporary; /* name until then, in the same folder, with the same extension; NULL without a file */
    int descriptor; /* temporary file, open for reading and writing until target_commit; −1 without a file */
};

/* Installs the signal handlers; call it once. Only one thread may call the functions below at a time. */
void target_watch_signals(void);

/* Checks, without writing anything, that a file can appear at `path`: its folder exists and can be written,
 * and the path is not a folder, a symbolic link or a device. Prints an error and returns false otherwise. */
bool target_check(const char *path);

/* Creates the temporary file, empty, with the permissions that the target has or would get. Prints errors. */
bool target_open(const char *path, struct target *target);

/* Writes all bytes to a descriptor, through interruptions and short writes; returns false with errno. */
bool target_write(int descriptor, const void *bytes, size_t size);

/* Flushes the temporary file to disk, gives it its final name, flushes the folder. Prints errors. */
bool target_commit(struct target *target);

/* Removes the temporary file, if any, and frees the strings. Call it after every target_open. */
void target_close(struct target *target);

/* Writes all bytes to standard output and flushes it. Prints errors. */
bool target_write_stdout(const void *bytes, size_t size);

#endif
