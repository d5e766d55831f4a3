/* The outputs of abbe filter: names made from patterns and inputs, and conflicts between them. */
#ifndef ABBE_TOOL_OUTPUTS_H
#define ABBE_TOOL_OUTPUTS_H

#include "picture.h"

struct outputs {
    const char *const *inputs;
    int input_count;
    const char *const *patterns; /* output names, with {name} and {ext} in them for several inputs */
    int pattern_count;
    struct destination *destinations; /* pattern j of input i is at i · pattern_count + j */
    bool *refused;                    /* inputs whose outputs would replace another file of the command */
};

/* Whether the pattern contains {name}, so that several inputs get several outputs. */
bool output_has_name(const char *pattern);

/* Makes and parses the output names of all inputs, and marks conflicts, which it prints. `inputs` and
 * `patterns` must be set. Returns false when memory is short; call outputs_free in every case. */
bool outputs_create(struct outputs *outputs);
void outputs_free(struct outputs *outputs);

#endif
