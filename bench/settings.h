/* The command line of the benchmark. */
#ifndef ABBE_BENCH_SETTINGS_H
#define ABBE_BENCH_SETTINGS_H

#include "peers/peer.h"

enum { THREAD_COUNTS_MAX = 16, PEERS_MAX = 8, FROM_MAX = 8 };

struct settings {
    struct bench_case *cases; /* all cases */
    size_t case_count;
    bool *selected; /* for each case: whether it runs */
    int threads[THREAD_COUNTS_MAX];
    int thread_counts;
    const struct peer *peers[PEERS_MAX + 1]; /* ends with NULL */
    const char *device;                      /* for cases of KIND_CPU */
    const char *gpu;                         /* for cases of KIND_GPU: `device` if that is a Vulkan device */
    const char *cuda;                        /* the same for KIND_CUDA */
    const char *gl;                          /* for cases of KIND_GL, likewise */
    bool named_device;                       /* --device was given */
    double seconds;
    uint64_t seed;
    const char *json, *csv, *markdown, *plot; /* paths; NULL: not written, "-": standard output */
    bool calibrate;                           /* calibrate instead of running cases */
    bool quiet;

    /* The command papers: its cases are selected, and the page about the papers is written to `markdown`. */
    bool papers;
    const char *from[FROM_MAX]; /* reports of other runs for the same page */
    int from_count;
    bool no_run; /* the page is written from these alone */
};

/* Reads the command line. Returns −1 if there is something to run, else the exit status: --help, --list and
 * --version are answered here, and mistakes are reported here. */
int settings_read(int argc, char **argv, struct settings *settings);

/* Tells whether any case of this kind is selected. */
bool settings_selects(const struct settings *settings, enum bench_kind kind);

void settings_free(struct settings *settings);

/* Joins the command line to one text, quoted for a shell: "abbe-bench --threads 1,2 'plane-*'". The caller
 * frees it; NULL if memory runs out. */
char *command_line_join(int argc, char **argv);

#endif
