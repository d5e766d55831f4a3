/* The pool of threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "core/pool.h"

#include "core/threads.h"

const void *pool_thread(void)
{
    static _Thread_local const char here;
    return &here;
}

#if CORE_HAS_THREADS

#include "core/clock.h"
#include "core/lock.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/* WORKERS_MAX: threads of the pool; a device has at most 1024 threads, one of which is the caller. LINE:
 * bytes of a cache line; what different threads write lies in different lines. RETRY: loops until a thread is
 * created again after the system refused one. */
enum { WORKERS_MAX = 1023, LINE = 64, RETRY = 256 };

/* Seconds that a thread without work looks for it before it sleeps. Waking a sleeping thread takes 5 to 50
 * µs; the passes of a run, and runs in a row, follow each other sooner than this. */
static const double SPIN = 200e-6;

/* IDLE: looks for work; ASLEEP: must be woken; CALLED: has a loop to join, which may still be withdrawn;
 * BUSY: has joined it. */
enum worker_state { IDLE, ASLEEP, CALLED, BUSY };

/* In `running`: the caller sleeps until the last worker has left. */
enum { CALLER_SLEEPS = 1 << 16 };

/* A loop under way, in the caller's stack. */
struct loop {
    pool_task *task;
    void *context;
    long long count, chunk;
    unsigned generation;
    _Alignas(LINE) atomic_llong next;  /* the first round that no thread has taken */
    _Alignas(LINE) atomic_int running; /* workers that were called and have not left */
};

/* A thread of the pool. `loop` and `number` are written under pool.lock. */
struct worker {
    _Alignas(LINE) atomic_int state;
    struct loop *loop;
    int number;            /* in its loop, from 1 */
    pthread_mutex_t lock;  /* held while the worker falls asleep or is woken */
    pthread_cond_t called; /* the state is no longer ASLEEP */
    pthread_t thread;
};

static struct pool {
    pthread_mutex_t lock; /* guards the fields up to `ended`, and calls of workers */
    int count;            /* threads in the pool */
    int processors;       /* 0 until the first loop */
    int refused;          /* loops that still do without new threads */
    atomic_bool ended;    /* the library is being unloaded */
    atomic_int refusals;  /* threads that the system has refused */
    atomic_int engaged;   /* threads in loops: callers, and workers that were called */
    pthread_mutex_t leaving;
    pthread_cond_t left; /* the last worker has left a loop whose caller sleeps */
    struct worker workers[WORKERS_MAX];
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .leaving = PTHREAD_MUTEX_INITIALIZER,
           .left = PTHREAD_COND_INITIALIZER };

int pool_refusals(void)
{
    return atomic_load_explicit(&pool.refusals, memory_order_relaxed);
}

int pool_processors(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set))
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* ---- Waiting ------------------------------------------------------------------------------------------ */

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

/* Pauses for a while; false when thread `number` of a loop, which began to wait at *since, has waited long
 * enough. Where there are more threads than processors, waiting threads would only delay the others. */
static bool keeps_spinning(int number, double *since)
{
    enum { PAUSES = 32 };
    if (number >= pool.processors ||
        atomic_load_explicit(&pool.engaged, memory_order_relaxed) > pool.processors)
        return false;
    double now = core_seconds();
    if (*since == 0)
        *since = now;
    for (int i = 0; i < PAUSES; i++)
        pause_briefly();
    return now - *since < SPIN;
}

/* ---- Workers ------------------------------------------------------------------------------------------ */

static void sleep_until_called(struct worker *worker)
{
    int expected = IDLE;
    pthread_mutex_lock(&worker->lock);
    if (!atomic_load(&pool.ended) && atomic_compare_exchange_strong(&worker->state, &expected, ASLEEP))
        while (atomic_load(&worker->state) == ASLEEP)
            pthread_cond_wait(&worker->called, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

/* Waits for a loop to join; NULL when the pool ends. `number` is the worker's in its last loop. */
static struct loop *await_loop(struct worker *worker, int number)
{
    double since = 0;
    for (;;) {
        int expected = CALLED;
        if (atomic_compare_exchange_strong(&worker->state, &expected, BUSY))
            return worker->loop;
        if (atomic_load(&pool.ended))
            return NULL;
        if (expected == IDLE && !keeps_spinning(number, &since))
            sleep_until_called(worker);
    }
}

/* Takes rounds until none are left. Workers leave when the pool ends; the caller does all that is left. */
static void take_rounds(struct loop *loop, int number)
{
    long long first = atomic_fetch_add_explicit(&loop->next, loop->chunk, memory_order_relaxed);
    while (first < loop->count) {
        long long end = loop->count - first < loop->chunk ? loop->count : first + loop->chunk;
        loop->task(loop->context, number, first, end);
        if (number && atomic_load_explicit(&pool.ended, memory_order_relaxed))
            break;
        first = atomic_fetch_add_explicit(&loop->next, loop->chunk, memory_order_relaxed);
    }
}

/* The loop may be gone as soon as its last worker is counted out. */
static void leave_loop(struct worker *worker, struct loop *loop)
{
    atomic_store(&worker->state, IDLE);
    if (atomic_fetch_sub(&loop->running, 1) != (CALLER_SLEEPS | 1))
        return;
    pthread_mutex_lock(&pool.leaving);
    pthread_cond_broadcast(&pool.left);
    pthread_mutex_unlock(&pool.leaving);
}

static void *serve_loops(void *argument)
{
    struct worker *worker = argument;
    int number = 0;
    for (struct loop *loop; (loop = await_loop(worker, number)); leave_loop(worker, loop)) {
        number = worker->number;
        take_rounds(loop, number);
    }
    return NULL;
}

/* ---- Calling workers ---------------------------------------------------------------------------------- */

/* Starts a thread that takes no signals of the application, except those that report its own faults and
 * those of profilers. */
static bool start_thread(struct worker *worker)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF };
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(&worker->thread, NULL, serve_loops, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !error;
}

/* Adds a worker that is called to a loop; false when the system refuses a thread. */
static bool add_worker(struct loop *loop, int number)
{
    struct worker *worker = &pool.workers[pool.count];
    worker->loop = loop;
    worker->number = number;
    atomic_store(&worker->state, CALLED);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->called, NULL);
    if (!start_thread(worker))
        return false;
    pool.count++;
    return true;
}

/* Calls a worker to a loop unless it has one already. Only callers, which hold pool.lock, change IDLE or
 * ASLEEP to CALLED. */
static bool call_worker(struct worker *worker, struct loop *loop, int number)
{
    int state = atomic_load(&worker->state);
    if (state == CALLED || state == BUSY)
        return false;
    worker->loop = loop;
    worker->number = number;
    if (atomic_exchange(&worker->state, CALLED) != ASLEEP)
        return true;
    pthread_mutex_lock(&worker->lock);
    pthread_cond_signal(&worker->called);
    pthread_mutex_unlock(&worker->lock);
    return true;
}

/* Calls up to `wanted` workers and returns their number. The pool grows to one thread less than there are
 * processors, or to the number that one loop wants. */
static int call_workers(struct loop *loop, int wanted)
{
    int called = 0;
    pthread_mutex_lock(&pool.lock);
    if (!pool.processors)
        pool.processors = pool_processors();
    int most = wanted > pool.processors - 1 ? wanted : pool.processors - 1;
    if (atomic_load(&pool.ended))
        wanted = 0;
    for (int i = 0; i < pool.count && called < wanted; i++)
        called += call_worker(&pool.workers[i], loop, called + 1);
    if (called < wanted && pool.refused > 0)
        pool.refused--;
    while (called < wanted && pool.count < most && pool.count < WORKERS_MAX && !pool.refused) {
        if (add_worker(loop, called + 1)) {
            called++;
        } else {
            pool.refused = RETRY;
            atomic_fetch_add(&pool.refusals, 1);
        }
    }
    atomic_fetch_add(&pool.engaged, called + 1);
    pthread_mutex_unlock(&pool.lock);
    return called;
}

/* Withdraws the calls of workers that have not joined yet: they still sleep, or are kept from running. */
static void withdraw_calls(struct loop *loop)
{
    pthread_mutex_lock(&pool.lock);
    for (int i = 0; i < pool.count; i++) {
        struct worker *worker = &pool.workers[i];
        int expected = CALLED;
        if (worker->loop == loop && atomic_compare_exchange_strong(&worker->state, &expected, IDLE))
            atomic_fetch_sub(&loop->running, 1);
    }
    pthread_mutex_unlock(&pool.lock);
}

static void await_workers(struct loop *loop)
{
    double since = 0;
    withdraw_calls(loop);
    while (atomic_load(&loop->running) && keeps_spinning(0, &since))
        ;
    if (!atomic_load(&loop->running))
        return;
    pthread_mutex_lock(&pool.leaving);
    atomic_fetch_or(&loop->running, CALLER_SLEEPS);
    while (atomic_load(&loop->running) != CALLER_SLEEPS)
        pthread_cond_wait(&pool.left, &pool.leaving);
    pthread_mutex_unlock(&pool.leaving);
}

static _Thread_local bool stays_alone;

void pool_stay_alone(bool alone)
{
    stays_alone = alone;
}

void pool_loop(int workers, long long count, long long chunk, pool_task *task, void *context)
{
    long long chunks = count > 0 ? (count - 1) / chunk + 1 : 0;
    int wanted = (int)(chunks < workers ? chunks : workers) - 1;
    if (wanted < 1 || stays_alone) {
        if (count > 0)
            task(context, 0, 0, count);
        return;
    }
    struct loop loop = { task, context, count, chunk, core_generation(), 0, wanted };
    int called = call_workers(&loop, wanted);
    atomic_fetch_sub(&loop.running, wanted - called);
    take_rounds(&loop, 0);
    /* A task that called fork() returns twice. The child has no workers; rounds that they had taken are
     * lost to it. */
    if (loop.generation != core_generation())
        return;
    if (atomic_load(&loop.running))
        await_workers(&loop);
    atomic_fetch_sub(&pool.engaged, called + 1);
}

/* ---- The end of the pool ------------------------------------------------------------------------------ */

void pool_forget(void)
{
    pool.lock = pool.leaving = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.count = pool.refused = 0;
    atomic_store(&pool.engaged, 0);
}

/* Threads end before the library's code is unmapped. Also called by exit(), when other threads may still run
 * loops: these continue without workers. */
__attribute__((destructor)) static void end_pool(void)
{
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.ended, true);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.count; i++) {
        struct worker *worker = &pool.workers[i];
        int asleep = ASLEEP;
        pthread_mutex_lock(&worker->lock);
        if (atomic_compare_exchange_strong(&worker->state, &asleep, IDLE))
            pthread_cond_signal(&worker->called);
        pthread_mutex_unlock(&worker->lock);
        pthread_join(worker->thread, NULL);
    }
}

#else /* the caller does all rounds */

void pool_stay_alone(bool alone)
{
    (void)alone;
}

void pool_loop(int workers, long long count, long long chunk, pool_task *task, void *context)
{
    (void)workers, (void)chunk;
    if (count > 0)
        task(context, 0, 0, count);
}

int pool_refusals(void)
{
    return 0;
}

int pool_processors(void)
{
    return 1;
}

void pool_forget(void)
{
}

#endif
