/* abbe: filters images in the Fourier plane. Finds the subcommand and calls it. */
#include "command.h"
#include "options.h"
#include "picture.h"
#include "say.h"
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    { "filter", command_filter, "filter pictures: blur, sharpen, find edges, remove frequencies" },
    { "combine", command_combine, "add pictures that were separated: low frequencies and detail" },
    { "transform", command_transform, "write the packed spectrum of a picture, or restore the picture" },
    { "spectrum", command_spectrum, "draw the spectrum of a picture: log magnitude or phase" },
    { "texture", command_texture, "make random-phase textures, from a filter or an example" },
    { "tile", command_tile, "make a picture repeat without seams" },
    { "scene", command_scene, "draw the teapot and filter it" },
    { "view", command_view, "open a window with the teapot or a picture, filtered live" },
    { "explain", command_explain, "show the predicted cost of each method and the choice" },
    { "list", command_list, "list filters, borders and devices" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Answers `abbe` without arguments. */
static int print_introduction(void)
{
    puts("abbe filters images in the Fourier plane, or directly where that is cheaper.\n"
         "\n"
         "  abbe filter photo.jpg -f gaussian:sigma=12 -o soft.jpg       blur a photograph\n"
         "  abbe filter photo.jpg -f unsharp -o crisp.png                sharpen it\n"
         "  abbe spectrum photo.jpg -o spectrum.png                      look at its frequencies\n"
         "  abbe texture --size 512x512 -f power:exponent=-1.5 -o t.png  make clouds\n"
         "  abbe list filters                                            list the filters for -f\n"
         "\n"
         "All commands: abbe --help. One command: abbe help filter. The manual: man abbe.");
    return DONE;
}

static int print_help(void)
{
    puts("usage: abbe COMMAND [arguments]\n"
         "       abbe help COMMAND\n"
         "\n"
         "Filters images in the Fourier plane, or directly where that is cheaper.\n"
         "\n"
         "Commands:");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    puts("\n"
         "Options:\n"
         "  -h, --help     print this text\n"
         "  -V, --version  print the versions of abbe and of libvips\n"
         "\n"
         "Examples:\n"
         "  abbe filter photo.jpg -f gaussian:sigma=12 -o soft.jpg\n"
         "  abbe help filter\n"
         "  abbe list filters");
    return DONE;
}

static int print_version(void)
{
    printf("abbe %s\n%s\n", abbe_version(), picture_library());
    return DONE;
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int fail_unknown(const char *name)
{
    const char *names[COMMANDS + 2] = { NULL };
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    names[COMMANDS] = "help";
    const char *nearest = option_nearest(name, names);
    if (name[0] == '-')
        return fail_usage(NULL, "unknown option '%s'", name);
    if (nearest)
        return fail_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
    return fail_usage(NULL, "unknown command '%s'; pictures are filtered by abbe filter IN -f FILTER -o OUT",
                      name);
}

/* abbe help [COMMAND]: calls the command with --help. */
static int print_command_help(int argc, char **argv)
{
    if (argc < 2)
        return print_help();
    const struct command *command = find_command(argv[1]);
    if (!command)
        return fail_unknown(argv[1]);
    char option[] = "--help";
    char *arguments[] = { argv[1], option, NULL };
    return command->run(2, arguments);
}

static bool is_option(const char *text, const char *letter, const char *name)
{
    return !strcmp(text, letter) || !strcmp(text, name);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2)
        return print_introduction();
    if (is_option(argv[1], "-h", "--help"))
        return print_help();
    if (is_option(argv[1], "-V", "--version"))
        return print_version();
    if (!strcmp(argv[1], "help"))
        return print_command_help(argc - 1, argv + 1);
    const struct command *command = find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : fail_unknown(argv[1]);
}

/* Where the address space is limited (ulimit -v), all threads share one heap. glibc would reserve 64 MB for each
 * thread, and a thread that gets none would not even get the memory for a message. */
static void share_heap(void)
{
#ifdef M_ARENA_MAX
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int argc, char **argv)
{
    share_heap();
    say_program("abbe");
    target_watch_signals();
    int status = run_command(argc, argv);
    /* Output that could not be written, to a full disk for example, is a failure. */
    if (fflush(stdout) && status == DONE)
        status = fail("standard output: %s", strerror(errno));
    return status;
}
