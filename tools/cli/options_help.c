/* The help of a subcommand: usage, summary, the table of options laid out in two columns, examples. */
#include "options.h"

#include <stdio.h>
#include <string.h>

/* Where the explanations begin, and where lines end. */
enum { INDENT = 28, COLUMNS = 80, LABEL = 96 };

/* Characters of a UTF-8 text. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* Prints a text word by word between INDENT and COLUMNS; a line feed in it begins a new line. */
static void print_wrapped(const char *text)
{
    int column = INDENT;
    while (*text) {
        size_t length = strcspn(text, " \n");
        int columns = columns_of(text, length);
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
    int columns = columns_of(label, strlen(label));
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
