/* Writes pictures of linear light to files. */
#ifndef EXAMPLES_FILES_H
#define EXAMPLES_FILES_H

#include <stdbool.h>

/* Writes FOLDER/NAME.pfm and FOLDER/NAME.png from RGBA rows of half or single floats, without alpha. Creates
 * the folder if necessary. Prints a message on standard error and returns false on failure. */
bool files_save(const char *folder, const char *name, int width, int height, const void *pixels, bool halves);

#endif
