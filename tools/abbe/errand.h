/* What transform, spectrum, texture and scene share: one picture comes in, or none, and one goes out. */
#ifndef ABBE_TOOL_ERRAND_H
#define ABBE_TOOL_ERRAND_H

#include "command.h"

/* The options that every errand has, and the end of its table. */
/* clang-format off */
#define ERRAND_OPTIONS \
    { OPTION_DEVICE, 'd', "device", "NAME", "where to work (auto)" }, \
    { OPTION_THREADS, 't', "threads", "N", "threads, 0 for all (0)" }, \
    { OPTION_QUIET, 'q', "quiet", NULL, "say nothing but errors and warnings" }, \
    { OPTION_MAX_PIXELS, 0, "max-pixels", "N", "refuse larger pictures (1000000000)" }, \
    { OPTION_UNTRUSTED, 0, "allow-untrusted-formats", NULL, "read formats unfit for files from strangers" }, \
    { OPTION_HELP, 'h', "help", NULL, "this text" }, \
    { 0, 0, NULL, NULL, NULL }
/* clang-format on */

struct errand {
    const char *command;
    struct settings settings;
    const char *input, *output; /* NULL until given */
    bool wants_help;
    bool opens_device; /* the command does, later */
    abbe_device *device;
};

/* A subcommand's own options: DONE or WRONG_USAGE, after saying what is wrong. */
typedef int (*errand_own)(void *own, const struct option *option);

/* Reads the command line: one plain argument is the input, -o the output, common options go to the settings and
 * the others to `take`. Stops at --help. DONE or WRONG_USAGE. */
int errand_read(struct errand *errand, const struct option_spec *specs, int argc, char **argv,
                errand_own take, void *own);

/* Checks what can be known to fail before any work (the output's folder and kind), then starts libvips and opens
 * the device, unless the command does that itself. DONE or FAILED; errand_end is to be called either way. */
int errand_begin(struct errand *errand);
void errand_end(struct errand *errand);

/* Says what the library could not do to `subject`; false, so that a caller can write: return errand_error(…). */
bool errand_error(const struct errand *errand, const char *subject);

#endif
