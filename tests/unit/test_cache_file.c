/* Files that the library keeps in a folder that others may use: what is not a plain file of this user is refused
 * without waiting for it, links are never written through, and a program with its owner's rights (setuid) takes
 * no folder from the environment. */
#define _GNU_SOURCE
#include "device/cache_file.h"
#include "device/device.h"

#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[4][128];
    static int next;
    char *place = path[next++ % 4];
    snprintf(place, sizeof path[0], "%s/%s", folder, name);
    return place;
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *name, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    assert_string_equal(found, text);
}

static int count_entries(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(entries);
    return count;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/abbe-cache-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void assert_refused(const char *path, bool named, size_t most, const char *reason)
{
    struct cache_file file;
    enum cache_state state = cache_open(path, named, most, &file);
    if (state != CACHE_REFUSED || !strstr(file.reason, reason) || file.descriptor >= 0)
        fail_msg("%s: state %d, '%s' instead of '%s'", path, state, file.reason ? file.reason : "", reason);
}

/* ---- Reading and writing ------------------------------------------------------------------------------- */

static void a_file_comes_back(void **state)
{
    (void)state;
    static char bytes[100000], back[sizeof bytes];
    struct cache_file file;
    struct stat about;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 3);
    mode_t mask = umask(0);
    assert_true(cache_write(in_folder("new"), "data", bytes, sizeof bytes));
    umask(mask);
    assert_int_equal(stat(in_folder("new"), &about) | (about.st_mode & 07777), 0700);
    assert_int_equal(stat(in_folder("new/data"), &about) | (about.st_mode & 07777), 0600);
    assert_int_equal(cache_open(in_folder("new/data"), false, sizeof bytes, &file), CACHE_ACCEPTED);
    assert_int_equal(file.bytes, sizeof bytes);
    assert_true(cache_read(&file, back));
    assert_memory_equal(bytes, back, sizeof bytes);
    assert_refused(in_folder("new/data"), false, sizeof bytes - 1, "too large");
    assert_true(cache_write(in_folder("new"), "data", "short", 5));
    assert_text("new/data", "short");
    assert_true(cache_write(in_folder("new"), "data", "", 0));
    assert_int_equal(cache_open(in_folder("new/data"), false, 9, &file), CACHE_ACCEPTED);
    assert_int_equal(file.bytes, 0);
    assert_true(cache_read(&file, back));
    assert_int_equal(cache_open(in_folder("none"), false, 9, &file), CACHE_MISSING);
    assert_int_equal(cache_open(in_folder("new/data/none"), false, 9, &file), CACHE_MISSING);
}

/* A file that shrinks or grows between the look at it and the reading is not taken. */
static void a_file_that_changes(void **state)
{
    (void)state;
    const char *const texts[] = { "1234", "123456" };
    for (int i = 0; i < 2; i++) {
        char bytes[5];
        struct cache_file file;
        put_file("data", "12345");
        assert_int_equal(cache_open(in_folder("data"), false, 5, &file), CACHE_ACCEPTED);
        put_file("data", texts[i]);
        assert_false(cache_read(&file, bytes));
        assert_int_equal(file.descriptor, -1);
    }
}

/* ---- What strangers put in the place ------------------------------------------------------------------- */

static void links_are_refused_and_replaced(void **state)
{
    (void)state;
    struct cache_file file;
    put_file("victim", "precious");
    assert_int_equal(symlink(in_folder("victim"), in_folder("data")), 0);
    assert_int_equal(symlink(in_folder("nowhere"), in_folder("dangling")), 0);
    assert_refused(in_folder("data"), false, 99, "symbolic link");
    assert_refused(in_folder("dangling"), false, 99, "symbolic link");
    assert_int_equal(cache_open(in_folder("data"), true, 99, &file), CACHE_ACCEPTED);
    cache_close(&file);
    assert_true(cache_write(folder, "data", "mine", 4));
    assert_true(cache_write(folder, "dangling", "mine", 4));
    assert_text("data", "mine");
    assert_text("victim", "precious");
    assert_int_equal(access(in_folder("nowhere"), F_OK), -1);
    assert_int_equal(count_entries(), 3); /* no temporary file is left */
}

static void pipes_and_folders_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("data"), 0600), 0);
    assert_refused(in_folder("data"), false, 99, "regular");
    assert_refused(in_folder("data"), true, 99, "regular");
    assert_true(cache_write(folder, "data", "mine", 4));
    assert_text("data", "mine");
    assert_int_equal(mkdir(in_folder("inside"), 0700), 0);
    assert_refused(in_folder("inside"), false, 99, "regular");
    assert_false(cache_write(folder, "inside", "mine", 4));
    assert_refused("/dev/zero", false, 99, "regular");
    assert_int_equal(count_entries(), 2);
}

static void files_that_others_write(void **state)
{
    (void)state;
    struct cache_file file;
    put_file("data", "text");
    assert_int_equal(chmod(in_folder("data"), 0664), 0);
    assert_refused(in_folder("data"), false, 99, "others may write");
    assert_int_equal(chmod(in_folder("data"), 0646), 0);
    assert_refused(in_folder("data"), false, 99, "others may write");
    assert_int_equal(cache_open(in_folder("data"), true, 99, &file), CACHE_ACCEPTED);
    cache_close(&file);
    assert_int_equal(chmod(in_folder("data"), 0644), 0);
    assert_int_equal(cache_open(in_folder("data"), false, 99, &file), CACHE_ACCEPTED);
    cache_close(&file);
}

/* In a folder that a group or all may write to, others could exchange the files, unless the folder is sticky. */
static void folders_that_others_write(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_folder("open"), 0700) | chmod(in_folder("open"), 0777), 0);
    assert_false(cache_write(in_folder("open"), "data", "mine", 4));
    assert_int_equal(chmod(in_folder("open"), 0770), 0);
    assert_false(cache_write(in_folder("open"), "data", "mine", 4));
    assert_int_equal(chmod(in_folder("open"), 01777), 0);
    assert_true(cache_write(in_folder("open"), "data", "mine", 4));
    assert_false(cache_write(in_folder("open/data"), "data", "mine", 4));
    assert_false(cache_write(in_folder("missing/too"), "data", "mine", 4));
}

enum { STRANGER = 65534 };

static void files_of_strangers(void **state)
{
    (void)state;
    struct cache_file file;
    if (geteuid() != 0)
        skip();
    put_file("data", "text");
    assert_int_equal(chown(in_folder("data"), STRANGER, STRANGER), 0);
    assert_refused(in_folder("data"), false, 99, "another user");
    assert_int_equal(cache_open(in_folder("data"), true, 99, &file), CACHE_ACCEPTED);
    cache_close(&file);
    assert_true(cache_write(folder, "data", "mine", 4));
    assert_text("data", "mine");
    assert_int_equal(mkdir(in_folder("theirs"), 0700) | chown(in_folder("theirs"), STRANGER, STRANGER), 0);
    assert_false(cache_write(in_folder("theirs"), "data", "mine", 4));
}

/* ---- The rights of another user ------------------------------------------------------------------------ */

/* What the copy of this program with the setuid bit does: 0 if the environment names no folder. */
static int look_for_folder(void)
{
    abbe_device device = { 0 };
    char found[DEVICE_FOLDER_BYTES];
    if (!getauxval(AT_SECURE))
        return TEST_SKIPPED;
    return device_cache_folder(&device, found);
}

static void a_program_with_the_rights_of_its_owner(void **state)
{
    (void)state;
    char command[256];
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(folder, 0755), 0);
    snprintf(command, sizeof command, "cp /proc/%ld/exe %s/copy && chmod 4755 %s/copy", (long)getpid(),
             folder, folder);
    assert_int_equal(system(command), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("XDG_CACHE_HOME", "/tmp", 1);
        setenv("HOME", "/tmp", 1);
        if (setresgid(STRANGER, STRANGER, STRANGER) || setresuid(STRANGER, STRANGER, STRANGER))
            _exit(TEST_SKIPPED);
        execl(in_folder("copy"), "copy", "look", (char *)NULL);
        _exit(TEST_SKIPPED);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == TEST_SKIPPED) /* set user identifiers are off for this folder */
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return look_for_folder();
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(a_file_comes_back),
        TEST_IN_FOLDER(a_file_that_changes),
        TEST_IN_FOLDER(links_are_refused_and_replaced),
        TEST_IN_FOLDER(pipes_and_folders_are_refused),
        TEST_IN_FOLDER(files_that_others_write),
        TEST_IN_FOLDER(folders_that_others_write),
        TEST_IN_FOLDER(files_of_strangers),
        TEST_IN_FOLDER(a_program_with_the_rights_of_its_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
