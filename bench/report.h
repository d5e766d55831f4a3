/* What a run found, and the forms it is told in. */
#ifndef ABBE_BENCH_REPORT_H
#define ABBE_BENCH_REPORT_H

#include "contest.h"
#include "machine.h"

#include <stdio.h>

struct report {
    const char *command; /* as it was typed */
    const char *device;
    struct machine machine;
    uint64_t seed;
    double seconds; /* per case */
    const int *threads;
    int thread_counts;
    const struct peer *const *peers; /* that were to take part; ends with NULL */
    const struct result *results;
    size_t count;
};

/* The planner's grid on one number of threads. */
struct planner_summary {
    int threads;
    size_t cells, within; /* and how many cost at most PLANNER_BOUND more than the best method */
    double mean, worst;   /* regret */
    const struct result *worst_cell;
};

#define PLANNER_BOUND 0.15

/* `cells` is 0 when the planner's grid was not run. */
struct planner_summary planner_summarise(const struct report *report, int threads);

/* "U8" or "F32". */
const char *type_name(abbe_type type);

/* "Abbe 0.1.0", and so on; for a peer that is not there what to install. */
void describe_peer(const struct peer *peer, char *text, size_t size);

/* The table on a terminal: the head, then row by row as results come, then what is to be said about all. */
void table_head(FILE *out, const struct report *report);
void table_row(FILE *out, const struct report *report, size_t index);
void table_foot(FILE *out, const struct report *report);

void write_json(FILE *out, const struct report *report);
void write_csv(FILE *out, const struct report *report);
void write_markdown(FILE *out, const struct report *report);

/* The part of that page that a group of OpenGL's cases has. */
void write_gl_group(FILE *out, const struct report *report, const struct bench_group *group);

/* Whether there is a gnuplot; says so when not. */
bool plot_check(void);

/* A chart of the ratios to the peers, drawn by gnuplot into a file. Says what is wrong. */
bool plot_draw(const char *path, const struct report *report);

#endif
