/* One-line messages on standard error, safe to show on a terminal whatever names they carry. */
#include "say.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool quiet;

void say_quietly(bool wanted)
{
    quiet = wanted;
    progress_quietly(wanted);
}

/* Length of the UTF-8 sequence at `text` and its code point; 0 when it is none (overlong, surrogate, cut). */
static int decode(const unsigned char *text, uint32_t *point)
{
    static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    int length = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if (length == 0 || text[0] > 0xF4)
        return 0;
    *point = length == 1 ? text[0] : text[0] & (0xFFu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        *point = *point << 6 | (text[i] & 0x3F);
    }
    bool surrogate = *point >= 0xD800 && *point <= 0xDFFF;
    return *point < smallest[length] || *point > 0x10FFFF || surrogate ? 0 : length;
}

/* Controls move the cursor or start escape sequences; the marks of direction and the separators of lines
 * rearrange what is read. None of them belongs in a line about a file. */
static bool harmless(uint32_t point)
{
    bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    bool direction = point == 0x200E || point == 0x200F || point == 0x061C ||
                     (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
    bool separator = point == 0x2028 || point == 0x2029;
    return !control && !direction && !separator;
}

void say_cleanly(char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    char *to = text;
    while (*from) {
        uint32_t point = 0;
        int length = decode(from, &point);
        if (length > 0 && harmless(point)) {
            memmove(to, from, (size_t)length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length > 0 ? length : 1;
    }
    *to = '\0';
}

static void say(const char *prefix, const char *suffix, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0), nonnull(3)));

/* Writes prefix, message and suffix in one go, so that lines of two processes do not mix. */
static void say(const char *prefix, const char *suffix, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t before = strlen(prefix), size = before + (size_t)(length < 0 ? 0 : length) + strlen(suffix) + 2;
    char *line = malloc(size);
    progress_hide();
    if (!line || length < 0) {
        fputs("abbe: out of memory\n", stderr);
    } else {
        memcpy(line, prefix, before);
        vsnprintf(line + before, size - before, format, arguments);
        say_cleanly(line + before);
        strcat(strcat(line, suffix), "\n");
        fputs(line, stderr);
    }
    free(line);
}

int say_failed(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("abbe: ", "", format, arguments);
    va_end(arguments);
    return FAILED;
}

int say_wrong(const char *command, const char *format, ...)
{
    char suffix[80];
    snprintf(suffix, sizeof suffix, " (see 'abbe %s%s--help')", command ? command : "", command ? " " : "");
    va_list arguments;
    va_start(arguments, format);
    say("abbe: ", suffix, format, arguments);
    va_end(arguments);
    return WRONG_USAGE;
}

void say_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("abbe: ", "", format, arguments);
    va_end(arguments);
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
