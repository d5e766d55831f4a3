/* The stopwatch: visits contender after contender until the time is spent, then sorts what it saw. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

/* A visit lasts this long where runs are shorter: its first run, which finds the caches full of the
 * others' data and the threads asleep, is then not counted. */
static const double VISIT = 0.01;

enum { ROUNDS_LEAST = 3 };

/* The seconds of one contender's runs. */
struct series {
    double *seconds;
    size_t count, room;
    int visits;
    double best;
};

static bool record(struct series *series, double seconds)
{
    if (series->count == series->room) {
        size_t room = series->room ? 2 * series->room : 256;
        double *more = realloc(series->seconds, room * sizeof *more);
        if (!more)
            return false;
        series->seconds = more;
        series->room = room;
    }
    if (series->count == 0 || seconds < series->best)
        series->best = seconds;
    series->seconds[series->count++] = seconds;
    return true;
}

/* ---- Figures ------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between the two nearest of the sorted numbers. */
static double quantile(const struct series *series, double fraction)
{
    double place = fraction * (double)(series->count - 1);
    size_t below = (size_t)place, above = below + 1 < series->count ? below + 1 : below;
    double part = place - (double)below;
    return series->seconds[below] * (1 - part) + series->seconds[above] * part;
}

static struct figures summarise(struct series *series)
{
    if (series->count == 0)
        return (struct figures){ 0 };
    qsort(series->seconds, series->count, sizeof *series->seconds, by_size);
    return (struct figures){ .runs = series->count,
                             .minimum = series->seconds[0],
                             .lower = quantile(series, 0.25),
                             .median = quantile(series, 0.5),
                             .upper = quantile(series, 0.75) };
}

/* ---- Turns --------------------------------------------------------------------------------------------- */

enum visit { VISIT_DONE, VISIT_FAILED, VISIT_NO_MEMORY };

/* One run, and its seconds by the contender's own clock or by ours; false: its note has the problem. */
static bool succeeds(struct contender *contender, double *seconds)
{
    const struct peer *peer = contender->peer;
    double start = seconds_now();
    const char *problem = peer->time ? peer->time(contender->state, seconds) : peer->run(contender->state);
    if (!peer->time)
        *seconds = seconds_now() - start;
    if (problem)
        snprintf(contender->note.problem, sizeof contender->note.problem, "%s", problem);
    return !problem;
}

static enum visit visit(struct contender *contender, struct series *series)
{
    double arrival = seconds_now();
    for (int i = 0;; i++) {
        double start = seconds_now(), seconds = 0;
        if (!succeeds(contender, &seconds))
            return VISIT_FAILED;
        double end = seconds_now();
        bool counts = i > 0 || end - start > VISIT / 2;
        if (counts && !record(series, seconds))
            return VISIT_NO_MEMORY;
        if (series->count > 0 && end - arrival > VISIT)
            return VISIT_DONE;
    }
}

/* One visit alone may have been disturbed: then only who is farther behind than that explains is left. */
enum { VISITS_SURE = 2, UNSURE = 5 };

static bool is_left_behind(const struct series *all, int count, int index, double lag)
{
    double best = 0;
    for (int i = 0; i < count; i++)
        if (all[i].count && (best <= 0 || all[i].best < best))
            best = all[i].best;
    double limit = lag * (all[index].visits < VISITS_SURE ? UNSURE : 1);
    return lag > 0 && all[index].count && all[index].best > limit * best;
}

/* Every contender once; each round another one begins. */
static int go_round(struct contender *contenders, struct series *all, int count, int round, double lag)
{
    for (int turn = 0; turn < count; turn++) {
        int i = (turn + round) % count;
        if (!contenders[i].state || is_left_behind(all, count, i, lag))
            continue;
        enum visit outcome = visit(&contenders[i], &all[i]);
        all[i].visits++;
        if (outcome != VISIT_DONE)
            return outcome == VISIT_FAILED ? i : MEASURE_NO_MEMORY;
    }
    return MEASURED;
}

/* Runs that are not counted, for those who need some. Returns as measure() does. */
static int warm_up(struct contender *contenders, int count)
{
    for (int i = 0; i < count; i++) {
        double start = seconds_now(), seconds;
        while (contenders[i].state && seconds_now() - start < contenders[i].peer->warm_up)
            if (!succeeds(&contenders[i], &seconds))
                return i;
    }
    return MEASURED;
}

int measure(struct contender *contenders, int count, const struct measuring *how)
{
    struct series *all = calloc((size_t)count, sizeof *all);
    if (!all)
        return MEASURE_NO_MEMORY;
    int outcome = warm_up(contenders, count);
    double start = seconds_now(), spent = 0;
    for (int round = 0; outcome == MEASURED && (spent < how->seconds || round < ROUNDS_LEAST); round++) {
        outcome = go_round(contenders, all, count, round, how->lag);
        spent = seconds_now() - start;
        if (how->progress)
            how->progress(how->user, spent < how->seconds ? spent / how->seconds : 1);
    }
    for (int i = 0; i < count; i++) {
        if (outcome == MEASURED)
            contenders[i].figures = summarise(&all[i]);
        free(all[i].seconds);
    }
    free(all);
    return outcome;
}
