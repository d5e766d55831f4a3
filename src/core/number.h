/* Reads decimal numbers independently of the locale. */
#ifndef ABBE_CORE_NUMBER_H
#define ABBE_CORE_NUMBER_H

#include <stddef.h>

/* Reads [+-]digits[.digits][e[+-]digits] (digits may be on one side of the point only) from the start of
 * `text` and returns the number of characters read, 0 when there is no number. The value is correct to one
 * unit in the last place, correctly rounded for up to 15 digits and small exponents, and infinite when it is
 * too large. */
size_t number_read(const char *text, size_t length, double *value);

#endif
