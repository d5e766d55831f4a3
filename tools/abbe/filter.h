/* abbe filter: one job of inputs, filters and outputs. */
#ifndef ABBE_TOOL_FILTER_H
#define ABBE_TOOL_FILTER_H

#include "command.h"

enum { RESULTS_MAX = 256, PLANS_KEPT = 8 };

/* What the command line asks for. */
struct job {
    struct settings settings;
    float offset;
    int input_count;
    const char **inputs;
    int result_count;
    const char *texts[RESULTS_MAX];
    const char *outputs[RESULTS_MAX]; /* names, with {name} and {ext} in them for several inputs */
};

/* A plan made for one kind of picture, kept for the next one like it. */
struct kept_plan {
    abbe_plan *plan;
    int width, height, channels;
    abbe_type source_type, result_type;
    bool has_alpha;
};

/* What the job needs while it works. */
struct shop {
    const struct job *job;
    abbe_device *device;
    abbe_filter *filters[RESULTS_MAX];
    int plan_count; /* made so far; the oldest gives way */
    struct kept_plan plans[PLANS_KEPT];
};

/* filter.c → filter_run.c: filters every input; the exit status. */
int filter_run(const struct job *job);

/* names.c: the output's name for an input, to be freed; NULL without memory. */
char *output_name(const char *pattern, const char *input);
bool output_has_place(const char *pattern);

/* The file that an output means, without the options in brackets behind it; to be freed, NULL without memory. */
char *output_file(const char *output);

/* conflicts.c: marks the inputs whose results would replace another file of the job, and says so; false without
 * memory. */
bool conflicts_find(const struct job *job, bool *refused);

#endif
