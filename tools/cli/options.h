/* Command-line options: one table for each subcommand, long and short forms, values, nearest names, help. */
#ifndef ABBE_CLI_OPTIONS_H
#define ABBE_CLI_OPTIONS_H

#include <stdbool.h>

/* One option. `value` is the name of its argument in the help ("NAME"), NULL for a switch. */
struct option_spec {
    int id;           /* chosen by the program, greater than 0 */
    char letter;      /* short form; 0 without one */
    const char *name; /* long form without dashes */
    const char *value;
    const char *help;
};

/* The next part of the command line: an option with its value, or a positional argument (id
 * OPTION_ARGUMENT). */
struct option {
    int id;
    const char *name;  /* as written, for messages */
    const char *value; /* the option's value, or the positional argument */
};

enum { OPTION_END = 0, OPTION_ARGUMENT = -1, OPTION_WRONG = -2 };

struct option_reader {
    const char *command;
    const struct option_spec *specs; /* ends with a NULL name */
    int argc;
    char **argv;
    int next;
    const char *letters; /* the rest of a bundle such as -qs */
    bool arguments_only; /* after "--" */
};

/* Reads "--name value", "--name=value", "-n value", "-nvalue", bundled switches, "--" and positional
 * arguments, including "-". For a mistake it prints an error with the nearest known option and returns
 * OPTION_WRONG. */
struct option option_next(struct option_reader *reader);

/* Parse a whole text; false when it is not exactly one number in the range, or one size. */
bool option_integer(const char *text, long long low, long long high, long long *value);
bool option_number(const char *text, double *value);
bool option_size(const char *text, int *width, int *height); /* "640x480" */

/* Index of `text` in a list that ends with NULL, −1 if it is missing; option_nearest returns the most similar
 * entry, or NULL when none is similar. */
int option_choice(const char *text, const char *const *list);
const char *option_nearest(const char *text, const char *const *list);

/* Prints usage, summary, the options of the table and examples to standard output. */
void option_help(const char *usage, const char *summary, const struct option_spec *specs,
                 const char *examples);

#endif
