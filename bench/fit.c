/* Regularised least squares. Minimises
 *     Σ_runs w (Σ_j units_j · price_j / seconds − 1)²  +  PENALTY · runs · Σ_j (price_j / expected_j − 1)²
 * by coordinate descent with bounded prices; then reduces
 * the weights w of runs that fit badly, and repeats. */
#include "fit.h"

#include <math.h>

/* Penalty for a relative change of a price by 1, in units of a run's weight. */
static const double PENALTY = 1e-4;

/* A price stays within this factor of the expected one. */
static const double FACTOR_MAX = 100;

/* Runs with a larger relative error get less weight. */
static const double DISTURBED = 0.15;

enum { REWEIGHTINGS = 8, SWEEPS = 400 };

/* The normal equations in q_j = price_j / expected_j. */
struct equations {
    int charges;
    double matrix[FIT_CHARGES_MAX][FIT_CHARGES_MAX], right[FIT_CHARGES_MAX];
};

/* The share of charge j in the seconds of a run, at the expected price. */
static double charge_share(const struct fit_run *run, int j, const double *expected)
{
    return run->units[j] * expected[j] / run->seconds;
}

static double relative_error(const struct fit_run *run, int charges, const double *expected, const double *q)
{
    double sum = -1;
    for (int j = 0; j < charges; j++)
        sum += charge_share(run, j, expected) * q[j];
    return sum;
}

static void add_run(struct equations *equations, const struct fit_run *run, double weight,
                    const double *expected)
{
    for (int i = 0; i < equations->charges; i++) {
        double own = weight * charge_share(run, i, expected);
        equations->right[i] += own;
        for (int j = 0; j < equations->charges; j++)
            equations->matrix[i][j] += own * charge_share(run, j, expected);
    }
}

static void solve_equations(const struct equations *equations, double *q)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < equations->charges; i++) {
            double rest = equations->right[i] + equations->matrix[i][i] * q[i];
            for (int j = 0; j < equations->charges; j++)
                rest -= equations->matrix[i][j] * q[j];
            q[i] = fmin(fmax(rest / equations->matrix[i][i], 1 / FACTOR_MAX), FACTOR_MAX);
        }
}

double fit_prices(const struct fit_run *runs, int count, int charges, const double *expected, double *prices)
{
    double q[FIT_CHARGES_MAX], error_sum = 0, penalty = PENALTY * (count ? count : 1);
    for (int j = 0; j < charges; j++)
        q[j] = 1;
    for (int weighing = 0; weighing < REWEIGHTINGS; weighing++) {
        struct equations equations = { .charges = charges };
        for (int j = 0; j < charges; j++)
            equations.matrix[j][j] = equations.right[j] = penalty;
        for (int i = 0; i < count; i++) {
            double error = weighing ? fabs(relative_error(&runs[i], charges, expected, q)) : 0;
            add_run(&equations, &runs[i], error > DISTURBED ? DISTURBED / error : 1, expected);
        }
        solve_equations(&equations, q);
    }
    for (int i = 0; i < count; i++)
        error_sum += fabs(relative_error(&runs[i], charges, expected, q));
    for (int j = 0; j < charges; j++)
        prices[j] = q[j] * expected[j];
    return count ? error_sum / count : 0;
}
