/* Reads the arguments of the examples that draw. */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE_MAX = 8192 };

static bool is_side(int side)
{
    return side >= 1 && side <= SIDE_MAX;
}

bool arguments_read(const char *name, int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){ argc > 1 ? argv[1] : "out", 960, 600 };
    if (argc == 4) {
        arguments->width = atoi(argv[2]);
        arguments->height = atoi(argv[3]);
    }
    bool option = arguments->folder[0] == '-', whole = argc <= 2 || argc == 4;
    if (whole && !option && is_side(arguments->width) && is_side(arguments->height))
        return true;
    fprintf(stderr, "usage: %s [FOLDER [WIDTH HEIGHT]], sides of 1 to %d\n", name, SIDE_MAX);
    return false;
}
