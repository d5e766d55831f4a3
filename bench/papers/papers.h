/* Writes the page about the papers from this run and from reports of other runs. */
#ifndef ABBE_BENCH_PAPERS_H
#define ABBE_BENCH_PAPERS_H

#include "report.h"
#include "settings.h"

/* Checks the name of the page and reads the reports of --from before any work is done. Returns false, with a message,
 * on failure. Call papers_close afterwards in any case. */
bool papers_open(const struct settings *settings);
void papers_close(void);

/* Writes the page settings->markdown, and its charts into the folder of that name without ".md". `report` is NULL if
 * nothing was run. Returns false, with a message, on failure. */
bool papers_write(const struct settings *settings, const struct report *report);

#endif
