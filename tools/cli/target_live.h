/* The temporary files that exist right now, so that a signal can remove every one of them. */
#ifndef ABBE_TOOL_TARGET_LIVE_H
#define ABBE_TOOL_TARGET_LIVE_H

#include <stdbool.h>
#include <sys/types.h>

/* Creates a file that must not exist yet and remembers its name, which the caller keeps valid until one of
 * the functions below. A descriptor for reading and writing, or −1 with errno. From one thread at a time. */
int live_create(const char *name, mode_t mode);

/* Gives it its final name and forgets it; false with errno, and then it still lives. */
bool live_rename(const char *name, const char *path);

/* Removes and forgets it. */
void live_remove(const char *name);

#endif
