/* Filters for smaller copies of pictures. */
#ifndef ABBE_SCENE_VIEWER_REDUCE_H
#define ABBE_SCENE_VIEWER_REDUCE_H

#include "pyramid.h"

#include <abbe/abbe.h>

/* Makes the filter that does to an excerpt, reduced by its steps, what one component of `full` does to the
 * whole picture. Returns an abbe_error: UNSUPPORTED for a filter with both a large kernel and a transfer
 * function. */
int reduce_filter(const abbe_filter *full, int component, const struct excerpt *excerpt,
                  abbe_filter **reduced);

#endif
