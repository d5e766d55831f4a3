/* Messages of a program: errors, warnings and notes, one line each, on standard error. */
#ifndef ABBE_CLI_SAY_H
#define ABBE_CLI_SAY_H

#include <stdbool.h>

/* Exit statuses of every program and subcommand. */
enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

/* Sets the name that messages begin with, "abbe" by default; the text is kept, not copied. */
void say_program(const char *name);

/* Turns notes and progress off (--quiet); errors and warnings are still printed. */
void say_quiet(bool quiet);

/* Prints "program: message" on one line, after removing the progress bar. Control characters and invalid
 * UTF-8 become '?'. fail does the same and returns FAILED, for "return fail(...)". */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "program: text" with system calls only: safe in a signal handler, and without memory. The text must
 * be printable. */
void say_last_words(const char *text);

/* Like say_error and fail, for a mistake on the command line: the line ends with how to get help. `command`
 * is the subcommand, or NULL for the program itself. fail_usage returns WRONG_USAGE. */
void say_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fail_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "program: message" even when quiet: the work goes on, but the result differs from the request. */
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line without the program's name, unless quiet (--stats and the like). */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Replaces, in place, every character that a terminal would obey rather than show by '?'. */
void make_printable(char *text);

/* Prints a shell command, whose words are plain or in single quotes, as one line on standard output. Quoted
 * parts that a terminal would obey are written as $'…' with octal escapes, which bash, ksh and zsh read. */
void print_shell_line(const char *command);

#endif
