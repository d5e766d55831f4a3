/* Reads a command line by a table of options, in the manner of GNU tools, and explains mistakes. */
#include "options.h"

#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option at_end = { .id = OPTION_END };
static const struct option wrong = { .id = OPTION_WRONG };

enum { SPECS_MAX = 64, NAME_MAX_LENGTH = 64 };

static const struct option_spec *find_name(const struct option_reader *reader, const char *name,
                                           size_t length)
{
    for (const struct option_spec *spec = reader->specs; spec->name; spec++)
        if (strlen(spec->name) == length && !strncmp(spec->name, name, length))
            return spec;
    return NULL;
}

static const struct option_spec *find_letter(const struct option_reader *reader, char letter)
{
    for (const struct option_spec *spec = reader->specs; spec->name; spec++)
        if (spec->letter && spec->letter == letter)
            return spec;
    return NULL;
}

/* "unknown option '--boder'; did you mean '--border'?" */
static struct option unknown(const struct option_reader *reader, const char *written, int length)
{
    const char *names[SPECS_MAX + 1] = { NULL };
    for (int i = 0; i < SPECS_MAX && reader->specs[i].name; i++)
        names[i] = reader->specs[i].name;
    char *text = strndup(written, (size_t)length);
    const char *bare = text ? text + strspn(text, "-") : "";
    const char *nearest = strlen(bare) > 1 ? option_nearest(bare, names) : NULL;
    if (nearest)
        say_usage_error(reader->command, "unknown option '%.*s'; did you mean '--%s'?", length, written,
                        nearest);
    else
        say_usage_error(reader->command, "unknown option '%.*s'", length, written);
    free(text);
    return wrong;
}

/* An option as a person knows it. The name lives until the next one is read, long enough for any message. */
static struct option found(const struct option_spec *spec, bool by_letter, const char *value)
{
    static char name[NAME_MAX_LENGTH];
    if (by_letter)
        snprintf(name, sizeof name, "-%c", spec->letter);
    else
        snprintf(name, sizeof name, "--%s", spec->name);
    return (struct option){ .id = spec->id, .name = name, .value = value };
}

static struct option missing_value(const struct option_reader *reader, const struct option *option,
                                   const struct option_spec *spec)
{
    say_usage_error(reader->command, "option '%s' needs a value: %s %s", option->name, option->name,
                    spec->value);
    return wrong;
}

/* Gives the option the next argument as its value. */
static struct option take_next(struct option_reader *reader, const struct option_spec *spec, bool by_letter)
{
    struct option option = found(spec, by_letter, NULL);
    if (reader->next >= reader->argc)
        return missing_value(reader, &option, spec);
    option.value = reader->argv[reader->next++];
    return option;
}

/* "--name", "--name=value", "--name value" */
static struct option read_name(struct option_reader *reader, const char *argument)
{
    const char *name = argument + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_spec *spec = find_name(reader, name, length);
    if (!spec)
        return unknown(reader, argument, (int)length + 2);
    if (spec->value && !equals)
        return take_next(reader, spec, false);
    if (!spec->value && equals) {
        say_usage_error(reader->command, "option '--%s' is a switch and takes no value", spec->name);
        return wrong;
    }
    return found(spec, false, equals ? equals + 1 : NULL);
}

/* The next letter of "-q", "-qs", "-nvalue" or "-n value" */
static struct option read_letter(struct option_reader *reader)
{
    const char *letters = reader->letters, *whole = reader->argv[reader->next - 1];
    const struct option_spec *spec = find_letter(reader, *letters);
    reader->letters = NULL;
    if (!spec) {
        /* "-border" is more likely a name with one dash than a bundle. */
        bool first = letters == whole + 1;
        return first ? unknown(reader, whole, (int)strlen(whole))
                     : unknown(reader, (char[]){ '-', *letters, '\0' }, 2);
    }
    if (!spec->value) {
        reader->letters = letters[1] ? letters + 1 : NULL;
        return found(spec, true, NULL);
    }
    return letters[1] ? found(spec, true, letters + 1) : take_next(reader, spec, true);
}

struct option option_next(struct option_reader *reader)
{
    if (reader->letters)
        return read_letter(reader);
    if (reader->next < 1)
        reader->next = 1; /* argv[0] is the command's own name */
    if (reader->next >= reader->argc)
        return at_end;
    const char *argument = reader->argv[reader->next++];
    bool is_plain = reader->plain_only || argument[0] != '-' || argument[1] == '\0';
    if (is_plain)
        return (struct option){ .id = OPTION_PLAIN, .name = argument, .value = argument };
    if (!strcmp(argument, "--")) {
        reader->plain_only = true;
        return option_next(reader);
    }
    if (argument[1] == '-')
        return read_name(reader, argument);
    reader->letters = argument + 1;
    return read_letter(reader);
}
