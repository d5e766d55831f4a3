/* The results of all cases, what follows from their figures, and the formats they are reported in. */
#ifndef ABBE_BENCH_REPORT_H
#define ABBE_BENCH_REPORT_H

#include "contest.h"
#include "gl/counts.h"
#include "machine.h"

#include <stdio.h>

struct report {
    const char *command; /* the command line */
    const char *device;
    struct machine machine;
    uint64_t seed;
    double seconds; /* per case */
    const int *threads;
    int thread_counts;
    const struct peer *const *peers; /* the selected peers; ends with NULL */
    const struct result *results;
    size_t count;

    /* Of `abbe-bench papers`; counts is NULL without it. */
    const struct count_list *counts;
    const char *gpu, *gl;                                /* drivers; "" where there is none */
    const char *gpu_problem, *cuda_problem, *gl_problem; /* why there is none; "" otherwise */
};

/* ---- Derived figures ----------------------------------------------------------------------------------- */

/* Index of the contender with the smallest minimum, or −1. */
int result_best(const struct result *result);

/* Regret of a cell of the planner's grid: minimum of the chosen method / minimum of the best method − 1. */
double result_regret(const struct result *result);

/* Median of a contender over the median of Abbe, or 0 where this ratio has no meaning. */
double result_ratio(const struct result *result, int contender);

/* Half the interquartile range over the median. */
double figures_spread(const struct figures *figures);

/* Nanoseconds per pixel at the median. */
double figures_per_pixel(const struct figures *figures, const struct bench_case *what);

/* The larger of a contender's distances from the formula and from Abbe's result. */
double contender_deviation(const struct contender *contender);

/* The planner's grid on one number of threads. */
struct planner_summary {
    int threads;
    size_t cells;       /* 0: the planner's grid was not run */
    size_t within;      /* cells whose regret is at most PLANNER_BOUND */
    double mean, worst; /* regret */
    const struct result *worst_cell;
};

#define PLANNER_BOUND 0.15

struct planner_summary planner_summarise(const struct report *report, int threads);

/* ---- Formats ------------------------------------------------------------------------------------------- */

/* Writes "FFTW 3.3.10", or for a peer that is missing which package provides it. */
void describe_peer(const struct peer *peer, char *text, size_t size);

/* The table on a terminal: the head, then a row after each case, then the summary. */
void table_head(FILE *out, const struct report *report);
void table_row(FILE *out, const struct report *report, size_t index);
void table_foot(FILE *out, const struct report *report);

void write_json(FILE *out, const struct report *report);
void write_csv(FILE *out, const struct report *report);
void write_markdown(FILE *out, const struct report *report);

/* Returns whether gnuplot is installed, with a message if it is not. */
bool plot_check(void);

/* Draws a chart of the ratios to the peers into a file by
 * gnuplot. Returns false, with a message, on failure. */
bool plot_draw(const char *path, const struct report *report);

#endif
