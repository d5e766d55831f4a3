/* Least squares with a rein: minimises
 *     Σ_runs w (Σ_j units_j · price_j / seconds − 1)²  +  REIN · runs · Σ_j (price_j / expected_j − 1)²
 * by coordinates, prices kept positive; then weighs runs by how well they fitted and does it again. */
#include "fit.h"

#include <math.h>

/* Of a run's own weight, for a price that is off by all of itself. */
static const double REIN = 1e-4;

/* How far a price may lie from the expected one. */
static const double FARTHEST = 100;

/* Runs that are off by more than this count less. */
static const double DISTURBED = 0.15;

enum { WEIGHINGS = 8, SWEEPS = 400 };

/* The normal equations in q_j = price_j / expected_j. */
struct equations {
    int charges;
    double matrix[FIT_CHARGES_MAX][FIT_CHARGES_MAX], right[FIT_CHARGES_MAX];
};

/* The part of a run's seconds that one charge makes at the expected price. */
static double part(const struct fit_run *run, int j, const double *expected)
{
    return run->units[j] * expected[j] / run->seconds;
}

static double error_of(const struct fit_run *run, int charges, const double *expected, const double *q)
{
    double sum = -1;
    for (int j = 0; j < charges; j++)
        sum += part(run, j, expected) * q[j];
    return sum;
}

static void add_run(struct equations *equations, const struct fit_run *run, double weight,
                    const double *expected)
{
    for (int i = 0; i < equations->charges; i++) {
        double own = weight * part(run, i, expected);
        equations->right[i] += own;
        for (int j = 0; j < equations->charges; j++)
            equations->matrix[i][j] += own * part(run, j, expected);
    }
}

static void solve(const struct equations *equations, double *q)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < equations->charges; i++) {
            double rest = equations->right[i] + equations->matrix[i][i] * q[i];
            for (int j = 0; j < equations->charges; j++)
                rest -= equations->matrix[i][j] * q[j];
            q[i] = fmin(fmax(rest / equations->matrix[i][i], 1 / FARTHEST), FARTHEST);
        }
}

double fit_prices(const struct fit_run *runs, int count, int charges, const double *expected, double *prices)
{
    double q[FIT_CHARGES_MAX], off = 0, rein = REIN * (count ? count : 1);
    for (int j = 0; j < charges; j++)
        q[j] = 1;
    for (int weighing = 0; weighing < WEIGHINGS; weighing++) {
        struct equations equations = { .charges = charges };
        for (int j = 0; j < charges; j++)
            equations.matrix[j][j] = equations.right[j] = rein;
        for (int i = 0; i < count; i++) {
            double error = weighing ? fabs(error_of(&runs[i], charges, expected, q)) : 0;
            add_run(&equations, &runs[i], error > DISTURBED ? DISTURBED / error : 1, expected);
        }
        solve(&equations, q);
    }
    for (int i = 0; i < count; i++)
        off += fabs(error_of(&runs[i], charges, expected, q));
    for (int j = 0; j < charges; j++)
        prices[j] = q[j] * expected[j];
    return count ? off / count : 0;
}
