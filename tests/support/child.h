/* Child processes, which fork() makes. */
#ifndef ABBE_TESTS_CHILD_H
#define ABBE_TESTS_CHILD_H

/* Calls work(argument) in a child and returns its answer, 0 … 255; or −1 when a signal ended the child, among
 * them the alarm of a child that has hung for a minute. The child may not use cmocka's assertions. */
int child_run(int (*work)(void *argument), void *argument);

/* The number of threads of this process; 0 where the system does not tell. */
int child_count_threads(void);

#endif
