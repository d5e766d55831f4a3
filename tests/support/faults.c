/* Counts the library's allocations and lets them fail. */
#include "support/faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS_MAX = 1 << 14 };

static struct {
    long countdown; /* −1: not armed */
    bool and_all_after, failed;
    size_t bytes, peak, count;
    struct block {
        void *address;
        size_t size;
    } blocks[BLOCKS_MAX];
} faults = { .countdown = -1 };

int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);

static bool must_fail(void)
{
    if (faults.countdown < 0)
        return false;
    bool now = faults.countdown == 0;
    if (!now)
        faults.countdown--;
    else if (!faults.and_all_after)
        faults.countdown = -1;
    faults.failed |= now;
    return now;
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    int error = must_fail() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
    if (error)
        return error;
    if (faults.count == BLOCKS_MAX) {
        printf("more than %d allocations are alive\n", BLOCKS_MAX);
        abort();
    }
    faults.blocks[faults.count++] = (struct block){ *memory, size };
    faults.bytes += size;
    if (faults.bytes > faults.peak)
        faults.peak = faults.bytes;
    return 0;
}

/* Memory of other libraries passes through. The search starts at the newest block, which is usually freed
 * first. */
void __wrap_free(void *memory)
{
    for (size_t i = faults.count; memory && i-- > 0;)
        if (faults.blocks[i].address == memory) {
            faults.bytes -= faults.blocks[i].size;
            faults.blocks[i] = faults.blocks[--faults.count];
            break;
        }
    __real_free(memory);
}

void faults_arm(long n, bool and_all_after)
{
    faults.countdown = n;
    faults.and_all_after = and_all_after;
    faults.failed = false;
}

bool faults_disarm(void)
{
    faults.countdown = -1;
    return faults.failed;
}

size_t faults_live(void)
{
    return faults.count;
}

size_t faults_bytes(void)
{
    return faults.bytes;
}

void faults_watch(void)
{
    faults.peak = faults.bytes;
}

size_t faults_peak(void)
{
    return faults.peak;
}
