/* The two spellings of filter texts, read token by token:
 *
 *     gaussian:sigma=3,unsharp:amount=0.5          with marks
 *     gaussian sigma 3 then unsharp amount 0.5     in words
 *
 * A text is in words when it has no ':', ',' and '=' outside double quotes. Values in double quotes may
 * contain any character except a double quote. */
#ifndef ABBE_FILTER_SPELLING_H
#define ABBE_FILTER_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

struct token {
    const char *start;
    size_t length;
    size_t position; /* in the text, in bytes from 1 */
};

struct spelling {
    const char *text;
    size_t at;
    bool in_words;
};

struct spelling spelling_start(const char *text);

/* Whether nothing but blanks is left. */
bool spelling_ended(struct spelling *spelling);

/* Take the name of a filter, and a key. The length is 0 where it is missing. */
struct token spelling_name(struct spelling *spelling);
struct token spelling_key(struct spelling *spelling);

/* Take the mark before a key or a filter: ':' or ','; in words, nothing or "then". Return whether a key or a
 * filter must follow. */
bool spelling_has_key(struct spelling *spelling);
bool spelling_has_filter(struct spelling *spelling);

/* Takes the value of `key`, with or without quotes. ABBE_OK, or ABBE_ERR_SYNTAX with a message. */
int spelling_value(struct spelling *spelling, struct token key, struct token *value);

/* Returns the first word of a name that is not known, when another word follows in a text with marks: a text
 * that mixes both spellings. The length is 0 otherwise. */
struct token spelling_mixed(const struct spelling *spelling, struct token name);

bool token_is(struct token token, const char *word);

#endif
