/* Preloaded into the command by test_safety.py: sends a signal at the moment when a file has got a name, before
 * the command can have noted it; and refuses files without a name, as some file systems do.
 *
 *     ABBE_INTERRUPT=MOMENT:SENDER:SIGNAL[:TIME]
 *     MOMENT   unnamed (a file without a name was made), create, link, rename: inside the call, after the file
 *              system has done its part
 *     SENDER   process: kill; thread: the calling thread itself; other: a second thread, during the call
 *     TIME     the moment counts from that time on; 1 without
 *     ABBE_REFUSE_UNNAMED=1, ABBE_REFUSE_LOCKS=1 */
#define _GNU_SOURCE /* RTLD_NEXT, O_TMPFILE */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The headers may define these as macros or as names with attributes for checks. */
int openat(int folder, const char *path, int flags, ...);
int openat64(int folder, const char *path, int flags, ...);
int linkat(int from_folder, const char *from, int folder, const char *to, int flags);
int renameat(int from_folder, const char *from, int folder, const char *to);
int flock(int descriptor, int operation);

static int sent_signal;
static atomic_int is_sending;

/* A new thread inherits the signals that the calling one blocks; libraries' threads do not block them. */
static void *raise_unblocked(void *unused)
{
    (void)unused;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sent_signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    atomic_store(&is_sending, 1);
    raise(sent_signal);
    return NULL;
}

static void send_from_other_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, raise_unblocked, NULL) != 0)
        abort();
    while (!atomic_load(&is_sending))
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    /* Enough time for a handler that does not wait. */
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
}

static void interrupt(const char *moment)
{
    static atomic_int times;
    char wanted[16], sender[16];
    int first = 1;
    const char *text = getenv("ABBE_INTERRUPT");
    if (!text || sscanf(text, "%15[a-z]:%15[a-z]:%d:%d", wanted, sender, &sent_signal, &first) < 3 ||
        strcmp(wanted, moment) != 0 || atomic_fetch_add(&times, 1) + 1 < first)
        return;
    int reason = errno;
    if (!strcmp(sender, "process"))
        kill(getpid(), sent_signal);
    else if (!strcmp(sender, "thread"))
        raise(sent_signal);
    else
        send_from_other_thread();
    errno = reason;
}

static int open_as(const char *function, int folder, const char *path, int flags, mode_t mode)
{
    int (*next)(int, const char *, int, ...) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, function);
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("ABBE_REFUSE_UNNAMED")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    int descriptor = next(folder, path, flags, mode);
    if (descriptor >= 0 && (flags & O_TMPFILE) == O_TMPFILE)
        interrupt("unnamed");
    else if (descriptor >= 0 && (flags & O_CREAT) && strstr(path, ".abbe-"))
        interrupt("create");
    return descriptor;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_as("openat", folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_as("openat64", folder, path, flags, mode);
}

int linkat(int from_folder, const char *from, int folder, const char *to, int flags)
{
    int (*next)(int, const char *, int, const char *, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "linkat");
    int result = next(from_folder, from, folder, to, flags);
    if (result == 0)
        interrupt("link");
    return result;
}

int renameat(int from_folder, const char *from, int folder, const char *to)
{
    int (*next)(int, const char *, int, const char *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "renameat");
    int result = next(from_folder, from, folder, to);
    if (result == 0 && strstr(from, ".abbe-"))
        interrupt("rename");
    return result;
}

int flock(int descriptor, int operation)
{
    int (*next)(int, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "flock");
    if (!getenv("ABBE_REFUSE_LOCKS"))
        return next(descriptor, operation);
    errno = ENOLCK;
    return -1;
}
