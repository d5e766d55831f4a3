/* Command-line options: one table per subcommand, long and short forms, values, nearest names. */
#ifndef ABBE_TOOL_OPTIONS_H
#define ABBE_TOOL_OPTIONS_H

#include <stdbool.h>

/* One option. `value` names its argument in help ("NAME"), NULL for a switch. */
struct option_spec {
    int id;           /* what the reader gets; ids of the common options are below */
    char letter;      /* 0: none */
    const char *name; /* without dashes */
    const char *value;
    const char *help;
};

/* What the reader found next: an option with its value, or a plain argument (id OPTION_PLAIN). */
struct option {
    int id;
    const char *name;  /* as written, for messages */
    const char *value; /* the option's value, or the plain argument */
};

enum { OPTION_END = 0, OPTION_PLAIN = -1, OPTION_WRONG = -2 };

struct option_reader {
    const char *command;
    const struct option_spec *specs; /* ends with a NULL name */
    int argc;
    char **argv;
    int next;
    const char *letters; /* the rest of a bundle such as -qs */
    bool plain_only;     /* behind "--" */
};

/* Reads "--name value", "--name=value", "-n value", "-nvalue", bundled switches, "--" and plain arguments, "-"
 * included. On a mistake it says what is wrong (with the nearest known option) and answers OPTION_WRONG. */
struct option option_next(struct option_reader *reader);

/* Whole texts to numbers; false when the text is not exactly one number in the range. */
bool option_integer(const char *text, long long low, long long high, long long *value);
bool option_number(const char *text, double *value);
bool option_size(const char *text, int *width, int *height); /* "640x480" */

/* Index of `text` in a NULL-ended list, −1 when it is not there; option_nearest gives the most similar entry
 * or NULL when none is near. */
int option_choice(const char *text, const char *const *list);
const char *option_nearest(const char *text, const char *const *list);

/* Prints "usage: …", what it does, the options of the table and the examples to standard output. */
void option_help(const char *usage, const char *summary, const struct option_spec *specs,
                 const char *examples);

#endif
