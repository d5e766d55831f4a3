/* Kernels larger than the picture: taps that all read the same sample become one. */
#include "filter/kernel.h"

#include <abbe/abbe.h>

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Where tap i stands once everything farther than reach from the centre has moved to that distance. */
static int place(int i, int centre, int reach)
{
    int distance = i - centre;
    distance = distance > reach ? reach : distance < -reach ? -reach : distance;
    return distance + smaller(centre, reach);
}

static int folded_size(int size, int centre, int reach)
{
    return smaller(centre, reach) + smaller(size - 1 - centre, reach) + 1;
}

/* Tap number `turn` on the way out from the centre, both sides alternating; −1 where one side has ended. Both
 * edges are summed in that order, so that a symmetric kernel stays symmetric to the last bit. */
static int outward(int turn, int centre, int size)
{
    int i = turn % 2 ? centre - (turn + 1) / 2 : centre + turn / 2;
    return i < size ? i : -1;
}

static void fold_line(const double *from, int size, int centre, int reach, double *to)
{
    for (int turn = 0; turn < 2 * size; turn++) {
        int i = outward(turn, centre, size);
        if (i >= 0)
            to[place(i, centre, reach)] += from[i];
    }
}

static void fold_lines(const double *from, int lines, int size, int centre, int reach, double *to)
{
    int folded = folded_size(size, centre, reach);
    for (int line = 0; line < lines; line++)
        fold_line(from + (long long)line * size, size, centre, reach, to + (long long)line * folded);
}

static void fold_taps(const struct kernel *kernel, int reach_x, int reach_y, struct kernel *out)
{
    for (int turn = 0; turn < 2 * kernel->height; turn++) {
        int j = outward(turn, kernel->centre_y, kernel->height);
        if (j >= 0)
            fold_line(kernel->taps + (long long)j * kernel->width, kernel->width, kernel->centre_x, reach_x,
                      out->taps + (long long)place(j, kernel->centre_y, reach_y) * out->width);
    }
}

int kernel_fold(const struct kernel *kernel, int reach_x, int reach_y, struct kernel *out)
{
    int width = folded_size(kernel->width, kernel->centre_x, reach_x);
    int height = folded_size(kernel->height, kernel->centre_y, reach_y);
    if (width == kernel->width && height == kernel->height)
        return kernel_copy(kernel, out);
    struct kernel made;
    int error = kernel->rank ? kernel_create_separable(width, height, kernel->rank, &made)
                             : kernel_create_dense(width, height, &made);
    if (error)
        return error;
    made.centre_x = smaller(kernel->centre_x, reach_x);
    made.centre_y = smaller(kernel->centre_y, reach_y);
    if (kernel->rank) {
        fold_lines(kernel->rows, kernel->rank, kernel->width, kernel->centre_x, reach_x, made.rows);
        fold_lines(kernel->columns, kernel->rank, kernel->height, kernel->centre_y, reach_y, made.columns);
    } else {
        fold_taps(kernel, reach_x, reach_y, &made);
    }
    *out = made;
    return ABBE_OK;
}
