/* Times of the kernels of convolution in space. */
#ifndef ABBE_TESTS_SPACE_TIMES_H
#define ABBE_TESTS_SPACE_TIMES_H

/* Prints a table for every level this machine has to standard output. */
void space_print_times(void);

#endif
