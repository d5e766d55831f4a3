/* Locks that survive fork(). */
#include "core/lock.h"

#include "core/pool.h"

#if CORE_HAS_THREADS

static atomic_uint generation = 1;
static pthread_mutex_t renewal = PTHREAD_MUTEX_INITIALIZER; /* held while a lock is renewed */

/* Runs in the child of a fork, before fork() returns. */
static void begin_child(void)
{
    renewal = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_fetch_add(&generation, 1);
    pool_forget();
}

/* Without memory for the handler, children of fork() must not use the library. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, begin_child);
}

unsigned core_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

void core_lock_init(struct core_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
    atomic_store_explicit(&lock->generation, core_generation(), memory_order_release);
}

void core_lock_destroy(struct core_lock *lock)
{
    if (atomic_load(&lock->generation) == core_generation())
        pthread_mutex_destroy(&lock->mutex);
}

/* Several threads of a child may meet the same old lock. */
static void renew_lock(struct core_lock *lock)
{
    pthread_mutex_lock(&renewal);
    if (atomic_load(&lock->generation) != core_generation())
        core_lock_init(lock);
    pthread_mutex_unlock(&renewal);
}

void core_lock(struct core_lock *lock)
{
    if (atomic_load_explicit(&lock->generation, memory_order_acquire) != core_generation())
        renew_lock(lock);
    pthread_mutex_lock(&lock->mutex);
}

void core_unlock(struct core_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

#else /* one thread, and no fork() */

unsigned core_generation(void)
{
    return 1;
}

void core_lock_init(struct core_lock *lock)
{
    atomic_init(&lock->generation, 1);
}

void core_lock_destroy(struct core_lock *lock)
{
    (void)lock;
}

void core_lock(struct core_lock *lock)
{
    (void)lock;
}

void core_unlock(struct core_lock *lock)
{
    (void)lock;
}

#endif
