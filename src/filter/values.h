/* The values of a filter's keys, read from tokens. */
#ifndef ABBE_FILTER_VALUES_H
#define ABBE_FILTER_VALUES_H

#include "filter/spelling.h"

#include <abbe/abbe.h>

/* Reads the value of a key into `value`, as struct arguments describes it, or, for a LIST, into a matrix of
 * one row that the caller frees. Reads nothing for a FILE. ABBE_OK, ABBE_ERR_SYNTAX, ABBE_ERR_RANGE,
 * ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records a message with the key, the token and its position. */
int value_read(const abbe_filter_key *key, struct token token, double *value, abbe_matrix *list);

/* Reports "unknown WHAT 'WORD' at position N", with the nearest known name if it is not NULL. */
int value_fail_unknown(const char *what, struct token token, const char *nearest);

#endif
