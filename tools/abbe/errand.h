/* What transform, spectrum and texture share: one picture comes in, or none, and one goes out. */
#ifndef ABBE_TOOL_ERRAND_H
#define ABBE_TOOL_ERRAND_H

#include "command.h"

struct errand {
    const char *command;
    struct settings settings;
    const char *input, *output; /* NULL until given */
    bool wants_help;
    abbe_device *device;
};

/* A subcommand's own options: DONE or WRONG_USAGE, after saying what is wrong. */
typedef int (*errand_own)(void *own, const struct option *option);

/* Reads the command line: one plain argument is the input, -o the output, common options go to the settings and
 * the others to `take`. Stops at --help. DONE or WRONG_USAGE. */
int errand_read(struct errand *errand, const struct option_spec *specs, int argc, char **argv,
                errand_own take, void *own);

/* Checks what can be known to fail before any work (the output's folder and kind), then starts libvips and opens
 * the device. DONE or FAILED; errand_end is to be called either way. */
int errand_begin(struct errand *errand);
void errand_end(struct errand *errand);

/* Says what the library could not do to `subject`; false, so that a caller can write: return errand_error(…). */
bool errand_error(const struct errand *errand, const char *subject);

#endif
