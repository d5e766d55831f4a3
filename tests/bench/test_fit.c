/* Fitted prices (bench/fit.c): known prices are recovered in spite of noise, disturbed runs and missing
 * information. */
#include "fit.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { RUNS = 80, CHARGES = 4 };

/* Orders of magnitude apart, like the prices of a CPU. */
static const double truth[CHARGES] = { 2e-6, 3e-11, 5e-10, 4e-8 };

/* Runs with random units, to which all charges contribute about equally, with the given relative noise. */
static void make_runs(struct random *random, double noise, struct fit_run *runs)
{
    for (int i = 0; i < RUNS; i++) {
        runs[i] = (struct fit_run){ 0 };
        for (int j = 0; j < CHARGES; j++) {
            runs[i].units[j] = exp(6 * random_unit(random)) * 1e-4 / truth[j];
            runs[i].seconds += runs[i].units[j] * truth[j];
        }
        runs[i].seconds *= 1 + noise * random_signed(random);
    }
}

static void check_prices(const char *what, const double *prices, const double *expected, double tolerance)
{
    for (int j = 0; j < CHARGES; j++)
        if (!(fabs(prices[j] / expected[j] - 1) <= tolerance))
            fail_msg("%s: charge %d costs %g and should cost %g", what, j, prices[j], expected[j]);
}

static void known_prices_are_found(void **state)
{
    (void)state;
    struct random random = { 1 };
    struct fit_run runs[RUNS];
    double expected[CHARGES], prices[CHARGES];
    make_runs(&random, 0, runs);
    for (int way = 0; way < 4; way++) { /* from different expected prices */
        for (int j = 0; j < CHARGES; j++)
            expected[j] = truth[j] * (way & 1 << j % 2 ? 20 : 0.3);
        double error = fit_prices(runs, RUNS, CHARGES, expected, prices);
        check_prices("exact runs", prices, truth, 0.02);
        assert_true(error < 0.01);
    }
}

static void noise_averages_out(void **state)
{
    (void)state;
    struct random random = { 2 };
    struct fit_run runs[RUNS];
    double prices[CHARGES];
    make_runs(&random, 0.1, runs);
    double error = fit_prices(runs, RUNS, CHARGES, truth, prices);
    check_prices("noisy runs", prices, truth, 0.1);
    assert_true(error > 0.02 && error < 0.1);
}

/* A tenth of the runs take three times as long as predicted. */
static void disturbed_runs_count_less(void **state)
{
    (void)state;
    struct random random = { 3 };
    struct fit_run runs[RUNS];
    double prices[CHARGES];
    make_runs(&random, 0.02, runs);
    for (int i = 0; i < RUNS; i += 10)
        runs[i].seconds *= 3;
    fit_prices(runs, RUNS, CHARGES, truth, prices);
    check_prices("disturbed runs", prices, truth, 0.1);
}

/* A charge that occurs in no run keeps its price; without runs all charges do. */
static void prices_without_runs_stay(void **state)
{
    (void)state;
    struct random random = { 4 };
    struct fit_run runs[RUNS];
    double expected[CHARGES], prices[CHARGES];
    make_runs(&random, 0, runs);
    memcpy(expected, truth, sizeof expected);
    for (int i = 0; i < RUNS; i++) {
        runs[i].seconds -= runs[i].units[2] * truth[2];
        runs[i].units[2] = 0;
    }
    expected[2] = 7e-10;
    fit_prices(runs, RUNS, CHARGES, expected, prices);
    check_prices("a charge in no run", prices, expected, 0.02);
    assert_true(fit_prices(runs, 0, CHARGES, expected, prices) == 0);
    check_prices("no run", prices, expected, 1e-12);
}

/* For any times, prices stay positive and within a factor of 100 of the expected ones. */
static void absurd_times_stay_in_bounds(void **state)
{
    (void)state;
    struct random random = { 5 };
    struct fit_run runs[RUNS];
    double prices[CHARGES];
    make_runs(&random, 0, runs);
    for (int i = 0; i < RUNS; i++)
        runs[i].seconds = exp(40 * random_signed(&random)) * 1e-3;
    fit_prices(runs, RUNS, CHARGES, truth, prices);
    for (int j = 0; j < CHARGES; j++)
        if (!(prices[j] >= truth[j] / 101 && prices[j] <= truth[j] * 101))
            fail_msg("charge %d costs %g", j, prices[j]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_prices_are_found),      cmocka_unit_test(noise_averages_out),
    cmocka_unit_test(disturbed_runs_count_less),   cmocka_unit_test(prices_without_runs_stay),
    cmocka_unit_test(absurd_times_stay_in_bounds),
};

TEST_MAIN(tests)
