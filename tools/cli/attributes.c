/* What a file that is replaced passes on to the new one: owner, permissions, access list, attributes. */
#include "attributes.h"

#include "say.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Room for a name in the folder of a descriptor. */
enum { PLACE_MAX = NAME_MAX + 64 };

static const char access_list[] = "system.posix_acl_access";

/* A process that may not change the owner keeps the file, as after any copy, and gives it at least the group. Where it
 * may not do that either, the permissions of the group in *mode are not for the group that the file has. */
static bool inherit_owner(int descriptor, const struct stat *existing, mode_t *mode)
{
    struct stat mine;
    if (fstat(descriptor, &mine) != 0)
        return false;
    bool other_group = mine.st_gid != existing->st_gid;
    if ((mine.st_uid == existing->st_uid && !other_group) ||
        fchown(descriptor, existing->st_uid, existing->st_gid) == 0)
        return true;
    if (errno != EPERM)
        return false;
    if (other_group && fchown(descriptor, (uid_t)-1, existing->st_gid) != 0) {
        *mode &= ~(mode_t)S_IRWXG;
        return errno == EPERM;
    }
    return true;
}

/* The value of an attribute, which the caller frees; NULL with errno. A value has 64 KB at most in Linux. */
static char *read_attribute(const char *path, const char *name, size_t *size)
{
    ssize_t length = lgetxattr(path, name, NULL, 0);
    char *value = length < 0 ? NULL : malloc((size_t)length + 1);
    if (value)
        length = lgetxattr(path, name, value, (size_t)length);
    if (value && length < 0) {
        free(value);
        value = NULL;
    }
    *size = value ? (size_t)length : 0;
    return value;
}

static bool copy_attribute(int descriptor, const char *path, const char *name)
{
    size_t size;
    char *value = read_attribute(path, name, &size);
    bool copied = value && fsetxattr(descriptor, name, value, size, 0) == 0;
    free(value);
    return copied;
}

/* A file without an access list passes on that it has none: the new file may have got one from its folder. */
static bool inherit_access_list(int descriptor, const char *path)
{
    if (copy_attribute(descriptor, path, access_list))
        return true;
    if (errno == ENOTSUP)
        return true; /* neither file can have one */
    return errno == ENODATA &&
           (fremovexattr(descriptor, access_list) == 0 || errno == ENODATA || errno == ENOTSUP);
}

/* Attributes of the user, the security label of the file, and the access list of NFS 4. Others belong to the
 * system and describe the old content: checksums, capabilities, marks of an overlay. */
static bool is_inherited(const char *name)
{
    return !strncmp(name, "user.", 5) || !strcmp(name, "security.selinux") ||
           !strcmp(name, "system.nfs4_acl");
}

/* The names of the attributes, each with its zero, and their length. The caller frees them; NULL without. */
static char *list_attributes(const char *path, size_t *size)
{
    ssize_t length = llistxattr(path, NULL, 0);
    char *names = length > 0 ? malloc((size_t)length) : NULL;
    if (names)
        length = llistxattr(path, names, (size_t)length);
    *size = names && length > 0 ? (size_t)length : 0;
    return names;
}

static void inherit_attributes(int descriptor, const char *place, const char *path)
{
    size_t size;
    char *names = list_attributes(place, &size);
    for (const char *name = names; size > 0 && name < names + size; name += strlen(name) + 1)
        if (is_inherited(name) && !copy_attribute(descriptor, place, name))
            say_warning("%s: the new file has no attribute '%s': %s", path, name, strerror(errno));
    free(names);
}

bool attributes_inherit(int descriptor, int folder, const char *name, const char *path,
                        const struct stat *existing)
{
    /* The folder may have been renamed since it was opened. Without /proc, its path must do. */
    char place[PLACE_MAX];
    int length = snprintf(place, sizeof place, "/proc/self/fd/%d/%s", folder, name);
    struct stat entry;
    bool found = length < PLACE_MAX && lstat(place, &entry) == 0;
    const char *from = found ? place : path;
    mode_t mode = existing->st_mode & 0777;
    if (!inherit_owner(descriptor, existing, &mode) || !inherit_access_list(descriptor, from) ||
        fchmod(descriptor, mode) != 0)
        return false;
    inherit_attributes(descriptor, from, path);
    return true;
}
