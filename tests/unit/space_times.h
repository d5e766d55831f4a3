/* How long the kernels of convolution in space take. */
#ifndef ABBE_TESTS_SPACE_TIMES_H
#define ABBE_TESTS_SPACE_TIMES_H

/* A table for every level this machine has, on standard output. */
void space_print_times(void);

#endif
