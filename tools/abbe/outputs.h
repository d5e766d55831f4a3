/* The outputs of abbe filter: names made from patterns and inputs, and conflicts between them. */
#ifndef ABBE_TOOL_OUTPUTS_H
#define ABBE_TOOL_OUTPUTS_H

#include "picture.h"

enum existing { EXISTING_OVERWRITE, EXISTING_SKIP, EXISTING_REFUSE };

struct outputs {
    const char *const *inputs;
    int input_count;
    const char *const *patterns; /* output names, with {name}, {ext} and {dir} in them for several inputs */
    int pattern_count;
    int number; /* for {n}; 0 where that is not replaced */
    bool makes_folders;
    enum existing existing;           /* what becomes of outputs that exist before the command begins */
    struct destination *destinations; /* pattern j of input i is at i · pattern_count + j */
    bool *skipped;                    /* destinations that exist and are kept, in the same order */
    bool *refused;                    /* inputs whose outputs would replace another file, or exist */
};

/* Whether the pattern contains {name}, so that several inputs get several outputs. */
bool output_has_name(const char *pattern);

/* Whether the pattern contains {n}, so that the pictures of standard input get an output each. */
bool output_has_number(const char *pattern);

/* Whether that path, which may be NULL, and the input are one file. */
bool output_is_input(const char *path, const char *input);

/* Makes and parses the output names of all inputs, and marks conflicts, which it prints. `inputs` and
 * `patterns` must be set. Returns false when memory is short; call outputs_free in every case. */
bool outputs_create(struct outputs *outputs);

/* Whether all outputs of an input exist and are kept. */
bool outputs_are_skipped(const struct outputs *outputs, int input);
void outputs_free(struct outputs *outputs);

#endif
