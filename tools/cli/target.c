/* Files that appear whole or not at all: temporary names, flush, rename, and the signals that clean up. */
#include "target.h"

#include "progress.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EXTENSION_MAX = 16, ATTEMPTS = 100, TEMPORARIES_MAX = 1024 };

/* ---- Signals ------------------------------------------------------------------------------------------- */

/* Signals that end the process. SIGPIPE is among them because a message to a closed pipe must not leave files
 * behind. The last row is raised by faults, in a decoder for example; GLib uses SIGTRAP when memory runs out.
 * Any of them may also be sent by another process. */
static const int fatal_signals[] = {
    SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGPIPE, SIGXCPU, SIGUSR1,
    SIGUSR2, SIGALRM, SIGPROF, SIGVTALRM,                           /* sent */
    SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,    SIGTRAP, SIGABRT, SIGSYS, /* faults */
};
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof fatal_signals[0] };

/* The action of each signal before target_watch_signals: the default, or the report of a sanitizer. */
static struct sigaction former_actions[NSIG];

/* Names of the temporary files that exist; NULL entries are free. */
static _Atomic(const char *) temporaries[TEMPORARIES_MAX];

/* `changing` is set while files and table differ: between the creation, renaming or removal of a file and its
 * entry. `dying` is set once a handler has begun. The handler may run on any thread, those of libraries
 * included.
 *
 *     changing thread:  block all fatal signals, set changing, never continue if dying is set; change files
 *                       and table; never continue if dying is set, clear changing, unblock
 *     handler:          set dying, wait until changing is clear, unlink what the table names
 *
 * Each side sets its own flag before it reads the other's, so at least one sees the other: no file is created
 * after the handler has read the table. The handler never runs on the changing thread while `changing` is
 * set, because that thread blocks every signal with this handler; waiting therefore cannot deadlock, and a
 * signal that arrives meanwhile stays pending until the table is complete. The kernel does not keep a genuine
 * fault of a thread that blocks its signal: it ends the process without the handler. Only system calls and
 * stores to the table run at that time. */
static atomic_int changing, dying;

static sigset_t fatal_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < FATAL_SIGNALS; i++)
        sigaddset(&set, fatal_signals[i]);
    return set;
}

/* Removes the temporary files, then ends the process by the same signal, so that the parent sees the reason.
 * Calls only functions that are safe in a signal handler. */
static void remove_and_die(int number)
{
    atomic_store(&dying, 1);
    while (atomic_load(&changing))
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    for (int i = 0; i < TEMPORARIES_MAX; i++) {
        const char *name = atomic_load(&temporaries[i]);
        if (name)
            unlink(name);
    }
    progress_hide();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigaction(number, &former_actions[number], NULL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void target_watch_signals(void)
{
    struct sigaction action = { .sa_handler = remove_and_die, .sa_mask = fatal_set() };
    for (int i = 0; i < FATAL_SIGNALS; i++) {
        struct sigaction *former = &former_actions[fatal_signals[i]];
        /* A signal that the parent ignores (nohup, a background job) stays ignored. */
        if (sigaction(fatal_signals[i], NULL, former) == 0 && former->sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    }
    /* A file that grows beyond its limit is then an error of write, EFBIG, like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
}

/* Never returns when another thread is ending the process. */
static void stop_if_dying(void)
{
    if (!atomic_load(&dying))
        return;
    atomic_store(&changing, 0);
    for (;;)
        pause();
}

static void begin_change(sigset_t *old)
{
    sigset_t set = fatal_set();
    pthread_sigmask(SIG_BLOCK, &set, old);
    atomic_store(&changing, 1);
    stop_if_dying();
}

static void end_change(const sigset_t *old)
{
    int reason = errno;
    stop_if_dying();
    atomic_store(&changing, 0);
    pthread_sigmask(SIG_SETMASK, old, NULL);
    errno = reason;
}

/* ---- The table of temporary files ---------------------------------------------------------------------- */

/* The entry that holds `name`; for NULL, a free one. */
static _Atomic(const char *) *find_temporary(const char *name)
{
    for (int i = 0; i < TEMPORARIES_MAX; i++)
        if (atomic_load(&temporaries[i]) == name)
            return &temporaries[i];
    return NULL;
}

/* Creates a file that must not exist yet and enters its name, which must stay valid until the file is renamed
 * or removed. Returns a descriptor for reading and writing, or −1 with errno. */
static int create_temporary(const char *name, mode_t mode)
{
    _Atomic(const char *) *entry = find_temporary(NULL);
    if (!entry) {
        errno = EMFILE;
        return -1;
    }
    sigset_t old;
    begin_change(&old);
    int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (descriptor >= 0)
        atomic_store(entry, name);
    end_change(&old);
    return descriptor;
}

/* Gives a temporary file its final name; false with errno, and then it stays temporary. */
static bool rename_temporary(const char *name, const char *path)
{
    sigset_t old;
    begin_change(&old);
    bool renamed = rename(name, path) == 0;
    _Atomic(const char *) *entry = find_temporary(name);
    if (renamed && entry)
        atomic_store(entry, NULL);
    end_change(&old);
    return renamed;
}

static void remove_temporary(const char *name)
{
    sigset_t old;
    begin_change(&old);
    unlink(name);
    _Atomic(const char *) *entry = find_temporary(name);
    if (entry)
        atomic_store(entry, NULL);
    end_change(&old);
}

/* ---- Checks before work begins ------------------------------------------------------------------------- */

/* The folder of a path, "." for a bare name. The caller frees it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static bool fail_memory(void)
{
    say_error("out of memory");
    return false;
}

/* Only a regular file that may be written can be replaced. */
static bool check_existing(const char *path, const struct stat *existing)
{
    if (S_ISDIR(existing->st_mode))
        say_error("%s: is a folder; give the name of a file", path);
    else if (S_ISLNK(existing->st_mode))
        say_error("%s: is a symbolic link; give the name of the file that it points to%s", path,
                  !strncmp(path, "/dev/", 5) ? ", or - for standard output" : "");
    else if (!S_ISREG(existing->st_mode))
        say_error("%s: is a device or a pipe; give the name of a file, or - for standard output", path);
    else if (access(path, W_OK) != 0)
        say_error("%s: cannot be replaced: %s", path, strerror(errno));
    else
        return true;
    return false;
}

static bool check_folder(const char *path)
{
    char *folder = folder_of(path);
    if (!folder)
        return fail_memory();
    struct stat entry;
    bool fine = false;
    if (stat(folder, &entry) != 0)
        say_error("%s: folder '%s' cannot be used: %s", path, folder, strerror(errno));
    else if (!S_ISDIR(entry.st_mode))
        say_error("%s: '%s' is a file, not a folder", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        say_error("%s: folder '%s' cannot be written: %s", path, folder, strerror(errno));
    else
        fine = true;
    free(folder);
    return fine;
}

bool target_check(const char *path)
{
    size_t length = strlen(path);
    struct stat existing;
    if (length == 0) {
        say_error("the name of the output file is empty");
        return false;
    }
    if (path[length - 1] == '/') {
        say_error("%s: is a folder; give the name of a file", path);
        return false;
    }
    if (lstat(path, &existing) == 0 && !check_existing(path, &existing))
        return false;
    return check_folder(path);
}

/* ---- The temporary file -------------------------------------------------------------------------------- */

/* ".abbe-" and a random word beside the target, with its extension: hidden, and recognisable if a power
 * failure leaves one behind. NULL without memory. */
static char *temporary_name(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *extension = dot && dot > base && strlen(dot) <= EXTENSION_MAX ? dot : "";
    uint64_t chance = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint64_t)getpid() * 0x9E3779B97F4A7C15u + (uintptr_t)&chance;
    char word[9] = "";
    for (int i = 0; i < 8; i++, chance >>= 5)
        word[i] = letters[chance & 31];
    size_t size = (size_t)(base - path) + strlen(extension) + sizeof ".abbe-" + sizeof word;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.abbe-%s%s", (int)(base - path), path, word, extension);
    return name;
}

/* Creates a file under a new name, which goes to *temporary. */
static int create_unique(const char *path, mode_t mode, char **temporary)
{
    int descriptor = -1;
    for (int attempt = 0; attempt < ATTEMPTS && descriptor < 0; attempt++) {
        *temporary = temporary_name(path);
        if (!*temporary)
            return -1;
        descriptor = create_temporary(*temporary, mode);
        if (descriptor < 0) {
            int reason = errno;
            free(*temporary);
            *temporary = NULL;
            if (reason != EEXIST) {
                errno = reason;
                return -1;
            }
        }
    }
    return descriptor;
}

/* The new file gets the owner and the permissions of the file it replaces. A process that may not change the
 * owner keeps the file, as after any copy. */
static bool inherit_owner(int descriptor, const struct stat *existing)
{
    struct stat mine;
    if (fstat(descriptor, &mine) != 0)
        return false;
    bool other_owner = mine.st_uid != existing->st_uid || mine.st_gid != existing->st_gid;
    if (other_owner && fchown(descriptor, existing->st_uid, existing->st_gid) != 0 && errno != EPERM)
        return false;
    return fchmod(descriptor, existing->st_mode & 0777) == 0;
}

bool target_open(const char *path, struct target *target)
{
    *target = (struct target){ .descriptor = -1 };
    struct stat existing;
    if (!target_check(path))
        return false;
    bool replaces = lstat(path, &existing) == 0;
    target->path = strdup(path);
    if (!target->path)
        return fail_memory();
    /* A private file stays private while it is written. */
    target->descriptor = create_unique(path, replaces ? 0600 : 0666, &target->temporary);
    if (target->descriptor < 0 || (replaces && !inherit_owner(target->descriptor, &existing))) {
        say_error("%s: cannot be written: %s", path, strerror(errno));
        target_close(target);
        return false;
    }
    return true;
}

/* ---- The final name ------------------------------------------------------------------------------------ */

/* fsync; file systems without it return EINVAL, which is not a failure. */
static bool flush_file(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOSYS;
}

/* The rename itself survives a power failure only after the folder has been flushed. A folder that may be
 * written but not read cannot be opened for that; the system then flushes it later. */
static bool flush_folder(const char *path)
{
    char *folder = folder_of(path);
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (descriptor < 0)
        return true;
    bool flushed = flush_file(descriptor);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return flushed;
}

/* Flushes, closes and renames the temporary file; false with errno. */
static bool rename_flushed(struct target *target)
{
    bool flushed = flush_file(target->descriptor);
    int reason = errno;
    bool closed = close(target->descriptor) == 0;
    target->descriptor = -1;
    if (!flushed)
        errno = reason;
    return flushed && closed && rename_temporary(target->temporary, target->path);
}

bool target_commit(struct target *target)
{
    if (!rename_flushed(target)) {
        say_error("%s: cannot be written: %s", target->path, strerror(errno));
        return false;
    }
    free(target->temporary);
    target->temporary = NULL;
    if (!flush_folder(target->path)) {
        say_error("%s: written, but its folder could not be flushed to disk: %s", target->path,
                  strerror(errno));
        return false;
    }
    return true;
}

void target_close(struct target *target)
{
    if (target->descriptor >= 0)
        close(target->descriptor);
    if (target->temporary)
        remove_temporary(target->temporary);
    free(target->temporary);
    free(target->path);
    *target = (struct target){ .descriptor = -1 };
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

bool target_write(int descriptor, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written < 0 ? errno : ENOSPC;
            return false;
        }
        next += written;
        size -= (size_t)written;
    }
    return true;
}

bool target_write_stdout(const void *bytes, size_t size)
{
    if (fflush(stdout) == 0 && target_write(STDOUT_FILENO, bytes, size))
        return true;
    say_error("standard output: %s", strerror(errno));
    return false;
}
