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

/* What prelude.cuh declares for kernels. */
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

struct copies {
    int count, groups;
    struct copy list[COPIES_MAX];
};

static enum state states[GRID_THREADS_MAX];
static struct place places[GRID_THREADS_MAX]; /* threadIdx */
static struct copies copies[GRID_THREADS_MAX];
static int order[GRID_THREADS_MAX]; /* in which the threads of a block run */
static int in_state[ENDED + 1];     /* number of threads */

static int current;
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

static void shuffle_threads(int count)
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

static void set_state(int thread, enum state state)
{
    in_state[states[thread]]--;
    in_state[state]++;
    states[thread] = state;
}

void emulated_syncthreads(void)
{
    set_state(current, AT_BARRIER);
    fiber_pause();
}

void emulated_syncwarp(void)
{
    set_state(current, AT_WARP_BARRIER);
    fiber_pause();
}

void emulated_copy_async(void *shared, const void *global, int bytes)
{
    struct copies *own = &copies[current];
    if (own->count == COPIES_MAX)
        give_up("more asynchronous copies of a thread than the emulator keeps");
    if ((bytes != 4 && bytes != 8 && bytes != 16) ||
        ((uintptr_t)shared | (uintptr_t)global) % (unsigned)bytes)
        give_up("an asynchronous copy that is not of 4, 8 or 16 aligned bytes");
    own->list[own->count++] = (struct copy){ shared, global, bytes, own->groups };
}

void emulated_commit(void)
{
    copies[current].groups++;
}

void emulated_wait(int groups)
{
    struct copies *own = &copies[current];
    int done = own->groups - groups, kept = 0;
    for (int i = 0; i < own->count; i++) {
        struct copy copy = own->list[i];
        if (copy.group < done)
            memcpy(copy.to, copy.from, (size_t)copy.bytes);
        else
            own->list[kept++] = copy;
    }
    own->count = kept;
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
    set_state(current, ENDED);
    if (copies[current].count)
        give_up("a thread ended before its asynchronous copies");
}

/* Lets all threads that are ready run to their next barrier or their end, forwards or backwards in their
 * order. */
static void run_ready(emulated_kernel kernel, int count)
{
    bool backwards = next_random(2);
    for (int i = 0; i < count; i++) {
        int thread = order[backwards ? count - 1 - i : i];
        if (states[thread] != READY)
            continue;
        threadIdx = places[thread];
        current = thread;
        fiber_resume(thread, call_kernel, &kernel);
    }
}

/* Opens the barriers of the warps whose threads all wait there. */
static void open_warp_barriers(int count)
{
    for (int first = 0; first < count; first += WARP) {
        int end = first + WARP < count ? first + WARP : count, waiting = 0;
        for (int i = first; i < end; i++)
            waiting += states[i] == AT_WARP_BARRIER;
        for (int i = first; i < end && waiting == end - first; i++)
            set_state(i, READY);
    }
}

/* Opens the barriers at which all threads wait. Returns false when all threads have ended. */
static bool open_barriers(int count)
{
    if (in_state[ENDED] == count)
        return false;
    for (int i = 0; i < count && in_state[AT_BARRIER] + i == count; i++)
        set_state(i, READY);
    if (in_state[AT_WARP_BARRIER])
        open_warp_barriers(count);
    if (!in_state[READY])
        give_up(in_state[ENDED] ? "some threads ended while others wait at a barrier"
                                : "threads wait at different barriers");
    return true;
}

static void guard_shared(size_t shared)
{
#ifdef ABBE_EMULATOR_ASAN
    ASAN_UNPOISON_MEMORY_REGION(abcu_shared, sizeof abcu_shared);
    ASAN_POISON_MEMORY_REGION(abcu_shared + shared, sizeof abcu_shared - shared);
#else
    memset(abcu_shared + shared, 0xa5, GUARD_BYTES);
#endif
    memset(abcu_shared, 0xff, shared);
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
    shuffle_threads(count);
    memset(states, 0, sizeof states);
    memset(in_state, 0, sizeof in_state);
    in_state[READY] = count;
    do
        run_ready(kernel, count);
    while (open_barriers(count));
    check_shared(shared);
}

/* Numbers the threads of every block of a launch. */
static void place_threads(const unsigned threads[3], int count)
{
    for (int i = 0; i < count; i++) {
        unsigned index = (unsigned)i;
        places[i] = (struct place){ index % threads[0], index / threads[0] % threads[1],
                                    index / threads[0] / threads[1] };
        copies[i].count = copies[i].groups = 0;
        order[i] = i;
    }
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
    place_threads(threads, count);
    for (unsigned i = 0; i < total; i++, block = (unsigned)(((size_t)block + step) % total)) {
        blockIdx = (struct place){ block % blocks[0], block / blocks[0] % blocks[1],
                                   block / blocks[0] / blocks[1] };
        run_block(kernel, count, shared);
    }
}
