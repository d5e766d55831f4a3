/* The command line as it could be typed again. */
#ifndef ABBE_BENCH_WORDS_H
#define ABBE_BENCH_WORDS_H

/* "abbe-bench --threads 1,2 'plane-*'": the words behind the first, quoted where a shell would read them otherwise. To be
 * freed; NULL without memory. */
char *words_join(int argc, char **argv);

#endif
