/* Folding of kernels larger than the picture: taps that read the same sample become one, in double precision. */
#include "filter/kernel.h"

#include <abbe/abbe.h>

/* How one axis is folded. */
struct fold {
    int size, centre; /* of the kernel */
    int limit;        /* taps keep distances −limit … limit from the centre */
    int period;       /* distances that differ by this are equal; 0: farther taps move to ±limit */
    int folded_size, folded_centre;
};

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

/* Where the border repeats one sample outward, a tap farther than the picture's length reads that sample. */
static struct fold clamp_fold(int size, int centre, int reach)
{
    int before = lesser(centre, reach), after = lesser(size - 1 - centre, reach);
    return (struct fold){ size, centre, reach, 0, before + after + 1, before };
}

/* Where the picture repeats with a period, so do the taps. A period of 0, or one that no tap exceeds, folds
 * nothing. */
static struct fold periodic_fold(int size, int centre, long long period)
{
    if (period <= 0 || size <= period + 1)
        return clamp_fold(size, centre, size);
    int limit = (int)(period / 2);
    return (struct fold){ size, centre, limit, (int)period, 2 * limit + 1, limit };
}

/* The index of tap i after folding. */
static int folded_index(const struct fold *fold, int i)
{
    int distance = i - fold->centre, limit = fold->limit;
    if (fold->period) {
        distance %= fold->period;
        distance -= distance > limit ? fold->period : distance < -limit ? -fold->period : 0;
    }
    distance = distance > limit ? limit : distance < -limit ? -limit : distance;
    return distance + fold->folded_centre;
}

/* Whether a tap is halfway between two copies of the centre: each end of the line takes one half, which keeps
 * symmetric kernels symmetric. */
static bool is_halfway(const struct fold *fold, int index)
{
    return fold->period && fold->period % 2 == 0 && (index == 0 || index == fold->folded_size - 1);
}

/* Tap number `turn` in the order from the centre outward, sides alternating; −1 or less where a side has
 * ended. Both sides are summed in this order, so that a symmetric kernel stays symmetric to the last bit. */
static int outward_tap(int turn, int centre, int size)
{
    int i = turn % 2 ? centre - (turn + 1) / 2 : centre + turn / 2;
    return i < size ? i : -1;
}

static void fold_line(const double *from, const struct fold *fold, double weight, double *to)
{
    for (int turn = 0; turn < 2 * fold->size; turn++) {
        int i = outward_tap(turn, fold->centre, fold->size);
        int index = i < 0 ? -1 : folded_index(fold, i);
        if (index >= 0 && is_halfway(fold, index)) {
            to[0] += 0.5 * weight * from[i];
            to[fold->folded_size - 1] += 0.5 * weight * from[i];
        } else if (index >= 0) {
            to[index] += weight * from[i];
        }
    }
}

static void fold_lines(const double *from, int lines, const struct fold *fold, double *to)
{
    for (int line = 0; line < lines; line++)
        fold_line(from + (long long)line * fold->size, fold, 1, to + (long long)line * fold->folded_size);
}

static void fold_taps(const double *taps, const struct fold *x, const struct fold *y, double *to)
{
    for (int turn = 0; turn < 2 * y->size; turn++) {
        int j = outward_tap(turn, y->centre, y->size);
        if (j < 0)
            continue;
        const double *from = taps + (long long)j * x->size;
        int index = folded_index(y, j), last = y->folded_size - 1;
        if (is_halfway(y, index)) {
            fold_line(from, x, 0.5, to);
            fold_line(from, x, 0.5, to + (long long)last * x->folded_size);
        } else {
            fold_line(from, x, 1, to + (long long)index * x->folded_size);
        }
    }
}

static int fold_kernel(const struct kernel *kernel, const struct fold *x, const struct fold *y,
                       struct kernel *out)
{
    if (x->folded_size == kernel->width && y->folded_size == kernel->height)
        return kernel_copy(kernel, out);
    struct kernel made;
    int error = kernel->terms ? kernel_create_separable(x->folded_size, y->folded_size, kernel->terms, &made)
                              : kernel_create_dense(x->folded_size, y->folded_size, &made);
    if (error)
        return error;
    made.centre_x = x->folded_centre;
    made.centre_y = y->folded_centre;
    if (kernel->terms) {
        fold_lines(kernel->rows, kernel->terms, x, made.rows);
        fold_lines(kernel->columns, kernel->terms, y, made.columns);
    } else {
        fold_taps(kernel->taps, x, y, made.taps);
    }
    *out = made;
    return ABBE_OK;
}

int kernel_fold(const struct kernel *kernel, int reach_x, int reach_y, struct kernel *out)
{
    struct fold x = clamp_fold(kernel->width, kernel->centre_x, reach_x);
    struct fold y = clamp_fold(kernel->height, kernel->centre_y, reach_y);
    return fold_kernel(kernel, &x, &y, out);
}

int kernel_fold_periodic(const struct kernel *kernel, long long period_x, long long period_y,
                         struct kernel *out)
{
    struct fold x = periodic_fold(kernel->width, kernel->centre_x, period_x);
    struct fold y = periodic_fold(kernel->height, kernel->centre_y, period_y);
    return fold_kernel(kernel, &x, &y, out);
}
