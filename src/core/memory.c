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
    madvise(memory, bytes, MADV_HUGEPAGE); /* a wish: nothing depends on its success */
#else
    (void)memory, (void)bytes;
#endif
}

void *core_alloc(size_t count, size_t size)
{
    size_t bytes;
    void *memory = NULL;
    if (!core_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX - CORE_ALIGNMENT)
        return NULL;
    /* Whole lines of the cache, at least one so that NULL always means failure. Not aligned_alloc, which wants a
     * multiple of the alignment: up to two megabytes more than anybody has announced. */
    size_t rounded = bytes ? (bytes + CORE_ALIGNMENT - 1) / CORE_ALIGNMENT * CORE_ALIGNMENT : CORE_ALIGNMENT;
    if (posix_memalign(&memory, bytes < LARGE ? CORE_ALIGNMENT : HUGE_PAGE, rounded))
        return NULL;
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
