/* The pool of threads: every round of a loop is done once, by workers with different numbers; from many
 * threads at once, nested, and where the system refuses threads. */
#include "core/lock.h"
#include "core/pool.h"
#include "support/child.h"
#include "support/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MAX = 3000, WORKERS_MAX = 40, CALLERS = 8 };

/* ---- Threads that the system refuses ------------------------------------------------------------------ */

static atomic_int allowed = -1; /* threads that may still be created; −1: any number */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *params, void *(*start)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *params, void *(*start)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *params, void *(*start)(void *),
                          void *argument)
{
    if (allowed == 0)
        return EAGAIN;
    if (allowed > 0)
        allowed--;
    return __real_pthread_create(thread, params, start, argument);
}

/* ---- Loops -------------------------------------------------------------------------------------------- */

/* What a loop did. */
struct record {
    pthread_t caller;
    int workers;
    long long count, chunk;
    atomic_int done[ROUNDS_MAX];    /* how often each round was done */
    atomic_int inside[WORKERS_MAX]; /* threads that have this number now */
    atomic_int rounds[WORKERS_MAX]; /* rounds by worker */
    atomic_int wrong;
};

static void record_rounds(void *context, int worker, long long first, long long end)
{
    struct record *record = context;
    bool numbered = worker >= 0 && worker < record->workers;
    bool is_caller = pthread_equal(pthread_self(), record->caller);
    bool whole = first == 0 && end == record->count;
    if (!numbered || is_caller != (worker == 0) || first < 0 || end > record->count || first >= end ||
        (end - first > record->chunk && !whole) || first % record->chunk) {
        atomic_fetch_add(&record->wrong, 1);
        return;
    }
    atomic_fetch_add(&record->wrong, atomic_fetch_add(&record->inside[worker], 1) != 0);
    for (long long i = first; i < end; i++)
        atomic_fetch_add(&record->done[i], 1);
    atomic_fetch_add(&record->rounds[worker], (int)(end - first));
    atomic_fetch_sub(&record->inside[worker], 1);
}

/* Runs a loop; the number of rounds that went wrong. */
static int count_wrong(int workers, long long count, long long chunk, pool_task *task)
{
    struct record record = { .caller = pthread_self(), .workers = workers, .count = count, .chunk = chunk };
    pool_loop(workers, count, chunk, task, &record);
    int wrong = record.wrong;
    for (int i = 0; i < ROUNDS_MAX; i++)
        wrong += record.done[i] != (i < count);
    return wrong;
}

/* Loops of all sizes; the number of rounds that went wrong. */
static int try_sizes(int times)
{
    static const int workers[] = { 1, 2, 3, 7, WORKERS_MAX };
    static const int counts[] = { 0, 1, 2, 3, 16, 100, ROUNDS_MAX };
    static const int chunks[] = { 1, 2, 5, 64, ROUNDS_MAX + 1 };
    int wrong = 0;
    for (int i = 0; i < times * 5 * 7 * 5; i++)
        wrong += count_wrong(workers[i % 5], counts[i / 5 % 7], chunks[i / 35 % 5], record_rounds);
    return wrong;
}

static void every_round_once(void **state)
{
    (void)state;
    assert_int_equal(try_sizes(3), 0);
}

static void record_slowly(void *context, int worker, long long first, long long end)
{
    record_rounds(context, worker, first, end);
    nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static void rounds_are_shared(void **state)
{
    (void)state;
    struct record record = { .caller = pthread_self(), .workers = 3, .count = 60, .chunk = 1 };
    pool_loop(3, 60, 1, record_slowly, &record);
    for (int i = 0; i < 3; i++)
        assert_true(record.rounds[i] > 0);
}

static void shares(void **state)
{
    (void)state;
    for (int workers = 1; workers < 9; workers++)
        for (int count = 0; count < 40; count++) {
            long long chunk = pool_share(workers, count);
            assert_true(chunk >= 1 && chunk * workers >= count);
            assert_true(chunk == 1 || (chunk - 1) * workers < count);
        }
}

/* The worker reads what the caller wrote before the loop, and the caller what the worker wrote in it. */
static void add_one(void *context, int worker, long long first, long long end)
{
    (void)worker;
    int *numbers = context;
    for (long long i = first; i < end; i++)
        numbers[i]++;
}

static void many_short_loops(void **state)
{
    (void)state;
    enum { LOOPS = 3000, COUNT = 64 };
    int numbers[COUNT] = { 0 };
    for (int i = 0; i < LOOPS; i++) {
        pool_loop(2 + i % 3, COUNT, 1 + i % 5, add_one, numbers);
        if (i % 500 == 0) /* the workers fall asleep */
            nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(numbers[i], LOOPS);
}

static void nest(void *context, int worker, long long first, long long end)
{
    record_rounds(context, worker, first, end);
    if (count_wrong(3, 20, 2, record_rounds))
        atomic_fetch_add(&((struct record *)context)->wrong, 1);
}

static void nested_loops(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        assert_int_equal(count_wrong(4, 50, 1, nest), 0);
}

/* ---- Many callers ------------------------------------------------------------------------------------- */

static void *try_sizes_of(void *wrong)
{
    *(int *)wrong = try_sizes(1);
    return NULL;
}

static void many_callers(void **state)
{
    (void)state;
    pthread_t threads[CALLERS];
    int wrong[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, try_sizes_of, &wrong[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
    /* The pool has the threads of the largest loop, not those of all callers together. The thread sanitizer
     * has one more thread. */
    int most = WORKERS_MAX > pool_processors() ? WORKERS_MAX : pool_processors();
    assert_true(child_count_threads() <= most + 1);
}

/* ---- In a child, whose pool is empty ------------------------------------------------------------------ */

static int work_without_threads(void *argument)
{
    (void)argument;
    for (allowed = 0; allowed < 4; allowed++) {
        int before = allowed;
        if (try_sizes(1))
            return 1;
        allowed = before;
    }
    allowed = -1;
    return try_sizes(2) || child_count_threads() < 3; /* the pool grows again */
}

static void refused_threads(void **state)
{
    (void)state;
    assert_int_equal(child_run(work_without_threads, NULL), 0);
}

static void count_warnings(void *user, abbe_log_level level, const char *text)
{
    ++*(int *)user;
    if (level != ABBE_LOG_WARNING || !strstr(text, "refuses to start threads"))
        *(int *)user += 100;
}

/* Two runs without threads give one warning and right results. */
static int run_without_threads(void *argument)
{
    (void)argument;
    enum { SIDE = 300 };
    static float in[SIDE * SIDE], out[SIDE * SIDE];
    int warnings = 0;
    abbe_device *device = NULL;
    abbe_filter *identity = NULL;
    abbe_plan *plan = NULL;
    const abbe_device_params params = {
        .threads = 4, .cache_dir = "", .log = count_warnings, .log_user = &warnings
    };
    allowed = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        in[i] = (float)(i % 97);
    const abbe_image source = { .data = in,
                                .width = SIDE,
                                .height = SIDE,
                                .channels = 1,
                                .stride = sizeof(float) * SIDE,
                                .type = ABBE_F32 };
    abbe_image result = source;
    result.data = out;
    if (abbe_device_open("cpu", &params, &device) || abbe_filter_parse("identity", NULL, &identity) ||
        abbe_plan_create(device,
                         &(abbe_plan_params){ .width = SIDE,
                                              .height = SIDE,
                                              .channels = 1,
                                              .source_type = ABBE_F32,
                                              .result_type = ABBE_F32,
                                              .filters = (const abbe_filter *[]){ identity },
                                              .filter_count = 1 },
                         &plan) ||
        abbe_run(plan, &source, &result) || abbe_run(plan, &source, &result))
        return 1;
    for (int i = 0; i < SIDE * SIDE; i++)
        if (in[i] != out[i])
            return 2;
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&identity);
    abbe_device_close(&device);
    return warnings == 1 ? 0 : 10 + warnings;
}

static void refused_threads_are_logged(void **state)
{
    (void)state;
    assert_int_equal(child_run(run_without_threads, NULL), 0);
}

static struct core_lock lock;

static int take_lock(void *argument)
{
    (void)argument;
    core_lock(&lock);
    core_unlock(&lock);
    core_lock_destroy(&lock);
    return core_generation() == 2 ? 0 : 1;
}

/* Forks while another thread, `argument`, holds the lock. */
static void *fork_locked(void *argument)
{
    *(int *)argument = child_run(take_lock, NULL);
    return NULL;
}

static void locks_of_the_parent_are_free(void **state)
{
    (void)state;
    int answer = -1;
    pthread_t thread;
    core_lock_init(&lock);
    core_lock(&lock);
    assert_int_equal(pthread_create(&thread, NULL, fork_locked, &answer), 0);
    pthread_join(thread, NULL);
    core_unlock(&lock);
    assert_int_equal(answer, 0);
    assert_int_equal(core_generation(), 1);
    core_lock_destroy(&lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_once),
        cmocka_unit_test(rounds_are_shared),
        cmocka_unit_test(shares),
        cmocka_unit_test(many_short_loops),
        cmocka_unit_test(nested_loops),
        cmocka_unit_test(many_callers),
        cmocka_unit_test(refused_threads),
        cmocka_unit_test(refused_threads_are_logged),
        cmocka_unit_test(locks_of_the_parent_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
