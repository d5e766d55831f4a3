/* The values of a filter's keys, read from tokens. Numbers are decimal in every locale. */
#include "filter/values.h"

#include "core/error.h"
#include "core/number.h"
#include "core/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int value_fail_unknown(const char *what, struct token token, const char *nearest)
{
    struct shown shown = text_show(token.start, token.length);
    if (nearest)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at position %zu; did you mean '%s'?", what,
                         shown.text, token.position, nearest);
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at position %zu", what, shown.text,
                     token.position);
}

static int read_choice(const abbe_filter_key *key, struct token token, double *value)
{
    struct nearest nearest = { token.start, token.length, NULL, 0 };
    for (size_t i = 0; i < key->choice_count; i++) {
        if (token_is(token, key->choices[i])) {
            *value = (double)i;
            return ABBE_OK;
        }
        nearest_try(&nearest, key->choices[i]);
    }
    if (nearest.name)
        return value_fail_unknown(key->name, token, nearest.name);
    char known[64] = "";
    for (size_t i = 0, used = 0; i < key->choice_count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", key->choices[i]);
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at position %zu; the choices are %s", key->name,
                     text_show(token.start, token.length).text, token.position, known);
}

static int check_range(const abbe_filter_key *key, struct token token, double value)
{
    bool whole = key->type == ABBE_KEY_INTEGER;
    if (value >= key->min && value <= key->max && (!whole || value == rint(value)))
        return ABBE_OK;
    return core_fail(NULL, ABBE_ERR_RANGE, "%s is '%s' at position %zu; it must be %s%g to %g%s%s", key->name,
                     text_show(token.start, token.length).text, token.position,
                     whole ? "a whole number from " : "", key->min, key->max, key->unit ? " " : "",
                     key->unit ? key->unit : "");
}

static int read_number(const abbe_filter_key *key, struct token token, double *value)
{
    double number = 0.0;
    size_t read = number_read(token.start, token.length, &number);
    struct shown shown = text_show(token.start, token.length);
    if (!read || read != token.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "%s: '%s' at position %zu is not a number", key->name,
                         shown.text, token.position);
    if (!isfinite(number) || (key->type == ABBE_KEY_LIST && fabs(number) > FLT_MAX))
        return core_fail(NULL, ABBE_ERR_SYNTAX, "%s: '%s' at position %zu is not a finite number", key->name,
                         shown.text, token.position);
    int error = check_range(key, token, number);
    if (!error)
        *value = number;
    return error;
}

/* Reads a frequency into cycles per pixel: f/2 for a fraction f of Nyquist, 1/p for a period of p pixels. */
static int read_frequency(const abbe_filter_key *key, struct token token, double *value)
{
    double number = 0.0;
    size_t read = number_read(token.start, token.length, &number);
    struct token unit = { token.start + read, token.length - read, 0 };
    bool in_cycles = token_is(unit, "cpp"), in_pixels = token_is(unit, "px");
    if (!read || !isfinite(number) || (unit.length && !in_cycles && !in_pixels))
        return core_fail(
            NULL, ABBE_ERR_SYNTAX,
            "%s: '%s' at position %zu is not a frequency such as 0.25 (of Nyquist), 0.1cpp or 24px",
            key->name, text_show(token.start, token.length).text, token.position);
    double cycles = in_cycles ? number : in_pixels ? 1.0 / number : 0.5 * number;
    int error = check_range(key, token, 2.0 * cycles);
    if (!error)
        *value = cycles;
    return error;
}

/* Reads numbers that are separated by '/'. */
static int read_list(const abbe_filter_key *key, struct token token, abbe_matrix *list)
{
    size_t count = 1;
    for (size_t i = 0; i < token.length; i++)
        count += token.start[i] == '/';
    if (count > ABBE_KERNEL_SIDE_MAX)
        return core_fail(NULL, ABBE_ERR_SIZE, "%s at position %zu has more than %d numbers", key->name,
                         token.position, ABBE_KERNEL_SIDE_MAX);
    abbe_matrix made;
    int error = abbe_matrix_create((int)count, 1, &made);
    if (error)
        return error;
    struct token number = { .start = token.start, .position = token.position };
    for (size_t i = 0; i < count && !error; i++) {
        size_t used = (size_t)(number.start - token.start);
        const char *mark = memchr(number.start, '/', token.length - used);
        number.length = mark ? (size_t)(mark - number.start) : token.length - used;
        error = read_number(key, number, &made.values[i]);
        number.start += number.length + 1;
        number.position += number.length + 1;
    }
    if (error)
        abbe_matrix_free(&made);
    else
        *list = made;
    return error;
}

int value_read(const abbe_filter_key *key, struct token token, double *value, abbe_matrix *list)
{
    switch (key->type) {
    case ABBE_KEY_NUMBER:
    case ABBE_KEY_INTEGER: return read_number(key, token, value);
    case ABBE_KEY_FREQUENCY: return read_frequency(key, token, value);
    case ABBE_KEY_CHOICE: return read_choice(key, token, value);
    case ABBE_KEY_LIST: return read_list(key, token, list);
    case ABBE_KEY_FILE: break;
    }
    return ABBE_OK;
}
