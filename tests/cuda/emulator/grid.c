/* Runs a kernel on the CPU: block after block, the threads of a block as fibers in a random order. */
#include "grid.h"

#include "fiber.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ABBE_EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { WARP = 32, COPIES_MAX = 64 };

struct place {
    unsigned x, y, z;
};

/* What prelude.h declares for kernels. */
extern struct place threadIdx, blockIdx, blockDim, gridDim;
extern const int warpSize;
struct place threadIdx, blockIdx, blockDim, gridDim;
const int warpSize = WARP;

enum { GUARD_BYTES = 4096 };
extern _Alignas(128) unsigned char abcu_shared[GRID_SHARED_MAX + GUARD_BYTES];
_Alignas(128) unsigned char abcu_shared[GRID_SHARED_MAX + GUARD_BYTES];

enum state { READY, AT_WARP_BARRIER, AT_BARRIER, ENDED };

/* An asynchronous copy that has not been waited for; `group` counts from the oldest. */
struct copy {
    void *to;
    const void *from;
    int bytes, group;
};

static struct thread {
    enum state state;
    int copies, groups;
    struct copy copy[COPIES_MAX];
} all[GRID_THREADS_MAX];

static struct thread *current;
static const void *current_parameters;
static uint64_t random_state = 0x9e3779b97f4a7c15;

void emulated_seed(unsigned long seed)
{
    random_state = 0x9e3779b97f4a7c15 * (2 * (uint64_t)seed + 1);
}

static unsigned next_random(unsigned bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 32) * bound >> 32);
}

static void shuffle(int *order, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)next_random((unsigned)i + 1), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

static void give_up(const char *problem)
{
    fprintf(stderr, "cuda emulator: block %u %u %u: %s\n", blockIdx.x, blockIdx.y, blockIdx.z, problem);
    abort();
}

/* ---- What kernels call --------------------------------------------------------------------------------- */

void emulated_syncthreads(void);
void emulated_syncwarp(void);
void emulated_copy_async(void *shared, const void *global, int bytes);
void emulated_commit(void);
void emulated_wait(int groups);
float emulated_half_to_float(unsigned short bits);
unsigned short emulated_float_to_half(float value);

void emulated_syncthreads(void)
{
    current->state = AT_BARRIER;
    fiber_pause();
}

void emulated_syncwarp(void)
{
    current->state = AT_WARP_BARRIER;
    fiber_pause();
}

void emulated_copy_async(void *shared, const void *global, int bytes)
{
    if (current->copies == COPIES_MAX)
        give_up("more asynchronous copies of a thread than the emulator keeps");
    if ((bytes != 4 && bytes != 8 && bytes != 16) || ((uintptr_t)shared | (uintptr_t)global) % (unsigned)bytes)
        give_up("an asynchronous copy that is not of 4, 8 or 16 aligned bytes");
    current->copy[current->copies++] = (struct copy){ shared, global, bytes, current->groups };
}

void emulated_commit(void)
{
    current->groups++;
}

void emulated_wait(int groups)
{
    struct thread *thread = current;
    int done = thread->groups - groups, kept = 0;
    for (int i = 0; i < thread->copies; i++) {
        struct copy copy = thread->copy[i];
        if (copy.group < done)
            memcpy(copy.to, copy.from, (size_t)copy.bytes);
        else
            thread->copy[kept++] = copy;
    }
    thread->copies = kept;
}

float emulated_half_to_float(unsigned short bits)
{
    unsigned exponent = bits >> 10 & 31, wide = (bits & 0x7fffu) << 13;
    float value = (float)(bits & 1023) * 0x1p-24f; /* denormal */
    if (exponent) {
        wide += (exponent == 31 ? 224u : 112u) << 23;
        memcpy(&value, &wide, sizeof value);
    }
    return bits & 0x8000 ? -value : value;
}

unsigned short emulated_float_to_half(float value)
{
    float magnitude = __builtin_fabsf(value);
    unsigned sign = __builtin_signbit(value) ? 0x8000 : 0, wide;
    if (value != value)
        return (unsigned short)(sign | 0x7fff);
    if (magnitude >= 65520)
        return (unsigned short)(sign | 0x7c00);
    if (magnitude < 0x1p-14f) /* denormal */
        return (unsigned short)(sign | (unsigned)__builtin_rintf(magnitude * 0x1p24f));
    memcpy(&wide, &magnitude, sizeof wide);
    wide += 0xfff + (wide >> 13 & 1);
    return (unsigned short)(sign | (wide - (112u << 23)) >> 13);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void call_kernel(void *kernel)
{
    (*(emulated_kernel *)kernel)(current_parameters);
    current->state = ENDED;
}

/* Lets all threads that are ready run to their next barrier or their end. */
static void run_ready(emulated_kernel kernel, int count)
{
    int order[GRID_THREADS_MAX], ready = 0;
    for (int i = 0; i < count; i++)
        if (all[i].state == READY)
            order[ready++] = i;
    shuffle(order, ready);
    for (int i = 0; i < ready; i++) {
        unsigned index = (unsigned)order[i];
        threadIdx = (struct place){ index % blockDim.x, index / blockDim.x % blockDim.y,
                                    index / (blockDim.x * blockDim.y) };
        current = &all[index];
        fiber_resume((int)index, call_kernel, &kernel);
    }
}

static int count_in(enum state state, int first, int end)
{
    int found = 0;
    for (int i = first; i < end; i++)
        found += all[i].state == state;
    return found;
}

static void release(int first, int end)
{
    for (int i = first; i < end; i++)
        all[i].state = READY;
}

/* Opens the barriers at which all threads wait. Returns false when all threads have ended. */
static bool open_barriers(int count)
{
    int ended = count_in(ENDED, 0, count);
    if (ended == count)
        return false;
    if (count_in(AT_BARRIER, 0, count) == count) {
        release(0, count);
        return true;
    }
    bool opened = false;
    for (int first = 0; first < count; first += WARP) {
        int end = first + WARP < count ? first + WARP : count;
        if (count_in(AT_WARP_BARRIER, first, end) == end - first) {
            release(first, end);
            opened = true;
        }
    }
    if (!opened)
        give_up(ended ? "some threads ended while others wait at a barrier" : "threads wait at different barriers");
    return true;
}

static void guard_shared(size_t shared)
{
    memset(abcu_shared, 0xff, shared);
#ifdef ABBE_EMULATOR_ASAN
    ASAN_UNPOISON_MEMORY_REGION(abcu_shared, sizeof abcu_shared);
    ASAN_POISON_MEMORY_REGION(abcu_shared + shared, sizeof abcu_shared - shared);
#else
    memset(abcu_shared + shared, 0xa5, GUARD_BYTES);
#endif
}

static void check_shared(size_t shared)
{
#ifdef ABBE_EMULATOR_ASAN
    (void)shared;
#else
    for (size_t i = 0; i < GUARD_BYTES; i++)
        if (abcu_shared[shared + i] != 0xa5)
            give_up("a thread wrote beyond the shared memory of its launch");
#endif
}

static void run_block(emulated_kernel kernel, int count, size_t shared)
{
    guard_shared(shared);
    for (int i = 0; i < count; i++)
        all[i].state = READY, all[i].copies = all[i].groups = 0;
    do
        run_ready(kernel, count);
    while (open_barriers(count));
    check_shared(shared);
    for (int i = 0; i < count; i++)
        if (all[i].copies)
            give_up("a thread ended before its asynchronous copies");
}

/* An odd number without a common factor, by which a counter modulo `total` visits every block. */
static unsigned choose_step(unsigned total)
{
    for (;;) {
        unsigned step = 2 * next_random(total) + 1, a = step, b = total;
        while (b) {
            unsigned rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step % total;
    }
}

void emulated_run(emulated_kernel kernel, const void *parameters, const unsigned blocks[3],
                  const unsigned threads[3], size_t shared)
{
    unsigned total = blocks[0] * blocks[1] * blocks[2], step = choose_step(total), block = next_random(total);
    int count = (int)(threads[0] * threads[1] * threads[2]);
    fiber_reserve(count);
    gridDim = (struct place){ blocks[0], blocks[1], blocks[2] };
    blockDim = (struct place){ threads[0], threads[1], threads[2] };
    current_parameters = parameters;
    for (unsigned i = 0; i < total; i++, block = (unsigned)(((size_t)block + step) % total)) {
        blockIdx = (struct place){ block % blocks[0], block / blocks[0] % blocks[1],
                                   block / blocks[0] / blocks[1] };
        run_block(kernel, count, shared);
    }
}
