/* Figures as people read them: times, bytes, numbers of threads. */
#ifndef ABBE_TOOL_FIGURES_H
#define ABBE_TOOL_FIGURES_H

#include <stddef.h>

/* Room for any of these texts. */
enum { FIGURE_MAX = 32 };

/* "850 µs", "12.3 ms", "4.56 s", "12 min": three digits and the unit that suits them. */
const char *figure_seconds(double seconds, char text[FIGURE_MAX]);

/* "640 bytes", "12.3 kB", "1.20 GB", in powers of 1000 like disks and files. */
const char *figure_bytes(size_t bytes, char text[FIGURE_MAX]);

/* Threads that a device takes when asked for `threads`: 0 stands for every processor this process may use. */
int figure_threads(int threads);

/* Characters of UTF-8 text, which is what columns of a table count. */
int figure_width(const char *text);

#endif
