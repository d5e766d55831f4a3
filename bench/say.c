/* One-line messages on standard error, in the benchmark's name: the other half of tools/abbe/say.h. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE = 512 };

static bool quiet;

void say_quietly(bool wanted)
{
    quiet = wanted;
    progress_quietly(wanted);
}

void say_cleanly(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            *text = '?';
}

__attribute__((format(printf, 3, 0))) static void say(const char *prefix, const char *suffix,
                                                      const char *format, va_list arguments)
{
    char line[LINE];
    vsnprintf(line, sizeof line, format, arguments);
    say_cleanly(line);
    progress_hide();
    fprintf(stderr, "%s%s%s\n", prefix, line, suffix);
}

int say_failed(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("abbe-bench: ", "", format, arguments);
    va_end(arguments);
    return FAILED;
}

/* There are no subcommands here: `command` is not looked at. */
int say_wrong(const char *command, const char *format, ...)
{
    (void)command;
    va_list arguments;
    va_start(arguments, format);
    say("abbe-bench: ", " (see 'abbe-bench --help')", format, arguments);
    va_end(arguments);
    return WRONG_USAGE;
}

void say_note(const char *format, ...)
{
    if (quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    say("", "", format, arguments);
    va_end(arguments);
}
