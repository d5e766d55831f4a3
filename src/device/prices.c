/* Reads the price file.
 *
 *     abbe-prices 1               the first line
 *     # text                      comments and empty lines may follow anywhere
 *     [cpu:avx2]                  a section: the name of a device, with its level
 *     row_flop 3.1e-11            a charge and its seconds per unit
 *
 * Unknown sections and charges are skipped, so that a file of a newer version serves an older one. A file
 * with any other line is ignored as a whole: methods are never ranked by half of a file. */
#define _GNU_SOURCE
#include "device/prices.h"

#include "core/number.h"
#include "device/cache_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A larger file is not a price file. */
enum { BYTES_MAX = 1 << 14, PATH_BYTES = 4096, NAMES_MAX = 64 };

/* A price that differs from the built-in one by a larger factor is invalid. */
static const double RANGE = 1000;

static const char header[] = "abbe-prices 1";

/* ---- Lines -------------------------------------------------------------------------------------------- */

struct line {
    const char *text;
    size_t length;
};

/* The next line of a text, without its line feed; false after the last line. */
static bool next_line(const char **text, const char *end, struct line *line)
{
    if (*text == end)
        return false;
    const char *stop = memchr(*text, '\n', (size_t)(end - *text));
    line->text = *text;
    line->length = (size_t)((stop ? stop : end) - *text);
    *text = stop ? stop + 1 : end;
    return true;
}

static bool line_is(const struct line *line, const char *word)
{
    return strlen(word) == line->length && !memcmp(line->text, word, line->length);
}

/* Names consist of lower-case letters, digits, '_' and ':'. */
static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_:", text[i]) || !text[i])
            return false;
    return length > 0;
}

static bool read_section(const struct line *line, struct line *section)
{
    *section = (struct line){ line->text + 1, line->length - 2 };
    return line->length > 2 && line->text[0] == '[' && line->text[line->length - 1] == ']' &&
           is_name(section->text, section->length);
}

/* "row_flop 3.1e-11" */
static bool read_price(const struct line *line, struct line *name, double *price)
{
    const char *space = memchr(line->text, ' ', line->length);
    if (!space)
        return false;
    *name = (struct line){ line->text, (size_t)(space - line->text) };
    size_t digits = line->length - name->length - 1;
    return is_name(name->text, name->length) && digits > 0 &&
           number_read(space + 1, digits, price) == digits && isfinite(*price) && *price > 0;
}

/* ---- The text ------------------------------------------------------------------------------------------ */

/* Takes a price of the section; false when it is out of range or given twice. */
static bool take_price(const struct price_list *list, const struct line *name, double price, double *taken)
{
    for (int i = 0; i < list->count; i++) {
        if (!line_is(name, list->names[i]))
            continue;
        if (taken[i] > 0 || price > list->prices[i] * RANGE || price < list->prices[i] / RANGE)
            return false;
        taken[i] = price;
    }
    return true;
}

bool prices_parse(const char *text, size_t length, const struct price_list *list)
{
    const char *end = text + length;
    struct line line, name;
    double taken[NAMES_MAX] = { 0 }, price;
    bool in_section = false, any_section = false;
    if (list->count > NAMES_MAX || !next_line(&text, end, &line) || !line_is(&line, header))
        return false;
    while (next_line(&text, end, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        if (read_section(&line, &name)) {
            in_section = line_is(&name, list->section);
            any_section = true;
        } else if (!any_section || !read_price(&line, &name, &price) ||
                   (in_section && !take_price(list, &name, price, taken)))
            return false;
    }
    for (int i = 0; i < list->count; i++)
        if (taken[i] > 0)
            list->prices[i] = taken[i];
    return true;
}

/* ---- The file ----------------------------------------------------------------------------------------- */

/* The file that ABBE_PRICES names, NULL without one. A folder of the application takes precedence. */
static const char *named_price_file(const abbe_device *device)
{
    const char *named = device->has_cache_dir ? NULL : secure_getenv("ABBE_PRICES");
    return named && *named ? named : NULL;
}

/* Writes the path of the price file; false when there is none. */
static bool find_price_file(const abbe_device *device, char path[PATH_BYTES])
{
    const char *named = named_price_file(device);
    char folder[DEVICE_FOLDER_BYTES];
    int length = -1;
    if (named)
        length = strcmp(named, "builtin") ? snprintf(path, PATH_BYTES, "%s", named) : -1;
    else if (device_cache_folder(device, folder))
        length = snprintf(path, PATH_BYTES, "%s/prices", folder);
    return length > 0 && length < PATH_BYTES;
}

void prices_read(const abbe_device *device, const struct price_list *list)
{
    char path[PATH_BYTES], text[BYTES_MAX];
    if (!find_price_file(device, path))
        return;
    bool named = named_price_file(device) != NULL;
    struct cache_file file;
    enum cache_state state = cache_open(path, named, sizeof text, &file);
    if (state == CACHE_MISSING && !named)
        return;
    if (state == CACHE_MISSING)
        file.reason = "there is no such file";
    else if (state == CACHE_ACCEPTED && !cache_read(&file, text))
        file.reason = "it cannot be read";
    if (file.reason)
        device_log(device, ABBE_LOG_WARNING, "price file '%s' is ignored: %s", path, file.reason);
    else if (!prices_parse(text, file.bytes, list))
        device_log(
            device, ABBE_LOG_WARNING,
            "price file '%s' is ignored: a line of it is not valid for section %s; measure it again with "
            "abbe-bench --calibrate",
            path, list->section);
}
