/* Times, sizes and thread counts as text, and the width of text. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "figures.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* Writes three significant digits: 1.23, 12.3, 123. */
static void write_three_digits(double value, const char *unit, char text[FIGURE_MAX])
{
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(text, FIGURE_MAX, "%.*f %s", decimals, value, unit);
}

const char *figure_seconds(double seconds, char text[FIGURE_MAX])
{
    if (seconds < 0.9995e-3)
        write_three_digits(seconds * 1e6, "µs", text);
    else if (seconds < 0.9995)
        write_three_digits(seconds * 1e3, "ms", text);
    else if (seconds < 120)
        write_three_digits(seconds, "s", text);
    else if (seconds < 7200)
        snprintf(text, FIGURE_MAX, "%.0f min", seconds / 60);
    else if (seconds < 1e9)
        snprintf(text, FIGURE_MAX, "%.0f h", seconds / 3600);
    else
        snprintf(text, FIGURE_MAX, "over 30 years");
    return text;
}

const char *figure_bytes(size_t bytes, char text[FIGURE_MAX])
{
    static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
    if (bytes < 1000) {
        snprintf(text, FIGURE_MAX, "%zu bytes", bytes);
        return text;
    }
    double value = (double)bytes / 1e3;
    int unit = 0;
    for (; value >= 999.5 && unit < 5; unit++)
        value /= 1e3;
    write_three_digits(value, units[unit], text);
    return text;
}

int figure_threads(int threads)
{
    cpu_set_t allowed;
    if (threads > 0)
        return threads;
    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        return CPU_COUNT(&allowed);
    long processors = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than the set can hold */
    return processors > 0 ? (int)processors : 1;
}

int figure_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80; /* continuation bytes do not begin a character */
    return width;
}
