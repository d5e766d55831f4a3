/* Command lines in the style of GNU tools: reads options by a table, parses their values, prints the help. */
#include "options.h"

#include "say.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The command line ---------------------------------------------------------------------------------- */

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

/* Prints "unknown option '--boder'; did you mean '--border'?" */
static struct option unknown_option(const struct option_reader *reader, const char *written, int length)
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

/* An option as it was written. The name is valid until the next option is read. */
static struct option found_option(const struct option_spec *spec, bool by_letter, const char *value)
{
    static char name[NAME_MAX_LENGTH];
    if (by_letter)
        snprintf(name, sizeof name, "-%c", spec->letter);
    else
        snprintf(name, sizeof name, "--%s", spec->name);
    return (struct option){ .id = spec->id, .name = name, .value = value };
}

/* Takes the next argument as the value of the option. */
static struct option take_next(struct option_reader *reader, const struct option_spec *spec, bool by_letter)
{
    struct option option = found_option(spec, by_letter, NULL);
    if (reader->next >= reader->argc) {
        say_usage_error(reader->command, "option '%s' needs a value: %s %s", option.name, option.name,
                        spec->value);
        return wrong;
    }
    option.value = reader->argv[reader->next++];
    return option;
}

/* Reads "--name", "--name=value" or "--name value". */
static struct option read_name(struct option_reader *reader, const char *argument)
{
    const char *name = argument + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_spec *spec = find_name(reader, name, length);
    if (!spec)
        return unknown_option(reader, argument, (int)length + 2);
    if (spec->value && !equals)
        return take_next(reader, spec, false);
    if (!spec->value && equals) {
        say_usage_error(reader->command, "option '--%s' takes no value", spec->name);
        return wrong;
    }
    return found_option(spec, false, equals ? equals + 1 : NULL);
}

/* Reads the next letter of "-q", "-qs", "-nvalue" or "-n value". */
static struct option read_letter(struct option_reader *reader)
{
    const char *letters = reader->letters, *whole = reader->argv[reader->next - 1];
    const struct option_spec *spec = find_letter(reader, *letters);
    reader->letters = NULL;
    if (!spec) {
        /* "-border" is more likely a long option with one dash than a bundle of letters. */
        bool first = letters == whole + 1;
        return first ? unknown_option(reader, whole, (int)strlen(whole))
                     : unknown_option(reader, (char[]){ '-', *letters, '\0' }, 2);
    }
    if (!spec->value) {
        reader->letters = letters[1] ? letters + 1 : NULL;
        return found_option(spec, true, NULL);
    }
    return letters[1] ? found_option(spec, true, letters + 1) : take_next(reader, spec, true);
}

struct option option_next(struct option_reader *reader)
{
    if (reader->letters)
        return read_letter(reader);
    if (reader->next < 1)
        reader->next = 1; /* argv[0] is the name of the command */
    if (reader->next >= reader->argc)
        return at_end;
    const char *argument = reader->argv[reader->next++];
    bool is_positional = reader->arguments_only || argument[0] != '-' || argument[1] == '\0';
    if (is_positional)
        return (struct option){ .id = OPTION_ARGUMENT, .name = argument, .value = argument };
    if (!strcmp(argument, "--")) {
        reader->arguments_only = true;
        return option_next(reader);
    }
    if (argument[1] == '-')
        return read_name(reader, argument);
    reader->letters = argument + 1;
    return read_letter(reader);
}

/* ---- Values -------------------------------------------------------------------------------------------- */

bool option_integer(const char *text, long long low, long long high, long long *value)
{
    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '+')
        return false; /* strtoll would skip spaces */
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < low || number > high)
        return false;
    *value = number;
    return true;
}

bool option_number(const char *text, double *value)
{
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return false; /* strtod would accept spaces, "inf", "nan" and hexadecimal numbers */
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool option_size(const char *text, int *width, int *height)
{
    const char *cross = strpbrk(text, "xX");
    char *first = cross ? strndup(text, (size_t)(cross - text)) : NULL;
    long long across = 0, down = 0;
    bool fine = first && option_integer(first, 1, INT_MAX, &across) &&
                option_integer(cross + 1, 1, INT_MAX, &down);
    free(first);
    if (!fine)
        return false;
    *width = (int)across;
    *height = (int)down;
    return true;
}

int option_choice(const char *text, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (!strcmp(text, list[i]))
            return i;
    return -1;
}

enum { WORD_MAX = 31 };

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of letters to insert, remove, replace or swap with their neighbour to turn a into b (Damerau
 * 1964, each place edited once), without regard to case. Words have at most WORD_MAX letters. */
static int edit_distance(const char *a, const char *b)
{
    int rows = (int)strlen(a), columns = (int)strlen(b);
    int edits[WORD_MAX + 1][WORD_MAX + 1];
    for (int i = 0; i <= rows; i++)
        edits[i][0] = i;
    for (int j = 0; j <= columns; j++)
        edits[0][j] = j;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++) {
            int replaced = edits[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
            int moved = 1 + lesser(edits[i - 1][j], edits[i][j - 1]);
            bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                           same_letter(a[i - 2], b[j - 1]);
            edits[i][j] = lesser(lesser(replaced, moved), swapped ? edits[i - 2][j - 2] + 1 : INT_MAX);
        }
    return edits[rows][columns];
}

const char *option_nearest(const char *text, const char *const *list)
{
    size_t length = strlen(text);
    if (length == 0 || length > WORD_MAX)
        return NULL;
    const char *nearest = NULL;
    int best = (int)length / 3 + 1;
    for (; *list; list++) {
        if (strlen(*list) > WORD_MAX)
            continue;
        /* The beginning of a name is the most likely mistake. */
        bool begun = length >= 2 && !strncmp(text, *list, length);
        int edits = begun ? 0 : edit_distance(text, *list);
        if (edits < (int)strlen(*list) && (edits < best || (edits == best && !nearest))) {
            best = edits;
            nearest = *list;
        }
    }
    return nearest;
}

/* ---- Help ---------------------------------------------------------------------------------------------- */

/* Columns where explanations begin and where lines end; size of the text before an explanation. */
enum { INDENT = 28, COLUMNS = 80, LABEL = 96 };

/* The number of characters of a UTF-8 text. */
static int count_characters(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* Prints a text between the columns INDENT and COLUMNS. A line feed in it begins a new line. */
static void print_wrapped(const char *text)
{
    int column = INDENT;
    while (*text) {
        size_t length = strcspn(text, " \n");
        int columns = count_characters(text, length);
        if (column > INDENT && column + 1 + columns > COLUMNS) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        }
        column += printf("%s", column > INDENT ? " " : "") + columns;
        fwrite(text, 1, length, stdout);
        text += length;
        if (*text == '\n') {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

static void print_option(const struct option_spec *spec)
{
    char label[LABEL], letter[8] = "    ";
    if (spec->letter)
        snprintf(letter, sizeof letter, "-%c, ", spec->letter);
    snprintf(label, sizeof label, "  %s--%s%s%s", letter, spec->name, spec->value ? " " : "",
             spec->value ? spec->value : "");
    int columns = count_characters(label, strlen(label));
    fputs(label, stdout);
    if (columns > INDENT - 2)
        printf("\n%*s", INDENT, "");
    else
        printf("%*s", INDENT - columns, "");
    print_wrapped(spec->help ? spec->help : "");
}

void option_help(const char *usage, const char *summary, const struct option_spec *specs,
                 const char *examples)
{
    printf("usage: %s\n\n%s\n\nOptions:\n", usage, summary);
    for (; specs->name; specs++)
        print_option(specs);
    if (examples) {
        size_t length = strlen(examples);
        printf("\nExamples:\n%s%s", examples, length && examples[length - 1] == '\n' ? "" : "\n");
    }
}
