/* The description of a packed spectrum in its file: one line for people and programs.
 *
 *     abbe packed spectrum 1; source u8; 640 x 480; channels 3; alpha no; orientation 1
 *
 * 1 is the version of the layout: eq. 9 and 10 of Moreland & Angel 2003 with 1/(MN) on the forward transform. */
#include "packed_note.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 160 };

static const char *const type_names[] = { [ABBE_U8] = "u8", [ABBE_U16] = "u16", [ABBE_F32] = "float" };

static const char *type_name(abbe_type type)
{
    return type == ABBE_U8 || type == ABBE_U16 ? type_names[type] : type_names[ABBE_F32];
}

static void print_line(const struct packed_note *note, char line[LINE])
{
    snprintf(line, LINE, "abbe packed spectrum 1; source %s; %d x %d; channels %d; alpha %s; orientation %d",
             type_name(note->type), note->width, note->height, note->channels, note->has_alpha ? "yes" : "no",
             note->orientation);
}

char *packed_note_write(const struct packed_note *note, const char *description)
{
    char line[LINE];
    print_line(note, line);
    if (!description)
        description = "";
    size_t size = strlen(line) + strlen(description) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", line, *description ? "\n" : "", description);
    return text;
}

/* Fields without a check: print_line tells whether they were all there and nothing else was. */
static bool scan_line(const char *line, struct packed_note *note)
{
    char type[8], alpha[4];
    *note = (struct packed_note){ .type = ABBE_F32 };
    int fields = sscanf(line,
                        "abbe packed spectrum 1; source %7[a-z0-9]; %9d x %9d; channels %3d; alpha %3[a-z];"
                        " orientation %1d",
                        type, &note->width, &note->height, &note->channels, alpha, &note->orientation);
    if (fields != 6)
        return false;
    if (!strcmp(type, type_names[ABBE_U8]))
        note->type = ABBE_U8;
    if (!strcmp(type, type_names[ABBE_U16]))
        note->type = ABBE_U16;
    note->has_alpha = !strcmp(alpha, "yes");
    return note->orientation >= 1 && note->orientation <= 8;
}

bool packed_note_read(const char *description, struct packed_note *note, const char **rest)
{
    char line[LINE], expected[LINE];
    size_t length = description ? strcspn(description, "\n") : 0;
    if (!length || length >= LINE)
        return false;
    *rest = description + length + (description[length] == '\n');
    /* Programs that copy a description may leave blanks behind its line. */
    while (length && isspace((unsigned char)description[length - 1]))
        length--;
    snprintf(line, sizeof line, "%.*s", (int)length, description);
    if (!scan_line(line, note))
        return false;
    print_line(note, expected);
    return !strcmp(line, expected);
}
