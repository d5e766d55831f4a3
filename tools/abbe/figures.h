/* Times, sizes and thread counts as text, and the width of text. */
#ifndef ABBE_TOOL_FIGURES_H
#define ABBE_TOOL_FIGURES_H

#include <stddef.h>

/* Size of the buffers below. */
enum { FIGURE_MAX = 32 };

/* Writes "850 µs", "12.3 ms", "4.56 s" or "12 min": three digits and a unit. */
const char *figure_seconds(double seconds, char text[FIGURE_MAX]);

/* Writes "640 bytes", "12.3 kB" or "1.20 GB", in powers of 1000. */
const char *figure_bytes(size_t bytes, char text[FIGURE_MAX]);

/* The number of threads of a device opened with `threads`; 0 stands for every processor of this process. */
int figure_threads(int threads);

/* The number of characters of a UTF-8 text. */
int figure_width(const char *text);

#endif
