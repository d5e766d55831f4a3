/* Locks that a child of fork() can still take, and the generation of the process.
 *
 * A child has one thread, the one that called fork(). Locks that another thread held at that moment stay held
 * in the child's copy of the memory, so that a plain mutex would block for ever. A core_lock that was held
 * before the fork is free again in the child. What it guards must therefore be changed so that every
 * intermediate state is valid: prepare apart, then publish with one store. */
#ifndef ABBE_CORE_LOCK_H
#define ABBE_CORE_LOCK_H

#include "core/threads.h"

#include <stdatomic.h>
#if CORE_HAS_THREADS
#include <pthread.h>
#endif

/* The number of forks between the program's start and this process, plus 1. Whatever belongs to threads or
 * drivers of another generation does not exist in this process. */
unsigned core_generation(void);

/* A lock in static storage may be left zero: its first use initialises it. */
struct core_lock {
#if CORE_HAS_THREADS
    pthread_mutex_t mutex;
#endif
    atomic_uint generation; /* of the process that the mutex belongs to */
};

void core_lock_init(struct core_lock *lock);
void core_lock_destroy(struct core_lock *lock);
void core_lock(struct core_lock *lock);
void core_unlock(struct core_lock *lock);

#endif
