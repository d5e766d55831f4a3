/* Writes reports whole or not at all, and finds the user's cache folder. */
#include "files.h"

#include "say.h"
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Drafts -------------------------------------------------------------------------------------------- */

bool draft_open(struct draft *draft)
{
    *draft = (struct draft){ 0 };
    draft->out = open_memstream(&draft->bytes, &draft->size);
    if (!draft->out)
        say_error("out of memory");
    return draft->out;
}

static bool write_draft(const struct draft *draft, const char *path)
{
    struct target target;
    if (!target_open(path, &target))
        return false;
    bool written = target_write(target.descriptor, draft->bytes, draft->size);
    if (!written)
        say_error("%s: cannot be written: %s", path, strerror(errno));
    written = written && target_commit(&target);
    target_close(&target);
    return written;
}

bool draft_deliver(struct draft *draft, const char *path)
{
    bool complete = !ferror(draft->out);
    complete = !fclose(draft->out) && complete;
    if (!complete)
        say_error("%s: out of memory", path);
    bool delivered = complete && (strcmp(path, "-") ? write_draft(draft, path)
                                                    : target_write_stdout(draft->bytes, draft->size));
    free(draft->bytes);
    return delivered;
}

/* ---- The cache folder (XDG base directory specification) ----------------------------------------------- */

static char *join_path(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static char *find_cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return strdup(cache);
    return home && home[0] == '/' ? join_path(home, ".cache") : NULL;
}

/* The library ignores files that a group may write. Failures of mkdir need no check: the folder may exist already,
 * and where it cannot be created, opening the file fails. */
char *cache_path(const char *name)
{
    char *base = find_cache_folder(), *folder = base ? join_path(base, "abbe") : NULL, *path = NULL;
    if (folder) {
        umask(umask(0) | 022);
        mkdir(base, 0700);
        mkdir(folder, 0700);
        path = join_path(folder, name);
    }
    free(folder);
    free(base);
    return path;
}
