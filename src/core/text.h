/* Words as people type them: shown safely in a sentence, and matched with the nearest known name. */
#ifndef ABBE_CORE_TEXT_H
#define ABBE_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_SHOWN = 40 };

/* A word ready to print. */
struct shown {
    char text[TEXT_SHOWN + 4];
};

/* Copies a word of any bytes: control characters and broken UTF-8 become '?', long words end in "...". */
struct shown text_show(const char *word, size_t length);

/* Whether a text contains a part, ignoring the case of ASCII letters. An empty text contains nothing. */
bool text_contains(const char *text, const char *part);

/* A search for the known name that a mistyped word means: start with { word, length }, try every candidate;
 * `name` is the nearest, or NULL when none is near. Distance counts letters added, dropped, changed, or
 * swapped with a neighbour. */
struct nearest {
    const char *word;
    size_t length;
    const char *name;
    int distance;
};

void nearest_try(struct nearest *nearest, const char *candidate);

#endif
