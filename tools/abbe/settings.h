/* Options that several subcommands share, and their values. */
#ifndef ABBE_TOOL_SETTINGS_H
#define ABBE_TOOL_SETTINGS_H

#include "options.h"
#include "picture.h"
#include "progress.h"
#include "say.h"

enum shared_option {
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
    OPTION_MEMORY,
    OPTION_UNTRUSTED,
};

/* Help texts of shared options, so that every subcommand describes them alike. */
#define HELP_BORDER "pixels outside the picture: wrap zero constant[:VALUE] clamp reflect mirror (reflect)"
#define HELP_DEVICE "device to compute on; see: abbe list devices (auto)"
#define HELP_METHOD "auto direct separable fft tiles (auto)"
#define HELP_PRECISION "full, half (on a GPU faster, three digits), or double (on the CPU, slower) (full)"
#define HELP_THREADS "number of threads; 0 uses all processors (0)"
#define HELP_QUIET "print only errors and warnings"
#define HELP_MAX_PIXELS "refuse pictures with more pixels (1000000000)"
#define HELP_UNTRUSTED "read formats whose decoders libvips marks as unsafe for untrusted files"
#define HELP_HELP "print this text"

/* Values of the shared options. */
struct settings {
    const char *device; /* "auto" by default */
    int threads;
    abbe_border border;
    double border_value;
    abbe_method method;
    abbe_precision precision;
    bool linear, straight_alpha, correlate, stats;
    struct reading reading;
    bool limits_pixels; /* --max-pixels was given */
    double memory;      /* bytes; 0 without --memory */
};

struct settings settings_default(void);

/* Stores the value of a shared option. Returns 1, 0 for another option, or −1 for a wrong value after
 * printing an error. */
int settings_take(struct settings *settings, const char *command, const struct option *option);

/* Reads a whole number from low to high; prints an error for anything else. */
bool settings_take_integer(const char *command, const struct option *option, long long low, long long high,
                           long long *value);

/* Warns of a value added to samples or used as one that looks like a level of integers, such as 128: samples
 * of every type stand for 0 to 1. `type` is that of the picture. */
void settings_warn_of_levels(const char *option, double value, abbe_type type);

/* Opens the device of the settings, which must outlive it. Prints errors, and warnings until the device is
 * closed. */
bool settings_open_device(const struct settings *settings, abbe_device **device);

/* Makes a filter from its text. kernel:file= and mask:file= may name images or text matrices; where
 * an image is transparent, taps are 0 and gains are 1. Prints errors
 * and returns WRONG_USAGE for a wrong text, FAILED for a file that cannot be read. */
int settings_make_filter(const char *text, const struct reading *reading, abbe_filter **filter);

#endif
