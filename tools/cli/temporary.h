/* Names of temporary files, the locks of those who write them, and the removal of what a writer left that was
 * killed.
 *
 *     .abbe-BOOT-CHANCE.EXT   BOOT: this start of this machine; CHANCE: random; EXT: that of the final name
 *
 * A writer holds a lock (flock) on its file from the moment it was made until it has its final name, and the
 * system ends the lock with the writer. A file is abandoned, and removed by the next writer in that folder,
 * if its name was made since this machine started, it is a regular file of this user with no other name, and
 * its lock is free. Files of other machines in a shared folder are left alone, because their locks may not be
 * visible here. */
#ifndef ABBE_CLI_TEMPORARY_H
#define ABBE_CLI_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>

enum { TEMPORARY_NAME = 64 };

/* Makes a new name with the extension of `final`. A name that is not `locked` is never taken for abandoned. */
void temporary_name(char name[TEMPORARY_NAME], const char *final, bool locked);

enum temporary_lock {
    TEMPORARY_LOCKED,
    TEMPORARY_LOST,       /* another process holds the lock, or has removed the file */
    TEMPORARY_IMPOSSIBLE, /* the file system has no locks */
};

/* Locks a file that was just created, until every descriptor of it is closed. */
enum temporary_lock temporary_lock(int descriptor);

/* Removes the abandoned files of a folder; a second call for the same folder does nothing. */
void temporary_sweep(int folder);

#endif
