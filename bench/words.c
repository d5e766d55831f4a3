/* Joins the words of a command line, quoted for a shell. */
#include "words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    return *word && strspn(word, plain) == strlen(word);
}

/* Between single quotes nothing is special but a single quote, which stands outside of them as \'. */
static void write_quoted(FILE *out, const char *word)
{
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *words_join(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return NULL;
    fputs("abbe-bench", out);
    for (int i = 1; i < argc; i++) {
        fputc(' ', out);
        if (is_plain(argv[i]))
            fputs(argv[i], out);
        else
            write_quoted(out, argv[i]);
    }
    bool whole = !ferror(out);
    if (fclose(out) || !whole) {
        free(line);
        return NULL;
    }
    return line;
}
