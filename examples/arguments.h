/* The arguments of the examples that draw: [FOLDER [WIDTH HEIGHT]]. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdbool.h>

struct arguments {
    const char *folder;
    int width, height;
};

/* Returns false and prints the usage on standard error if the arguments are wrong. */
bool arguments_read(const char *name, int argc, char **argv, struct arguments *arguments);

#endif
