/* The progress bar: one line on a terminal that is redrawn in place and removed at the end. */
#include "progress.h"

#include "say.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Seconds before the bar appears, and between two updates. */
static const double PATIENCE = 0.5, INTERVAL = 0.05;

enum { SUBJECT_COLUMNS = 28, BAR_COLUMNS = 30, BAR_COLUMNS_LEAST = 8, LINE = 1024 };

/* Columns besides name and bar: the stage, the edges, " 100%  ", "99 min left", and the last column, where
 * some terminals begin a new line. */
enum { OTHER_COLUMNS = 13 + 2 + 7 + 12 + 1 };

static struct {
    bool quiet;
    bool running;
    bool shown_on; /* standard error is a terminal that can redraw a line */
    bool unicode, colour;
    char subject[4 * SUBJECT_COLUMNS + 8];
    int subject_columns;
    double began, drawn;
} bar;

/* Separate, because a signal handler reads it. */
static volatile sig_atomic_t visible;

void progress_quiet(bool quiet)
{
    bar.quiet = quiet;
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool contains_word(const char *text, const char *word)
{
    for (; *text; text++)
        if (!strncasecmp(text, word, strlen(word)))
            return true;
    return false;
}

/* Reads the environment, because setlocale would also change how numbers are parsed. */
static bool locale_is_unicode(void)
{
    const char *names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return contains_word(value, "UTF-8") || contains_word(value, "UTF8");
    }
    return false;
}

static bool terminal_draws(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* Columns of the character that begins with this byte: two from U+3000 on, where East Asian scripts and
 * pictographs are. That is too many for some characters, which only shortens the bar. */
static int columns_of(unsigned char first)
{
    return (first & 0xC0) == 0x80 ? 0 : first >= 0xE3 ? 2 : 1;
}

/* Keeps the end of a long path, which contains the name of the file. */
static void take_subject(const char *subject)
{
    char *name = strdup(subject ? subject : "");
    bar.subject[0] = '\0';
    bar.subject_columns = 0;
    if (!name)
        return;
    make_printable(name);
    const char *start = name + strlen(name);
    while (start > name) {
        const char *before = start - 1;
        int columns = columns_of((unsigned char)*before);
        if (bar.subject_columns + columns > SUBJECT_COLUMNS)
            break;
        bar.subject_columns += columns;
        start = before;
    }
    while (((unsigned char)*start & 0xC0) == 0x80)
        start++;
    const char *mark = start == name ? "" : bar.unicode ? "…" : "~";
    snprintf(bar.subject, sizeof bar.subject, "%s%s", mark, start);
    bar.subject_columns += *mark != '\0';
    free(name);
}

void progress_subject(const char *subject)
{
    if (bar.running && bar.shown_on)
        take_subject(subject);
}

void progress_begin(const char *subject)
{
    progress_end();
    const char *no_colour = getenv("NO_COLOR");
    bar.shown_on = !bar.quiet && terminal_draws();
    bar.unicode = locale_is_unicode();
    bar.colour = !(no_colour && *no_colour);
    bar.began = seconds_now();
    bar.drawn = 0;
    bar.running = true;
    if (bar.shown_on)
        take_subject(subject);
}

static int terminal_columns(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

/* Writes "12 s left", or nothing while the estimate is unreliable. */
static void write_time_left(double elapsed, double fraction, char *text, size_t size)
{
    double left = fraction > 0 ? elapsed * (1 - fraction) / fraction : 0;
    if (fraction < 0.03 || left >= 360000)
        snprintf(text, size, "%s", "");
    else if (left < 99.5)
        snprintf(text, size, "%.0f s left", ceil(left));
    else if (left < 5970)
        snprintf(text, size, "%.0f min left", left / 60);
    else
        snprintf(text, size, "%.1f h left", left / 3600);
}

/* Writes a bar of `columns` characters, filled to an eighth of a character with Unicode. */
static void fill_bar(int columns, double fraction, char *text, size_t size)
{
    static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    int eighths = (int)(fraction * columns * 8), whole = eighths / 8;
    const char *part = bar.unicode && whole < columns ? parts[eighths % 8] : "";
    size_t used = 0;
    for (int i = 0; i < whole; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", bar.unicode ? "█" : "#");
    used += (size_t)snprintf(text + used, size - used, "%s", part);
    int rest = columns - whole - (*part != '\0');
    snprintf(text + used, size - used, "%*s", rest, "");
}

static void draw_bar(const char *what, double fraction, double elapsed)
{
    char left[32], blocks[4 * BAR_COLUMNS + 1], line[LINE];
    write_time_left(elapsed, fraction, left, sizeof left);
    int free_columns = terminal_columns() - OTHER_COLUMNS - bar.subject_columns - 2;
    bool named = free_columns >= BAR_COLUMNS_LEAST;
    if (!named)
        free_columns += bar.subject_columns + 2;
    int columns = free_columns < BAR_COLUMNS ? free_columns : BAR_COLUMNS;
    if (columns < BAR_COLUMNS_LEAST)
        return; /* the terminal is too narrow for a bar */
    fill_bar(columns, fraction, blocks, sizeof blocks);
    /* Edges show the ends of a bar without colour. */
    const char *left_edge = bar.colour ? "" : bar.unicode ? "▕" : "|";
    const char *right_edge = bar.colour ? "" : bar.unicode ? "▏" : "|";
    int length = snprintf(line, sizeof line, "\r\033[K%-12s %s%s%s%s%s%s%s%4.0f%%  %s", what,
                          named ? bar.subject : "", named && *bar.subject ? "  " : "",
                          bar.colour ? "\033[36m\033[48;5;236m" : "", left_edge, blocks, right_edge,
                          bar.colour ? "\033[0m" : "", 100 * fraction, left);
    visible = 1;
    if (length > 0 && length < LINE && write(STDERR_FILENO, line, (size_t)length) < 0)
        bar.shown_on = false;
}

void progress_show(const char *what, double fraction)
{
    if (!bar.running || !bar.shown_on)
        return;
    double time = seconds_now();
    if (time - bar.began < PATIENCE || time - bar.drawn < INTERVAL)
        return;
    bar.drawn = time;
    fraction = fraction > 1 ? 1 : fraction > 0 ? fraction : 0;
    draw_bar(what, fraction, time - bar.began);
}

void progress_hide(void)
{
    static const char erase[] = "\r\033[K";
    if (!visible)
        return;
    visible = 0;
    ssize_t ignored = write(STDERR_FILENO, erase, sizeof erase - 1);
    (void)ignored;
}

void progress_end(void)
{
    progress_hide();
    bar.running = false;
}
