/* Finds and makes the user's cache folder, as the XDG base directory specification has it. */
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static char *base_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return strdup(cache);
    return home && home[0] == '/' ? join(home, ".cache") : NULL;
}

/* mkdir fails where the folder is there already, which is as good; where it cannot be made, opening fails. */
char *cache_path(const char *name)
{
    char *base = base_folder(), *folder = base ? join(base, "abbe") : NULL, *path = NULL;
    if (folder) {
        mkdir(base, 0700);
        mkdir(folder, 0700);
        path = join(folder, name);
    }
    free(folder);
    free(base);
    return path;
}
