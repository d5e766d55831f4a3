/* How many threads a piece of work deserves. */
#ifndef ABBE_CORE_THREADS_H
#define ABBE_CORE_THREADS_H

/* Samples below which one more thread costs more to wake than it saves. */
enum { CORE_SAMPLES_PER_THREAD = 8192 };

/* At most `threads` workers for that many samples, at least one. */
static inline int core_workers(int threads, double samples)
{
    double most = 1 + samples / CORE_SAMPLES_PER_THREAD;
    return threads < most ? (threads < 1 ? 1 : threads) : (int)most;
}

#endif
