/* Visits the contenders in turns until the time is spent, then computes minimum, median and quartiles. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

/* Seconds of a visit if runs are shorter. The first run of such a visit is not counted: it finds the caches
 * filled with data of other contenders, and the threads asleep. */
static const double VISIT = 0.01;

enum { ROUNDS_MIN = 3 };

/* The counted runs of one contender. */
struct timings {
    double *seconds;
    size_t count, room;
    int visits;
    double best;
};

static bool record_run(struct timings *timings, double seconds)
{
    if (timings->count == timings->room) {
        size_t room = timings->room ? 2 * timings->room : 256;
        double *more = realloc(timings->seconds, room * sizeof *more);
        if (!more)
            return false;
        timings->seconds = more;
        timings->room = room;
    }
    if (timings->count == 0 || seconds < timings->best)
        timings->best = seconds;
    timings->seconds[timings->count++] = seconds;
    return true;
}

/* ---- Figures ------------------------------------------------------------------------------------------- */

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates linearly between the two nearest values of the sorted timings. */
static double quantile(const struct timings *timings, double fraction)
{
    double place = fraction * (double)(timings->count - 1);
    size_t below = (size_t)place, above = below + 1 < timings->count ? below + 1 : below;
    double part = place - (double)below;
    return timings->seconds[below] * (1 - part) + timings->seconds[above] * part;
}

static struct figures summarise(struct timings *timings)
{
    if (timings->count == 0)
        return (struct figures){ 0 };
    qsort(timings->seconds, timings->count, sizeof *timings->seconds, compare_seconds);
    return (struct figures){ .runs = timings->count,
                             .minimum = timings->seconds[0],
                             .lower = quantile(timings, 0.25),
                             .median = quantile(timings, 0.5),
                             .upper = quantile(timings, 0.75) };
}

/* ---- Visits -------------------------------------------------------------------------------------------- */

enum visit { VISIT_DONE, VISIT_FAILED, VISIT_NO_MEMORY };

/* Runs a contender once and times it, by its own clock if it has
 * one. Returns false on failure; its note then holds the problem. */
static bool time_run(struct contender *contender, double *seconds)
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

static enum visit visit_contender(struct contender *contender, struct timings *timings)
{
    double arrival = seconds_now();
    for (int i = 0;; i++) {
        double start = seconds_now(), seconds = 0;
        if (!time_run(contender, &seconds))
            return VISIT_FAILED;
        double end = seconds_now();
        bool counts = i > 0 || end - start > VISIT / 2;
        if (counts && !record_run(timings, seconds))
            return VISIT_NO_MEMORY;
        if (timings->count > 0 && end - arrival > VISIT)
            return VISIT_DONE;
    }
}

/* A single visit may have been disturbed. Until there were
 * VISITS_SURE visits, the limit is UNSURE times higher. */
enum { VISITS_SURE = 2, UNSURE = 5 };

static bool is_left_behind(const struct timings *all, int count, int index, double slow_limit)
{
    double best = 0;
    for (int i = 0; i < count; i++)
        if (all[i].count && (best <= 0 || all[i].best < best))
            best = all[i].best;
    double limit = slow_limit * (all[index].visits < VISITS_SURE ? UNSURE : 1);
    return slow_limit > 0 && all[index].count && all[index].best > limit * best;
}

/* Visits every contender once; each round begins with another one. Returns as measure() does. */
static int visit_all(struct contender *contenders, struct timings *all, int count, int round,
                     double slow_limit)
{
    for (int turn = 0; turn < count; turn++) {
        int i = (turn + round) % count;
        if (!contenders[i].state || is_left_behind(all, count, i, slow_limit))
            continue;
        enum visit outcome = visit_contender(&contenders[i], &all[i]);
        all[i].visits++;
        if (outcome != VISIT_DONE)
            return outcome == VISIT_FAILED ? i : MEASURE_NO_MEMORY;
    }
    return MEASURED;
}

/* Makes the uncounted runs of contenders that need to warm up. Returns as measure() does. */
static int warm_up_all(struct contender *contenders, int count)
{
    for (int i = 0; i < count; i++) {
        double start = seconds_now(), seconds;
        while (contenders[i].state && seconds_now() - start < contenders[i].peer->warm_up)
            if (!time_run(&contenders[i], &seconds))
                return i;
    }
    return MEASURED;
}

int measure(struct contender *contenders, int count, const struct measuring *how)
{
    struct timings *all = calloc((size_t)count, sizeof *all);
    if (!all)
        return MEASURE_NO_MEMORY;
    int outcome = warm_up_all(contenders, count);
    double start = seconds_now(), spent = 0;
    for (int round = 0; outcome == MEASURED && (spent < how->seconds || round < ROUNDS_MIN); round++) {
        outcome = visit_all(contenders, all, count, round, how->slow_limit);
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
