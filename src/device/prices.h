/* Prices that abbe-bench --calibrate has measured on this machine. */
#ifndef ABBE_DEVICE_PRICES_H
#define ABBE_DEVICE_PRICES_H

#include <stdbool.h>
#include <stddef.h>

/* A section of a device's prices: names of its primitives, and seconds per unit of each. */
struct price_list {
    const char *section;
    const char *const *names;
    int count;
    double *prices; /* built-in ones before, in the range of which those of a file must lie */
};

/* Reads the user's file: the one ABBE_PRICES names, else prices in $XDG_CACHE_HOME/abbe or ~/.cache/abbe. Nothing
 * is changed, and nothing is said, when it cannot be read or is not sound; or when ABBE_PRICES is "builtin". */
void prices_read(const struct price_list *list);

/* The same from text: whether all of it is sound; only then have the section's prices been taken. */
bool prices_parse(const char *text, size_t length, const struct price_list *list);

#endif
