/* Counts the library's allocations and lets them fail.
 *
 * Programs that use these functions wrap posix_memalign and free (WRAP in CMake). The library allocates on
 * the calling thread only; only one thread may call it meanwhile. */
#ifndef ABBE_TESTS_FAULTS_H
#define ABBE_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* Lets allocation `n` from now on fail (0 is the next), and all later ones if `and_all_after`. */
void faults_arm(long n, bool and_all_after);

/* Ends the failures. Returns whether any allocation failed since faults_arm. */
bool faults_disarm(void);

/* The number of live allocations of the library, and the sum of their requested bytes. */
size_t faults_live(void);
size_t faults_bytes(void);

/* The most live bytes since faults_watch. */
void faults_watch(void);
size_t faults_peak(void);

#endif
