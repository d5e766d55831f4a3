/* The time. */
#ifndef ABBE_BENCH_CLOCK_H
#define ABBE_BENCH_CLOCK_H

/* Seconds since some moment, which never go back. */
double seconds_now(void);

#endif
