/* Files that are written in memory first, and then whole or not at all. */
#ifndef ABBE_BENCH_DRAFT_H
#define ABBE_BENCH_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

struct draft {
    FILE *out; /* to write to */
    char *bytes;
    size_t size;
};

/* false, and said, without memory. draft_deliver must follow only where it opened. */
bool draft_open(struct draft *draft);

/* Writes it to a file, or to standard output where that is called "-", and frees it. false, and said, when it cannot. */
bool draft_deliver(struct draft *draft, const char *path);

#endif
