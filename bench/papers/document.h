/* A JSON file as a tree: the reports of abbe-bench, read back. */
#ifndef ABBE_BENCH_DOCUMENT_H
#define ABBE_BENCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST, VALUE_OBJECT };

struct value {
    enum value_kind kind;
    double number;              /* of VALUE_NUMBER; 1 or 0 of VALUE_BOOL */
    char *text;                 /* of VALUE_TEXT */
    char *key;                  /* its name in an object, else NULL */
    struct value *first, *next; /* its first item, and the item after it */
};

/* Parses a text that holds exactly one JSON value, nested 32 deep at most. Returns NULL, with the reason, if it
 * is not JSON or memory runs out. Free it with document_free. */
struct value *document_parse(const char *text, const char **problem);

/* The same for a file of 64 MB at most. Prints errors. */
struct value *document_read(const char *path);

void document_free(struct value *value);

/* The item with this name; NULL if there is none, or if `object` is NULL or no object. */
const struct value *document_get(const struct value *object, const char *key);

/* Text or number of an item; "" or 0 where it is missing or of another kind. */
const char *document_text(const struct value *object, const char *key);
double document_number(const struct value *object, const char *key);

#endif
