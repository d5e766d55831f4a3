/* FOLDER [WIDTH HEIGHT], as the examples that draw take them. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdbool.h>

struct arguments {
    const char *folder;
    int width, height;
};

/* False for others, with a line on standard error that says which there are. */
bool arguments_read(const char *name, int argc, char **argv, struct arguments *arguments);

#endif
