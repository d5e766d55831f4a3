/* The library's allocations: counted, watched, and made to fail.
 *
 * A test that uses these is linked with posix_memalign and free wrapped (tests/CMakeLists.txt, WRAP). The library
 * allocates on the calling thread only, so one thread may call it under these. */
#ifndef ABBE_TESTS_FAULTS_H
#define ABBE_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* Allocation `n` from now on (0 is the next) fails; and all behind it when `and_all_after`. */
void faults_arm(long n, bool and_all_after);

/* Nothing fails any more. Whether anything did since faults_arm. */
bool faults_disarm(void);

/* Allocations of the library that are alive, and their bytes as asked for. */
size_t faults_live(void);
size_t faults_bytes(void);

/* The most bytes alive at once since faults_watch. */
void faults_watch(void);
size_t faults_peak(void);

#endif
