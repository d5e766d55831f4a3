/* Messages on standard error: one line each, safe to show on a terminal whatever file names they contain. */
#include "say.h"

#include "progress.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for the longest prefix "program: ", for the hint at the end of a usage error, and for a line that is
 * printed when memory is short. */
enum { PREFIX = 32, SUFFIX = 80, RESERVE = 1024 };

static const char *program = "abbe";
static bool quiet;

void say_program(const char *name)
{
    program = name;
}

void say_quiet(bool wanted)
{
    quiet = wanted;
    progress_quiet(wanted);
}

/* Length of the UTF-8 sequence at `text`, and its code point; 0 if invalid (overlong, surrogate, cut). */
static int decode_utf8(const unsigned char *text, uint32_t *point)
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

/* Control characters move the cursor or start escape sequences; marks of direction and line separators
 * rearrange the text. None of them belongs in a message. */
static bool is_printable(uint32_t point)
{
    bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    bool direction = point == 0x200E || point == 0x200F || point == 0x061C ||
                     (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
    bool separator = point == 0x2028 || point == 0x2029;
    return !control && !direction && !separator;
}

void make_printable(char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    char *to = text;
    while (*from) {
        uint32_t point = 0;
        int length = decode_utf8(from, &point);
        if (length > 0 && is_printable(point)) {
            memmove(to, from, (size_t)length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length > 0 ? length : 1;
    }
    *to = '\0';
}

/* Whether a terminal shows every character of these bytes. */
static bool is_shown(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        uint32_t point = 0;
        int size = decode_utf8(at, &point);
        if (size == 0 || !is_printable(point))
            return false;
        at += size;
    }
    return true;
}

/* Writes bytes within $'…': those that are not plain ASCII as three octal digits. */
static void print_escaped(const char *text, size_t length)
{
    for (const char *end = text + length; text < end; text++) {
        unsigned char byte = (unsigned char)*text;
        bool is_plain = byte >= 0x20 && byte < 0x7F && byte != '\\';
        printf(is_plain ? "%c" : "\\%03o", byte);
    }
}

void print_shell_line(const char *command)
{
    while (*command) {
        size_t plain = strcspn(command, "'\\");
        fwrite(command, 1, plain, stdout);
        command += plain;
        if (*command == '\\' && command[1]) {
            fwrite(command, 1, 2, stdout);
            command += 2;
        } else if (*command) {
            size_t quoted = strcspn(command + 1, "'");
            bool shown = is_shown(command + 1, quoted);
            fputs(shown ? "'" : "$'", stdout);
            if (shown)
                fwrite(command + 1, 1, quoted, stdout);
            else
                print_escaped(command + 1, quoted);
            fputs("'", stdout);
            command += 1 + quoted;
            command += *command == '\'';
        }
    }
    putchar('\n');
    fflush(stdout);
}

static void print_line(const char *prefix, const char *suffix, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0), nonnull(3)));
static void print_message(const char *suffix, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void print_usage_error(const char *command, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Writes prefix, message and suffix at once, so that lines of two processes do not mix. Without memory, the
 * end of a long message is missing. */
static void print_line(const char *prefix, const char *suffix, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t before = strlen(prefix), size = before + (size_t)(length < 0 ? 0 : length) + strlen(suffix) + 2;
    char reserve[RESERVE], *allocated = malloc(size), *line = allocated;
    if (!line) {
        line = reserve;
        size = sizeof reserve;
    }
    size_t message = size - before - strlen(suffix) - 1; /* bytes for the message and its end */
    memcpy(line, prefix, before);
    line[before] = '\0';
    vsnprintf(line + before, message, format, arguments);
    make_printable(line + before);
    strcat(strcat(line, suffix), "\n");
    progress_hide();
    fputs(line, stderr);
    free(allocated);
}

static void print_message(const char *suffix, const char *format, va_list arguments)
{
    char prefix[PREFIX];
    snprintf(prefix, sizeof prefix, "%s: ", program);
    print_line(prefix, suffix, format, arguments);
}

static void print_usage_error(const char *command, const char *format, va_list arguments)
{
    char suffix[SUFFIX];
    snprintf(suffix, sizeof suffix, " (see '%s %s%s--help')", program, command ? command : "",
             command ? " " : "");
    print_message(suffix, format, arguments);
}

void say_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("", format, arguments);
    va_end(arguments);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("", format, arguments);
    va_end(arguments);
    return FAILED;
}

void say_last_words(const char *text)
{
    const char *const parts[] = { program, ": ", text, "\n" };
    progress_hide();
    for (int i = 0; i < 4; i++) {
        ssize_t ignored = write(STDERR_FILENO, parts[i], strlen(parts[i]));
        (void)ignored;
    }
}

void say_usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_usage_error(command, format, arguments);
    va_end(arguments);
}

int fail_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_usage_error(command, format, arguments);
    va_end(arguments);
    return WRONG_USAGE;
}

void say_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("", format, arguments);
    va_end(arguments);
}

void say_note(const char *format, ...)
{
    if (quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    print_line("", "", format, arguments);
    va_end(arguments);
}
