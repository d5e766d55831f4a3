/* Inputs that are folders: the pictures in them and below. */
#ifndef ABBE_TOOL_FOLDERS_H
#define ABBE_TOOL_FOLDERS_H

#include "picture.h"

/* Names of inputs. A list owns its strings. */
struct names {
    int count, room;
    char **list;
    bool is_incomplete; /* a folder could not be read */
};

/* Adds a copy of a name; false without memory, after printing an error. */
bool names_add(struct names *names, const char *name);
void names_free(struct names *names);

/* Adds the pictures of a folder and of those below it, in the order of their names: regular files that are not
 * hidden and begin like a format that can be read, or cannot be opened. Symbolic links are not followed. A folder that
 * cannot be read is an error that leaves the list incomplete; false only without memory. Prints errors. */
bool folders_add(const char *folder, const struct reading *reading, struct names *names);

#endif
