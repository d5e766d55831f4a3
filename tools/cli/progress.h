/* The progress bar: one line on a terminal with a bar, a percentage and the time left.
 *
 * It is shown only when standard error is a terminal, the program is not quiet and the work has lasted half a
 * second. NO_COLOR removes its colour, TERM=dumb the bar itself. */
#ifndef ABBE_CLI_PROGRESS_H
#define ABBE_CLI_PROGRESS_H

#include <stdbool.h>

/* Starts the bar of a command; `subject` is the file it works on, or "". */
void progress_begin(const char *subject);

/* Names another file of the same command. */
void progress_subject(const char *subject);

/* Reports the stage ("reading", "planning", "filtering", "writing") and the fraction of the command done,
 * 0 … 1. */
void progress_show(const char *stage, double fraction);

/* Removes the bar until it is next drawn. Safe in a signal handler. */
void progress_hide(void);

/* Removes the bar at the end of the command. */
void progress_end(void);

/* Turns the bar off from the next progress_begin on; say_quiet calls it. */
void progress_quiet(bool quiet);

#endif
