/* Pictures that examples saved. */
#ifndef ABBE_TESTS_PFM_H
#define ABBE_TESTS_PFM_H

#include "support/reference.h"

/* Reads FOLDER/NAME.pfm with three channels. The test fails if the file is missing or malformed. */
struct picture pfm_read(const char *folder, const char *name);

#endif
