/* Results of abbe filter that are not filtered, but left by others: --rest, and high passes beside low passes. */
#ifndef ABBE_TOOL_REST_H
#define ABBE_TOOL_REST_H

#include "request.h"

/* Makes the results of --rest from the finished results before them. Where a result is the complement of
 * another one that is stored as integers, such as highpass beside lowpass, replaces it by what that one
 * leaves, so that abbe combine restores the picture exactly. Results that are `skipped` stay as they are. `names` are
 * for warnings about samples that do not fit. Prints errors. */
bool rest_results(const struct request *request, const struct picture *source, const abbe_type *types,
                  const struct destination *names, const bool *skipped, struct picture *results);

/* Warns where one of two files that would add up to the picture exists and is kept, and the other is made. */
void rest_warn_of_kept(const struct request *request, const struct picture *source, const abbe_type *types,
                       const struct destination *names, const bool *skipped);

/* Whether filter `text` passes exactly what `other` stops, and stops constants: highpass and lowpass with the
 * same keys, or bandpass and bandreject. */
bool rest_is_complement(const char *text, const char *other);

#endif
