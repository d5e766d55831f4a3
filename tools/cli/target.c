/* Files that appear whole or not at all: files without a name or with a temporary one, flush, the final name,
 * and the signals that clean up. */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */
#include "target.h"

#include "attributes.h"
#include "progress.h"
#include "say.h"
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 100, TEMPORARIES_MAX = 1024 };

/* A file that has a temporary name. */
struct temporary {
    int folder; /* descriptor */
    char name[TEMPORARY_NAME];
};

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

/* The temporary names that exist; NULL entries are free. */
static _Atomic(const struct temporary *) temporaries[TEMPORARIES_MAX];

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

/* Whether a signal may be the end of a library that did not get memory. */
static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGTRAP || number == SIGABRT;
}

/* Whether the address space that the process may use is nearly exhausted, as with ulimit -v. */
static bool memory_is_short(void)
{
    static const size_t least = 64 << 20; /* bytes */
    void *probe = mmap(NULL, least, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe != MAP_FAILED)
        munmap(probe, least);
    return probe == MAP_FAILED;
}

/* Calls only functions that are safe in a signal handler. */
static void remove_temporaries(void)
{
    atomic_store(&dying, 1);
    while (atomic_load(&changing))
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    for (int i = 0; i < TEMPORARIES_MAX; i++) {
        const struct temporary *temporary = atomic_load(&temporaries[i]);
        if (temporary)
            unlinkat(temporary->folder, temporary->name, 0);
    }
}

void target_die(const char *reason)
{
    remove_temporaries();
    say_last_words(reason);
    _exit(FAILED);
}

/* Removes the temporary files, then ends the process by the same signal, so that the parent sees the reason. A
 * fault where memory has run out is a failure with a message, because libraries of decoders crash for want of
 * memory. */
static void remove_and_die(int number)
{
    if (is_fault(number) && memory_is_short())
        target_die("out of memory");
    remove_temporaries();
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
    /* A stack for the handler of a stack overflow, or of a stack that cannot grow for want of memory. */
    static char stack[1 << 16];
    sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
    struct sigaction action = { .sa_handler = remove_and_die,
                                .sa_mask = fatal_set(),
                                .sa_flags = SA_ONSTACK };
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

/* ---- The table of temporary names ---------------------------------------------------------------------- */

/* The entry that holds `temporary`; for NULL, a free one. */
static _Atomic(const struct temporary *) *find_entry(const struct temporary *temporary)
{
    for (int i = 0; i < TEMPORARIES_MAX; i++)
        if (atomic_load(&temporaries[i]) == temporary)
            return &temporaries[i];
    return NULL;
}

static void clear_entry(const struct temporary *temporary)
{
    _Atomic(const struct temporary *) *entry = find_entry(temporary);
    if (entry)
        atomic_store(entry, NULL);
}

/* Creates a file that must not exist yet and enters its name, which must stay valid until the file is renamed
 * or removed. Returns a descriptor for reading and writing, or −1 with errno. */
static int create_temporary(const struct temporary *temporary, mode_t mode)
{
    _Atomic(const struct temporary *) *entry = find_entry(NULL);
    if (!entry) {
        errno = EMFILE;
        return -1;
    }
    sigset_t old;
    begin_change(&old);
    int descriptor = openat(temporary->folder, temporary->name,
                            O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (descriptor >= 0)
        atomic_store(entry, temporary);
    end_change(&old);
    return descriptor;
}

/* Gives a temporary file its final name; false with errno, and then it stays temporary. */
static bool rename_temporary(const struct temporary *temporary, const char *name)
{
    sigset_t old;
    begin_change(&old);
    bool renamed = renameat(temporary->folder, temporary->name, temporary->folder, name) == 0;
    if (renamed)
        clear_entry(temporary);
    end_change(&old);
    return renamed;
}

static void remove_temporary(const struct temporary *temporary)
{
    sigset_t old;
    begin_change(&old);
    unlinkat(temporary->folder, temporary->name, 0);
    clear_entry(temporary);
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

bool target_make_folder(const char *path)
{
    char *folder = folder_of(path);
    if (!folder)
        return fail_memory();
    bool made = true;
    for (char *slash = folder; made && slash; *slash = '/') {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = 0;
        made = mkdir(folder, 0777) == 0 || errno == EEXIST;
        if (!made)
            say_error("%s: folder '%s' cannot be created: %s", path, folder, strerror(errno));
        if (!slash)
            break;
    }
    free(folder);
    return made;
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

/* ---- A file without its final name --------------------------------------------------------------------- */

/* The path of a descriptor, by which a file without a name gets one. */
struct link_path {
    char text[32];
};

static struct link_path link_path(int descriptor)
{
    struct link_path path;
    snprintf(path.text, sizeof path.text, "/proc/self/fd/%d", descriptor);
    return path;
}

/* Creates a file without a name, which vanishes with the process however it ends. Not every file system has
 * such files, and without /proc they cannot be named later; then false. */
static bool create_unnamed(struct target *target, mode_t mode)
{
    target->descriptor = openat(target->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (target->descriptor >= 0 && access(link_path(target->descriptor).text, F_OK) == 0) {
        temporary_lock(target->descriptor);
        return true;
    }
    if (target->descriptor >= 0)
        close(target->descriptor);
    target->descriptor = -1;
    return false;
}

static void remove_named(struct target *target)
{
    int reason = errno;
    if (target->descriptor >= 0)
        close(target->descriptor);
    target->descriptor = -1;
    if (target->temporary)
        remove_temporary(target->temporary);
    free(target->temporary);
    target->temporary = NULL;
    errno = reason;
}

/* Creates and locks a file under a new temporary name; false with errno. */
static bool create_named(struct target *target, mode_t mode)
{
    bool lockable = true;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct temporary *temporary = malloc(sizeof *temporary);
        if (!temporary)
            return false;
        temporary->folder = target->folder;
        temporary_name(temporary->name, target->name, lockable);
        target->descriptor = create_temporary(temporary, mode);
        if (target->descriptor < 0) {
            free(temporary);
            if (errno != EEXIST)
                return false;
            continue;
        }
        target->temporary = temporary;
        enum temporary_lock lock = lockable ? temporary_lock(target->descriptor) : TEMPORARY_LOCKED;
        if (lock == TEMPORARY_LOCKED)
            return true;
        lockable = lock != TEMPORARY_IMPOSSIBLE;
        remove_named(target);
    }
    errno = EEXIST;
    return false;
}

/* Opens the folder, creates the file and lets it inherit; false with errno. */
static bool create_file(struct target *target)
{
    char *folder = folder_of(target->path);
    struct stat existing;
    if (!folder)
        return false;
    target->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (target->folder < 0)
        return false;
    temporary_sweep(target->folder);
    bool replaces = fstatat(target->folder, target->name, &existing, AT_SYMLINK_NOFOLLOW) == 0;
    /* A private file stays private while it is written. */
    mode_t mode = replaces ? 0600 : 0666;
    return (create_unnamed(target, mode) || create_named(target, mode)) &&
           (!replaces ||
            attributes_inherit(target->descriptor, target->folder, target->name, target->path, &existing));
}

bool target_open(const char *path, struct target *target)
{
    *target = (struct target){ .folder = -1, .descriptor = -1 };
    if (!target_check(path))
        return false;
    target->path = strdup(path);
    if (!target->path)
        return fail_memory();
    const char *slash = strrchr(target->path, '/');
    target->name = slash ? slash + 1 : target->path;
    if (create_file(target))
        return true;
    say_error("%s: cannot be written: %s", path, strerror(errno));
    target_close(target);
    return false;
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

/* The name itself survives a power failure only after the folder has been flushed. A folder that may be
 * written but not read cannot be opened for that; the system then flushes it later. */
static bool flush_folder(int folder)
{
    int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return true;
    bool flushed = flush_file(descriptor);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return flushed;
}

/* Closing a file is when some file systems report that writing failed. The lock must outlast it, so a copy of
 * the descriptor is closed. */
static bool report_close(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return copy < 0 || close(copy) == 0;
}

/* Gives a file without a name its final one. No call does so where the name exists: there the file gets a
 * temporary name first, for the time of two system calls. */
static bool link_unnamed(const struct target *target)
{
    struct link_path path = link_path(target->descriptor);
    char name[TEMPORARY_NAME];
    sigset_t old;
    begin_change(&old);
    bool done = linkat(AT_FDCWD, path.text, target->folder, target->name, AT_SYMLINK_FOLLOW) == 0;
    for (int attempt = 0; !done && errno == EEXIST && attempt < ATTEMPTS; attempt++) {
        temporary_name(name, target->name, true);
        if (linkat(AT_FDCWD, path.text, target->folder, name, AT_SYMLINK_FOLLOW) != 0)
            continue;
        done = renameat(target->folder, name, target->folder, target->name) == 0;
        int reason = errno;
        if (!done)
            unlinkat(target->folder, name, 0);
        errno = reason;
        break;
    }
    end_change(&old);
    return done;
}

/* Flushes the file and gives it its final name; false with errno. */
static bool name_flushed(struct target *target)
{
    if (!flush_file(target->descriptor) || !report_close(target->descriptor))
        return false;
    return target->temporary ? rename_temporary(target->temporary, target->name) : link_unnamed(target);
}

/* Says where the file is if its folder is no longer where it was. */
static void say_moved(const struct target *target)
{
    char *folder = folder_of(target->path);
    struct stat here, there;
    if (folder && fstat(target->folder, &here) == 0 &&
        (stat(folder, &there) != 0 || here.st_dev != there.st_dev || here.st_ino != there.st_ino))
        say_warning("%s: its folder was renamed meanwhile; the file is in the renamed folder", target->path);
    free(folder);
}

bool target_commit(struct target *target)
{
    if (!name_flushed(target)) {
        say_error("%s: cannot be written: %s", target->path, strerror(errno));
        return false;
    }
    free(target->temporary);
    target->temporary = NULL;
    close(target->descriptor);
    target->descriptor = -1;
    say_moved(target);
    if (!flush_folder(target->folder)) {
        say_error("%s: written, but its folder could not be flushed to disk: %s", target->path,
                  strerror(errno));
        return false;
    }
    return true;
}

void target_close(struct target *target)
{
    remove_named(target);
    if (target->folder >= 0)
        close(target->folder);
    free(target->path);
    *target = (struct target){ .folder = -1, .descriptor = -1 };
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
