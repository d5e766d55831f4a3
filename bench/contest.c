/* Prepares the contenders of a case, checks their results, times them. */
#include "contest.h"

#include "fixture.h"
#include "say.h"

#include <string.h>

/* In the planner's grid: a method priced this many times above the best one is not run at all, and one
 * that turned out this many times slower is not run again. Both are far outside what a wrong choice could
 * cost. */
static const double HOPELESS = 20, BEHIND = 3;

/* A cell of the grid gets this share of a case's time. */
static const double CELL_SHARE = 0.15;

struct contest {
    const struct bench_case *what;
    const struct rules *rules;
    struct fixture fixture;
    struct peer_work work;
    struct result *result;
};

/* ---- Who takes part ------------------------------------------------------------------------------------ */

static struct contender *enter(struct contest *contest, const struct peer *peer, abbe_method method)
{
    struct result *result = contest->result;
    struct contender *contender = &result->contenders[result->count];
    contest->work.method = method;
    contest->work.who = peer;
    contest->rules->progress(contest->rules->user, "planning", 0);
    *contender = (struct contender){ .peer = peer, .note.method = method };
    double start = seconds_now();
    if (!peer->prepare(&contest->work, &contender->state, &contender->note))
        contender->state = NULL;
    contender->prepare = seconds_now() - start;
    return contender;
}

/* Abbe's own contenders, and what needs no library; the others are measured by the first. */
static const struct peer *const *own_of(const struct bench_case *what)
{
    static const struct peer *const cpu[] = { &peer_abbe, NULL };
    static const struct peer *const plans[] = { &peer_abbe_plans, NULL };
    static const struct peer *const gpu[] = { &peer_gpu_abbe, &peer_gpu_plain, &peer_gpu_copy, NULL };
    static const struct peer *const gl[] = { &peer_gl_fast,   &peer_gl_fialka, &peer_gl_moreland,
                                             &peer_gl_copies, &peer_gl_cpu,    NULL };
    static const struct peer *const frames[] = { &peer_frames_fast,     &peer_frames_fialka,
                                                 &peer_frames_moreland, &peer_frames_cpu,
                                                 &peer_frames_scene,    NULL };
    switch (what->kind) {
    case KIND_CPU: break;
    case KIND_GPU: return gpu;
    case KIND_GL: return what->frames ? frames : gl;
    }
    return what->plans ? plans : cpu;
}

static void enter_peer(struct contest *contest, const struct peer *peer)
{
    const struct bench_case *what = contest->what;
    if (peer->absent || what->plans || peer->gpu != (what->kind == KIND_GPU) || !peer->suits(what))
        return;
    struct contender *contender = enter(contest, peer, what->method);
    if (contender->state)
        contest->result->count++;
    else
        say_note("%s: %s takes no part: %s", what->name, peer->name, contender->note.problem);
}

/* What a GPU cannot do is left out; on the CPU everything can be done. */
static bool enter_peers(struct contest *contest)
{
    const struct bench_case *what = contest->what;
    const struct peer *const *own = own_of(what);
    struct contender *abbe = enter(contest, *own, what->method);
    if (!abbe->state && what->kind == KIND_CPU)
        say_error("%s: %s", what->name, abbe->note.problem);
    else if (!abbe->state)
        say_note("%s: left out: %s", what->name, abbe->note.problem);
    if (!abbe->state)
        return what->kind != KIND_CPU;
    contest->result->count++;
    while (*++own)
        enter_peer(contest, *own);
    for (const struct peer *const *peer = contest->rules->peers; *peer; peer++)
        enter_peer(contest, *peer);
    return true;
}

static void leave(struct contender *contender)
{
    if (contender->state)
        contender->peer->destroy(contender->state);
    contender->state = NULL;
}

/* The planner's choice, then every method that can do the work. */
static bool enter_methods(struct contest *contest)
{
    struct contender *choice = enter(contest, &peer_abbe, ABBE_METHOD_AUTO);
    if (!choice->state) {
        say_error("%s: %s", contest->what->name, choice->note.problem);
        return false;
    }
    double best = choice->note.predicted;
    contest->result->chosen = choice->note.method;
    leave(choice);
    for (abbe_method method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        struct contender *contender = enter(contest, &peer_abbe, method);
        if (!contender->state)
            continue;
        if (contender->note.predicted > HOPELESS * best)
            leave(contender);
        contest->result->count++;
    }
    return true;
}

/* ---- Are they right? ----------------------------------------------------------------------------------- */

static bool say_run_failed(const struct contest *contest, const struct contender *contender,
                           const char *problem)
{
    say_error("%s: %s could not run: %s", contest->what->name, contender->peer->name, problem);
    return false;
}

/* Its distance from the formula and from the first contender, whose result is kept. */
static void judge(struct contest *contest, struct contender *contender, bool first)
{
    struct fixture *fixture = &contest->fixture;
    double tolerance = fixture_tolerance(contest->what);
    contender->error = fixture_error(fixture, contest->what);
    if (first)
        memcpy(fixture->expected.data, fixture->result.data,
               (size_t)fixture->result.stride * fixture->result.height);
    else
        contender->difference = fixture_difference(fixture);
    /* Written so that a NaN differs. */
    bool right = contender->error <= tolerance;
    contender->differs = !(right && contender->difference <= tolerance);
    contest->result->wrong |= contender->peer->own && !right;
}

static bool check(struct contest *contest)
{
    bool first = true;
    for (int i = 0; i < contest->result->count; i++) {
        struct contender *contender = &contest->result->contenders[i];
        if (!contender->state)
            continue;
        contest->rules->progress(contest->rules->user, "checking", 0);
        fixture_spoil(&contest->fixture);
        const char *problem = contender->peer->run(contender->state);
        if (problem)
            return say_run_failed(contest, contender, problem);
        if (contender->peer->floor)
            continue;
        judge(contest, contender, first);
        first = false;
    }
    return true;
}

/* ---- How long do they take? ---------------------------------------------------------------------------- */

static void report_progress(void *user, double fraction)
{
    const struct contest *contest = user;
    contest->rules->progress(contest->rules->user, "timing", fraction);
}

static bool time_all(struct contest *contest)
{
    bool cell = contest->what->every_method;
    struct result *result = contest->result;
    struct measuring how = { .seconds = contest->rules->seconds * (cell ? CELL_SHARE : 1),
                             .lag = cell ? BEHIND : 0,
                             .progress = report_progress,
                             .user = contest };
    int outcome = measure(result->contenders, result->count, &how);
    if (outcome == MEASURE_NO_MEMORY)
        say_error("%s: out of memory", contest->what->name);
    else if (outcome != MEASURED)
        say_run_failed(contest, &result->contenders[outcome], result->contenders[outcome].note.problem);
    return outcome == MEASURED;
}

bool contest_run(const struct bench_case *what, int threads, const struct rules *rules, struct result *result)
{
    struct contest contest = { .what = what, .rules = rules, .result = result };
    *result = (struct result){ .what = what, .threads = threads };
    if (!fixture_create(what, rules->seed, &contest.fixture))
        return false;
    contest.work = (struct peer_work){ .what = what,
                                       .device = rules->device,
                                       .threads = threads,
                                       .filter = contest.fixture.filter,
                                       .taps = &contest.fixture.taps,
                                       .source = &contest.fixture.source,
                                       .result = &contest.fixture.result };
    bool done = what->every_method ? enter_methods(&contest) : enter_peers(&contest);
    if (result->count)
        done = done && check(&contest) && time_all(&contest);
    for (int i = 0; i < CONTENDERS_MAX; i++)
        leave(&result->contenders[i]);
    fixture_destroy(&contest.fixture);
    return done;
}
