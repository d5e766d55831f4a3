/* Files that are written in memory first, and then whole or not at all. */
#include "draft.h"

#include "say.h"
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool draft_open(struct draft *draft)
{
    *draft = (struct draft){ 0 };
    draft->out = open_memstream(&draft->bytes, &draft->size);
    if (!draft->out)
        say_error("out of memory");
    return draft->out;
}

static bool write_file(const struct draft *draft, const char *path)
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
    bool whole = !ferror(draft->out);
    whole = !fclose(draft->out) && whole;
    if (!whole)
        say_error("%s: out of memory", path);
    bool delivered = whole && (strcmp(path, "-") ? write_file(draft, path)
                                                 : target_write_stdout(draft->bytes, draft->size));
    free(draft->bytes);
    return delivered;
}
