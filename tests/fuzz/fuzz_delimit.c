/* Fuzz target: the ends of pictures in a stream. An input is a stream; the pictures in it are walked as a sequence does.
 * The end of a picture must lie in the stream, and must not depend on what follows. */
#include "delimit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The end of a picture, from a copy of `size` bytes, beyond which the sanitizer finds every access. */
static size_t delimit_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    size_t end = delimit_picture(copy, size);
    free(copy);
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PICTURES = 64 };
    for (int i = 0; i < PICTURES && size; i++) {
        size_t end = delimit_picture(data, size);
        if (end > size || (end && (end < 12 ? delimit_copy(data, size) : delimit_copy(data, end)) != end))
            abort();
        if (!end)
            break;
        data += end;
        size -= end;
    }
    return 0;
}
