/* Opens an input, a file or a pipe, and finds the signature with which it begins. */
#include "say.h"
#include "vips_picture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Devices are refused because some never end. */
static bool check_entry(const char *name, const struct stat *entry)
{
    if (S_ISDIR(entry->st_mode))
        say_error("%s: is a folder, not a picture", name);
    else if (S_ISREG(entry->st_mode) && entry->st_size == 0)
        say_error("%s: is empty", name);
    else if (S_ISCHR(entry->st_mode) || S_ISBLK(entry->st_mode))
        say_error("%s: is a device, not a picture", name);
    else
        return true;
    return false;
}

/* libvips duplicates the descriptor, and takes a file for empty when it cannot. */
static VipsSource *make_source(const char *name, int descriptor)
{
    int spare = dup(descriptor);
    VipsSource *source = NULL;
    if (spare < 0) {
        say_error("%s: cannot be opened: %s", name, strerror(errno));
        return NULL;
    }
    close(spare);
    source = vips_source_new_from_descriptor(descriptor);
    if (!source)
        say_error("%s: %s", name, picture_reason("cannot be opened"));
    return source;
}

bool open_entry(const char *name, int descriptor, VipsSource **file)
{
    struct stat entry;
    *file = NULL;
    if (fstat(descriptor, &entry) != 0) {
        say_error("%s: %s", name, strerror(errno));
        return false;
    }
    if (!check_entry(name, &entry))
        return false;
    if (S_ISREG(entry.st_mode))
        *file = make_source(name, descriptor);
    return !S_ISREG(entry.st_mode) || *file;
}

/* A source of an open file, pipe or socket. */
static VipsSource *open_descriptor(const char *name, int descriptor)
{
    VipsSource *file = NULL;
    if (!open_entry(name, descriptor, &file))
        return NULL;
    return file ? file : sequence_only(name, descriptor);
}

/* Folders and devices are refused before they are opened, because opening may already do something. */
static VipsSource *open_file(const char *path)
{
    struct stat entry;
    if (stat(path, &entry) != 0) {
        say_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!check_entry(path, &entry))
        return NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        say_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    VipsSource *source = open_descriptor(path, descriptor);
    close(descriptor); /* libvips has duplicated it */
    return source;
}

static VipsSource *open_stdin(const struct reading *reading)
{
    return reading->sequence ? sequence_source(reading->sequence)
                             : sequence_only("standard input", STDIN_FILENO);
}

/* ---- The format ---------------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat entry;
    return strcmp(path, "-") && stat(path, &entry) == 0 && S_ISREG(entry.st_mode);
}

/* Whether the signature may be loaded; prints an error otherwise. */
static bool check_signature(const char *path, const struct signature *signature,
                            const struct reading *reading)
{
    const char *name = open_name(path, reading);
    if (!signature)
        say_error("%s: is not a picture in a known format", name);
    else if (!signature_is_available(signature))
        say_error("%s: is %s, which the installed libvips cannot read", name, signature->title);
    else if (!reading->allow_untrusted && signature_is_untrusted(signature))
        say_error("%s: is %s; libvips marks this decoder as unsafe for untrusted files; pass "
                  "--allow-untrusted-formats to use it",
                  name, signature->title);
    else if (signature->supply == FROM_NAME && !is_file(path))
        say_error("%s: is %s, which can be read only from a file; save it and name that", name,
                  signature->title);
    else
        return true;
    return false;
}

bool picture_is_known(const char *path, const struct reading *reading)
{
    unsigned char start[SIGNATURE_BYTES];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = descriptor < 0 ? -1 : read(descriptor, start, sizeof start);
    if (descriptor >= 0)
        close(descriptor);
    if (size < 0)
        return true;
    const struct signature *signature = signature_find(start, (size_t)size);
    return signature && signature_is_available(signature) &&
           (reading->allow_untrusted || !signature_is_untrusted(signature));
}

const char *open_name(const char *path, const struct reading *reading)
{
    if (strcmp(path, "-") != 0)
        return path;
    return reading->sequence ? reading->sequence->name : "standard input";
}

VipsSource *open_source(const char *path, const struct reading *reading, const struct signature **signature)
{
    VipsSource *source = strcmp(path, "-") ? open_file(path) : open_stdin(reading);
    unsigned char *start = NULL;
    if (!source)
        return NULL;
    gint64 size = vips_source_sniff_at_most(source, &start, SIGNATURE_BYTES);
    if (size < 0)
        say_error("%s: cannot be read: %s", open_name(path, reading), picture_reason("read error"));
    *signature = size > 0 ? signature_find(start, (size_t)size) : NULL;
    if (size < 0 || !check_signature(path, *signature, reading)) {
        g_object_unref(source);
        return NULL;
    }
    return source;
}
