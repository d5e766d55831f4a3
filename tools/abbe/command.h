/* The subcommands, and what they share. */
#ifndef ABBE_TOOL_COMMAND_H
#define ABBE_TOOL_COMMAND_H

#include "options.h"
#include "picture.h"
#include "progress.h"
#include "say.h"

/* Each gets its own arguments (argv[0] is the subcommand's name) and returns an exit status. */
int command_filter(int argc, char **argv);
int command_transform(int argc, char **argv);
int command_spectrum(int argc, char **argv);
int command_texture(int argc, char **argv);
int command_scene(int argc, char **argv);
int command_view(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_list(int argc, char **argv);

/* Options that several subcommands have. */
enum common_option {
    OPTION_HELP = 1000,
    OPTION_OUTPUT,
    OPTION_FILTER,
    OPTION_BORDER,
    OPTION_DEVICE,
    OPTION_METHOD,
    OPTION_PRECISION,
    OPTION_THREADS,
    OPTION_QUIET,
    OPTION_STATS,
    OPTION_MAX_PIXELS,
    OPTION_UNTRUSTED,
};

/* How to filter, as the options said. */
struct settings {
    const char *device; /* "auto" */
    int threads;
    abbe_border border;
    float border_value;
    abbe_method method;
    abbe_precision precision;
    bool linear, straight_alpha, correlate, stats;
    struct reading reading;
};

struct settings settings_default(void);

/* Takes a common option into the settings. 1: taken, 0: not a common one, −1: wrong, and said. */
int settings_take(struct settings *settings, const char *command, const struct option *option);

/* A whole number from low to high; says what is wrong with another. */
bool settings_count(const char *command, const struct option *option, long long low, long long high,
                    long long *value);

/* Opens the device that the settings name; says why not. */
bool settings_open(const struct settings *settings, abbe_device **device);

/* A filter from its text; kernel:file= and mask:file= are read from images or text matrices. Says what is
 * wrong. WRONG_USAGE for a text that is wrong, FAILED for a file that is. */
int filter_from_text(const char *text, const struct reading *reading, abbe_filter **filter);

#endif
