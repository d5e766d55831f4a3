/* How far filters look: the extent of kernels, and the decay of the impulse responses of transfer
 * functions. */
#include "core/error.h"
#include "core/memory.h"
#include "filter/filter.h"
#include "filter/impulse.h"
#include "filter/transfer.h"

#include <assert.h>
#include <math.h>

/* ---- Σ|h| --------------------------------------------------------------------------------------------- */

enum { GRID_MIN = 64, REACH_GRID_MAX = 2048 };

/* Whether the rings of the last octave hold less than those of the octave before, or nothing that matters.
 * Where Σ|h| does not converge (steps in the gain, and points at which it has no limit) they hold more. */
static bool sums_decay(const struct impulse_sums *sums, double tolerance)
{
    double inner = 0.0, outer = 0.0;
    for (int r = sums->n / 8 + 1; r <= sums->n / 4; r++)
        inner += sums->rings[r];
    for (int r = sums->n / 4 + 1; r <= sums->n / 2; r++)
        outer += sums->rings[r];
    return outer < inner || outer <= 1e-3 * tolerance * sums->total;
}

/* The smallest grid that has two frequencies within the narrowest feature, so that none is missed. */
static double reach_grid_side(const struct response *response)
{
    double n = GRID_MIN;
    for (int i = 0; i < response->transfer_count; i++)
        while (n * response->transfers[i].detail < 2.0)
            n *= 2.0;
    return n;
}

/* ---- The radius of the planner ------------------------------------------------------------------------ */

double response_tolerance(void)
{
    return 1e-4;
}

/* The share of Σ|h| that rounding hides in any case. */
static const double HIDDEN = 1e-7;

/* The smallest r such that the rings beyond r hold at most the tolerance's share of Σ|h| without the tap at the
 * centre. Complements such as low pass and high pass, which differ from each other by a single tap there, and by
 * the sign of all others, so have the same radius. Tails beyond the grid count as in side_reach. */
static int smallest_radius(const struct impulse_sums *sums)
{
    int n = sums->n;
    double allowed = fmax(response_tolerance() * (sums->total - sums->rings[0]), HIDDEN * sums->total);
    double outside = 0.0;
    for (int r = n / 2; r > 0; r--) {
        outside += sums->rings[r];
        if (outside > allowed * (1.0 - 2.0 * (r - 1) / n))
            return r;
    }
    return 0;
}

/* The last grid may trust a tail of which more lies beyond it. */
static int largest_radius(double side)
{
    return (int)((2 * side > REACH_GRID_MAX ? 0.375 : 0.25) * side);
}

int response_radius(const struct response *response, int otherwise, int *radius)
{
    enum { ATTEMPTS = 3 }; /* with responses that do not decay; the first grids may be too coarse to tell */
    assert(otherwise >= 0);
    *radius = response->transfer_count ? otherwise : 0;
    bool found = !response->transfer_count;
    int error = ABBE_OK, attempts = 0;
    for (double side = reach_grid_side(response);
         side <= REACH_GRID_MAX && attempts < ATTEMPTS && !found && !error; side *= 2.0) {
        struct impulse_sums sums = { 0 };
        error = impulse_measure(response, (int)side, &sums);
        if (error)
            break;
        int r = smallest_radius(&sums);
        bool decays = sums_decay(&sums, response_tolerance());
        found = decays && r <= largest_radius(side);
        if (found)
            *radius = r;
        attempts += !decays;
        core_free(sums.columns);
    }
    return error;
}

/* ---- The reach that holds the absolute sum ------------------------------------------------------------ */

/* Pixels to each side. */
struct sides {
    int left, right, up, down;
};

/* The smallest r such that the lines beyond r, at coordinates +r … or −r …, hold at most `allowed`. Of a tail
 * that falls as 1/r², the share 2r/n lies beyond the grid. */
static int side_reach(const double *lines, int n, bool positive, double allowed)
{
    double outside = 0.0;
    for (int r = n / 2; r > 0; r--) {
        outside += lines[positive ? r : n - r];
        if (outside > allowed * (1.0 - 2.0 * (r - 1) / n))
            return r;
    }
    return 0;
}

/* Finds the box on one grid; each side may leave out a quarter of the tolerance. Returns whether h decays and
 * the box is small enough for the tail beyond the grid to be estimated. The tap at (x, y) reads the pixel at
 * (−x, −y). */
static bool find_sides(const struct impulse_sums *sums, double tolerance, struct sides *sides)
{
    int n = sums->n;
    double allowed = 0.25 * tolerance * sums->total;
    struct sides found = {
        .left = side_reach(sums->columns, n, true, allowed),
        .right = side_reach(sums->columns, n, false, allowed),
        .up = side_reach(sums->rows, n, true, allowed),
        .down = side_reach(sums->rows, n, false, allowed),
    };
    if (found.left > n / 4 || found.right > n / 4 || found.up > n / 4 || found.down > n / 4)
        return false;
    *sides = found;
    return sums_decay(sums, tolerance);
}

/* Writes the effective reach of the transfer functions. ABBE_ERR_UNSUPPORTED when it is not found. */
static int transfer_sides(const struct response *response, double tolerance, struct sides *sides)
{
    *sides = (struct sides){ 0 };
    if (!response->transfer_count)
        return ABBE_OK;
    bool found = false;
    int error = ABBE_OK;
    for (double side = reach_grid_side(response); side <= REACH_GRID_MAX && !found && !error; side *= 2.0) {
        struct impulse_sums sums = { 0 };
        error = impulse_measure(response, (int)side, &sums);
        if (!error)
            found = find_sides(&sums, tolerance, sides);
        core_free(sums.columns);
    }
    return error || found ? error : ABBE_ERR_UNSUPPORTED;
}

/* ---- The extent of a kernel --------------------------------------------------------------------------- */

static void raise_side(int *side, int distance)
{
    if (distance > *side)
        *side = distance;
}

/* Extends a pair of sides to the entries of a line that are not 0. */
static bool extend_sides(const double *line, int length, int centre, int *before, int *after)
{
    int first = 0, last = length - 1;
    while (first < length && line[first] == 0.0)
        first++;
    while (last >= 0 && line[last] == 0.0)
        last--;
    if (first > last)
        return false;
    raise_side(before, last - centre);
    raise_side(after, centre - first);
    return true;
}

/* The taps that are not 0; a tap at (x, y) from the centre reads the pixel at (−x, −y). */
static struct sides kernel_sides(const struct kernel *kernel)
{
    struct sides sides = { 0 };
    for (int r = 0; r < kernel->terms; r++) {
        const double *row = kernel->rows + (size_t)r * (size_t)kernel->width;
        const double *column = kernel->columns + (size_t)r * (size_t)kernel->height;
        struct sides term = { 0 };
        if (!extend_sides(row, kernel->width, kernel->centre_x, &term.left, &term.right) ||
            !extend_sides(column, kernel->height, kernel->centre_y, &term.up, &term.down))
            continue;
        raise_side(&sides.left, term.left);
        raise_side(&sides.right, term.right);
        raise_side(&sides.up, term.up);
        raise_side(&sides.down, term.down);
    }
    for (int j = 0; !kernel->terms && j < kernel->height; j++) {
        const double *row = kernel->taps + (size_t)j * (size_t)kernel->width;
        if (!extend_sides(row, kernel->width, kernel->centre_x, &sides.left, &sides.right))
            continue;
        raise_side(&sides.up, j - kernel->centre_y);
        raise_side(&sides.down, kernel->centre_y - j);
    }
    return sides;
}

/* ---- Filters ------------------------------------------------------------------------------------------ */

/* Records the message for an error of transfer_sides. */
static int fail_reaching(int error, double tolerance)
{
    if (error == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (error == ABBE_ERR_NONFINITE)
        return core_fail(NULL, error, "abbe_filter_reach: a transfer function has a gain that is not finite");
    return core_fail(NULL, error,
                     "abbe_filter_reach: the impulse response of the transfer functions does not decay to %g "
                     "of its absolute sum within %d pixels; raise the tolerance, or filter the picture as a "
                     "whole",
                     tolerance, REACH_GRID_MAX / 4);
}

int abbe_filter_reach(const abbe_filter *filter, double tolerance, int *left, int *right, int *up, int *down)
{
    if (!filter || !left || !right || !up || !down)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_reach: %s is NULL",
                         !filter  ? "filter"
                         : !left  ? "left"
                         : !right ? "right"
                         : !up    ? "up"
                                  : "down");
    if (!(tolerance >= 0.0 && tolerance < 1.0))
        return core_fail(NULL, ABBE_ERR_INVALID,
                         "abbe_filter_reach: tolerance is %g; it must be at least 0 and below 1", tolerance);
    struct sides reach = { 0 };
    for (int i = 0; i < filter->components; i++) {
        struct sides kernel = kernel_sides(&filter->component[i].kernel), transfers;
        int error = transfer_sides(&filter->component[i], tolerance, &transfers);
        if (error)
            return fail_reaching(error, tolerance);
        raise_side(&reach.left, kernel.left + transfers.left);
        raise_side(&reach.right, kernel.right + transfers.right);
        raise_side(&reach.up, kernel.up + transfers.up);
        raise_side(&reach.down, kernel.down + transfers.down);
    }
    *left = reach.left;
    *right = reach.right;
    *up = reach.up;
    *down = reach.down;
    return ABBE_OK;
}
