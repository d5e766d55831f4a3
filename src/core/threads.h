/* The number of threads that a loop over samples uses. */
#ifndef ABBE_CORE_THREADS_H
#define ABBE_CORE_THREADS_H

/* One more thread takes more time to wake than it saves below this number of samples. */
enum { CORE_SAMPLES_PER_THREAD = 8192 };

/* The number of workers for a number of samples: at least 1, at most `threads`. */
static inline int core_workers(int threads, double samples)
{
    double most = 1 + samples / CORE_SAMPLES_PER_THREAD;
    return threads < most ? (threads < 1 ? 1 : threads) : (int)most;
}

#endif
