/* Fibers: on x86-64 a switch of a few nanoseconds, elsewhere the C library's, which calls the kernel. */
#include "fiber.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined __has_feature
#if __has_feature(address_sanitizer) && !defined __SANITIZE_ADDRESS__
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 256 << 10 };
#else
enum { STACK_BYTES = 64 << 10 };
#endif
enum { FIBERS_MAX = 1024, GUARD_BYTES = 4096 };

#ifdef __x86_64__
typedef void *place; /* the stack pointer; the registers that functions preserve lie there */

void fiber_switch(place *from, place *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size fiber_switch, . - fiber_switch\n");
#else
#include <ucontext.h>
typedef ucontext_t place;
#define fiber_switch(from, to) swapcontext(from, to)
#endif

struct fiber {
    place place;
    char *stack;
    bool paused;
};

static struct fiber fibers[FIBERS_MAX];
static int reserved;
static place home;
static struct fiber *current;
static void (*current_run)(void *);
static void *current_argument;

/* ---- What the address sanitizer must know about stacks ------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__
static void *home_fake;
static const void *home_stack;
static size_t home_bytes;

static void announce_switch(void **fake, const void *stack, size_t bytes)
{
    __sanitizer_start_switch_fiber(fake, stack, bytes);
}

static void note_arrival(void *fake, const void **stack, size_t *bytes)
{
    __sanitizer_finish_switch_fiber(fake, stack, bytes);
}
#else
static void *home_fake;
static const void *home_stack;
static size_t home_bytes;

static void announce_switch(void **fake, const void *stack, size_t bytes)
{
    (void)fake, (void)stack, (void)bytes;
}

static void note_arrival(void *fake, const void **stack, size_t *bytes)
{
    (void)fake, (void)stack, (void)bytes;
}
#endif

/* ---- Switching ----------------------------------------------------------------------------------------- */

static void begin(void)
{
    note_arrival(NULL, &home_stack, &home_bytes);
    current_run(current_argument);
    current->paused = false;
    announce_switch(NULL, home_stack, home_bytes);
    place nowhere;
    fiber_switch(&nowhere, &home);
    abort();
}

/* Puts the place of a fiber at the first instruction of begin(). Neighbouring stacks begin in different cache
 * sets. */
static void rewind_fiber(struct fiber *fiber)
{
#ifdef __x86_64__
    uintptr_t top = (uintptr_t)fiber->stack + STACK_BYTES - (size_t)(fiber - fibers) % 32 * 128;
    void **words = (void **)top - 8; /* six registers, the address of begin(), its caller's */
    void (*entry)(void) = begin;
    words[6] = *(void **)&entry;
    words[7] = NULL;
    fiber->place = words;
#else
    getcontext(&fiber->place);
    fiber->place.uc_stack.ss_sp = fiber->stack;
    fiber->place.uc_stack.ss_size = STACK_BYTES;
    fiber->place.uc_link = NULL;
    makecontext(&fiber->place, begin, 0);
#endif
}

void fiber_reserve(int count)
{
    for (; reserved < count && reserved < FIBERS_MAX; reserved++) {
        char *memory = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE)) {
            fprintf(stderr, "cuda emulator: no memory for the stacks of %d threads\n", count);
            exit(1);
        }
        fibers[reserved] = (struct fiber){ .stack = memory + GUARD_BYTES };
    }
}

int fiber_resume(int index, void (*run)(void *argument), void *argument)
{
    struct fiber *fiber = current = &fibers[index];
    if (!fiber->paused) {
        rewind_fiber(fiber);
        current_run = run;
        current_argument = argument;
    }
    fiber->paused = true;
    announce_switch(&home_fake, fiber->stack, STACK_BYTES);
    fiber_switch(&home, &fiber->place);
    note_arrival(home_fake, NULL, NULL);
    return fiber->paused;
}

void fiber_pause(void)
{
    struct fiber *fiber = current;
    void *fake = NULL;
    announce_switch(&fake, home_stack, home_bytes);
    fiber_switch(&fiber->place, &home);
    note_arrival(fake, &home_stack, &home_bytes);
}
