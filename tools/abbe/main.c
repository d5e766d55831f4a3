/* abbe: filters images in the Fourier plane, from the shell. Finds the subcommand and calls it. */
#include "command.h"
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    { "filter", command_filter, "filter pictures: blur, sharpen, find edges, take frequencies away" },
    { "transform", command_transform, "a picture's packed spectrum, losslessly there and back" },
    { "spectrum", command_spectrum, "the picture of a spectrum: centred, log magnitude or phase" },
    { "texture", command_texture, "random-phase textures, from a filter or like an example" },
    { "scene", command_scene, "the teapot, drawn and filtered" },
    { "view", command_view, "a window: the teapot or a picture, filtered live" },
    { "explain", command_explain, "what each method of filtering would cost, and which is taken" },
    { "list", command_list, "the filters, borders and devices there are" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_commands(void)
{
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
}

/* Bare `abbe`: what it is, and the first five things to try. */
static int print_orientation(void)
{
    puts("abbe filters images in the Fourier plane, and knows when not to.\n"
         "\n"
         "  abbe filter photo.jpg -f gaussian:sigma=12 -o soft.jpg       blur a photograph\n"
         "  abbe filter photo.jpg -f unsharp -o crisp.png                sharpen it\n"
         "  abbe spectrum photo.jpg -o spectrum.png                      look at its frequencies\n"
         "  abbe texture --size 512x512 -f power:exponent=-1.5 -o t.png  make clouds\n"
         "  abbe list filters                                            see what else -f can do\n"
         "\n"
         "Every command: abbe --help. One of them: abbe help filter. All of it: man abbe.");
    return DONE;
}

static int print_help(void)
{
    puts("usage: abbe COMMAND [arguments]\n"
         "       abbe help COMMAND\n"
         "\n"
         "Filters images in the Fourier plane, and knows when not to.\n"
         "\n"
         "Commands:");
    print_commands();
    puts("\n"
         "Options:\n"
         "  -h, --help     this text\n"
         "  -V, --version  versions of abbe and of the library that reads pictures\n"
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

static const struct command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int say_unknown(const char *name)
{
    const char *names[COMMANDS + 2] = { NULL };
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    names[COMMANDS] = "help";
    const char *nearest = option_nearest(name, names);
    const char *what = name[0] == '-' ? "option" : "command";
    if (nearest && name[0] != '-')
        return fail_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
    return fail_usage(NULL, "unknown %s '%s'", what, name);
}

/* help [COMMAND]: the command's own --help. */
static int help(int argc, char **argv)
{
    if (argc < 2)
        return print_help();
    const struct command *command = find(argv[1]);
    if (!command)
        return say_unknown(argv[1]);
    char option[] = "--help";
    char *arguments[] = { argv[1], option, NULL };
    return command->run(2, arguments);
}

static bool is(const char *text, const char *letter, const char *name)
{
    return !strcmp(text, letter) || !strcmp(text, name);
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return print_orientation();
    if (is(argv[1], "-h", "--help"))
        return print_help();
    if (is(argv[1], "-V", "--version"))
        return print_version();
    if (!strcmp(argv[1], "help"))
        return help(argc - 1, argv + 1);
    const struct command *command = find(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : say_unknown(argv[1]);
}

int main(int argc, char **argv)
{
    say_program("abbe");
    target_watch_signals();
    int status = run(argc, argv);
    /* Texts that did not reach their reader, for a full disk for instance, are a failure like any other. */
    if (fflush(stdout) && status == DONE)
        status = fail("standard output: %s", strerror(errno));
    return status;
}
