/* What options mean: numbers, sizes, one word of a list, and the word that was probably meant. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers -------------------------------------------------------------------------------------------- */

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
        return false; /* strtod would take spaces, "inf", "nan" and hexadecimals */
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

/* ---- Words ---------------------------------------------------------------------------------------------- */

int option_choice(const char *text, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (!strcmp(text, list[i]))
            return i;
    return -1;
}

enum { WORD_MAX = 31 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters to insert, remove, replace or swap with their neighbour to make b out of a (Damerau 1964, each place
 * edited once), without regard to case. Words are no longer than WORD_MAX. */
static int distance(const char *a, const char *b)
{
    int rows = (int)strlen(a), columns = (int)strlen(b);
    int edits[WORD_MAX + 1][WORD_MAX + 1];
    for (int i = 0; i <= rows; i++)
        edits[i][0] = i;
    for (int j = 0; j <= columns; j++)
        edits[0][j] = j;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++) {
            int replaced = edits[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            int moved = 1 + least(edits[i - 1][j], edits[i][j - 1]);
            bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
            edits[i][j] = least(least(replaced, moved), swapped ? edits[i - 2][j - 2] + 1 : INT_MAX);
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
        /* A word begun and not finished is meant more often than any other. */
        bool begun = length >= 2 && !strncmp(text, *list, length);
        int edits = begun ? 0 : distance(text, *list);
        if (edits < (int)strlen(*list) && (edits < best || (edits == best && !nearest))) {
            best = edits;
            nearest = *list;
        }
    }
    return nearest;
}
