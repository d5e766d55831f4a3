/* Names that people type first for filters that have another name here. */
#ifndef ABBE_FILTER_SYNONYMS_H
#define ABBE_FILTER_SYNONYMS_H

#include "filter/spelling.h"

/* Returns the filter that does what `name`, which is not in the catalogue, means in other programs: "gaussian"
 * for "blur"; "" where no linear filter does it (median); NULL for a word that is not in the table. Case,
 * hyphens and underscores do not matter. */
const char *synonym_find(struct token name);

#endif
