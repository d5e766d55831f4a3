/* What the command says to a person: one-line errors, notes, and a progress bar on a terminal. */
#ifndef ABBE_TOOL_SAY_H
#define ABBE_TOOL_SAY_H

#include <stdbool.h>

/* Exit statuses of every subcommand. */
enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

/* --quiet: no notes and no progress; errors and warnings are still said. */
void say_quietly(bool quiet);

/* "abbe: …" on standard error, one line; control characters and invalid UTF-8 become '?'. Clears the progress
 * bar first. say_wrong adds how to get help for `command` ("filter", or NULL). They return FAILED and
 * WRONG_USAGE so that a caller can write: return say_failed("…"). */
int say_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int say_wrong(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "abbe: …" likewise, quiet or not: the work goes on, but not all of it is what was asked for. */
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line on standard error without a prefix, unless quiet (--stats, batch notes). */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes a text safe for a terminal, in place: what the functions above do to their lines. */
void say_cleanly(char *text);

/* Progress, shown only when standard error is a terminal, not quiet, and work has lasted half a second: a bar,
 * percentage and time left. `what` is "reading", "filtering", "writing"; fraction is of the whole job, 0 … 1.
 * NO_COLOR leaves out colour, TERM=dumb the bar itself. */
void progress_begin(const char *subject);
void progress_subject(const char *subject); /* another file of the same job */
void progress_show(const char *what, double fraction);
void progress_end(void);

/* Takes the bar off the terminal until it is next drawn. Safe in a signal handler. */
void progress_hide(void);

/* No bar from the next progress_begin on; say_quietly calls it. */
void progress_quietly(bool quiet);

#endif
