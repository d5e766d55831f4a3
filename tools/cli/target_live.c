/* The table of living temporary files, and the signal handler that empties it. */
#include "target_live.h"

#include "progress.h"
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LIVE_MAX = 1024 };

/* Signals that end the process and may arrive while files are being written. SIGPIPE is among them: a message
 * to a closed pipe must not leave files behind either. */
static const int deadly[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,  SIGXCPU,
                              SIGUSR1, SIGUSR2, SIGALRM, SIGPROF, SIGVTALRM };
enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* Signals by which a fault, in a decoder say, ends the process; GLib's way out of memory is SIGTRAP. */
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* What each signal did before: the default, or the report of a sanitizer. */
static struct sigaction before[NSIG];

static _Atomic(const char *) live[LIVE_MAX];

/* The handler may run on any thread, the libraries' own included, beside the one that creates files. `busy`
 * is set while a file exists that the table does not name yet; `dying` once a handler has begun. Each side
 * first sets its own, then looks at the other's, so that no file is born behind the handler's back. */
static atomic_int busy, dying;

static sigset_t deadly_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < DEADLY; i++)
        sigaddset(&set, deadly[i]);
    return set;
}

/* Everything in here and in the two below is safe in a signal handler. */
static void tidy(void)
{
    for (int i = 0; i < LIVE_MAX; i++) {
        const char *name = atomic_load(&live[i]);
        if (name)
            unlink(name);
    }
    progress_hide();
}

/* The former action under the same signal: the parent then sees how the process ended. */
static void die(int signal_number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    sigaction(signal_number, &before[signal_number], NULL);
    raise(signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void tidy_and_die(int signal_number)
{
    atomic_store(&dying, 1);
    /* The creating thread blocks these signals while it is busy, so the wait is for another thread. */
    while (atomic_load(&busy))
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    tidy();
    die(signal_number);
}

/* A fault may strike the creating thread itself, so that nothing is waited for. */
static void tidy_after_fault(int signal_number)
{
    atomic_store(&dying, 1);
    tidy();
    die(signal_number);
}

static void watch(const int *signals, int count, void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler, .sa_mask = deadly_set() };
    for (int i = 0; i < count; i++) {
        struct sigaction *old = &before[signals[i]];
        /* What the parent chose to ignore (nohup, a job in the background) stays ignored. */
        if (sigaction(signals[i], NULL, old) == 0 && old->sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void target_watch_signals(void)
{
    watch(deadly, DEADLY, tidy_and_die);
    watch(faults, FAULTS, tidy_after_fault);
    /* A file that grows beyond the limit is then an error of write, EFBIG, like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
}

/* Between these two no handler looks at the table, and none runs on this thread. */
static void enter(sigset_t *old)
{
    sigset_t set = deadly_set();
    pthread_sigmask(SIG_BLOCK, &set, old);
    atomic_store(&busy, 1);
    if (!atomic_load(&dying))
        return;
    atomic_store(&busy, 0);
    for (;;) /* another thread is ending the process */
        pause();
}

static void leave(const sigset_t *old)
{
    int reason = errno;
    atomic_store(&busy, 0);
    pthread_sigmask(SIG_SETMASK, old, NULL);
    errno = reason;
}

static _Atomic(const char *) *slot_of(const char *name)
{
    for (int i = 0; i < LIVE_MAX; i++)
        if (atomic_load(&live[i]) == name)
            return &live[i];
    return NULL;
}

int live_create(const char *name, mode_t mode)
{
    _Atomic(const char *) *slot = slot_of(NULL);
    if (!slot) {
        errno = EMFILE;
        return -1;
    }
    sigset_t old;
    enter(&old);
    int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (descriptor >= 0)
        atomic_store(slot, name);
    leave(&old);
    return descriptor;
}

bool live_rename(const char *name, const char *path)
{
    sigset_t old;
    enter(&old);
    bool renamed = rename(name, path) == 0;
    _Atomic(const char *) *slot = slot_of(name);
    if (renamed && slot)
        atomic_store(slot, NULL);
    leave(&old);
    return renamed;
}

void live_remove(const char *name)
{
    sigset_t old;
    enter(&old);
    unlink(name);
    _Atomic(const char *) *slot = slot_of(name);
    if (slot)
        atomic_store(slot, NULL);
    leave(&old);
}
