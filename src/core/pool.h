/* Loops whose rounds are shared among threads.
 *
 * One pool of threads serves all loops of the process. A loop is done by the thread that asks for it and by
 * idle threads of the pool, which are created when they are first needed. A loop never waits for a thread:
 * when all others are busy or none can be created, the calling thread does all rounds. */
#ifndef ABBE_CORE_POOL_H
#define ABBE_CORE_POOL_H

#include <stdbool.h>

/* Does rounds first … end − 1 of a loop. `worker` identifies the thread: 0 is the thread that called
 * pool_loop, the others have different numbers below `workers`. */
typedef void pool_task(void *context, int worker, long long first, long long end);

/* Does the rounds 0 … count − 1 of a loop on at most `workers` threads, and returns when all are done.
 * Threads take `chunk` rounds at a time (at least 1), in rising order. Without other threads there is one
 * call for all rounds. Tasks may call pool_loop. */
void pool_loop(int workers, long long count, long long chunk, pool_task *task, void *context);

/* While set, loops that the calling thread asks for are done by it alone: other threads have their own
 * work. */
void pool_stay_alone(bool alone);

/* The chunk that divides a loop into one part per worker, for rounds that take equally long. */
static inline long long pool_share(int workers, long long count)
{
    return count > workers ? (count - 1) / workers + 1 : 1;
}

/* Identifies the calling thread as long as it lives. */
const void *pool_thread(void);

/* The number of processors that this process may use; at least 1. */
int pool_processors(void);

/* How often the system has refused to start a thread of the pool. */
int pool_refusals(void);

/* In the child of a fork, which has none of the pool's threads: empties the pool. */
void pool_forget(void);

#endif
