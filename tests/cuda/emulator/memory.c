/* The emulated driver's memory: filled with NaN when it is new, and with guards on both sides. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#ifdef ABBE_EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { GUARD_BYTES = 256, GUARD = 0xa5, FRESH = 0xff };

struct block {
    unsigned char *start; /* behind the first guard */
    size_t bytes;
    cuda_context context;
    bool pinned;
    struct block *next;
};

static struct block *blocks;
static size_t room = SIZE_MAX;

void memory_set_room(size_t bytes)
{
    room = bytes;
}

static bool is_guard(const unsigned char *bytes)
{
#ifdef ABBE_EMULATOR_ASAN
    (void)bytes; /* which cannot be read or written */
    return true;
#else
    for (int i = 0; i < GUARD_BYTES; i++)
        if (bytes[i] != GUARD)
            return false;
    return true;
#endif
}

static void check_block(const struct block *block)
{
    if (!is_guard(block->start - GUARD_BYTES))
        emulator_refuse("something was written before an allocation of %zu bytes", block->bytes);
    if (!is_guard(block->start + block->bytes))
        emulator_refuse("something was written behind an allocation of %zu bytes", block->bytes);
}

void memory_check_guards(void)
{
    for (struct block *block = blocks; block; block = block->next)
        check_block(block);
}

static int create_block(size_t bytes, bool pinned, void **start)
{
    struct block *block = malloc(sizeof *block);
    void *memory = NULL;
    if (!block || posix_memalign(&memory, GUARD_BYTES, bytes + 2 * GUARD_BYTES)) {
        free(block);
        return CUDA_OUT_OF_MEMORY;
    }
    *block = (struct block){ (unsigned char *)memory + GUARD_BYTES, bytes, emulator_context(), pinned,
                             blocks };
    blocks = block;
    memset(memory, GUARD, GUARD_BYTES);
    memset(block->start, FRESH, bytes);
    memset(block->start + bytes, GUARD, GUARD_BYTES);
#ifdef ABBE_EMULATOR_ASAN
    ASAN_POISON_MEMORY_REGION(memory, GUARD_BYTES);
    ASAN_POISON_MEMORY_REGION(block->start + bytes, GUARD_BYTES);
#endif
    *(pinned ? &counts.pinned : &counts.allocations) += 1;
    counts.bytes += pinned ? 0 : bytes;
    *start = block->start;
    return CUDA_OK;
}

static void destroy_block(struct block **link)
{
    struct block *block = *link;
    check_block(block);
    *(block->pinned ? &counts.pinned : &counts.allocations) -= 1;
    counts.bytes -= block->pinned ? 0 : block->bytes;
    *link = block->next;
#ifdef ABBE_EMULATOR_ASAN
    ASAN_UNPOISON_MEMORY_REGION(block->start - GUARD_BYTES, block->bytes + 2 * GUARD_BYTES);
#endif
    free(block->start - GUARD_BYTES);
    free(block);
}

static void destroy_at(const void *start, bool pinned)
{
    struct block **link = &blocks;
    while (*link && ((*link)->start != start || (*link)->pinned != pinned))
        link = &(*link)->next;
    if (!*link)
        emulator_refuse("memory is freed that was not allocated");
    destroy_block(link);
}

void memory_forget(cuda_context context)
{
    for (struct block **link = &blocks; *link;)
        if ((*link)->context == context)
            destroy_block(link);
        else
            link = &(*link)->next;
}

void memory_check(cuda_pointer pointer, size_t bytes, const char *what)
{
    for (struct block *block = blocks; block; block = block->next)
        if (!block->pinned && pointer >= (uintptr_t)block->start &&
            pointer + bytes <= (uintptr_t)block->start + block->bytes)
            return;
    emulator_refuse("%s: %zu bytes at %#llx are not in one allocation of the GPU", what, bytes, pointer);
}

bool memory_is_pinned(const void *host)
{
    for (struct block *block = blocks; block; block = block->next)
        if (block->pinned && (const unsigned char *)host >= block->start &&
            (const unsigned char *)host < block->start + block->bytes)
            return true;
    return false;
}

/* ---- Functions of the driver --------------------------------------------------------------------------- */

int cuMemAlloc_v2(cuda_pointer *pointer, size_t bytes)
{
    ENTER(NEEDS_CONTEXT);
    int error = stream_forbid_capture();
    if (error || !bytes)
        return error ? error : CUDA_INVALID_VALUE;
    if (bytes > room || counts.bytes + bytes > (size_t)emulator_setting("MEMORY"))
        return CUDA_OUT_OF_MEMORY;
    void *start = NULL;
    error = create_block(bytes, false, &start);
    *pointer = (uintptr_t)start;
    return error;
}

/* Waits, as the driver does, for work that may use the memory. */
int cuMemFree_v2(cuda_pointer pointer)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    int error = stream_forbid_capture();
    if (error || !pointer)
        return error;
    stream_finish_all();
    destroy_at((const void *)(uintptr_t)pointer, false);
    return emulator_context()->lost;
}

int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    ENTER(NEEDS_CONTEXT);
    (void)flags;
    int error = stream_forbid_capture();
    if (error || !bytes)
        return error ? error : CUDA_INVALID_VALUE;
    return bytes > room ? CUDA_OUT_OF_MEMORY : create_block(bytes, true, host);
}

int cuMemFreeHost(void *host)
{
    ENTER(NEEDS_CONTEXT | RELEASES);
    int error = stream_forbid_capture();
    if (error || !host)
        return error;
    stream_finish_all();
    destroy_at(host, true);
    return emulator_context()->lost;
}
