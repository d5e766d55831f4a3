/* Pictures that examples have saved. */
#ifndef ABBE_TESTS_PFM_H
#define ABBE_TESTS_PFM_H

#include "support/reference.h"

/* FOLDER/NAME.pfm, three channels; ends the test when it is not there or no such file. */
struct picture pfm_read(const char *folder, const char *name);

#endif
