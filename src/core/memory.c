/* Memory: every allocation of the library, with overflow-checked sizes. */
#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Large blocks lie on huge pages where the system has them: half of the time of a first pass over a gigabyte goes
 * into faulting small ones in. */
enum { HUGE_PAGE = 1 << 21, LARGE = 4 * HUGE_PAGE };

static void advise(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (memory)
        madvise(memory, bytes, MADV_HUGEPAGE); /* a wish: nothing depends on its success */
#else
    (void)memory, (void)bytes;
#endif
}

void *core_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!core_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX - HUGE_PAGE)
        return NULL;
    /* aligned_alloc wants a multiple of the alignment; at least one so that NULL always means failure. */
    size_t alignment = bytes < LARGE ? CORE_ALIGNMENT : HUGE_PAGE;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, rounded ? rounded : alignment);
    if (bytes >= LARGE)
        advise(memory, rounded);
    return memory;
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
