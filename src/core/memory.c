/* Memory: every allocation of the library, with overflow-checked sizes. */
#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if !defined __wasm__ /* WASI has no pages to advise on */
#include <sys/mman.h>
#endif

/* Large blocks use huge pages where the system has them: half of the time of a first pass over a gigabyte
 * goes into page faults of small pages. */
enum { HUGE_PAGE = 1 << 21, LARGE = 4 * HUGE_PAGE };

static void advise_huge_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE); /* failure is harmless */
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
    /* Whole cache lines, at least one so that NULL always means failure. aligned_alloc would need a multiple
     * of the alignment, which is up to two megabytes more than footprints announce. */
    size_t rounded = bytes ? (bytes + CORE_ALIGNMENT - 1) / CORE_ALIGNMENT * CORE_ALIGNMENT : CORE_ALIGNMENT;
    if (posix_memalign(&memory, bytes < LARGE ? CORE_ALIGNMENT : HUGE_PAGE, rounded))
        return NULL;
    if (bytes >= LARGE)
        advise_huge_pages(memory, rounded);
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
