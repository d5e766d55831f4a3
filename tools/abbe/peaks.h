/* Prints the periodic components of a picture as notches. */
#ifndef ABBE_TOOL_PEAKS_H
#define ABBE_TOOL_PEAKS_H

#include "single.h"

/* What is printed: one line for each component, which begins with its notch; one chain of all notches. */
enum peaks_form { PEAKS_NONE, PEAKS_LINES, PEAKS_CHAIN };

/* How many are printed unless the user says otherwise, and at most. */
enum { PEAKS_DEFAULT = 32, PEAKS_MOST = 1024 };

/* Finds the components of the picture's colours and prints the `most` strongest on standard output. Prints an
 * error and returns false if that fails. */
bool peaks_print(const struct single *single, const struct picture *picture, enum peaks_form form, int most);

#endif
