/* Fibers: stacks between which a thread switches. */
#ifndef ABBE_TESTS_CUDA_FIBER_H
#define ABBE_TESTS_CUDA_FIBER_H

#include <stddef.h>

struct fiber;

/* Makes the fibers 0 to count - 1; call it again for more. Exits if there is no memory. */
void fiber_reserve(int count);

/* Switches from the thread's own stack to fiber `index`, and returns when it calls fiber_pause (1) or when
 * `run` returns (0). A fiber that is not paused starts with run(argument). */
int fiber_resume(int index, void (*run)(void *argument), void *argument);

/* Switches back to the thread's own stack. */
void fiber_pause(void);

#endif
