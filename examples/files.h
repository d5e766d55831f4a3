/* Pictures of linear light as files. */
#ifndef EXAMPLES_FILES_H
#define EXAMPLES_FILES_H

#include <stdbool.h>

/* Writes FOLDER/NAME.pfm and FOLDER/NAME.png from RGBA rows of halves or of floats; alpha is left out. Makes the folder
 * if it is not there. Says on standard error what failed. */
bool files_save(const char *folder, const char *name, int width, int height, const void *pixels, bool halves);

#endif
