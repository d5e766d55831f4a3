/* Parameter structs of the application, which may be older or newer than the library. */
#include "core/params.h"

#include "core/error.h"

#include <abbe/abbe.h>

#include <string.h>

/* A size that exceeds the known struct by more is not a size: the field was not initialised. */
enum { LATER_BYTES_MAX = 4096 };

static int fail_size(const void *device, const struct core_params *about, size_t size)
{
    return core_fail(device, ABBE_ERR_INVALID,
                     "%s: size is %zu; it must be sizeof the struct, %zu in this version, or 0", about->name,
                     size, about->known);
}

int core_read_params(const void *device, const struct core_params *about, const void *given, void *known)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (!size)
        size = about->first;
    if (size < about->first || size > about->known + LATER_BYTES_MAX)
        return fail_size(device, about, size);
    const char *bytes = given;
    for (size_t i = about->known; i < size; i++)
        if (bytes[i])
            return core_fail(device, ABBE_ERR_UNSUPPORTED,
                             "%s: a field is set that version %s of the library does not know; use a newer "
                             "library, or leave the field 0",
                             about->name, abbe_version());
    memset(known, 0, about->known);
    memcpy(known, given, size < about->known ? size : about->known);
    memcpy(known, &about->known, sizeof about->known);
    return ABBE_OK;
}
