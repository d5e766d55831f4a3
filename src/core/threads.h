/* Whether there are threads, and the number that a loop over samples uses. */
#ifndef ABBE_CORE_THREADS_H
#define ABBE_CORE_THREADS_H

/* WebAssembly has threads only where it is compiled for shared memory. */
#if defined __wasm__ && !defined _REENTRANT
#define CORE_HAS_THREADS 0
#else
#define CORE_HAS_THREADS 1
#endif

/* One more thread takes more time to wake than it saves below this number of samples. */
enum { CORE_SAMPLES_PER_THREAD = 8192 };

/* The number of workers for a number of samples: at least 1, at most `threads`. */
static inline int core_workers(int threads, double samples)
{
    double most = 1 + samples / CORE_SAMPLES_PER_THREAD;
    return threads < most ? (threads < 1 ? 1 : threads) : (int)most;
}

#endif
