/* What the command line asks for. */
#ifndef ABBE_BENCH_SETTINGS_H
#define ABBE_BENCH_SETTINGS_H

#include "peers/peer.h"

enum { THREAD_COUNTS_MAX = 16, PEERS_MAX = 8 };

struct settings {
    struct bench_case *cases; /* all of them */
    size_t case_count;
    bool *meant; /* which are to be run */
    int threads[THREAD_COUNTS_MAX];
    int thread_counts;
    const struct peer *peers[PEERS_MAX + 1]; /* ends with NULL */
    const char *device;                      /* of the CPU's cases */
    const char *gpu;                         /* of the GPU's: the same where it is one */
    const char *gl;                          /* of OpenGL's, likewise */
    bool named_device;                       /* rather than chosen by the cases */
    double seconds;
    uint64_t seed;
    const char *json, *csv, *markdown, *plot; /* where to; NULL: nowhere, "-": standard output */
    bool calibrate;                           /* instead of running cases */
    bool quiet;
};

/* Reads the command line. Returns −1 when there is something to run, else the exit status: after --help,
 * --list and --version, which it answers itself, and after mistakes, which it says. */
int settings_read(int argc, char **argv, struct settings *settings);

/* Whether any case of this kind is to be run. */
bool settings_mean(const struct settings *settings, enum bench_kind kind);

void settings_free(struct settings *settings);

#endif
