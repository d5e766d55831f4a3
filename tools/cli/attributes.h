/* What a file that is replaced passes on to the new one: owner, permissions, access list, attributes. */
#ifndef ABBE_CLI_ATTRIBUTES_H
#define ABBE_CLI_ATTRIBUTES_H

#include <stdbool.h>
#include <sys/stat.h>

/* Gives the new file what the file of that name in the folder (a descriptor) has; `existing` is its entry, and
 * `path` names it in messages. An attribute that cannot be kept is a warning. Without the access list, members
 * of the group could read what they may not, so that is an error, as are the permissions: false with errno. A process
 * that may not give the file away gives it the group; one that may not do that takes the permissions from the group. */
bool attributes_inherit(int descriptor, int folder, const char *name, const char *path,
                        const struct stat *existing);

#endif
