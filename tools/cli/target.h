/* A file that appears whole or not at all: written beside its target under another name, flushed, renamed.
 *
 * A failure, a full disk or a signal leaves what was there before. Every signal that ends the process and can be
 * caught (from outside, such as SIGINT and SIGTERM, or by a fault, such as SIGSEGV) removes the temporary files and
 * then ends the process as that signal does. What SIGKILL or a power failure leaves behind is called .abbe-…. */
#ifndef ABBE_TOOL_TARGET_H
#define ABBE_TOOL_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct target {
    char *path;      /* where the file is to appear */
    char *temporary; /* its other name until then, in the same folder, with the same extension; NULL: none */
    int descriptor;  /* the temporary file, open for reading and writing until it is committed; −1: none */
};

/* Installs the signal handlers; once, at the start. The other functions are for one thread at a time. */
void target_watch_signals(void);

/* Checks that a file can appear at `path` without writing anything: its folder exists and can be written, and
 * the path is no folder, no symbolic link and no device. Says what is wrong and returns false otherwise. */
bool target_check(const char *path);

/* Makes the temporary file, empty, with the permissions the target has or would get. */
bool target_open(const char *path, struct target *target);

/* Writes all bytes to a descriptor, through interruptions and short writes; false with errno. */
bool target_write(int descriptor, const void *bytes, size_t size);

/* Flushes the temporary file to disk, gives it its name, flushes the folder. Says what failed. */
bool target_commit(struct target *target);

/* Removes the temporary file, if any is left, and frees the strings. Always to be called. */
void target_close(struct target *target);

/* Writes all bytes to standard output and flushes; says what failed. */
bool target_write_stdout(const void *bytes, size_t size);

#endif
