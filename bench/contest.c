/* Prepares the contenders of a case, checks their results and times them. */
#include "contest.h"

#include "fixture.h"
#include "say.h"

#include <string.h>

/* In the planner's grid, a method whose predicted time is HOPELESS times that of the
 * choice does not run at all, and one that measures BEHIND times slower than the best
 * does not run again. Both bounds are far beyond the cost of any wrong choice. */
static const double HOPELESS = 20, BEHIND = 3;

/* The share of a case's time that a cell of the grid gets. */
static const double CELL_SHARE = 0.15;

struct contest {
    const struct bench_case *what;
    const struct rules *rules;
    struct fixture fixture;
    struct peer_work work;
    struct result *result;
};

/* ---- Contenders ------------------------------------------------------------------------------------ */

/* Prepares the next contender of the result. Its state is NULL if it cannot do the work. */
static struct contender *enter_contender(struct contest *contest, const struct peer *peer, abbe_method method)
{
    struct result *result = contest->result;
    struct contender *contender = &result->contenders[result->count];
    contest->work.method = method;
    contest->work.peer = peer;
    contest->rules->progress(contest->rules->user, "planning", 0);
    *contender = (struct contender){ .peer = peer, .note.method = method };
    double start = seconds_now();
    if (!peer->prepare(&contest->work, &contender->state, &contender->note))
        contender->state = NULL;
    contender->prepare = seconds_now() - start;
    return contender;
}

/* The contenders that need no other library. The first one is the reference for the ratios. */
static const struct peer *const *built_in_contenders(const struct bench_case *what)
{
    static const struct peer *const cpu[] = { &peer_abbe, NULL };
    static const struct peer *const naive[] = { &peer_abbe, &peer_naive, NULL };
    static const struct peer *const plans[] = { &peer_abbe_plans, NULL };
    static const struct peer *const planes[] = { &peer_abbe, &peer_abbe_planes, NULL };
    static const struct peer *const doubles[] = { &peer_abbe, &peer_abbe_double, NULL };
    static const struct peer *const gpu[] = { &peer_gpu_abbe, &peer_gpu_basic, &peer_gpu_copy, NULL };
    static const struct peer *const cuda[] = { &peer_cuda_abbe, &peer_gpu_beside, &peer_cuda_copy, NULL };
    static const struct peer *const gl[] = { &peer_gl_fast,   &peer_gl_fialka, &peer_gl_moreland,
                                             &peer_gl_copies, &peer_gl_cpu,    NULL };
    static const struct peer *const frames[] = { &peer_frames_fast,     &peer_frames_fialka,
                                                 &peer_frames_moreland, &peer_frames_cpu,
                                                 &peer_frames_scene,    NULL };
    static const struct peer *const shares[] = {
        &peer_frames_moreland, &peer_frames_moreland_blind, &peer_frames_moreland_idle,
        &peer_frames_fast,     &peer_frames_fast_blind,     &peer_frames_fast_idle,
        &peer_frames_cpu,      &peer_frames_scene,          NULL
    };
    if (what->kind == KIND_GL && what->papers)
        return shares;
    switch (what->kind) {
    case KIND_CPU: break;
    case KIND_GPU: return gpu;
    case KIND_CUDA: return cuda;
    case KIND_GL: return what->frames ? frames : gl;
    }
    switch (what->variant) {
    case VARIANT_NONE: break;
    case VARIANT_PLANES: return planes;
    case VARIANT_DOUBLE: return doubles;
    }
    if (what->kernel == KERNEL_BOX)
        return naive;
    return what->plans ? plans : cpu;
}

static void enter_peer(struct contest *contest, const struct peer *peer)
{
    const struct bench_case *what = contest->what;
    if (peer->absent || what->plans || peer->gpu != kind_is_gpu(what->kind) || !peer->suits(what))
        return;
    struct contender *contender = enter_contender(contest, peer, what->method);
    if (contender->state)
        contest->result->count++;
    else
        say_note("%s: %s takes no part: %s", what->name, peer->name, contender->note.problem);
}

/* Returns false if Abbe cannot do the case on the CPU. On a GPU such a case is left out. */
static bool enter_peers(struct contest *contest)
{
    const struct bench_case *what = contest->what;
    const struct peer *const *own = built_in_contenders(what);
    struct contender *abbe = enter_contender(contest, *own, what->method);
    if (!abbe->state && what->kind == KIND_CPU)
        say_error("%s: %s", what->name, abbe->note.problem);
    else if (!abbe->state)
        say_note("%s: left out: %s", what->name, abbe->note.problem);
    if (!abbe->state)
        return what->kind != KIND_CPU;
    contest->result->count++;
    while (*++own)
        enter_peer(contest, *own);
    for (const struct peer *const *peer = contest->rules->peers; *peer && !what->variant; peer++)
        enter_peer(contest, *peer);
    return true;
}

static void release_contender(struct contender *contender)
{
    if (contender->state)
        contender->peer->destroy(contender->state);
    contender->state = NULL;
}

/* Asks for the planner's choice, then enters every method that can do the work. */
static bool enter_methods(struct contest *contest)
{
    struct contender *choice = enter_contender(contest, &peer_abbe, ABBE_METHOD_AUTO);
    if (!choice->state) {
        say_error("%s: %s", contest->what->name, choice->note.problem);
        return false;
    }
    double best = choice->note.predicted;
    contest->result->chosen = choice->note.method;
    release_contender(choice);
    for (abbe_method method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        struct contender *contender = enter_contender(contest, &peer_abbe, method);
        if (!contender->state)
            continue;
        if (contender->note.predicted > HOPELESS * best)
            release_contender(contender);
        contest->result->count++;
    }
    return true;
}

/* ---- Checking ----------------------------------------------------------------------------------- */

static bool report_run_failure(const struct contest *contest, const struct contender *contender,
                               const char *problem)
{
    say_error("%s: %s failed: %s", contest->what->name, contender->peer->name, problem);
    return false;
}

/* Measures the distance of a result from the formula and
 * from the result of the first contender, which is kept. */
static void check_result(struct contest *contest, struct contender *contender, bool first)
{
    struct fixture *fixture = &contest->fixture;
    double tolerance = fixture_tolerance(contest->what);
    contender->error = fixture_error(fixture, contest->what);
    if (first)
        memcpy(fixture->expected.data, fixture->result.data,
               (size_t)fixture->result.stride * fixture->result.height);
    else
        contender->difference = fixture_difference(fixture);
    /* The comparisons are false for a NaN, which then counts as a difference. */
    bool right = contender->error <= tolerance;
    contender->differs = !(right && contender->difference <= tolerance);
    contest->result->wrong |= contender->peer->own && !right;
}

static bool check_contenders(struct contest *contest)
{
    bool first = true;
    for (int i = 0; i < contest->result->count; i++) {
        struct contender *contender = &contest->result->contenders[i];
        if (!contender->state)
            continue;
        if (contender->note.unchecked)
            continue;
        contest->rules->progress(contest->rules->user, "checking", 0);
        fixture_erase_result(&contest->fixture);
        const char *problem = contender->peer->run(contender->state);
        if (problem)
            return report_run_failure(contest, contender, problem);
        if (contender->peer->floor)
            continue;
        check_result(contest, contender, first);
        first = false;
    }
    return true;
}

/* ---- Timing ---------------------------------------------------------------------------- */

static void report_progress(void *user, double fraction)
{
    const struct contest *contest = user;
    contest->rules->progress(contest->rules->user, "timing", fraction);
}

static bool time_contenders(struct contest *contest)
{
    bool cell = contest->what->every_method;
    struct result *result = contest->result;
    struct measuring how = { .seconds = contest->rules->seconds * (cell ? CELL_SHARE : 1),
                             .slow_limit = cell ? BEHIND : 0,
                             .progress = report_progress,
                             .user = contest };
    int outcome = measure(result->contenders, result->count, &how);
    if (outcome == MEASURE_NO_MEMORY)
        say_error("%s: out of memory", contest->what->name);
    else if (outcome != MEASURED)
        report_run_failure(contest, &result->contenders[outcome], result->contenders[outcome].note.problem);
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
        done = done && check_contenders(&contest) && time_contenders(&contest);
    for (int i = 0; i < CONTENDERS_MAX; i++)
        release_contender(&result->contenders[i]);
    fixture_destroy(&contest.fixture);
    return done;
}
