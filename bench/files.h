/* The files that the benchmark writes: reports, which appear whole
 * or not at all, and what it keeps in the user's cache folder. */
#ifndef ABBE_BENCH_FILES_H
#define ABBE_BENCH_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* A file that is composed in memory before any of it is written. */
struct draft {
    FILE *out; /* the stream to write to */
    char *bytes;
    size_t size;
};

/* Returns false, with a message, when memory runs out. Call draft_deliver only after success. */
bool draft_open(struct draft *draft);

/* Writes the draft to a file, or to standard output if `path` is
 * "-", and frees it. Returns false, with a message, on failure. */
bool draft_deliver(struct draft *draft, const char *path);

/* Path of a file in the folder abbe of the user's cache folder ($XDG_CACHE_HOME or ~/.cache), which is
 * created if it is missing. Like the library, it ignores a cache folder whose name does not begin with '/'.
 * The caller frees the path; NULL if there is no cache folder or no memory. */
char *cache_path(const char *name);

#endif
