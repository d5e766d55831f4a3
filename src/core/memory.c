/* Memory: every allocation of the library, with overflow-checked sizes. */
#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *core_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!core_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX - CORE_ALIGNMENT)
        return NULL;
    /* aligned_alloc wants a multiple of the alignment; at least one so that NULL always means failure. */
    size_t rounded = (bytes + CORE_ALIGNMENT - 1) / CORE_ALIGNMENT * CORE_ALIGNMENT;
    return aligned_alloc(CORE_ALIGNMENT, rounded ? rounded : CORE_ALIGNMENT);
}

void *core_alloc_zero(size_t count, size_t size)
{
    void *memory = core_alloc(count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void core_free(void *memory)
{
    free(memory);
}
