/* Commands with at most one input picture and one output: transform, spectrum, texture, scene. */
#ifndef ABBE_TOOL_SINGLE_H
#define ABBE_TOOL_SINGLE_H

#include "settings.h"

/* The options that all of these commands have, and the end of the table. */
/* clang-format off */
#define SINGLE_OPTIONS \
    { OPTION_DEVICE, 'd', "device", "NAME", HELP_DEVICE }, \
    { OPTION_THREADS, 't', "threads", "N", HELP_THREADS }, \
    { OPTION_QUIET, 'q', "quiet", NULL, HELP_QUIET }, \
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N", HELP_MAX_PIXELS }, \
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, HELP_UNTRUSTED }, \
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP }, \
    { 0, 0, NULL, NULL, NULL }
/* clang-format on */

struct single {
    const char *command;
    struct settings settings;
    const char *input, *output; /* NULL until given */
    bool wants_help;
    bool opens_device; /* the command opens the device itself, after single_begin */
    bool needs_tiff;   /* the output must be a TIFF of floats */
    bool needs_cpu;    /* the command computes spectra only, which other devices refuse */
    struct destination destination;
    abbe_device *device;
};

/* Handles an option that only one command has; returns DONE, or WRONG_USAGE after printing an error. */
typedef int (*single_take)(void *own, const struct option *option);

/* Reads the command line: one positional argument is the input, -o the output; shared options go to the
 * settings, other options to `take`. Stops at --help. Returns DONE or WRONG_USAGE. */
int single_read(struct single *single, const struct option_spec *specs, int argc, char **argv,
                single_take take, void *own);

/* Starts libvips, checks the output, if there is one, before any work is done, and opens the device unless the command does
 * that. Returns DONE or FAILED; call single_end in both cases. */
int single_begin(struct single *single);
void single_end(struct single *single);

/* Reads a picture, up to the fraction `read_end` of the command, that the output does not replace unless it has
 * one page. Prints errors. */
bool single_read_picture(const struct single *single, const char *path, double read_end,
                         struct picture *picture);

/* Prints the library's last error with `subject`, and returns false. */
bool single_error(const char *subject);

#endif
