/* Inputs that are folders: the pictures in them and below. */
#define _GNU_SOURCE /* scandir */
#include "folders.h"

#include "say.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 64 };

bool names_add(struct names *names, const char *name)
{
    if (names->count == names->room) {
        int room = names->room ? 2 * names->room : 64;
        char **list = realloc(names->list, (size_t)room * sizeof *list);
        if (!list) {
            say_error("out of memory");
            return false;
        }
        names->list = list;
        names->room = room;
    }
    char *copy = strdup(name);
    if (!copy) {
        say_error("out of memory");
        return false;
    }
    names->list[names->count++] = copy;
    return true;
}

void names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct names){ 0 };
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool add_below(const char *folder, const struct reading *reading, int depth, struct names *names);

static bool add_entry(const char *path, const struct reading *reading, int depth, struct names *names)
{
    struct stat entry;
    if (lstat(path, &entry) != 0) /* the reader of the picture says why, unless it was removed meanwhile */
        return errno == ENOENT || names_add(names, path);
    if (S_ISDIR(entry.st_mode))
        return add_below(path, reading, depth + 1, names);
    return !S_ISREG(entry.st_mode) || !picture_is_known(path, reading) || names_add(names, path);
}

static bool add_below(const char *folder, const struct reading *reading, int depth, struct names *names)
{
    struct dirent **entries = NULL;
    int count = depth < DEPTH_MAX ? scandir(folder, &entries, is_visible, alphasort) : -1;
    if (count < 0) {
        say_error("%s: folder cannot be read: %s", folder,
                  depth < DEPTH_MAX ? strerror(errno) : "too many folders inside each other");
        names->is_incomplete = true;
        return true;
    }
    bool done = true;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        done = done && asprintf(&path, "%s/%s", folder, entries[i]->d_name) >= 0 &&
               add_entry(path, reading, depth, names);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return done;
}

bool folders_add(const char *folder, const struct reading *reading, struct names *names)
{
    char *path = strdup(folder);
    if (!path) {
        say_error("out of memory");
        return false;
    }
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = 0;
    int before = names->count;
    bool done = add_below(path, reading, 0, names);
    if (done && names->count == before && !names->is_incomplete)
        say_warning("%s: there is no picture in this folder", folder);
    free(path);
    return done;
}
