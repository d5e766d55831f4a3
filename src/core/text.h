/* Words that users type: shown safely in messages, and matched with the nearest known name. */
#ifndef ABBE_CORE_TEXT_H
#define ABBE_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_SHOWN = 40 };

/* A word that is safe to print. */
struct shown {
    char text[TEXT_SHOWN + 4];
};

/* Copies a word of arbitrary bytes: control characters and invalid UTF-8 become '?', long words end in
 * "...". */
struct shown text_show(const char *word, size_t length);

/* Whether a text contains a part, ignoring the case of ASCII letters. An empty text contains nothing. */
bool text_contains(const char *text, const char *part);

/* A search for the known name that is nearest to a mistyped word. Initialise with { word, length } and try
 * every candidate; `name` is then the nearest, or NULL when none is near. The distance counts letters that
 * are added, dropped, changed, or swapped with a neighbour; capitals do not count. */
struct nearest {
    const char *word;
    size_t length;
    const char *name;
    int distance;
};

void nearest_try(struct nearest *nearest, const char *candidate);

#endif
